// SPDX-License-Identifier: Apache-2.0
// openvino Convert, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/openvino_convert.h"
namespace opref::ops::openvino::file_convert {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{element_type_of(call, "destination_type"), call.type("arg").shape}};
}

// output0 = arg as an element of another type: truncated and modulo 2^bits, float8 beyond the range Inf or NaN
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {openvino_converted(outs[0], call.input("arg"))};
}
}  // namespace
Operator convert() {
  return Operator("openvino", "Convert")
      .summary("each element, converted to another type")
      .page("type/convert-1")
      .category("category type conversion")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(required(STRING, "destination_type"))
                     .input("arg", "T")
                     .output("output0", "T_OUT")
                     .types("T", any_type | types::int4s)
                     .types("T_OUT", any_type | types::int4s);
               })
      .reading(nan_to_boolean_reading())
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_convert
