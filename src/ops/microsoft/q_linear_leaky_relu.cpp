// SPDX-License-Identifier: Apache-2.0
// com.microsoft QLinearLeakyRelu, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearLeakyRelu
#include "ops/operator_file.h"
#include "ops/shared/quantized_elements.h"
namespace opref::ops::microsoft::file_q_linear_leaky_relu {
namespace {
// Y = saturate(nearest(f((X - X_zero_point)·X_scale) / Y_scale) + Y_zero_point), f(x) = alpha·x for x < 0, else x
struct LeakyRelu {
  double alpha;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return leaky_relu(x, R(alpha));
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return quantized_function(call, outs, LeakyRelu{call.number("alpha")});
}

void version_1(OpSchema& s) {
  quantized_function_version_1(s);
  s.attribute(with_default("alpha", 0.01F));
}
}  // namespace
Operator q_linear_leaky_relu() {
  return quantized_function_operator("QLinearLeakyRelu")
      .version(1, version_1)
      .summary("each quantized number, those that stand for negative ones times alpha, quantized again")
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_q_linear_leaky_relu
