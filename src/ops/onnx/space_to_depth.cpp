// SPDX-License-Identifier: Apache-2.0
// ai.onnx SpaceToDepth, versions 1, 13, 28
// https://onnx.ai/onnx/operators/onnx__SpaceToDepth.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_space_to_depth {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, input] = call.type("input");
  const std::int64_t b = call.integer("blocksize");
  require(input.size() == 4, "input has shape {}, but must be [N,C,H,W]", input);
  require(input[2] % b == 0 && input[3] % b == 0, "input has shape {}, but height and width must be multiples of {}",
          input, b);
  return {TensorType{dtype,
                     Dims{input[0], checked_multiply(input[1], checked_multiply(b, b)), input[2] / b, input[3] / b}}};
}

// DCR: output[n, (y·b + x)·C + c, h, w] = input[n, c, h·b + y, w·b + x]      C being the channels of input
// CRD: output[n, c·b² + y·b + x, h, w] = input[n, c, h·b + y, w·b + x]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& input = call.input("input");
  const std::int64_t b = call.integer("blocksize"), C = input.shape()[1];
  const auto& output = outs[0].type().shape;
  const Dims at = strides_of(input.shape());
  const bool depth_first = !call.has("mode") || call.string("mode") == "DCR";
  const Dims shape =
      depth_first ? Dims{output[0], b, b, C, output[2], output[3]} : Dims{output[0], C, b, b, output[2], output[3]};
  const Dims strides = depth_first ? Dims{at[0], at[2], at[3], at[1], b * at[2], b * at[3]}
                                   : Dims{at[0], at[1], at[2], at[3], b * at[2], b * at[3]};
  const Strided place(shape, strides);
  return {move(outs[0], input, place)};
}

void version_1(OpSchema& s) {
  s.input("input", "T").output("output", "T").types("T", types::basic);
  s.attribute(required(INT, "blocksize", at_least(1)));
}
}  // namespace
Operator space_to_depth() {
  return Operator("ai.onnx", "SpaceToDepth")
      .summary("blocks of height and width, laid out as channels")
      .version(1, version_1)
      .version(13, adds("T", DType::bfloat16))
      .version(28,
               [](OpSchema& s) {
                 s.attribute(with_default("mode", "DCR", one_of({"DCR", "CRD"})));
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_space_to_depth
