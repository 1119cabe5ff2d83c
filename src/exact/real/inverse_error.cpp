// SPDX-License-Identifier: Apache-2.0
#include "exact/real/inverse_error.h"

#include <cmath>

#include "core/error.h"
#include "exact/real/bounded_functions.h"
#include "exact/real/paired_functions.h"
#include "exact/real/real_number.h"

namespace opref::exact {
namespace {

/// d of the series at y0, of z = |x|.
template <class R>
R difference_at(const R& y0, const R& z, bool is_far) {
  const R miss = is_far ? erfc(y0) - (R(1.0) - z) : z - erf(y0);
  return miss * (sqrt(pi(z)) * R(0.5)) * exp(square(y0));
}
/// The series without its rest.
template <class R>
R series(const R& y0, const R& d) {
  return y0 + d + y0 * square(d);
}
/// What the rest is at most.
template <class R>
R rest_of(const R& y0, const R& size) {
  const R most = y0 + R(2.0) * size;
  return (R(1.0) + R(4.0) * (most * most)) * (size * size * size) * R(0.5);
}

/// The inverse at 0 <= z < 1, within 2^-8 of it: S. Winitzki's formula, near 0 Taylor's series.
double estimate(double z) {
  if (z < 0.1) return 0.886226925452758 * (z + 0.2617993877991494 * z * z * z);
  constexpr double kA = 0.147, kTwoOverPi = 0.6366197723675814;
  const double log_of = log(Bounded((1 - z) * (1 + z))).v, sum = kTwoOverPi / kA + log_of / 2;
  return std::sqrt(std::sqrt(sum * sum - log_of / kA) - sum);
}

/// Of z outside ]0, 1[.
double special(double z) { return z == 0 ? 0.0 : z == 1 ? kInfinity : quick::kNaN; }
bool is_special(double z) { return !(z > 0 && z < 1); }

}  // namespace

Bounded erfinv(const Bounded& x) {
  const double z = std::abs(x.v);
  if (x.e != 0) return {x.v, kInfinity};
  if (is_special(z)) return {std::copysign(special(z), x.v), 0};
  double y0 = estimate(z), size = 0, rest = kInfinity;
  Bounded d = 0.0;
  for (int step = 0; step < 3 && rest > y0 * 0x1p-55; ++step) {
    if (step > 0) y0 = series(Bounded(y0), d).v;
    d = difference_at(Bounded(y0), Bounded(z), z >= 0.5);
    size = bounded::size(d), rest = rest_of(y0, size) * 1.01;
  }
  const Bounded y = series(Bounded(y0), d);
  return odd(x, {y.v, y.e + rest + bounded::unless((1 + y0) * size <= bounded::kSteep)});
}

Paired erfinv(const Paired& x) {
  const double z = std::abs(x.h), y0 = std::abs(erfinv(Bounded(x.h)).v);
  if (x.e != 0 || x.l != 0) return {x.h, 0, kInfinity};
  if (is_special(z)) return {std::copysign(special(z), x.h), 0, 0};
  const Paired d = difference_at(Paired(y0), Paired(z), z >= 0.5), y = series(Paired(y0), d);
  const double size = paired::size(d), rest = rest_of(y0, size) * 1.01;
  return odd(x, {y.h, y.l, y.e + rest + bounded::unless((1 + y0) * size <= bounded::kSteep)});
}

/// Each step adds to y0 a double that is nearest to what it lacks, some 48 bits.
Interval erfinv(const Interval& x) {
  if (x.is_nan()) return x;
  const double of_x = RealNumber(x.low()).nearest_double(), z = std::abs(of_x);
  if (std::isinf(of_x)) return Interval(special(z));
  if (!x.is_point() || !(Interval(of_x) - x).is_zero())
    fail(Fault::internal, "erfinv of an interval that is no double");
  if (is_special(z)) return Interval(std::copysign(special(z), of_x));
  Interval y0(std::abs(erfinv(Bounded(of_x)).v)), d(0.0);
  for (MpfrPrecision bits = 0; bits < Interval::precision; bits += 128) {
    if (bits > 0) y0 = y0 + Interval(RealNumber(d.low()).nearest_double());
    d = difference_at(y0, Interval(z), z >= 0.5);
  }
  const Interval y = series(y0, d), rest = rest_of(y0, abs(d));
  const Interval size = choose(
      Interval::Truth::unknown, [&] { return y - rest; }, [&] { return y + rest; });
  return std::signbit(of_x) ? -size : size;
}

}  // namespace opref::exact
