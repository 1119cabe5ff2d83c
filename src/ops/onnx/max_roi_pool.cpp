// SPDX-License-Identifier: Apache-2.0
// ai.onnx MaxRoiPool, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__MaxRoiPool.html
#include "ops/operator_file.h"
#include "ops/shared/images.h"
#include "ops/shared/windows.h"
namespace opref::ops::onnx {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  const Dims &rois = call.type("rois").shape, pooled(call.integers("pooled_shape"));
  require_finite(call, "spatial_scale");
  require(x.size() == 4, "X has rank {}, but must be (N, C, H, W): rank 4", x.size());
  require(rois.size() == 2 && rois[1] == 5, "rois has shape {}, but must be (rois, 5)", rois);
  require(pooled.size() == 2, "attribute 'pooled_shape' is {}, but must have a height and a width", pooled);
  return {TensorType{dtype, join(Dims{rois[0], x[1]}, pooled)}};
}

void require_batches(const Call& call, const Elements& rois) {
  const std::int64_t N = call.type("X").shape[0], count = call.type("rois").shape[0];
  for (std::int64_t roi = 0; roi < count; ++roi) {
    const double batch = rois.number(roi * 5);
    require(batch >= 0 && batch < nearly(N) && std::floor(batch) == batch,
            "rois{} is {}, but must be a whole number from 0 to {}: a batch of X", Dims{roi, 0}, batch, N - 1);
  }
}

/// Bin i of each region, one after another.
std::vector<PixelRange> all_bins(const RegionAxis& axis, const Elements& rois, std::int64_t regions) {
  std::vector<PixelRange> all;
  for (std::int64_t roi = 0; roi < regions; ++roi)
    for (std::int64_t i = 0; i < axis.bins; ++i) all.push_back(pixels_of_bin(axis, rois, roi, i));
  return all;
}

/// A bin of all channels: `plane` apart in X, `bins` in Y.
Neighbours along_channels(std::int64_t regions, std::int64_t channels, std::int64_t bins, std::int64_t plane) {
  std::vector<NeighbourBox> boxes;
  for (std::int64_t roi = 0; roi < regions; ++roi)
    for (std::int64_t bin = 0; bin < bins; ++bin)
      boxes.push_back({roi * channels * bins + bin, {{channels, bins, plane}}});
  return Neighbours(std::move(boxes));
}

// With [start, end] = round(corner·spatial_scale), halves away from zero, and e = max(end - start + 1, 1), per axis:
//   bin i of n = [start + floor(i·e/n), start + ceil((i + 1)·e/n)), as far as it lies in X: Caffe's Fast R-CNN
// Y[roi, c, i, j] = the greatest X[batch, c, …] in bin (i, j);  of an empty bin +0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& X = call.input("X");
  const Elements rois(call.input("rois"));
  require_finite(call, "rois");
  require_batches(call, rois);
  const Dims &x = X.shape(), &y = outs[0].type().shape;
  const double scale = call.number("spatial_scale");
  const std::int64_t beyond_end = call.reads("max_roi_pool.bins", "half-open") ? 0 : 1;
  const RegionAxis height{5, 2, scale, x[2], y[2], beyond_end}, width{5, 1, scale, x[3], y[3], beyond_end};
  if (element_count(y) == 0) return {zeros_of(outs[0].type())};
  const std::vector<PixelRange> all_rows = all_bins(height, rois, y[0]), all_columns = all_bins(width, rois, y[0]);
  const auto terms = [&](std::int64_t at, Best& best) {
    const auto [roi, c, i, j] = split(at, y[1], y[2], y[3]);
    const PixelRange rows = all_rows[static_cast<size_t>(roi * y[2] + i)],
                     columns = all_columns[static_cast<size_t>(roi * y[3] + j)];
    const std::int64_t plane = static_cast<std::int64_t>(rois.number(roi * 5)) * x[1] + c;
    for (std::int64_t row = rows.first; row < rows.last; ++row)
      for (std::int64_t column = columns.first; column < columns.last; ++column)
        best.consider((plane * x[2] + row) * x[3] + column);
  };
  constexpr std::int64_t kLeastChannels = 4;
  const Neighbours alike = y[1] < kLeastChannels ? Neighbours() : along_channels(y[0], y[1], y[2] * y[3], x[2] * x[3]);
  const Selection greatest(outs[0], X, Zeros::ordered, Extreme::greatest, Tie::first, terms, alike);
  return {greatest.values(outs[0])};
}

void version_1(OpSchema& s) {
  s.attribute(required(INTS, "pooled_shape", at_least(1)))
      .attribute(with_default("spatial_scale", 1.0F))
      .input("X", "T", "the data, (N, C, H, W)")
      .input("rois", "T", "a batch and two corners each, (rois, 5): batch, x1, y1, x2, y2")
      .output("Y", "T", "the greatest elements of the bins, (rois, C, pooled_shape)")
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}
}  // namespace
Operator max_roi_pool() {
  return Operator("ai.onnx", "MaxRoiPool")
      .summary("the greatest element of each bin of each region of interest")
      .version(1, version_1)
      .version(22, adds("T", DType::bfloat16))
      .reading({.name = "max_roi_pool.bins",
                .alternatives = {"fast-rcnn: corners are rounded, and the pixel at the end is in the region",
                                 "half-open: corners are rounded, and the region ends before that pixel"},
                .defaults = {{1, "fast-rcnn"}},
                .reason = "Caffe's Fast R-CNN and onnxruntime; the page has no formula",
                .may_change_values = [](const Call& /*call*/) { return true; }})
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"pooled_shape", "bins"}, {"spatial_scale", "scale"}});
}
}  // namespace opref::ops::onnx
