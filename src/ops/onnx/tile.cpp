// SPDX-License-Identifier: Apache-2.0
// ai.onnx Tile, versions 1, 6, 13
// https://onnx.ai/onnx/operators/onnx__Tile.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_tile {
namespace {
/// tiles or axis of version 1, "of type T": a whole number.
std::int64_t whole(const Call& call, std::string_view name) {
  require_scalar_or_one(call, name);
  const double number = call.number(name);
  require(number == std::floor(number) && std::abs(number) < 0x1p63, "{} is {}, but must be a whole number", name,
          number);
  return static_cast<std::int64_t>(number);
}

/// How often input is repeated along each axis; version 1 repeats it along one.
Dims repeats_of(const Call& call) {
  const Dims& input = call.type("input").shape;
  if (call.version() > 1) {
    const Dims repeats = sizes_of(call, "repeats");
    require(repeats.size() == input.size(), "repeats is {}, but must have one number for each axis of {} {}", repeats,
            call.name("input"), input);
    return repeats;
  }
  const std::int64_t tiles = whole(call, "tiles"), axis = whole(call, "axis"), rank = std::ssize(input);
  require(tiles >= 0, "tiles is {}, but must be >= 0", tiles);
  require(axis >= 0 && axis < rank, "axis is {}, but {} has shape {}: {}", axis, call.name("input"), input,
          rank == 0 ? "no axes" : format("it must be from 0 to {}", rank - 1));
  Dims repeats = Dims::filled(input.size(), 1);
  repeats[static_cast<size_t>(axis)] = tiles;
  return repeats;
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, input] = call.type("input");
  return {TensorType{dtype, input * repeats_of(call)}};
}

// output[i] = input[i mod its size], along each axis
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& input = call.input("input");
  return {moved_by_axis(outs[0], input, [&](size_t axis, std::int64_t i) { return i % input.shape()[axis]; })};
}

void version_1(OpSchema& s) {
  s.input("input", "T").input("tiles", "T").input("axis", "T").output("output", "T").types("T", types::floats);
  s.types("T1", DType::int64);
}

void version_6(OpSchema& s) { s.remove("tiles").remove("axis").input("repeats", "T1").types("T", types::basic); }
}  // namespace
Operator tile() {
  return Operator("ai.onnx", "Tile")
      .summary("the input, repeated along its axes")
      .version(1, version_1)
      .version(6, version_6)
      .version(13, adds("T", DType::bfloat16))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_tile
