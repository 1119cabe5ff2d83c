// SPDX-License-Identifier: Apache-2.0
// openvino ShapeOf, versions 1 (opset1), 3 (opset3)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_shape_of {
Operator shape_of() {
  return Operator("openvino", "ShapeOf")
      .summary("the sizes of a tensor's axes")
      .page("shape/shape-of-3")
      .category("category shape manipulation")
      .version(1,
               [](OpSchema& s) {
                 s.input("arg", "T").output("output0", "T_IND").types("T", any_type).types("T_IND", DType::int64);
               })
      .version(3,
               [](OpSchema& s) {
                 s.attribute(with_default("output_type", "i64", index_types())).add_types("T_IND", DType::int32);
               })
      .as("ai.onnx", "Shape", 25, {{"arg", "data"}, {"output0", "shape"}, {"output_type", ""}})
      .index_type("output0", "output_type");
}
}  // namespace opref::ops::openvino::file_shape_of
