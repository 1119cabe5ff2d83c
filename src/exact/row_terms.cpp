// SPDX-License-Identifier: Apache-2.0
#include "exact/row_terms.h"

#include <bit>
#include <cmath>

#include "exact/vector.h"

namespace opref::exact {
namespace {

constexpr std::size_t kPart = 512, kMost = 3;  ///< so many numbers in step; so many terms after the first in one loop

/// A sum of doubles and the sizes of what its additions lost, by TwoSum: that they are 0 says that it is exact.
struct Partial {
  double v, lost;
};
OPREF_INLINE Partial add(const Partial& a, double b) {
  const double s = a.v + b, t = s - a.v;
  return {s, a.lost + std::abs((a.v - (s - t)) + (b - t))};
}
/// An exact -0 becomes +0.
OPREF_INLINE float end_of(double v, double e) { return static_cast<float>(v + e + 0.0); }
/// Adds `more` terms; v and lost lie beside each other in rows.
template <std::size_t more>
OPREF_CLONES void add_loop(const float* const* terms, std::size_t n, double* __restrict v, double* __restrict lost) {
  const float* x[more];
  for (std::size_t t = 0; t < more; ++t) x[t] = terms[t];
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    Partial sum{v[i], lost[i]};
    for (std::size_t t = 0; t < more; ++t) sum = add(sum, static_cast<double>(x[t][i]));
    v[i] = sum.v, lost[i] = sum.lost;
  }
}
/// q ± e settled, as numbers alone: of logic on conditions GCC 12 makes no vector code. What is not finite is doubtful.
OPREF_INLINE void settle(double q, double e, float& y, std::int32_t& is_inexact, std::int32_t& doubt) {
  const float low = end_of(q, -e), high = end_of(q, e);
  const std::int32_t differ = std::bit_cast<std::int32_t>(low) ^ std::bit_cast<std::int32_t>(high);
  const std::int32_t beyond = std::abs(low) < HUGE_VALF ? 0 : 1;
  const double off = e + std::abs(static_cast<double>(low) - q), one = off == 0 ? 0.0 : 1.0;
  y = low;
  is_inexact = static_cast<std::int32_t>(one);
  doubt = (differ | beyond) == 0 ? 0 : 1;
}
/// 1.01 and 2^-52 of the number pay for the roundings of the bound and of both ends.
OPREF_INLINE double bound_of(double off, double number) {
  return off == 0 ? 0 : off * 1.01 + std::abs(number) * 0x1p-52;
}
/// A divisor and its reciprocal.
struct Divisor {
  double number, reciprocal;
};
/// A quotient, and how wrong it can be. One step from v times the reciprocal gives q, the double nearest to v/number
/// (Markstein 1990). Let v be exact. If q is a float, or halfway between two, it has at most 25 bits, and number has at
/// most 28: q·number is a double. It differs from v by at most half a last place of q times number, which is less than
/// neighbouring doubles differ: it is v, and q the quotient itself. If v is not exact, 2^-52 of the quotient pays for
/// its rounding.
OPREF_INLINE void divide(Partial v, const Divisor& by, double& q, double& e) {
  const double near = v.v * by.reciprocal, rest = __builtin_fma(-near, by.number, v.v);
  q = __builtin_fma(rest, by.reciprocal, near);
  e = bound_of(v.lost * by.reciprocal, q);
}
OPREF_CLONES void settle_loop(const double* __restrict v, const double* __restrict lost, Divisor divisor, std::size_t n,
                              float* __restrict y, std::int32_t* __restrict is_inexact,
                              std::int32_t* __restrict doubts) {
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    double q = 0, e = 0;
    divide({v[i], lost[i]}, divisor, q, e);
    settle(q, e, y[i], is_inexact[i], doubts[i]);
  }
}
/// The same of one to four terms at once.
template <std::size_t count, bool divides>
OPREF_CLONES void sum_loop(const float* const* terms, Divisor divisor, std::size_t n, float* __restrict y,
                           std::int32_t* __restrict is_inexact, std::int32_t* __restrict doubts) {
  const float* x[count];
  for (std::size_t t = 0; t < count; ++t) x[t] = terms[t];
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    Partial sum{static_cast<double>(x[0][i]), 0};
#pragma GCC unroll 4
    for (std::size_t t = 1; t < count; ++t) sum = add(sum, static_cast<double>(x[t][i]));
    double q = sum.v, e = 0;
    if constexpr (divides)
      divide(sum, divisor, q, e);
    else
      e = bound_of(sum.lost, sum.v);
    settle(q, e, y[i], is_inexact[i], doubts[i]);
  }
}

template <bool divides>
auto loop_of(std::size_t count) {
  return count == 1   ? sum_loop<1, divides>
         : count == 2 ? sum_loop<2, divides>
         : count == 3 ? sum_loop<3, divides>
                      : sum_loop<4, divides>;
}

std::size_t count_of(const std::int32_t* doubts, std::size_t n) {
  std::int32_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += doubts[i];
  return static_cast<std::size_t>(count);
}

}  // namespace

std::size_t row_sum_of_terms(const float* const* terms, std::size_t count, double divisor, std::size_t n, float* y,
                             std::int32_t* is_inexact, std::int32_t* doubts) {
  const Divisor by{divisor, 1 / divisor};
  if (count <= 4) {
    (divisor == 1 ? loop_of<false>(count) : loop_of<true>(count))(terms, by, n, y, is_inexact, doubts);
    return count_of(doubts, n);
  }
  double v[kPart], lost[kPart];
  for (std::size_t first = 0; first < n; first += kPart) {
    const std::size_t size = n - first < kPart ? n - first : kPart;
    for (std::size_t i = 0; i < size; ++i) v[i] = static_cast<double>(terms[0][first + i]), lost[i] = 0;
    for (std::size_t t = 1; t < count;) {
      const std::size_t more = count - t < kMost ? count - t : kMost;
      const float* x[kMost];
      for (std::size_t k = 0; k < more; ++k) x[k] = terms[t + k] + first;
      (more == 1 ? add_loop<1> : more == 2 ? add_loop<2> : add_loop<3>)(x, size, v, lost);
      t += more;
    }
    settle_loop(v, lost, by, size, y + first, is_inexact + first, doubts + first);
  }
  return count_of(doubts, n);
}

}  // namespace opref::exact
