// SPDX-License-Identifier: Apache-2.0
// A real number as the unevaluated sum of two doubles, h + l with h = RN(h + l), so |l| <= u·|h| with u = 2^-53: about
// 106 bits. Files that use it are compiled without contraction.
//
// How wrong operations are at most where nothing underflows, in u² and relative to the result. What is left out is
// smaller by 2^-40 or more, and every claim has more room than that. |a.l| <= α·u·|a| and |b.l| <= β·u·|b| (1 of a
// normalized pair); a double's rounding counts as u times its result.
// - a + b: 3 (AccurateDWPlusDW: Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic building blocks of
//   double-word arithmetic", 2017; Muller, Rideau, 2022).
// - ordered(a, b): |s| + 2(α|a| + β|b|) of s = a + b: a.l + b.l and its sum with s.l are rounded.
// - a · b: 2α + β + αβ + 2, which is 6 of normalized pairs: a.l·b.l is left out, a.l·b.h + … and
//   a.h·b.l + … are rounded.
// - a / b: 11. The remainder of the first quotient is exact; a.l - q·b.l has 2, the sum of remainders 3, the second
//   quotient 3, b.h for b in it 3.
// - step, c + p·x: see scripts/lab/pair-constants, which counts sums by Horner's scheme.
#pragma once

#include <cstddef>
#include <cstdint>

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
OPREF_INLINE Pair normalized(const Pair& a) { return fast_two_sum(a.h, a.l); }
OPREF_INLINE Pair operator-(const Pair& a) { return {-a.h, -a.l}; }
OPREF_INLINE Pair operator+(const Pair& a, const Pair& b) {
  const Pair s = two_sum(a.h, b.h), t = two_sum(a.l, b.l), v = fast_two_sum(s.h, s.l + t.h);
  return fast_two_sum(v.h, v.l + t.l);
}
OPREF_INLINE Pair operator-(const Pair& a, const Pair& b) { return a + -b; }
/// a + b where |a| >= |b|, or a = 0.
OPREF_INLINE Pair ordered(const Pair& a, const Pair& b) {
  const Pair s = fast_two_sum(a.h, b.h);
  return fast_two_sum(s.h, s.l + (a.l + b.l));
}
OPREF_INLINE Pair operator*(const Pair& a, const Pair& b) {
  const Pair p = two_product(a.h, b.h);
  return fast_two_sum(p.h, __builtin_fma(a.h, b.l, __builtin_fma(a.l, b.h, p.l)));
}
OPREF_INLINE Pair operator/(const Pair& a, const Pair& b) {
  const double q = a.h / b.h, rest = __builtin_fma(-q, b.h, a.h) + __builtin_fma(-q, b.l, a.l);
  return fast_two_sum(q, rest / b.h);
}
/// c + p·x, not normalized; free: |c| may be less than |p·x|.
OPREF_INLINE Pair step(const Pair& c, const Pair& p, const Pair& x, bool free = false) {
  const Pair q = two_product(p.h, x.h);
  const double low = __builtin_fma(p.l, x.h, __builtin_fma(p.h, x.l, q.l));  // p.l last: it is what is waited for
  const Pair s = free ? two_sum(c.h, q.h) : fast_two_sum(c.h, q.h);
  return {s.h, (s.l + c.l) + low};
}
/// high[0] + low[0] + x·(… + x·(tail[0] + …)), not normalized. Bit i of kFree: step i is free.
template <std::uint64_t kFree = 0, std::size_t N, std::size_t M>
OPREF_INLINE Pair polynomial(const double (&high)[N], const double (&low)[N], const double (&tail)[M], const Pair& x) {
  double rest = tail[M - 1];
#pragma GCC unroll 64
  for (int i = static_cast<int>(M) - 2; i >= 0; --i) rest = __builtin_fma(rest, x.h, tail[i]);
  const Pair s = fast_two_sum(high[N - 1], rest * x.h);
  Pair p{s.h, s.l + low[N - 1]};
#pragma GCC unroll 64
  for (int i = static_cast<int>(N) - 2; i >= 0; --i) p = step({high[i], low[i]}, p, x, (kFree >> i & 1) != 0);
  return p;
}

}  // namespace opref::exact
