// SPDX-License-Identifier: Apache-2.0
// ai.onnx Optional, versions 15, 28
// https://onnx.ai/onnx/operators/onnx__Optional.html
#include "ops/operator_file.h"
#include "ops/shared/control_flow.h"
namespace opref::ops::onnx::file_optional {
namespace {
/// "either … If the input is provided … Else the attribute type": of both, `type` says what input is already.
std::vector<ValueType> output_types(const Call& call) {
  const bool has_input = call.has("input"), has_type = call.has("type");
  require(has_input || has_type, "{} has neither an input nor the attribute 'type'", call.title());
  require(!has_input || !has_type || call.reads("optional.both", "ignore"),
          "{} has both an input and the attribute 'type'; the reading optional.both=ignore takes the input",
          call.title());
  const ValueType element = has_input ? call.value_type("input") : call.stated_type("type");
  if (has_type) {
    const ValueType& type = call.stated_type("type");
    require(type.form == Form::tensor || type.form == Form::sequence,
            "attribute 'type' is {}, but must be a tensor's or a sequence's", kind_text(type));
    require(type.form == element.form && type.dtype() == element.dtype(), "attribute 'type' is {}, but input {}",
            kind_text(type), kind_text(element));
  }
  const ValueType output = optional_of(element);
  require(call.schema().types_of("O").contains(output.dtype(), output.form), "{} does not give {}", call.title(),
          output);
  return {output};
}

// output = input, as an optional that has it; without input one without element
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  if (!call.has("input")) return {Optional{outs[0].type().dtype, {}}};
  return {optional_of(call.value("input"))};
}

void version_15(OpSchema& s) {
  s.attribute(optional(TYPE_PROTO, "type"));
  s.input("input", "V", Arity::optional).output("output", "O");
  s.types("V", types::basic | sequences(types::basic)).types("O", optionals(types::basic));
}
}  // namespace
Operator optional() {
  return Operator("ai.onnx", "Optional")
      .summary("an optional that holds the input, or is empty")
      .version(15, version_15)
      .version(28, allows("V", types::ir14 | sequences(types::ir14)), allows("O", optionals(types::ir14)))
      .reading({.name = "optional.both",
                .alternatives = {"invalid: input and type together are invalid", "ignore: type must be that of input"},
                .defaults = {{15, "invalid"}},
                .reason = "the page: either an empty value of a type, or one that has the input"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_optional
