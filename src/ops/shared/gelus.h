// SPDX-License-Identifier: Apache-2.0
// GELU, x/2·(1 + erf(x/√2)), and its approximation by tanh, over any number class.
#pragma once

#include "core/error.h"
#include "evaluators/real.h"
#include "schema/operator.h"
namespace opref::ops {
/// x/2·(1 + erf(x/√2)), of which 1 + erf z = erfc(-z), without cancellation.
template <class R>
OPREF_INLINE R gelu(const R& x) {
  return x * erfc(-(x * sqrt(R(0.5)))) * R(0.5);
}
/// x/2·(1 + tanh(z)), of which (1 + tanh z)/2 = 1/(1 + e^(-2z)); z2 is 2z, which has the sign of x.
template <class R>
OPREF_INLINE R half_of_tanh(const R& x, const R& z2) {
  const R t = exp(-abs(z2));  // at most 1
  return x *
         choose(
             x < R(0.0), [&] { return t; }, [] { return R(1.0); }) /
         (R(1.0) + t);
}
/// z = √(2/π)·(x + c·x³)
template <class R>
OPREF_INLINE R gelu_by_tanh(const R& x, const R& c) {
  return half_of_tanh(x, sqrt(R(8.0) / pi(x)) * (x * (R(1.0) + c * square(x))));
}
/// z = a·x + b·x³
template <class R>
OPREF_INLINE R gelu_by_tanh(const R& x, const R& a, const R& b) {
  return half_of_tanh(x, R(2.0) * (x * (a + b * square(x))));
}
/// The bias has one number for each of the last axis of x; else it is `invalid`.
inline void require_bias_of_last_axis(const Call& call, std::string_view x_name, std::string_view bias) {
  const Dims& x = call.type(x_name).shape;
  require(!x.empty(), "{} has shape [], but must have a last axis, which {} has too", x_name, bias);
  const Dims expected{x[x.size() - 1]};
  require(call.type(bias).shape == expected,
          "{} has shape {}, but must have {}: one number for each of the last axis "
          "of {}",
          bias, call.type(bias).shape, expected, x_name);
}
}  // namespace opref::ops
