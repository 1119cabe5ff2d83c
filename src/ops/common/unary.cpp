// SPDX-License-Identifier: Apache-2.0
#include "ops/common/unary.h"

namespace opref::ops {

std::vector<ValueType> same_type(const Call& call) { return {call.type(call.schema().inputs()[0].name)}; }

void with_consumed_inputs(OpSchema& s) {
  s.attribute(optional(INTS, "consumed_inputs")).shape_inference(ShapeInference::none);
}
void without_consumed_inputs(OpSchema& s) { s.remove("consumed_inputs").shape_inference(ShapeInference::onnx); }

Operator unary_since_1(std::string_view op_type, std::string_view input, std::string_view output) {
  return Operator("ai.onnx", op_type)
      .version(1,
               [=](OpSchema& s) {
                 s.input(input, "T").output(output, "T").types("T", types::floats);
                 with_consumed_inputs(s);
               })
      .version(6, without_consumed_inputs)
      .version(13, adds("T", DType::bfloat16))
      .output_types(same_type);
}

Operator unary_until_22(std::string_view op_type, std::int64_t since_version) {
  return Operator("ai.onnx", op_type)
      .version(since_version,
               [](OpSchema& s) { s.input("input", "T").output("output", "T").types("T", types::floats); })
      .version(22, adds("T", DType::bfloat16))
      .output_types(same_type);
}

}  // namespace opref::ops
