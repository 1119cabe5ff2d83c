// SPDX-License-Identifier: Apache-2.0
// ai.onnx Concat, versions 1, 4, 11, 13
// https://onnx.ai/onnx/operators/onnx__Concat.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_concat {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const std::span<const Input> inputs = call.inputs("inputs");
  const auto& [dtype, first] = inputs[0].tensor_type();
  require(first.size() > 0, "'{}' is a scalar, but needs an axis to be concatenated along", printable(inputs[0].name));
  const size_t axis = axis_of(call, first.size());
  Dims shape = first;
  for (const Input& input : inputs.subspan(1)) {
    Dims own = input.tensor_type().shape, expected = first;
    if (own.size() == first.size()) shape[axis] = checked_add(shape[axis], expected[axis] = own[axis]);
    require(own == expected, "'{}' has shape {}, but '{}' {}: they may differ along axis {} alone",
            printable(input.name), own, printable(inputs[0].name), first, axis);
  }
  return {TensorType{dtype, shape}};
}

// concat_result is input 0, followed along the axis by input 1, …
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {concatenated(outs[0], call.tensors(), axis_of(call, outs[0].type().rank()))};
}

void version_1(OpSchema& s) {
  s.attribute(with_default("axis", 1))  // the page: "Default value is 1"
      .input("inputs", "T", Arity::variadic)
      .output("concat_result", "T")
      .types("T", types::floats, "Constrain output types to float tensors.")
      .shape_inference(ShapeInference::none);
}

void version_4(OpSchema& s) {
  s.types("T", types::basic, "Constrain output types to any tensor type.").shape_inference(ShapeInference::onnx);
  s.change("axis") = required(INT, "axis");
}
}  // namespace
Operator concat() {
  return Operator("ai.onnx", "Concat")
      .summary("the inputs one after another along an axis")
      .version(1, version_1)
      .version(4, version_4)
      .version(11, words("axis may be negative: it then counts from the last axis back"))
      .version(13, adds("T", DType::bfloat16))
      .reading(negative_axis_reading(1, 11))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_concat
