// SPDX-License-Identifier: Apache-2.0
// The ends of an Interval as MPFR's numbers, for the functions of intervals.
#pragma once

#include <utility>

#include "exact/mpfr.h"
#include "exact/narrow_sum.h"
#include "exact/real/interval.h"
#include "exact/real/steps.h"
#include "exact/storage.h"

namespace opref::exact {

/// Of a number that is one of the two.
Size either_size(const Size& a, const Size& b);

/// One end of an interval.
struct End {
  mpfr_srcptr x;
  bool is_open;
};
inline End low_end(const Interval& a) { return {a.low(), a.is_low_open()}; }
inline End high_end(const Interval& a) { return {a.high(), a.is_high_open()}; }

/// An operation on two numbers that does not depend on the second where the first is p_rules, nor on the first where
/// the second is q_rules.
template <class F>
struct EndOperation {
  double p_rules, q_rules;
  F f;
  /// Sets y to the rounded result; whether the operation on the numbers cannot give that.
  bool operator()(mpfr_ptr y, const End& p, const End& q, mpfr_rnd_t direction) const {
    if (f(y, p.x, q.x, direction) != 0) return true;
    if (!p.is_open && !q.is_open) return false;
    const bool does_p_rule = mpfr_cmp_d(p.x, p_rules) == 0, does_q_rule = mpfr_cmp_d(q.x, q_rules) == 0;
    if (!does_p_rule && !does_q_rule) return true;
    return (!does_p_rule || p.is_open) && (!does_q_rule || q.is_open);
  }
};
template <class F>
EndOperation(double, double, F) -> EndOperation<F>;  // as clang 16 does not deduce by itself

template <class F>
Interval& Interval::at_point(const F& f) {
  const int inexact = f(low_, MPFR_RNDN);
  if (const auto type = Steps::type()) {
    const double x = mpfr_get_d(low_, MPFR_RNDN);
    return *this = Interval(with_float(*type, [x]<class T>(T) { return NarrowSum<T>::rounded(x); }));
  }
  mpfr_set(high_, low_, MPFR_RNDN);
  if (inexact == 0) become_point();
  low_open_ = high_open_ = inexact != 0;
  if (inexact > 0) mpfr_nextbelow(low_);  // also of what rounds to infinity or zero
  if (inexact < 0) mpfr_nextabove(high_);
  return *this;
}

template <class F>
Interval& Interval::at_zero(const F& f) {
  const Interval zero(0.0);
  at_point([&](mpfr_ptr r, mpfr_rnd_t d) { return f(r, zero.low_, d); });
  return is_zero() ? *this = zero_of_either_sign() : *this;
}

template <class Operation>
Interval& Interval::between(const Interval& a, bool rises_with_a, const Interval& b, bool rises_with_b,
                            const Operation& f) {
  const auto ends = [](const Interval& x, bool rises) {
    return rises ? std::pair(low_end(x), high_end(x)) : std::pair(high_end(x), low_end(x));
  };
  const auto of_a = ends(a, rises_with_a), of_b = ends(b, rises_with_b);
  low_open_ = f(low_, of_a.first, of_b.first, MPFR_RNDD);
  high_open_ = f(high_, of_a.second, of_b.second, MPFR_RNDU);
  return finish();
}

/// The least and the greatest of f at the four pairs of ends. One that two of them give is open if both are.
template <class Operation>
Interval& Interval::corners(const Interval& a, const Interval& b, const Operation& f) {
  mpfr_t corner;
  mpfr_init2(corner, precision);
  low_open_ = f(low_, low_end(a), low_end(b), MPFR_RNDD);
  high_open_ = f(high_, low_end(a), low_end(b), MPFR_RNDU);
  const auto at = [&](const End& p, const End& q) {
    const auto take = [&](mpfr_ptr end, bool& is_open, mpfr_rnd_t direction, const auto& is_further) {
      const bool is_corner_open = f(corner, p, q, direction);
      if (mpfr_nan_p(corner) || is_further(corner, end)) {
        mpfr_set(end, corner, MPFR_RNDN);
        is_open = is_corner_open;
      } else if (mpfr_equal_p(corner, end)) {
        is_open = is_open && is_corner_open;
      }
    };
    take(low_, low_open_, MPFR_RNDD, [](mpfr_srcptr x, mpfr_srcptr y) { return mpfr_less_p(x, y) != 0; });
    take(high_, high_open_, MPFR_RNDU, [](mpfr_srcptr x, mpfr_srcptr y) { return mpfr_greater_p(x, y) != 0; });
  };
  if (!a.is_point()) at(high_end(a), low_end(b));
  if (!b.is_point()) at(low_end(a), high_end(b));
  if (!a.is_point() && !b.is_point()) at(high_end(a), high_end(b));
  mpfr_clear(corner);
  return finish();
}

}  // namespace opref::exact
