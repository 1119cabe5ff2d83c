// SPDX-License-Identifier: Apache-2.0
// Deviations from a mean in standard deviations: what the normalizations share.
#pragma once

#include "evaluators/programs.h"
#include "exact/rounding.h"
#include "ops/common/mistakes.h"
#include "schema/operator.h"

namespace opref::ops {

/// How the deviation comes about: as it should, or by a known mistake: divided by n - 1; E[x²] - E[x]² in float32;
/// epsilon added to the root; no root taken.
enum class Spread : std::uint8_t { right, sample, of_squares, epsilon_outside, without_root };

/// The mean of n elements, where each(f) calls f(the place in X) of each one in order.
template <class R, class Each>
R mean_of(const Reader<R>& x, const Elements& X, std::int64_t n, const Each& each, Spread spread) {
  if (spread == Spread::of_squares) {
    float sum = 0;
    each([&](std::int64_t at) { sum += static_cast<float>(X.number(at)); });
    return R(widen(sum / static_cast<float>(n)));
  }
  R sum = x.zero();
  each([&](std::int64_t at) { sum = sum + x(X, at); });
  return x.named("the mean", sum / R::whole(n));
}
/// Their variance, of the population.
template <class R, class Each>
R variance_of(const Reader<R>& x, const Elements& X, std::int64_t n, const Each& each, const R& mean, Spread spread) {
  if (spread == Spread::of_squares) {
    float sum = 0, squared = 0;
    each([&](std::int64_t at) {
      const auto value = static_cast<float>(X.number(at));
      sum += value, squared += value * value;
    });
    const auto count = static_cast<float>(n), near = sum / count, variance = squared / count - near * near;
    return R(widen(variance));
  }
  R squares = x.zero();
  each([&](std::int64_t at) { squares = squares + square(x(X, at) - mean); });
  return x.named("the variance", squares / R::whole(spread == Spread::sample ? n - 1 : n));
}
/// √(variance + epsilon)
template <class R>
R deviation_of(const Reader<R>& x, const R& variance, double epsilon, Spread spread) {
  if (spread == Spread::without_root) return variance + R(epsilon);
  const bool outside = spread == Spread::epsilon_outside;
  return x.named("the deviation", outside ? sqrt(variance) + R(epsilon) : sqrt(variance + R(epsilon)));
}
/// The operator's mistakes, whose kernels these are.
template <Kernel sample, Kernel of_squares>
std::vector<Mistake> variance_mistakes() {
  return {{"variance divided by n - 1", computed_by<as_it_is, sample>},
          {"variance as E[x^2] - E[x]^2 in float32", computed_by<as_it_is, of_squares>}};
}
template <Kernel sample, Kernel of_squares, Kernel epsilon_outside, Kernel without_root>
std::vector<Mistake> spread_mistakes() {
  std::vector<Mistake> mistakes = variance_mistakes<sample, of_squares>();
  mistakes.push_back({"epsilon added to the root, not under it", computed_by<as_it_is, epsilon_outside>});
  mistakes.push_back({"divided by the variance, not by its root", computed_by<as_it_is, without_root>});
  return mistakes;
}

/// (x - mean) / √(variance + epsilon) · scale + bias
template <class R>
R normalized(const R& x, const R& mean, const R& deviation, const R& scale, const R& bias) {
  return (x - mean) / deviation * scale + bias;
}

/// Y of X, (N, C, D1, …), whose channels are in `groups` groups: each group of a batch row is normalized by its own
/// mean and variance. Scale and bias have one number per channel, or per group.
std::vector<Value> normalized_groups(const Call& call, std::span<const Output> outs, std::int64_t groups,
                                     std::string_view bias, Spread spread = Spread::right);
/// That scale and bias have this shape.
void require_parameters(const Call& call, std::initializer_list<std::string_view> names, const Dims& shape);

}  // namespace opref::ops
