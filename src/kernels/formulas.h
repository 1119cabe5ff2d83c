// SPDX-License-Identifier: Apache-2.0
// Functions of an element as pages say them, or as usual kernels compute them, over any number class.
#pragma once

#include "ops/shared/formulas.h"

namespace opref::kernels {

/// curve for x < 0, else line
template <class R>
R below_zero(const R& x, const R& curve, const R& line) {
  return choose(
      x < R(0.0), [&] { return curve; }, [&] { return line; });
}
/// alpha·(e^x - 1)
template <class R>
R elu(const R& x, const R& alpha) {
  return below_zero(x, alpha * (exp(x) - R(1.0)), x);
}
/// max(0, x) + min(0, alpha·(e^(x/alpha) - 1))
template <class R>
R celu(const R& x, const R& alpha) {
  return max(R(0.0), x) + min(R(0.0), alpha * (exp(x / alpha) - R(1.0)));
}
/// gamma·(alpha·e^x - alpha)
template <class R>
R selu(const R& x, const R& alpha, const R& gamma) {
  return below_zero(x, gamma * (alpha * exp(x) - alpha), gamma * x);
}
/// ln(e^x + 1)
template <class R>
R softplus(const R& x) {
  return log(exp(x) + R(1.0));
}
template <class R>
R softplus_by_log1p(const R& x) {
  return log1p(exp(x));
}
/// x·tanh(ln(1 + e^x))
template <class R>
R mish(const R& x) {
  return x * tanh(softplus(x));
}
/// x·tanh(softplus(x)), whose softplus loses nothing of small numbers
template <class R>
R mish_by_softplus(const R& x) {
  return x * tanh(ops::softplus(x));
}
/// (e^x - e^-x)/(e^x + e^-x)
template <class R>
R tanh_by_powers(const R& x) {
  const R power = exp(x), inverse = exp(-x);
  return (power - inverse) / (power + inverse);
}
/// (e^2x - 1)/(e^2x + 1)
template <class R>
R tanh_of_twice(const R& x) {
  const R power = exp(R(2.0) * x);
  return (power - R(1.0)) / (power + R(1.0));
}
/// 1/(1 + e^-x)
template <class R>
R sigmoid(const R& x) {
  return R(1.0) / (R(1.0) + exp(-x));
}
/// x/(1 + e^(-alpha·x))
template <class R>
R swish(const R& x, const R& alpha) {
  return x / (R(1.0) + exp(-(alpha * x)));
}
/// x/2·(1 + erf(x/√2))
template <class R>
R gelu(const R& x) {
  return R(0.5) * x * (R(1.0) + erf(x / sqrt(R(2.0))));
}
/// x/2·(1 + tanh(root·(x + c·x³))), root = √(2/π), c = 0.044715
template <class R>
R gelu_by_tanh(const R& x, const R& root, const R& c) {
  return R(0.5) * x * (R(1.0) + tanh(root * (x + c * (x * x * x))));
}

}  // namespace opref::kernels
