// SPDX-License-Identifier: Apache-2.0
// ai.onnx RoiAlign, versions 10, 16, 22
// https://onnx.ai/onnx/operators/onnx__RoiAlign.html
#include <algorithm>
#include <optional>

#include "core/error.h"
#include "families/programs.h"
#include "ops/common/mistakes.h"
#include "ops/common/rational.h"
#include "ops/common/regions.h"
#include "ops/common/spatial.h"

namespace opref::ops::onnx {
namespace {

bool is_half_pixel(const Call& call) {
  return call.has("coordinate_transformation_mode") && call.string("coordinate_transformation_mode") == "half_pixel";
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  const Dims &rois = call.type("rois").shape, &batches = call.type("batch_indices").shape;
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
          half,
          by_mode ? !half : call.reads("roi_align.min_size", "always")};
}

// avg:  Σ over the samples and the pixels around each of w·x / (samples of the bin);  max: the greatest w·x
class RegionBins {
 public:
  explicit RegionBins(const Call& call)
      : X_(call.input("X")),
        rois_(call.input("rois")),
        batches_(call.input("batch_indices")),
        regions_(call.type("rois").shape[0]),
        C_(call.type("X").shape[1]),
        rows_(axis(call, 1, 2, "output_height")),
        columns_(axis(call, 0, 3, "output_width")),
        is_max_(call.string("mode") == "max"),
        by_samples_(call.reads("roi_align.max", "samples")),
        counts_zeros_(counts_zero_weights(call)) {}

  /// One bin of one region, in all channels.
  template <class R>
  void operator()(std::int64_t bin, const Reader<R>& x, Writer<R>& y) const {
    const auto [roi, i, j] = split(bin, rows_.bins, columns_.bins);
    const Samples rows(rows_, rois_, roi, i), columns(columns_, rois_, roi, j);
    if (rows.G == 0 || columns.G == 0) return;
    const auto by_row = weights("row", rows_, rows, roi, i, x),
               by_column = weights("column", columns_, columns, roi, j, x);
    const R pixels = denominator<R>(rows_, rows) * denominator<R>(columns_, columns),
            all = pixels * whole<R>(rows.G) * whole<R>(columns.G);
    for (std::int64_t c = 0; c < C_; ++c)
      y.put(0, ((roi * C_ + c) * rows_.bins + i) * columns_.bins + j, [&]() -> R {
        const std::int64_t plane = (batches_.integer(roi) * C_ + c) * rows_.L * columns_.L;
        R sum = x.zero();
        std::optional<R> greatest;
        const auto consider = [&](const R& value) { greatest = greatest ? max(*greatest, value) : value; };
        if (rows.some_are_outside() || columns.some_are_outside()) consider(x.zero());
        for (const auto& row : by_row)
          for (const auto& column : by_column) {
            R sample = x.zero();
            for (const Weight<R>& v : row)
              for (const Weight<R>& u : column) {
                const R term = x(X_, plane + v.pixel * columns_.L + u.pixel) * (v.weight * u.weight);
                sample = sample + term;
                if (!by_samples_) consider(term);
              }
            if (by_samples_) consider(sample);
            if (!by_samples_ && row.size() * column.size() < 4) consider(x.zero());  // a pixel of weight 0
            sum = sum + sample;
          }
        return is_max_ ? *greatest / pixels : sum / all;
      });
  }
  std::int64_t bins() const { return regions_ * rows_.bins * columns_.bins; }
  std::int64_t program_of(std::size_t, std::int64_t at) const {
    const auto [roi, c, i, j] = split(at, C_, rows_.bins, columns_.bins);
    return (roi * rows_.bins + i) * columns_.bins + j;
  }

