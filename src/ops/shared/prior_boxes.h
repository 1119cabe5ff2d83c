// SPDX-License-Identifier: Apache-2.0
// Boxes around each cell of an image, before anything is known of it: OpenVINO's PriorBox and PriorBoxClustered.
#pragma once

#include <vector>

#include "evaluators/programs.h"
#include "ops/shared/openvino.h"
namespace opref::ops {
/// An attribute of numbers that may be absent.
std::vector<double> numbers_of(const Call& call, std::string_view attribute);

/// variance, output_size and the output.
void add_prior_parameters(OpSchema& s);
/// Of so many boxes in each cell: float32[2, 4·cells·boxes]; checks the sizes and the variances.
std::vector<ValueType> prior_types(const Call& call, std::int64_t boxes);

/// A coordinate: of which box of which cell, and along which axis.
struct PriorPlace {
  std::int64_t box, cell;
  std::int64_t cells, image;  ///< along the axis
  std::int64_t rows, image_height;
  bool is_x, is_end;
};
/// Coordinates x1, y1, x2, y2 by coordinate(place, x), limited to [0, 1] if `clip` says so; and a row of variances.
template <class F>
std::vector<Value> prior_boxes(const Call& call, std::span<const Output> outs, std::int64_t boxes,
                               const F& coordinate) {
  const std::vector<std::int64_t> grid = call.integers("output_size"), image = call.integers("image_size");
  std::vector<double> variances = numbers_of(call, "variance");
  if (variances.empty()) variances = {double{0.1F}};
  const std::int64_t count = outs[0].type().shape[1];
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
    if (i >= count) return R(variances[static_cast<size_t>(i) % variances.size()]);
    const auto [cell, box, k] = split(i, boxes, 4);
    const bool is_x = k % 2 == 0;
    const size_t axis = is_x ? 1 : 0;
    const R place = coordinate(PriorPlace{box, is_x ? cell % grid[1] : cell / grid[1], grid[axis], image[axis], grid[0],
                                          image[0], is_x, k >= 2},
                               x);
    return call.flag("clip") ? max(R(0.0), min(place, R(1.0))) : x.sum(place);
  })};
}
}  // namespace opref::ops
