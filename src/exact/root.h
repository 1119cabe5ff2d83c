// SPDX-License-Identifier: Apache-2.0
// Correctly rounded p-norms, (Σ|x|^p)^(1/p), and the powers and roots that they consist of. No result depends on the
// machine's mathematical library.
#pragma once

#include <cstdint>
#include <span>

#include "exact/power.h"
#include "exact/ratio.h"
#include "exact/rounded_real.h"
#include "exact/slack.h"

namespace opref::exact {

/// The powers that lp_norm takes: integers to 2^20, others to 1024, all > 0. An `invalid` error if p is not finite and
/// > 0, an `unsupported` one if it is too large.
void require_supported_power(double p);

/// The T nearest to (scale · Σ|x|^p)^(1/p), ties to even; scale is a quotient of integers from 1 to 2^53. Any NaN gives
/// NaN, else an infinity +Inf; an empty or all-zero window +0. T is Half, BFloat16, float or double.
template <class T>
T lp_norm(std::span<const double> window, double p, const Ratio& scale = {});

/// The real number (scale · Σx^p)^(1/q) of finite x, where q = p (a norm), q = 1 (its sum) or p = 1 (a root). NaN where
/// x < 0 and p is no integer, and where the sum is below zero and q is not 1. Powers are those that lp_norm takes.
RoundedReal root_of_powers(std::span<const double> x, double p, double q, const Ratio& scale = {});

/// The T nearest to x^p, ties to even, p > 0; of what is not finite, and of negative x, as C's pow. T is Half,
/// BFloat16, float or double.
template <class T>
T power(double x, double p);

/// The T nearest to x^(1/p), ties to even; NaN where x < 0.
template <class T>
T root(double x, double p);

/// The relative error that settle_root must allow for: roundings of the sum of `terms` powers, of the powers themselves
/// and of a midpoint's power, and of the comparison. A factor of the sum counts as two terms more.
double root_bound(double terms, const Power& p, const Slack& slack = {});

/// The T nearest to the p-th root of a sum of p-th powers of float numbers whose estimate is `sum`,
/// where the midpoints around a guess, raised to p, enclose everything within the relative error; else false, and y is
/// unchanged. The guess is never trusted. T is Half, BFloat16 or float.
template <class T>
bool settle_root(double sum, const Power& p, double relative, T& y);

}  // namespace opref::exact