 private:
  template <class R>
  struct Weight {
    std::int64_t pixel;
    R weight;  ///< times the axis's denominator
  };
  template <class R>
  static R whole(std::int64_t n) {
    return R(static_cast<double>(n));
  }
  /// 2·G·bins, by which a sample's place is a sum of products.
  template <class R>
  static R denominator(const SampledAxis& axis, const Samples& samples) {
    return R(2.0) * whole<R>(samples.G) * whole<R>(axis.bins);
  }
  /// Of the one or two pixels of each sample.
  template <class R>
  std::vector<std::vector<Weight<R>>> weights(std::string_view name, const SampledAxis& axis, const Samples& samples,
                                              std::int64_t roi, std::int64_t i, const Reader<R>& x) const {
    const R D = denominator<R>(axis, samples), scale(axis.scale), low = x(rois_, roi * 4 + axis.corner),
            high = x(rois_, roi * 4 + axis.corner + 2), start = low * scale - R(axis.half ? 0.5 : 0.0),
            extent = samples.is_forced ? R(1.0) : (high - low) * scale;
    std::vector<std::vector<Weight<R>>> all;
    for (const auto& [g, pixel, is_between] : samples.inside) {
      const R place = D * start + (R(2.0) * (whole<R>(i) * whole<R>(samples.G) + whole<R>(g)) + R(1.0)) * extent;
      if constexpr (std::is_same_v<R, Interval>)
        tell_place(format("{} of sample {}", name, g), axis, samples, roi, i, g,
                   [&](const std::string& part, const Interval& number) { x.named(part, number); });
      if (is_between)
        all.push_back({{pixel, D * whole<R>(pixel + 1) - place}, {pixel + 1, place - D * whole<R>(pixel)}});
      else if (counts_zeros_)
        all.push_back({{pixel, D}, {std::min(pixel + 1, axis.L - 1), x.zero()}});
      else
        all.push_back({{pixel, D}});
    }
    return all;
  }

  template <class Tell>
  void tell_place(const std::string& name, const SampledAxis& axis, const Samples& samples, std::int64_t roi,
                  std::int64_t i, std::int64_t g, const Tell& tell) const {
    const auto place = [&]<class R>(R low, R high, R scale, R half) {
      const R start = low * scale - (axis.half ? half : R(0)), extent = samples.is_forced ? R(1) : (high - low) * scale,
              bin = extent / number<R>(axis.bins);
      return start + number<R>(i) * bin + (number<R>(g) + half) * bin / number<R>(samples.G);
    };
    const double low = rois_.number(roi * 4 + axis.corner), high = rois_.number(roi * 4 + axis.corner + 2);
    const auto narrow = [](double x) { return static_cast<float>(x); };
    tell_coordinate(name,
                    place(Rational::of(low), Rational::of(high), Rational::of(axis.scale), Rational(1) / Rational(2)),
                    Rational::of_float32(place(narrow(low), narrow(high), narrow(axis.scale), 0.5F)), tell);
  }
  template <class R>
  static R number(std::int64_t n) {
    return static_cast<R>(n);
  }

  Elements X_, rois_, batches_;
  std::int64_t regions_, C_;
  SampledAxis rows_, columns_;
  bool is_max_, by_samples_, counts_zeros_;
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "rois");
  const std::vector<std::int64_t> batches = call.integers("batch_indices");
  const std::int64_t N = call.type("X").shape[0];
  for (size_t i = 0; i < batches.size(); ++i)
    require(batches[i] >= 0 && batches[i] < N, "batch_indices[{}] is {}, but must be from 0 to {}: a batch of X", i,
            batches[i], N - 1);
  const RegionBins regions(call);
  return programs(outs, regions.bins(), regions);
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

std::optional<Call> x_and_y_exchanged(const Call& call) {
  return call.with_input("rois", moved(call.input("rois"), [](Dims at) {
                           at[1] ^= 1;
                           return at;
                         }));
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
      .mistake("no shift by half a pixel", taken_for<"coordinate_transformation_mode", "output_half_pixel">)
      .mistake("x and y exchanged", x_and_y_exchanged)
      .short_names({{"output_height", "h"},
                    {"output_width", "w"},
                    {"sampling_ratio", "ratio"},
                    {"spatial_scale", "scale"},
                    {"coordinate_transformation_mode", ""}});
}

}  // namespace opref::ops::onnx
