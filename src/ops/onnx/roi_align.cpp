// SPDX-License-Identifier: Apache-2.0
// ai.onnx RoiAlign, versions 10, 16, 22
// https://onnx.ai/onnx/operators/onnx__RoiAlign.html
#include "ops/operator_file.h"
#include "ops/shared/regions.h"
#include "ops/shared/windows.h"
namespace opref::ops::onnx::file_roi_align {
namespace {
bool is_half_pixel(const Call& call) {
  return call.has("coordinate_transformation_mode") && call.string("coordinate_transformation_mode") == "half_pixel";
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  const Dims &rois = call.type("rois").shape, &batches = call.type("batch_indices").shape;
  require_finite(call, "spatial_scale");
  require(x.size() == 4, "X has rank {}, but must be (N, C, H, W): rank 4", x.size());
  require(rois.size() == 2 && rois[1] == 4, "rois has shape {}, but must be (rois, 4)", rois);
  require(batches == rois.first(1), "batch_indices has shape {}, but rois has shape {}: it must be {}", batches, rois,
          rois.first(1));
  return {TensorType{dtype, Dims{rois[0], x[1], call.integer("output_height"), call.integer("output_width")}}};
}

// Per axis, with start = corner·spatial_scale, less 1/2 in half_pixel, and extent = end - start:
//   grid G = sampling_ratio, or ceil(extent/bins);   sample g of bin i: start + (i + (g + 1/2)/G)·extent/bins
SampledAxis axis(const Call& call, std::int64_t corner, size_t x_axis, std::string_view bins) {
  const bool half = is_half_pixel(call), by_mode = call.reads("roi_align.min_size", "by_mode");
  return {{4, corner, call.number("spatial_scale"), call.type("X").shape[x_axis], call.integer(bins)},
          call.integer("sampling_ratio"),
          0,
          half ? 0.5 : 0.0,
          by_mode ? !half : call.reads("roi_align.min_size", "always"),
          zero_weights(call)};
}

// avg:  Σ over the samples and the pixels around each of w·x / (samples of the bin);  max: the greatest w·x
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "rois");
  const OfSamples of = call.string("mode") == "avg"             ? OfSamples::mean
                       : call.reads("roi_align.max", "samples") ? OfSamples::greatest
                                                                : OfSamples::greatest_corner;
  return sampled_bins(outs, call.input("X"), call.input("rois"), batches_of(call, "X", "batch_indices"),
                      axis(call, 1, 2, "output_height"), axis(call, 0, 3, "output_width"), of);
}

// Some region may be less than 1 wide or high.
bool has_small_region(const Call& call) {
  if (!call.has_value("rois")) return true;
  const Elements rois(call.input("rois"));
  for (std::int64_t i = 0, count = call.type("rois").shape[0] * 4; i < count; ++i)
    if (i % 4 < 2 && (rois.number(i + 2) - rois.number(i)) * call.number("spatial_scale") < 1.5) return true;
  return false;
}
bool is_max(const Call& call) { return call.string("mode") == "max"; }

void version_10(OpSchema& s) {
  s.attribute(with_default("mode", "avg", one_of({"avg", "max"})))
      .attribute(with_default("output_height", 1, at_least(1)))
      .attribute(with_default("output_width", 1, at_least(1)))
      .attribute(with_default("sampling_ratio", 0, at_least(0)))
      .attribute(with_default("spatial_scale", 1.0F))
      .input("X", "T1", "the data, (N, C, H, W)")
      .input("rois", "T1", "two corners each, (rois, 4): x1, y1, x2, y2")
      .input("batch_indices", "T2", "the image of each, (rois)")
      .output("Y", "T1", "the bins, (rois, C, output_height, output_width)")
      .types("T1", types::floats, "Constrain types to float tensors.")
      .types("T2", DType::int64, "Constrain types to int tensors.");
}

void version_16(OpSchema& s) {
  s.attribute(
      with_default("coordinate_transformation_mode", "half_pixel", one_of({"half_pixel", "output_half_pixel"})));
  s.wording("pixels lie at half coordinates, unless output_half_pixel says that they do not, as before");
}
}  // namespace
Operator roi_align() {
  return Operator("ai.onnx", "RoiAlign")
      .summary("the mean or the greatest of interpolated samples in each bin of each region of interest")
      .version(10, version_10)
      .version(16, version_16)
      .version(22, adds("T1", DType::bfloat16))
      .reading({.name = "roi_align.max",
                .alternatives = {"corners: the greatest of all samples' four corners, each times its weight",
                                 "samples: the greatest of the interpolated samples"},
                .defaults = {{10, "corners"}},
                .reason = "published data, onnx.reference and onnxruntime compare weighted corners; the text says "
                          "samples",
                .may_change_values = is_max})
      .reading({.name = "roi_align.min_size",
                .alternatives = {"by_mode: a region is at least 1 wide and high, but not in half_pixel",
                                 "always: in half_pixel too", "never: not even in output_half_pixel"},
                .defaults = {{10, "by_mode"}},
                .reason = "the text is silent; onnx.reference and onnxruntime force the size where the mode is not "
                          "half_pixel",
                .may_change_values = has_small_region})
      .reading(zero_weight_reading(10))
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"output_height", "h"},
                    {"output_width", "w"},
                    {"sampling_ratio", "ratio"},
                    {"spatial_scale", "scale"},
                    {"coordinate_transformation_mode", ""}});
}
}  // namespace opref::ops::onnx::file_roi_align
