// SPDX-License-Identifier: Apache-2.0
// openvino Elu, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "schema/double_attributes.h"
namespace opref::ops::openvino::file_elu {
Operator elu() {
  return Operator("openvino", "Elu")
      .summary("alpha·(e^x - 1) where x is below 0, else x")
      .page("activation/elu-1")
      .category("category activation function")
      .version(
          1,
          [](OpSchema& s) {
            s.attribute(required(FLOAT, "alpha")).input("data", "T").output("output0", "T").types("T", computed_floats);
          })
      .reading(attribute_double_reading(1))
      .as("ai.onnx", "Elu", 22, {{"data", "X"}, {"output0", "Y"}})
      .restated(with_more_types);
}
}  // namespace opref::ops::openvino::file_elu
