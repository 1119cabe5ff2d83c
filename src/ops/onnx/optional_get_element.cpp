// SPDX-License-Identifier: Apache-2.0
// ai.onnx OptionalGetElement, versions 15, 18, 28
// https://onnx.ai/onnx/operators/onnx__OptionalGetElement.html
#include "core/error.h"
#include "schema/operator.h"

namespace opref::ops::onnx {
namespace {

// output = the element of input; a tensor or sequence that is no optional itself
Value element(const Call& call) {
  const auto* optional = std::get_if<Optional>(&call.value("input"));
  if (optional == nullptr) return call.value("input");
  if (const auto* tensor = std::get_if<Tensor>(&optional->element)) return *tensor;
  const auto* sequence = std::get_if<Sequence>(&optional->element);
  require(sequence != nullptr, "input has no element, but {} needs one", call.title());
  return *sequence;
}

std::vector<ValueType> output_types(const Call& call) {
  if (call.has_value("input")) return {type_of(element(call))};
  const ValueType& input = call.value_type("input");
  if (input.form == Form::tensor) return {input};
  return {{input.form == Form::optional ? Form::tensor : Form::sequence, input.dtype()}};
}

std::vector<Value> kernel(const Call& call, std::span<const Output>) { return {element(call)}; }

/// Any tensor or sequence of these element types.
template <const Types& types>
void gives(OpSchema& s) {
  s.types("V", types | sequences(types));
}

void version_15(OpSchema& s) {
  s.input("input", "O").output("output", "V").types("O", optionals(types::basic));
  gives<types::basic>(s);
}

void version_28(OpSchema& s) {
  s.types("O", types::ir14 | sequences(types::ir14) | optionals(types::ir14));
  gives<types::ir14>(s);
}

}  // namespace

Operator optional_get_element() {
  return Operator("ai.onnx", "OptionalGetElement")
      .summary("what an optional has")
      .version(15, version_15)
      .version(18, adds("O", types::basic | sequences(types::basic)))
      .version(28, version_28)
      .output_types(output_types)
      .kernel(kernel);
}

}  // namespace opref::ops::onnx
