// SPDX-License-Identifier: Apache-2.0
#include "ops/common/unary.h"

#include "evaluators/elements.h"

namespace opref::ops {

std::vector<ValueType> same_type(const Call& call) { return {call.type(call.schema().inputs()[0].name)}; }

std::vector<ValueType> truth_of_each(const Call& call) {
  return {TensorType{DType::boolean, call.type(call.schema().inputs()[0].name).shape}};
}

bool has_element(const Call& call, bool (*is_such)(double)) {
  if (!call.inputs()[0].value) return false;
  const Tensor& tensor = call.inputs()[0].tensor();
  const Elements x(tensor);
  for (std::int64_t i = 0; i < tensor.count(); ++i)
    if (is_such(x.number(i))) return true;
  return false;
}

void with_consumed_inputs(OpSchema& s) {
  s.attribute(optional(INTS, "consumed_inputs")).shape_inference(ShapeInference::none);
}
void without_consumed_inputs(OpSchema& s) { s.remove("consumed_inputs").shape_inference(ShapeInference::onnx); }

namespace {

Operator unary_of(std::string_view op_type, const Types& integers, std::string_view input, std::string_view output) {
  const auto version_1 = [=](OpSchema& s) {
    s.input(input, "T").output(output, "T").types("T", types::floats);
    with_consumed_inputs(s);
  };
  return Operator("ai.onnx", op_type)
      .version(1, version_1)
      .version(6, without_consumed_inputs, adds("T", integers))
      .version(13, adds("T", DType::bfloat16))
      .output_types(same_type);
}

}  // namespace

Operator unary_since_1(std::string_view op_type, std::string_view input, std::string_view output) {
  return unary_of(op_type, {}, input, output);
}
Operator unary_with_integers(std::string_view op_type, const Types& integers) {
  return unary_of(op_type, integers, "X", "Y");
}

Operator unary_until_22(std::string_view op_type, std::int64_t since_version, std::string_view input,
                        std::string_view output) {
  return Operator("ai.onnx", op_type)
      .version(since_version, [=](OpSchema& s) { s.input(input, "T").output(output, "T").types("T", types::floats); })
      .version(22, adds("T", DType::bfloat16))
      .output_types(same_type);
}

}  // namespace opref::ops
