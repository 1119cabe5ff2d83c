// SPDX-License-Identifier: Apache-2.0
// ai.onnx OptionalGetElement, versions 15, 18, 28
// https://onnx.ai/onnx/operators/onnx__OptionalGetElement.html
#include "ops/operator_file.h"
#include "ops/shared/control_flow.h"
namespace opref::ops::onnx::file_optional_get_element {
namespace {
// output = the element of input; a tensor or sequence that is no optional itself
Value element(const Call& call) {
  std::optional<Value> element = element_of(call.value("input"));
  require(element.has_value(), "input has no element, but {} needs one", call.title());
  return *std::move(element);
}

std::vector<ValueType> output_types(const Call& call) {
  if (call.has_value("input")) return {type_of(element(call))};
  return {element_of(call.value_type("input"))};
}

std::vector<Value> kernel(const Call& call, std::span<const Output>) { return {element(call)}; }

void version_15(OpSchema& s) {
  s.input("input", "O").output("output", "V").types("O", optionals(types::basic));
  s.types("V", types::basic | sequences(types::basic));
}
}  // namespace
Operator optional_get_element() {
  return Operator("ai.onnx", "OptionalGetElement")
      .summary("what an optional holds")
      .version(15, version_15)
      .version(18, adds("O", types::basic | sequences(types::basic)))
      .version(28, allows("V", types::ir14 | sequences(types::ir14)),
               allows("O", types::ir14 | sequences(types::ir14) | optionals(types::ir14)))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_optional_get_element
