// SPDX-License-Identifier: Apache-2.0
// openvino Reshape, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_reshape {
namespace {
// special_zero: 0 copies the size at its place; else it is a size of 0
void in_onnx_words(const Call& call, Restated& reshape) {
  reshape.set("allowzero", AttributeValue::of(std::int64_t{call.flag("special_zero") ? 0 : 1}));
  reshape.inputs[1] = int64_list(call, "shape");
}
}  // namespace
Operator reshape() {
  return Operator("openvino", "Reshape")
      .summary("the same elements in another shape")
      .page("shape/reshape-1")
      .category("category shape manipulation")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(required(INT, "special_zero", flag()))
                     .input("data", "T")
                     .input("shape", "T_SHAPE")
                     .output("output0", "T")
                     .types("T", any_type)
                     .types("T_SHAPE", types::integers);
               })
      .as("ai.onnx", "Reshape", 25, {{"output0", "reshaped"}, {"special_zero", ""}})
      .restated(in_onnx_words);
}
}  // namespace opref::ops::openvino::file_reshape
