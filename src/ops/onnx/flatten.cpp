// SPDX-License-Identifier: Apache-2.0
// ai.onnx Flatten, versions 1, 9, 11, 13, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Flatten.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_flatten {
namespace {
// output has the shape (d_0 · … · d_(axis-1), d_axis · … · d_n); the product of no sizes is 1
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, input] = call.type("input");
  const std::int64_t axis = call.integer("axis"), rank = std::ssize(input);
  require_known_sign(call);
  require(axis >= -rank && axis <= rank, "axis is {}, but must be from {} to {}: the rank is {}", axis, -rank, rank,
          rank);
  const auto rows = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  return {TensorType{dtype, Dims{element_count(input.first(rows)), element_count(input.without_first(rows))}}};
}

void version_1(OpSchema& s) {
  s.input("input", "T").output("output", "T").types("T", types::floats);
  s.attribute(with_default("axis", 1));
}
}  // namespace
Operator flatten() {
  Operator op = Operator("ai.onnx", "Flatten")
                    .summary("the same elements as a matrix: the axes before one are its rows")
                    .version(1, version_1)
                    .version(9, allows("T", types::basic))
                    .version(11, words("axis may be negative: it then counts from the last axis back"))
                    .version(13, allows("T", types::ir4));
  return with_newer_types(std::move(op), "T")
      .reading(negative_axis_reading(1, 11))
      .output_types(output_types)
      .kernel(in_other_shape);
}
}  // namespace opref::ops::onnx::file_flatten
