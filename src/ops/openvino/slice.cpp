// SPDX-License-Identifier: Apache-2.0
// openvino Slice, version 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_slice {
namespace {
// axes are 0, 1, … where they are left out
void with_lists(const Call& call, Restated& slice) {
  slice.inputs.resize(5);
  slice.inputs[1] = int64_list(call, "start"), slice.inputs[2] = int64_list(call, "stop"),
  slice.inputs[4] = int64_list(call, "step");
  if (call.has("axes")) {
    slice.inputs[3] = int64_list(call, "axes");
    return;
  }
  std::vector<std::int64_t> axes(static_cast<size_t>(element_count(call.type("start").shape)));
  std::iota(axes.begin(), axes.end(), 0);
  const TensorType type{DType::int64, Dims{std::ssize(axes)}};
  slice.inputs[3] = {"axes", type, Value(Tensor::of<std::int64_t>(type.dtype, type.shape, axes))};
}
}  // namespace
Operator slice() {
  return Operator("openvino", "Slice")
      .summary("the elements from start to before stop, a step apart, along some axes")
      .page("movement/slice-8")
      .category("category data movement")
      .version(8,
               [](OpSchema& s) {
                 s.input("data", "T")
                     .input("start", "T_IND")
                     .input("stop", "T_IND")
                     .input("step", "T_IND")
                     .input("axes", "T_AXIS", Arity::optional)
                     .output("output0", "T");
                 s.types("T", any_type).types("T_IND", types::integers).types("T_AXIS", types::integers);
               })
      .as("ai.onnx", "Slice", 13, {{"start", "starts"}, {"stop", "ends"}, {"step", "steps"}, {"output0", "output"}})
      .restated(with_lists);
}
}  // namespace opref::ops::openvino::file_slice
