// SPDX-License-Identifier: Apache-2.0
// ai.onnx CenterCropPad, version 18
// https://onnx.ai/onnx/operators/onnx__CenterCropPad.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_center_crop_pad {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, input] = call.type("input_data");
  const Dims sizes = sizes_of(call, "shape");
  const std::vector<size_t> axes = axes_of(call, input.size());
  const size_t n = axes.size();
  require(sizes.size() == n, "shape is {}, but {} must have a size each", sizes,
          n == 1 ? "1 axis" : format("{} axes", n));
  Dims shape = input;
  for (size_t k = 0; k < n; ++k) shape[axes[k]] = sizes[k];
  return {TensorType{dtype, shape}};
}

// output_data[i] = input_data[i + ⌊(n - m)/2⌋] where it has m <= n elements along an axis;
//                  input_data[i - ⌊(m - n)/2⌋] where it has more, 0 outside
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& input = call.input("input_data");
  const Dims& output = outs[0].type().shape;
  const auto from = [&](size_t axis, std::int64_t i) {
    const std::int64_t n = input.shape()[axis], m = output[axis];
    const std::int64_t at = i + (m <= n ? (n - m) / 2 : -((m - n) / 2));
    return at < n ? at : -1;
  };
  return {moved_by_axis(outs[0], input, from)};
}

void version_18(OpSchema& s) {
  s.input("input_data", "T").input("shape", "Tind").output("output_data", "T").types("T", types::ir4);
  s.types("Tind", types::signed_wide).attribute(optional(INTS, "axes"));
}
}  // namespace
Operator center_crop_pad() {
  return Operator("ai.onnx", "CenterCropPad")
      .summary("the middle of the input, or the input amid zeros, in a given size")
      .version(18, version_18)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_center_crop_pad
