// SPDX-License-Identifier: Apache-2.0
// ai.onnx Col2Im, version 18
// https://onnx.ai/onnx/operators/onnx__Col2Im.html
#include "ops/operator_file.h"
#include "ops/shared/blocks.h"
#include "ops/shared/windows.h"
namespace opref::ops::onnx::file_col2im {
namespace {
constexpr BlockInputs kInputs{"input", "image_shape", "block_shape"};

// The windows of image_shape's sizes of which each column is one: blocks.
PoolingWindows blocks(const Call& call) {
  const auto [image, block] = image_and_block(call, kInputs);
  return windows_over(call, image, block);
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("input");
  require(dtype != DType::string && dtype != DType::boolean, "input has type {}, but must be one that can be added",
          dtype);
  require(x.size() == 3, "input has rank {}, but must be (N, C * block sizes, L): rank 3", x.size());
  return {images_type(call, kInputs, blocks(call))};
}

// output[n, c, i] = Σ input[n, c*K + k, b] over blocks b and places k in a block with b*s + k*d - pb = i
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {images_of(outs[0], call.input("input"), blocks(call))};
}

std::vector<Dims> placement(const Call& call) { return {blocks(call).pads.begin, blocks(call).O}; }
std::vector<Note> notes(const Call& call) { return window_notes(call, blocks(call)); }

void version_18(OpSchema& s) {
  s.attribute(per_axis_attribute("dilations", 1))
      .attribute(pads_attribute())
      .attribute(per_axis_attribute("strides", 1))
      .input("input", "T", "the columns, (N, C * block sizes, L)")
      .input("image_shape", "int64", "the spatial sizes of the images")
      .input("block_shape", "int64", "the spatial sizes of a block")
      .output("output", "T", "the images, (N, C, image_shape)")
      .types("T", types::ir4, "Constrain input and output types to all numeric tensor types.");
}
}  // namespace
Operator col2im() {
  return Operator("ai.onnx", "Col2Im")
      .summary("adds up columns, each the elements of a block, at the blocks' places in images")
      .version(18, version_18)
      .output_types(output_types)
      .placement(placement)
      .kernel(kernel)
      .notes(notes)
      .short_names(spatial_short_names());
}
}  // namespace opref::ops::onnx::file_col2im
