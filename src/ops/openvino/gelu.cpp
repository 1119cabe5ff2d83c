// SPDX-License-Identifier: Apache-2.0
// openvino Gelu, versions 2 (opset2), 7 (opset7)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_gelu {
namespace {
void in_onnx_words(const Call& call, Restated& gelu) {
  const bool is_by_tanh = call.has("approximation_mode") && call.string("approximation_mode") == "TANH";
  gelu.set("approximate", AttributeValue::of(std::string(is_by_tanh ? "tanh" : "none")));
}
}  // namespace
Operator gelu() {
  return Operator("openvino", "Gelu")
      .summary("x/2·(1 + erf(x/√2)); by TANH: x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))")
      .page("activation/gelu-7")
      .category("category activation function")
      .version(2, [](OpSchema& s) { s.input("data", "T").output("output0", "T").types("T", computed_floats); })
      .version(7,
               [](OpSchema& s) {
                 s.attribute(with_default("approximation_mode", "ERF", one_of({"ERF", "TANH"})));
               })
      .as("ai.onnx", "Gelu", 20, {{"data", "X"}, {"output0", "Y"}, {"approximation_mode", ""}})
      .restated(in_onnx_words);
}
}  // namespace opref::ops::openvino::file_gelu
