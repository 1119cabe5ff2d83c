// SPDX-License-Identifier: Apache-2.0
// openvino Einsum, version 7 (opset7)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_einsum {
Operator einsum() {
  return Operator("openvino", "Einsum")
      .summary("the sums of products that Einstein's notation names")
      .page("matrix/einsum-7")
      .version(7,
               [](OpSchema& s) {
                 s.attribute(required(STRING, "equation"))
                     .input("data", "T", Arity::variadic)
                     .output("out", "T")
                     .types("T", computed_numbers);
               })
      .as("ai.onnx", "Einsum", 12, {{"data", "Inputs"}, {"out", "Output"}})
      .restated(with_more_types);
}
}  // namespace opref::ops::openvino::file_einsum
