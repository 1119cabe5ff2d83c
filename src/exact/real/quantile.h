// SPDX-License-Identifier: Apache-2.0
// The quantile of the standard normal distribution, in all tiers: y with Φ(y) = p, of 0 < p < 1; -Inf of 0, Inf of 1,
// +0 of 1/2, NaN beyond.
//
// With t = 2·min(p, 1 - p) it is ∓√2·w, where erfc w = t. Near w0 that is Taylor's series of inverse_error.h: with
// d = (erfc w0 - t)·(√π/2)·e^(w0²),
//   w = w0 + d + w0·d² + rest,  |rest| <= (1 + 4·(|w0| + 2|d|)²)·|d|³/2  where (1 + |w0|)·|d| <= 2^-10
#pragma once

#include "exact/real/bounded.h"
#include "exact/real/faithful.h"
#include "exact/real/interval.h"

namespace opref::exact {

Bounded quantile(const Bounded& p);
Interval quantile(const Interval& p);
/// Of a kernel that has √2·erfinv(2p - 1).
Faithful quantile(const Faithful& p);

}  // namespace opref::exact
