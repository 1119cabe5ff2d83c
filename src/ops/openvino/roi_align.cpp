// SPDX-License-Identifier: Apache-2.0
// openvino ROIAlign, versions 3 (opset3), 9 (opset9)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/regions.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_roi_align {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("input");
  const Dims &rois = call.type("rois").shape, &batches = call.type("batch_indices").shape;
  require(x.size() == 4, "input has rank {}, but must be [N, C, H, W]: rank 4", x.size());
  require(rois.size() == 2 && rois[1] == 4, "rois has shape {}, but must be [rois, 4]", rois);
  require(batches == rois.first(1), "batch_indices has shape {}, but rois has shape {}: it must be {}", batches, rois,
          rois.first(1));
  return {TensorType{dtype, Dims{rois[0], x[1], call.integer("pooled_h"), call.integer("pooled_w")}}};
}

// Per axis, of corners x that half_pixel takes as (x + 1/2)·scale - 1/2, half_pixel_for_nn as x·scale - 1/2, asymmetric
// as x·scale, and then at least 1 apart:
//   grid G = sampling_ratio, or ceil(extent/bins);   sample g of bin i: start + (i + (g + 1/2)/G)·extent/bins
SampledAxis axis(const Call& call, std::int64_t corner, size_t input_axis, std::string_view bins) {
  const std::string aligned = call.has("aligned_mode") ? call.string("aligned_mode") : "asymmetric";
  const bool is_asymmetric = aligned == "asymmetric";
  return {{4, corner, call.number("spatial_scale"), call.type("input").shape[input_axis], call.integer(bins)},
          call.integer("sampling_ratio"),
          aligned == "half_pixel" ? 0.5 : 0.0,
          is_asymmetric ? 0.0 : 0.5,
          is_asymmetric,
          zero_weights(call)};
}

// avg: the mean of the samples of a bin;  max: the greatest
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "rois");
  const OfSamples of = call.string("mode") == "avg"                ? OfSamples::mean
                       : call.reads("roi_align.max_floor", "zero") ? OfSamples::greatest_or_zero
                                                                   : OfSamples::greatest;
  return sampled_bins(outs, call.input("input"), call.input("rois"), batches_of(call, "input", "batch_indices"),
                      axis(call, 1, 2, "pooled_h"), axis(call, 0, 3, "pooled_w"), of);
}
}  // namespace
Operator roi_align() {
  return Operator("openvino", "ROIAlign")
      .summary("the mean or the greatest of interpolated samples in each bin of each region of interest")
      .page("detection/roi-align-9")
      .category("category object detection")
      .version(3,
               [](OpSchema& s) {
                 s.attribute(required(INT, "pooled_h", at_least(1)))
                     .attribute(required(INT, "pooled_w", at_least(1)))
                     .attribute(required(INT, "sampling_ratio", at_least(0)))
                     .attribute(required(FLOAT, "spatial_scale", above(0)))
                     .attribute(required(STRING, "mode", one_of({"avg", "max"})))
                     .input("input", "T")
                     .input("rois", "T")
                     .input("batch_indices", "IND_T")
                     .output("output0", "T")
                     .types("T", computed_floats)
                     .types("IND_T", types::integers);
               })
      .version(9,
               [](OpSchema& s) {
                 s.attribute(with_default("aligned_mode", "asymmetric",
                                          one_of({"asymmetric", "half_pixel_for_nn", "half_pixel"})));
               })
      .reading({.name = "roi_align.max_floor",
                .alternatives = {"samples: the greatest of the samples", "zero: the same, but at least 0"},
                .defaults = {{3, "samples"}},
                .reason = "the page; both programs begin with 0",
                .may_change_values = [](const Call& call) { return call.string("mode") == "max"; }})
      .reading(zero_weight_reading(3))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_roi_align
