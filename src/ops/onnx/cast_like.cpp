// SPDX-License-Identifier: Apache-2.0
// ai.onnx CastLike, versions 15, 19, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__CastLike.html
#include "ops/operator_file.h"
#include "ops/shared/quantized.h"
namespace opref::ops::onnx::file_cast_like {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{call.type("target_type").dtype, call.type("input").shape}};
}

// output = input as an element of target_type's type; its values and shape say nothing
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  Conversion how = conversion_of(call);
  if (call.reads("cast_like.round_mode", "ignored")) how.power = Conversion::Power::up;
  return {convert(outs[0], call.input("input"), how)};
}

bool rounds_another_way(const Call& call) {
  return call.type("target_type").dtype == DType::float8_e8m0fnu && call.string("round_mode") != "up";
}

void version_15(OpSchema& s) {
  s.input("input", "T1").input("target_type", "T2", "only its type is used").output("output", "T2");
  for (const char* variable : {"T1", "T2"}) s.types(variable, types::ir4 - types::complexes);
}
}  // namespace
Operator cast_like() {
  Operator op = Operator("ai.onnx", "CastLike")
                    .summary("each element, converted to the type of another input")
                    .version(15, version_15);
  return with_conversion_versions(std::move(op))
      .reading({.name = "cast_like.round_mode",
                .alternatives = {"honoured: it is Cast's", "ignored: it is up"},
                .defaults = {{24, "honoured"}},
                .reason = "the attribute's text; the function's body passes saturate alone to Cast",
                .may_change_values = rounds_another_way})
      .readings(conversion_readings(15))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_cast_like
