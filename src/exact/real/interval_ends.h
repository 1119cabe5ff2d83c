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

}  // namespace opref::exact
