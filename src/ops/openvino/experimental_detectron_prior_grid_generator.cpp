// SPDX-License-Identifier: Apache-2.0
// openvino ExperimentalDetectronPriorGridGenerator, version 6 (opset6)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_experimental_detectron_prior_grid_generator {
namespace {
/// The rows and columns of boxes: h and w, or those of the map.
std::array<std::int64_t, 2> grid(const Call& call) {
  const Dims& map = call.type("input1").shape;
  const std::int64_t h = call.integer("h"), w = call.integer("w");
  return {h == 0 ? map[2] : h, w == 0 ? map[3] : w};
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, priors] = call.type("input0");
  require(priors.size() == 2 && priors[1] == 4, "{} has shape {}, but must be (priors, 4)", call.name("input0"),
          priors);
  for (const std::string_view name : {"input1", "input2"}) {
    const Dims& shape = call.type(name).shape;
    require(shape.size() == 4 && shape[0] == 1, "{} has shape {}, but must be (1, channels, height, width)",
            call.name(name), shape);
  }
  const Dims& map = call.type("input1").shape;
  const auto [rows, columns] = grid(call);
  require(rows <= map[2], "attribute 'h' is {}, but must be from 0 to {}, the height of the map", rows, map[2]);
  require(columns <= map[3], "attribute 'w' is {}, but must be from 0 to {}, the width of the map", columns, map[3]);
  if (!flag_or_default(call, "flatten", "experimental_detectron_prior_grid_generator.default"))
    return {TensorType{dtype, Dims{map[2], map[3], priors[0], 4}}};
  return {TensorType{dtype, Dims{checked_multiply(checked_multiply(map[2], map[3]), priors[0]), 4}}};
}

// prior + ((column + 1/2)·step_x, (row + 1/2)·step_y, the same again), for each row, column and prior; 0 beyond
//   step_x = stride_x, or the width of the image/columns; step_y = stride_y, or its height/rows
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "input0");
  const Elements priors(call.input("input0"));
  const std::int64_t count = call.type("input0").shape[0];
  const auto [rows, columns] = grid(call);
  const Dims& image = call.type("input2").shape;
  return {real(outs[0], [&, rows = rows, columns = columns]<class R>(std::int64_t i, const Reader<R>& x) {
    if (i >= rows * columns * count * 4) return R(0.0);
    const auto [cell, prior, k] = split(i, count, 4);
    const bool is_x = k % 2 == 0;
    const double stride = call.number(is_x ? "stride_x" : "stride_y");
    const R step = stride != 0 ? R(stride) : R::whole(image[is_x ? 3 : 2]) / R::whole(is_x ? columns : rows);
    return x(priors, prior * 4 + k) + (R::whole(is_x ? cell % columns : cell / columns) + R(0.5)) * step;
  })};
}

void version_6(OpSchema& s) {
  s.attribute(with_default("flatten", 0, flag()))
      .attribute(with_default("h", 0, at_least(0)))
      .attribute(with_default("w", 0, at_least(0)))
      .attribute(with_default("stride_x", 0.0F, at_least(0)))
      .attribute(with_default("stride_y", 0.0F, at_least(0)))
      .input("input0", "T", "the boxes of each cell, (priors, 4): x1, y1, x2, y2")
      .input("input1", "T", "the map, (1, channels, height, width), whose cells these are")
      .input("input2", "T", "the image, (1, channels, height, width)")
      .output("output0", "T", "row by row, the boxes of all cells")
      .types("T", computed_floats);
}
}  // namespace
Operator experimental_detectron_prior_grid_generator() {
  return Operator("openvino", "ExperimentalDetectronPriorGridGenerator")
      .summary("the same boxes around the center of each cell of an image")
      .page("detection/experimental-detectron-prior-grid-generator-6")
      .category("category object detection")
      .version(6, version_6)
      .reading(left_out_flag_reading("experimental_detectron_prior_grid_generator.default", 6,
                                     [](const Call& call) { return !call.stated("flatten"); }))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_experimental_detectron_prior_grid_generator
