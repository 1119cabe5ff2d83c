// SPDX-License-Identifier: Apache-2.0
// openvino GroupNormalization, version 12 (opset12)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "schema/double_attributes.h"
namespace opref::ops::openvino::file_group_normalization {
Operator group_normalization() {
  return Operator("openvino", "GroupNormalization")
      .summary("(data - mean)/√(variance + epsilon)·scale + bias, of each group of channels of each instance")
      .page("normalization/group-normalization-12")
      .version(12,
               [](OpSchema& s) {
                 s.attribute(required(INT, "num_groups", at_least(1))).attribute(required(FLOAT, "epsilon"));
                 s.input("data", "T").input("scale", "T").input("bias", "T").output("out", "T");
                 s.types("T", types::floats | DType::bfloat16);
               })
      .reading(attribute_double_reading(12))
      .as("ai.onnx", "GroupNormalization", 21, {{"data", "X"}, {"out", "Y"}})
      .restated(with_more_types);
}
}  // namespace opref::ops::openvino::file_group_normalization
