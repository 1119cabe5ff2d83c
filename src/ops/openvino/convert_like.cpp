// SPDX-License-Identifier: Apache-2.0
// openvino ConvertLike, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/openvino_convert.h"
namespace opref::ops::openvino::file_convert_like {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{call.type("like").dtype, call.type("data").shape}};
}

// output0 = data as an element of the type of like, as Convert has it
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {openvino_converted(outs[0], call.input("data"))};
}
}  // namespace
Operator convert_like() {
  return Operator("openvino", "ConvertLike")
      .summary("each element, converted to the type of another tensor")
      .page("type/convert-like-1")
      .category("category type conversion")
      .version(1,
               [](OpSchema& s) {
                 s.input("data", "T1")
                     .input("like", "T2")
                     .output("output0", "T2")
                     .types("T1", any_type | types::int4s)
                     .types("T2", any_type | types::int4s);
               })
      .reading(nan_to_boolean_reading())
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_convert_like
