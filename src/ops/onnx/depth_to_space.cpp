// SPDX-License-Identifier: Apache-2.0
// ai.onnx DepthToSpace, versions 1, 11, 13, 28
// https://onnx.ai/onnx/operators/onnx__DepthToSpace.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_depth_to_space {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, input] = call.type("input");
  const std::int64_t b = call.integer("blocksize"), block = checked_multiply(b, b);
  require(input.size() == 4, "input has shape {}, but must be [N,C,H,W]", input);
  require(input[1] % block == 0, "input has {}, but must have a multiple of blocksize² = {}",
          counted(input[1], "channel"), block);
  return {TensorType{dtype,
                     Dims{input[0], input[1] / block, checked_multiply(input[2], b), checked_multiply(input[3], b)}}};
}

// DCR: output[n, c, h·b + y, w·b + x] = input[n, (y·b + x)·C + c, h, w]
// CRD: output[n, c, h·b + y, w·b + x] = input[n, c·b² + y·b + x, h, w]      C being the channels of output
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& input = call.input("input");
  const std::int64_t b = call.integer("blocksize"), C = outs[0].type().shape[1];
  const Dims at = strides_of(input.shape());
  const bool depth_first = !call.has("mode") || call.string("mode") == "DCR";
  const std::int64_t c = depth_first ? at[1] : b * b * at[1], block = depth_first ? C * at[1] : at[1];
  const Strided place({input.shape()[0], C, input.shape()[2], b, input.shape()[3], b},
                      {at[0], c, at[2], b * block, at[3], block});
  return {move(outs[0], input, place)};
}

void version_1(OpSchema& s) {
  s.input("input", "T").output("output", "T").types("T", types::basic);
  s.attribute(required(INT, "blocksize", at_least(1)));
}
}  // namespace
Operator depth_to_space() {
  return Operator("ai.onnx", "DepthToSpace")
      .summary("blocks of channels, laid out as blocks of height and width")
      .version(1, version_1)
      .version(11,
               [](OpSchema& s) {
                 s.attribute(with_default("mode", "DCR", one_of({"DCR", "CRD"})));
               })
      .version(13, adds("T", DType::bfloat16))
      .version(28, words("the page says what the order is without mode"))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_depth_to_space
