// SPDX-License-Identifier: Apache-2.0
// ai.onnx Col2Im, version 18
// https://onnx.ai/onnx/operators/onnx__Col2Im.html
#include "evaluators/taps.h"
#include "ops/operator_file.h"
#include "ops/shared/windows.h"
namespace opref::ops::onnx {
namespace {
Dims sizes(const Call& call, std::string_view input) {
  require(call.type(input).rank() == 1, "{} has shape {}, but must be a list", input, call.type(input).shape);
  const Dims list(call.integers(input));
  require(all_positive(list), "{} is {}, but its sizes must be > 0", input, list);
  return list;
}

// The windows of image_shape's sizes of which each column is one: blocks.
PoolingWindows blocks(const Call& call) {
  const Dims image = sizes(call, "image_shape"), block = sizes(call, "block_shape");
  require(image.size() == block.size() && !image.empty(),
          "image_shape is {}, block_shape is {}, but both must have a size for each spatial axis", image, block);
  return windows_over(call, image, block);
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("input");
  require(dtype != DType::string && dtype != DType::boolean, "input has type {}, but must be one that can be added",
          dtype);
  require(x.size() == 3, "input has rank {}, but must be (N, C * block sizes, L): rank 3", x.size());
  const PoolingWindows w = blocks(call);
  const std::int64_t K = element_count(w.k), L = element_count(w.O);
  require(x[1] % K == 0, "input has {} rows, but must have a multiple of {}: the sizes of block_shape {}", x[1], K,
          w.k);
  require(x[2] == L, "input has {} columns, but {} blocks lie in image_shape {}: {}", x[2], L, w.L, w.O);
  return {TensorType{dtype, join(Dims{x[0], x[1] / K}, w.L)}};
}

// output[n, c, i] = Σ input[n, c*K + k, b] over blocks b and places k in a block with b*s + k*d - pb = i
Tensor images(const Output& out, const Tensor& columns, const PoolingWindows& w, std::int64_t parts) {
  const Elements input(columns);
  const Taps taps(transposed_axes(w.O, w.k, w.L, w.s, w.d, w.pads.begin), out);
  const std::int64_t K = element_count(w.k), L = element_count(w.O), plane = element_count(w.L);
  const auto terms = [&, parts](std::int64_t i, auto& sum) {
    const auto [nc, at, part] = split(i, plane, parts);
    for (const Tap& tap : taps.of(at)) sum.add(input[((nc * K + tap.w) * L + tap.x) * parts + part]);
  };
  if (parts > 1 || L == 0) return sum(out, columns.dtype(), terms);
  return sum(out, columns.dtype(), terms, taps.neighbours(columns.count() / (K * L), K * L));
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const PoolingWindows w = blocks(call);
  const Tensor& input = call.input("input");
  const auto& [dtype, y] = outs[0].type();
  if (!types::complexes.contains(dtype)) return {images(outs[0], input, w, 1)};
  // Component by component.
  const DType part = dtype == DType::complex64 ? DType::float32 : DType::float64;
  const Tensor parts = Tensor::copy_of({part, join(input.shape(), Dims{2})}, input.bytes());
  const Tensor sums = images(outs[0].inner({part, join(y, Dims{2})}), parts, w, 2);
  return {Tensor::copy_of({dtype, y}, sums.bytes())};
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
}  // namespace opref::ops::onnx
