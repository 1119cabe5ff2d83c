// SPDX-License-Identifier: Apache-2.0
// The inverse of the error function, in all tiers: y with erf y = x, of -1 < x < 1; ±infinity at ±1, NaN beyond.
//
// Near y0 it is Taylor's series of the inverse: with d = (x - erf y0)·(√π/2)·e^(y0²),
//   y = y0 + d + y0·d² + rest,  |rest| <= (1 + 4·(|y0| + 2|d|)²)·|d|³/2  where (1 + |y0|)·|d| <= 2^-10
// (its third derivative over 6 is (1 + 4y²)·y'³/3 between y0 and y, where y'³ is at most 1.1 of what it is at y0).
// From 1/2 on the miss is erfc y0 - (1 - x), and 1 - x is a double.
#pragma once

#include "exact/real/bounded.h"
#include "exact/real/faithful.h"
#include "exact/real/interval.h"
#include "exact/real/paired.h"
#include "exact/real/quick.h"
#include "exact/real/static_bound.h"

namespace opref::exact {

// Of a double; of another number nothing is known.
Bounded erfinv(const Bounded& x);
Paired erfinv(const Paired& x);
/// Of a double; that it is none is a bug.
Interval erfinv(const Interval& x);
Faithful erfinv(const Faithful& x);
/// There is none: nothing is known.
inline Quick erfinv(const Quick&) { return quick::kNaN; }
inline StaticBound erfinv(const StaticBound&) { return StaticBound::unknown(); }

}  // namespace opref::exact
