// SPDX-License-Identifier: Apache-2.0
// openvino ReadValue, versions 3 (opset3), 6 (opset6)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_read_value {
namespace {
/// It is of the type and the shape that are stated, as far as they are; -1 is any size.
void require_first_value(const Call& call) {
  const TensorType& type = call.type("init_value");
  require(!call.has("variable_type") || element_type_of(call, "variable_type") == type.dtype,
          "init_value is {}, but variable_type {}", type.dtype,
          call.has("variable_type") ? call.string("variable_type") : "");
  if (!call.has("variable_shape")) return;
  const std::vector<std::int64_t> sizes = call.integers("variable_shape");
  require(std::ranges::equal(sizes, type.shape, [](auto stated, auto size) { return stated == -1 || stated == size; }),
          "init_value has shape {}, but variable_shape is [{}]", type.shape, join_text(sizes, ","));
}

// A variable that is not assigned before has init_value; without that it is zeros of variable_type, variable_shape.
void of_a_fresh_state(const Call& call, Restated& identity) {
  if (call.has("init_value")) return require_first_value(call);
  require(call.has("variable_type") && call.has("variable_shape"),
          "without init_value variable_type and variable_shape must say what the variable is");
  const std::vector<std::int64_t> sizes = call.integers("variable_shape");
  require(std::ranges::all_of(sizes, [](std::int64_t size) { return size >= 0; }),
          "variable_shape is [{}], but without init_value its sizes must be known", join_text(sizes, ","));
  const TensorType type{element_type_of(call, "variable_type"), Dims(sizes)};
  identity.inputs[0] = {"init_value", type, Value(zeros_of(type))};
}
}  // namespace
Operator read_value() {
  return Operator("openvino", "ReadValue")
      .summary("the value of a variable; in one inference that begins with a fresh state, its first one")
      .page("infrastructure/read-value-3")
      .category("category infrastructure")
      .version(3,
               [](OpSchema& s) {
                 s.input("init_value", "T").output("output0", "T").types("T", any_type);
                 s.attribute(required(STRING, "variable_id"));
               })
      .version(6,
               [](OpSchema& s) {
                 s.change_parameter("init_value").arity = Arity::optional;
                 s.attribute(optional(STRING, "variable_type")).attribute(optional(INTS, "variable_shape"));
               })
      .as("ai.onnx", "Identity", 16,
          {{"init_value", "input"},
           {"output0", "output"},
           {"variable_id", ""},
           {"variable_type", ""},
           {"variable_shape", ""}})
      .restated(of_a_fresh_state);
}
}  // namespace opref::ops::openvino::file_read_value
