// SPDX-License-Identifier: Apache-2.0
// ai.onnx Cast, versions 1, 6, 9, 13, 19, 21, 23, 24, 25, 28
// https://onnx.ai/onnx/operators/onnx__Cast.html
#include "core/text.h"
#include "ops/operator_file.h"
#include "ops/shared/quantized.h"
namespace opref::ops::onnx::file_cast {
namespace {
DType target(const Call& call) {
  if (call.version() >= 6) return named_type(call, "to");
  for (const DTypeInfo& type : onnx_dtypes())
    if (type.onnx == call.string("to")) return type.dtype;
  fail(Fault::invalid, "attribute 'to' is '{}', which is the name of no element type", printable(call.string("to")));
}

std::vector<ValueType> output_types(const Call& call) {
  const DType to = target(call);
  require(call.schema().types_of("T2").contains(to), "attribute 'to' is {}, which is no type of {}", to, call.title());
  return {TensorType{to, call.type("input").shape}};
}

// output = input as an element of another type, by the table of exact/convert
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {convert(outs[0], call.input("input"), conversion_of(call))};
}

void version_1(OpSchema& s) {
  s.input("input", "T1").output("output", "T2");
  for (const char* variable : {"T1", "T2"}) s.types(variable, types::numbers | DType::boolean);
  s.attribute(required(STRING, "to")).shape_inference(ShapeInference::none);
}

void version_6(OpSchema& s) {
  s.shape_inference(ShapeInference::onnx);
  s.change("to") = required(INT, "to", element_types());
}
}  // namespace
Operator cast() {
  Operator op = Operator("ai.onnx", "Cast")
                    .summary("each element, converted to another type")
                    .version(1, version_1)
                    .version(6, version_6)
                    .version(9, adds({"T1", "T2"}, DType::string))
                    .version(13, adds({"T1", "T2"}, DType::bfloat16));
  return with_conversion_versions(std::move(op))
      .version(28, adds({"T1", "T2"}, types::float6s))
      .readings(conversion_readings(1))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_cast
