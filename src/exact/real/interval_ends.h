// SPDX-License-Identifier: Apache-2.0
// The ends of an Interval as MPFR's numbers, for the functions of intervals.
#pragma once

#include "exact/mpfr.h"
#include "exact/narrow_sum.h"
#include "exact/real/interval.h"
#include "exact/real/steps.h"
#include "exact/storage.h"

namespace opref::exact {

template <class F>
Interval& Interval::at_point(const F& f) {
  const int inexact = f(low_, MPFR_RNDN);
  if (const auto type = Steps::type()) {
    const double x = mpfr_get_d(low_, MPFR_RNDN);
    return *this = Interval(with_float(*type, [x]<class T>(T) { return NarrowSum<T>::rounded(x); }));
  }
  mpfr_set(high_, low_, MPFR_RNDN);
  if (inexact == 0) become_point();
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

/// The least and the greatest of f at the four pairs of ends.
template <class F>
Interval& Interval::corners(const Interval& a, const Interval& b, const F& f) {
  mpfr_t corner;
  mpfr_init2(corner, precision);
  f(low_, a.low_, b.low_, MPFR_RNDD);
  f(high_, a.low_, b.low_, MPFR_RNDU);
  const auto at = [&](mpfr_srcptr p, mpfr_srcptr q) {
    f(corner, p, q, MPFR_RNDD);
    if (mpfr_nan_p(corner) || mpfr_less_p(corner, low_)) mpfr_set(low_, corner, MPFR_RNDN);
    f(corner, p, q, MPFR_RNDU);
    if (mpfr_nan_p(corner) || mpfr_greater_p(corner, high_)) mpfr_set(high_, corner, MPFR_RNDN);
  };
  if (!a.is_point()) at(a.high_, b.low_);
  if (!b.is_point()) at(a.low_, b.high_);
  if (!a.is_point() && !b.is_point()) at(a.high_, b.high_);
  mpfr_clear(corner);
  return finish();
}

}  // namespace opref::exact
