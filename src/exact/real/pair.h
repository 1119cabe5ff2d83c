// SPDX-License-Identifier: Apache-2.0
// A real number as the unevaluated sum of two doubles, h + l with h = RN(h + l): about 106 bits.
//
// u = 2^-53. If nothing underflows, a sum is wrong by at most 3u²·|a + b| (AccurateDWPlusDW) and a product by at most
// 6u²·|a·b| (DWTimesDW without the product of both l): Joldes, Muller, Popescu, "Tight and rigorous error bounds for
// basic building blocks of double-word arithmetic" (2017), Muller, Rideau (2022). Files that use them are compiled
// without contraction.
#pragma once

#include "exact/vector.h"

namespace opref::exact {

struct Pair {
  double h, l;
};
OPREF_INLINE Pair fast_two_sum(double a, double b) {  // |a| >= |b|, or a = 0
  const double s = a + b;
  return {s, b - (s - a)};
}
OPREF_INLINE Pair two_sum(double a, double b) {
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
OPREF_INLINE Pair two_product(double a, double b) {
  const double p = a * b;
  return {p, __builtin_fma(a, b, -p)};
}
OPREF_INLINE Pair operator-(const Pair& a) { return {-a.h, -a.l}; }
OPREF_INLINE Pair operator+(const Pair& a, const Pair& b) {
  const Pair s = two_sum(a.h, b.h), t = two_sum(a.l, b.l), v = fast_two_sum(s.h, s.l + t.h);
  return fast_two_sum(v.h, v.l + t.l);
}
OPREF_INLINE Pair operator-(const Pair& a, const Pair& b) { return a + -b; }
OPREF_INLINE Pair operator*(const Pair& a, const Pair& b) {
  const Pair p = two_product(a.h, b.h);
  return fast_two_sum(p.h, __builtin_fma(a.h, b.l, __builtin_fma(a.l, b.h, p.l)));
}

}  // namespace opref::exact
