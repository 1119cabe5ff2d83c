// SPDX-License-Identifier: Apache-2.0
// ai.onnx OptionalHasElement, versions 15, 18, 28
// https://onnx.ai/onnx/operators/onnx__OptionalHasElement.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_optional_has_element {
namespace {
// output = whether input has an element: false of none at all, true of a tensor or sequence that is no optional
std::vector<ValueType> output_types(const Call&) { return {{DType::boolean, {}}}; }

std::vector<Value> kernel(const Call& call, std::span<const Output>) {
  const auto* optional = call.has("input") ? std::get_if<Optional>(&call.value("input")) : nullptr;
  const bool has = optional != nullptr ? optional->element.index() != 0 : call.has("input");
  return {Tensor::of<std::uint8_t>(DType::boolean, {}, std::array{static_cast<std::uint8_t>(has)})};
}

void version_15(OpSchema& s) {
  s.input("input", "O").output("output", "B").types("O", optionals(types::basic)).types("B", DType::boolean);
}

void version_18(OpSchema& s) {
  s.add_types("O", types::basic | sequences(types::basic)).change_parameter("input").arity = Arity::optional;
}

constexpr Types kTypes28 = types::ir14 | sequences(types::ir14) | optionals(types::ir14);
}  // namespace
Operator optional_has_element() {
  return Operator("ai.onnx", "OptionalHasElement")
      .summary("whether an optional has an element")
      .version(15, version_15)
      .version(18, version_18)
      .version(28, allows("O", kTypes28))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_optional_has_element
