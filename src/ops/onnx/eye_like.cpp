// SPDX-License-Identifier: Apache-2.0
// ai.onnx EyeLike, versions 9, 22
// https://onnx.ai/onnx/operators/onnx__EyeLike.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_eye_like {
namespace {
/// dtype, or else the type of the input.
DType output_dtype(const Call& call) {
  const DType input = call.type("input").dtype;
  return call.has("dtype") ? dtype_of_number(call, "dtype", call.schema().types_of("T2")) : input;
}

std::vector<ValueType> output_types(const Call& call) {
  const Dims& input = call.type("input").shape;
  require(input.size() == 2, "input has shape {}, but must be a matrix", input);
  return {TensorType{output_dtype(call), input}};
}

// output[r, c] = 1 where c - r = k, else 0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const TensorType& output = outs[0].type();
  const std::int64_t rows = output.shape[0], columns = output.shape[1],
                     k = std::clamp(call.integer("k"), -rows, columns);
  return {move_one_hot(outs[0].inner(output), zero_and_one(output.dtype), columns, 1,
                       [&](std::int64_t r) { return r + k; })};
}

void version_9(OpSchema& s) {
  constexpr Types kMade = types::numbers | DType::boolean;
  s.input("input", "T1").output("output", "T2").types("T1", kMade).types("T2", kMade);
  s.attribute(optional(INT, "dtype", element_types())).attribute(with_default("k", 0));
}
}  // namespace
Operator eye_like() {
  return Operator("ai.onnx", "EyeLike")
      .summary("ones on a diagonal, zeros elsewhere, in the shape of the input")
      .version(9, version_9)
      .version(22, adds({"T1", "T2"}, DType::bfloat16))
      .output_types(output_types)
      .kernel(kernel)
      .needs_types_alone();
}
}  // namespace opref::ops::onnx::file_eye_like
