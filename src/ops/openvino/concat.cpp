// SPDX-License-Identifier: Apache-2.0
// openvino Concat, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_concat {
Operator concat() {
  return Operator("openvino", "Concat")
      .summary("the inputs one after another along an axis")
      .page("movement/concat-1")
      .category("category data movement")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(required(INT, "axis"))
                     .input("data", "T", Arity::variadic)
                     .output("out", "T")
                     .types("T", any_type);
               })
      .as("ai.onnx", "Concat", 13, {{"data", "inputs"}, {"out", "concat_result"}})
      .restated(with_more_types);
}
}  // namespace opref::ops::openvino::file_concat
