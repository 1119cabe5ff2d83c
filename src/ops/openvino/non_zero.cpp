// SPDX-License-Identifier: Apache-2.0
// openvino NonZero, version 3 (opset3)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_non_zero {
Operator non_zero() {
  return Operator("openvino", "NonZero")
      .summary("the places of the elements that are not zero")
      .page("condition/nonzero-3")
      .version(3,
               [](OpSchema& s) {
                 s.attribute(with_default("output_type", "i64", index_types()))
                     .input("arg", "T")
                     .output("output0", "T_OUT")
                     .types("T", computed_numbers | DType::boolean)
                     .types("T_OUT", types::signed_wide);
               })
      .as("ai.onnx", "NonZero", 13, {{"arg", "X"}, {"output0", "Y"}, {"output_type", ""}})
      .index_type("output0", "output_type");
}
}  // namespace opref::ops::openvino::file_non_zero
