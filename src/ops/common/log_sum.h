// SPDX-License-Identifier: Apache-2.0
// log Σ e^x, whose greatest term is taken out: what is left of the sum is known with all its digits, however small.
#pragma once

#include <cmath>

#include "evaluators/programs.h"
#include "ops/common/formulas.h"

namespace opref::ops {

/// log Σ e^x = most + rest, rest = log(1 + Σ e^(x - most)) over all elements but one greatest one.
template <class R>
struct LogSum {
  R most, rest;
};
/// Of the elements of X, where each(f) calls f(the place in X) of each one. NaN is the greatest of all; of none -Inf.
template <class R, class Each>
LogSum<R> log_sum(const Reader<R>& x, const Elements& X, const Each& each) {
  std::int64_t greatest = -1;
  each([&](std::int64_t at) {
    if (greatest < 0 || X.number(greatest) < X.number(at) || std::isnan(X.number(at))) greatest = at;
  });
  if (greatest < 0) return {log(x.zero()), x.zero()};
  const R most = x.named("the greatest element", x(X, greatest));
  R others = x.zero();
  if (!std::isfinite(X.number(greatest))) return {most, others};
  each([&](std::int64_t at) {
    if (at != greatest) others = others + exp(x(X, at) - most);
  });
  return {most, at_least_tiny(log1p(x.named("the sum of e^(x - greatest) of the others", others)))};
}

}  // namespace opref::ops
