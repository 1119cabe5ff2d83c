// SPDX-License-Identifier: Apache-2.0
// openvino GatherElements, version 6 (opset6)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_gather_elements {
namespace {
// Off the axis indices have the sizes of data.
void require_sizes(const Call& call, Restated&) {
  const Dims &data = call.type("data").shape, &indices = call.type("indices").shape;
  const size_t axis = call.axis("axis", data.size());
  require(indices.size() == data.size() && without_axis(indices, axis) == without_axis(data, axis),
          "indices has shape {}, but data has {}: they may differ along axis {} alone", indices, data, axis);
}
}  // namespace
Operator gather_elements() {
  return Operator("openvino", "GatherElements")
      .summary("for each index, the element of data that it picks along an axis")
      .page("movement/gather-elements-6")
      .category("category data movement")
      .version(6,
               [](OpSchema& s) {
                 s.attribute(required(INT, "axis"))
                     .input("data", "T")
                     .input("indices", "T_IND")
                     .output("output0", "T")
                     .types("T", any_type)
                     .types("T_IND", types::signed_wide);
               })
      .as("ai.onnx", "GatherElements", 13, {{"output0", "output"}})
      .restated(require_sizes);
}
}  // namespace opref::ops::openvino::file_gather_elements
