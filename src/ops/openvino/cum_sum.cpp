// SPDX-License-Identifier: Apache-2.0
// openvino CumSum, version 3 (opset3)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_cum_sum {
namespace {
// Without an axis it is 0.
void along_axis(const Call& call, Restated& cum_sum) {
  if (call.has("axis")) return;
  const std::int64_t zero = 0;
  cum_sum.inputs[1] = {"axis", TensorType{DType::int64, {}},
                       Value(Tensor::of<std::int64_t>(DType::int64, {}, std::span(&zero, 1)))};
}
}  // namespace
Operator cum_sum() {
  return Operator("openvino", "CumSum")
      .summary("sums of the elements up to each one along an axis")
      .page("arithmetic/cumsum-3")
      .category("category arithmetic unary")
      .version(3,
               [](OpSchema& s) {
                 s.attribute(with_default("exclusive", 0, flag()))
                     .attribute(with_default("reverse", 0, flag()))
                     .input("arg", "T")
                     .input("axis", "T_AXIS", Arity::optional)
                     .output("output0", "T")
                     .types("T", computed_numbers)
                     .types("T_AXIS", types::signed_wide);
               })
      .as("ai.onnx", "CumSum", 14, {{"arg", "x"}, {"output0", "y"}})
      .restated(along_axis);
}
}  // namespace opref::ops::openvino::file_cum_sum
