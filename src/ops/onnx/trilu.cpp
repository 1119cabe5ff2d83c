// SPDX-License-Identifier: Apache-2.0
// ai.onnx Trilu, version 14
// https://onnx.ai/onnx/operators/onnx__Trilu.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_trilu {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const TensorType& input = call.type("input");
  require(input.rank() >= 2, "input has shape {}, but must have at least two axes", input.shape);
  require_scalar(call, "k");
  return {input};
}

// output[…, r, c] = input[…, r, c] where c - r >= k (upper) or c - r <= k (lower), else 0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& input = outs[0].type().shape;
  const std::int64_t rows = input[input.size() - 2], columns = input[input.size() - 1];
  const bool is_upper = call.flag("upper");
  const std::int64_t k = std::clamp<std::int64_t>(call.has("k") ? call.integer("k") : 0, -rows, columns);
  return {move(outs[0], call.input("input"), [&](std::int64_t i) {
    const auto [matrix, r, c] = split(i, rows, columns);
    const std::int64_t border = std::clamp<std::int64_t>(r + k + (is_upper ? 0 : 1), 0, columns);
    const std::int64_t count = (c < border ? border : columns) - c;
    return (c < border) == is_upper ? Run::fill(count) : Run{i, count};
  })};
}

void version_14(OpSchema& s) {
  s.input("input", "T").input("k", "int64", Arity::optional).output("output", "T").types("T", types::ir4);
  s.attribute(with_default("upper", 1));
}
}  // namespace
Operator trilu() {
  return Operator("ai.onnx", "Trilu")
      .summary("the upper or the lower triangle of each matrix, 0 elsewhere")
      .version(14, version_14)
      .reading(scalar_shape_reading(14))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_trilu
