// SPDX-License-Identifier: Apache-2.0
// Deviations from a mean in standard deviations: what the normalizations share.
#pragma once

#include "families/programs.h"
#include "schema/operator.h"

namespace opref::ops {

template <class R>
struct Moments {
  R mean, variance;  ///< of the population
};
/// Of n elements, where each(f) calls f(the place in X) of each one in order.
template <class R, class Each>
Moments<R> moments(const Reader<R>& x, const Elements& X, std::int64_t n, const Each& each) {
  const R count(static_cast<double>(n));
  R sum = x.zero(), squares = x.zero();
  each([&](std::int64_t at) { sum = sum + x(X, at); });
  const R mean = x.named("the mean", sum / count);
  each([&](std::int64_t at) { squares = squares + square(x(X, at) - mean); });
  return {mean, x.named("the variance", squares / count)};
}
/// (x - mean) / √(variance + epsilon) · scale + bias
template <class R>
R normalized(const R& x, const R& mean, const R& deviation, const R& scale, const R& bias) {
  return (x - mean) / deviation * scale + bias;
}

/// Y of X, (N, C, D1, …), whose channels are in `groups` groups: each group of a batch row is normalized by its own
/// mean and variance. Scale and bias have one number per channel, or per group.
std::vector<Value> normalized_groups(const Call& call, std::span<const Output> outs, std::int64_t groups,
                                     std::string_view bias);
/// That scale and bias have this shape.
void require_parameters(const Call& call, std::initializer_list<std::string_view> names, const Dims& shape);
/// The attribute says which type the page computes in, which changes no number: it must be a floating type.
DType stash_type(const Call& call);

}  // namespace opref::ops
