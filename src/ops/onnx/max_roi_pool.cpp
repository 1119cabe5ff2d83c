// SPDX-License-Identifier: Apache-2.0
// ai.onnx MaxRoiPool, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__MaxRoiPool.html
#include "ops/operator_file.h"
#include "ops/shared/regions.h"
#include "ops/shared/windows.h"
namespace opref::ops::onnx::file_max_roi_pool {
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

// With [start, end] = round(corner·spatial_scale), halves away from zero, and e = max(end - start + 1, 1), per axis:
//   bin i of n = [start + floor(i·e/n), start + ceil((i + 1)·e/n)), as far as it lies in X: Caffe's Fast R-CNN
// Y[roi, c, i, j] = the greatest X[batch, c, …] in bin (i, j);  of an empty bin +0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor &X = call.input("X"), &rois = call.input("rois");
  require_finite(call, "rois");
  require_batches(call, "X", "rois");
  const Dims &x = X.shape(), &y = outs[0].type().shape;
  const double scale = call.number("spatial_scale");
  const std::int64_t beyond_end = call.reads("max_roi_pool.bins", "half-open") ? 0 : 1;
  return {
      greatest_in_bins(outs[0], X, rois, {5, 2, scale, x[2], y[2], beyond_end}, {5, 1, scale, x[3], y[3], beyond_end})};
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
}  // namespace opref::ops::onnx::file_max_roi_pool
