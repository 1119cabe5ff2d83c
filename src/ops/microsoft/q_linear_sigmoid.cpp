// SPDX-License-Identifier: Apache-2.0
// com.microsoft QLinearSigmoid, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearSigmoid
#include "ops/operator_file.h"
#include "ops/shared/quantized_elements.h"
namespace opref::ops::microsoft::file_q_linear_sigmoid {
namespace {
// Y = saturate(nearest(sigmoid((X - X_zero_point)·X_scale) / Y_scale) + Y_zero_point)
struct Sigmoid {
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return sigmoid(x);
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return quantized_function(call, outs, Sigmoid{});
}
}  // namespace
Operator q_linear_sigmoid() {
  return quantized_function_operator("QLinearSigmoid")
      .version(1, quantized_function_version_1)
      .summary("the sigmoid of each quantized number, quantized again")
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_q_linear_sigmoid
