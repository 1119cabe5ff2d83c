// SPDX-License-Identifier: Apache-2.0
// ai.onnx RoiAlign, versions 10, 16, 22
// https://onnx.ai/onnx/operators/onnx__RoiAlign.html
#include <array>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "families/programs.h"
#include "ops/common/rational.h"
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
// A sample below -1 or above L is 0; else it lies between pixels, or on the first or last one.
struct Axis {
  std::int64_t corner;  ///< of the two corners in rois
  std::int64_t L, bins;
  bool half, at_least_one;  ///< extents are at least 1
  double scale;
  std::int64_t sampling_ratio;

  Rational start(const Elements& rois, std::int64_t roi) const {
    return Rational::of(rois.number(roi * 4 + corner)) * Rational::of(scale) - Rational(half ? 1 : 0) / Rational(2);
  }
  Rational extent(const Elements& rois, std::int64_t roi) const {
    const Rational corners =
        Rational::of(rois.number(roi * 4 + corner + 2)) - Rational::of(rois.number(roi * 4 + corner));
    const Rational extent = corners * Rational::of(scale);
    return at_least_one ? std::max(extent, Rational(1)) : extent;
  }
  std::int64_t grid(const Rational& extent) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    const std::int64_t G = sampling_ratio > 0 ? sampling_ratio : (extent / Rational(bins)).ceil().clamped(0, kMost);
    if (G >= kMost) fail(Fault::unsupported, "a bin has 2^53 samples or more along an axis");
    return G;
  }
};

/// Samples of one bin along an axis that lie between -1 and L.
struct Samples {
  struct Sample {
    std::int64_t g, pixel;
    bool is_between;  ///< this pixel and the next one; else it lies on this one
  };
  std::int64_t G = 0;
  std::vector<Sample> inside;

  Samples(const Axis& axis, const Elements& rois, std::int64_t roi, std::int64_t i) {
    constexpr std::int64_t kMost = std::int64_t{1} << 20;
    const Rational start = axis.start(rois, roi), extent = axis.extent(rois, roi), last(axis.L - 1);
    G = axis.grid(extent);
    if (G == 0 || axis.L == 0) return;
    const Rational n(axis.bins), half = Rational(1) / Rational(2);
    // The first and the last g whose sample is in [-1, L], where the extent is not zero.
    std::int64_t from = 0, to = G - 1;
    if (extent != Rational(0)) {
      const auto g_of = [&](std::int64_t place) {
        return ((Rational(place) - start) * n / extent - Rational(i)) * Rational(G) - half;
      };
      const Rational a = g_of(-1), b = g_of(axis.L);
      from = std::min(a, b).ceil().clamped(0, G);
      to = std::max(a, b).clamped(-1, G - 1);
    }
    if (to - from >= kMost)
      fail(Fault::unsupported, "a bin of roi {} has {} samples along an axis, more than {}", roi, to - from + 1, kMost);
    for (std::int64_t g = from; g <= to; ++g) {
      const Rational at = start + (Rational(i) + (Rational(g) + half) / Rational(G)) * extent / n;
      if (at < Rational(-1) || at > Rational(axis.L)) continue;
      if (at <= Rational(0))
        inside.push_back({g, 0, false});
      else if (at >= last)
        inside.push_back({g, axis.L - 1, false});
      else
        inside.push_back({g, at.clamped(0, axis.L - 1), at.floor() != at});
    }
  }
  bool leaves_some_out() const { return std::ssize(inside) < G; }
};

class RegionBins {
 public:
  RegionBins(const Call& call, const std::array<Axis, 2>& axes)
      : X_(call.input("X")),
        rois_(call.input("rois")),
        batches_(call.input("batch_indices")),
        x_(call.type("X").shape),
        axes_(axes),
        is_max_(call.string("mode") == "max"),
        by_samples_(call.reads("roi_align.max", "samples")) {}

  // avg:  Σ over samples and their corners of w·x / (samples of the bin);  max: the greatest w·x, or that of samples
  template <class R>
  R operator()(std::int64_t at, const Reader<R>& x) const {
    const auto [roi, c, i, j] = split(at, x_[1], axes_[0].bins, axes_[1].bins);
    const Samples rows(axes_[0], rois_, roi, i), columns(axes_[1], rois_, roi, j);
    const std::vector<Line<R>> by_row = lines(axes_[0], rows, roi, i, x),
                               by_column = lines(axes_[1], columns, roi, j, x);
    const std::int64_t plane = batches_.integer(roi) * x_[1] + c;
    R sum = x.zero();
    std::optional<R> best;
    const auto consider = [&](const R& value) { best = best ? max(*best, value) : value; };
    if (rows.leaves_some_out() || columns.leaves_some_out()) consider(x.zero());
    for (const Line<R>& row : by_row)
      for (const Line<R>& column : by_column) {
        R sample = x.zero();
        if (row.corners.size() * column.corners.size() < 4 && !by_samples_) consider(x.zero());
        for (const Corner<R>& v : row.corners)
          for (const Corner<R>& u : column.corners) {
            const R weighted = x(X_, (plane * x_[2] + v.pixel) * x_[3] + u.pixel) * (v.weight * u.weight);
            sample = sample + weighted;
            if (is_max_ && !by_samples_) consider(weighted);
          }
        sum = sum + sample;
        if (is_max_ && by_samples_) consider(sample);
      }
    const R denominators = denominator<R>(axes_[0], rows.G) * denominator<R>(axes_[1], columns.G);
    if (rows.G == 0 || columns.G == 0) return x.zero();
    if (is_max_) return best.value_or(x.zero()) / denominators;
    return sum / (denominators * R(static_cast<double>(rows.G)) * R(static_cast<double>(columns.G)));
  }

 private:
  template <class R>
  struct Corner {
    std::int64_t pixel;
    R weight;  ///< times the axis's denominator
  };
  template <class R>
  struct Line {
    std::vector<Corner<R>> corners;
  };

  /// What makes a sample's place a sum of products: 2·G·bins.
  template <class R>
  static R denominator(const Axis& axis, std::int64_t G) {
    return R(2.0) * R(static_cast<double>(G)) * R(static_cast<double>(axis.bins));
  }
  template <class R>
  std::vector<Line<R>> lines(const Axis& axis, const Samples& samples, std::int64_t roi, std::int64_t i,
                             const Reader<R>& x) const {
    std::vector<Line<R>> lines;
    if (samples.G == 0) return lines;
    const R D = denominator<R>(axis, samples.G), scale(axis.scale), low = x(rois_, roi * 4 + axis.corner),
            high = x(rois_, roi * 4 + axis.corner + 2);
    const R start = low * scale - R(axis.half ? 0.5 : 0.0);
    const bool is_forced = axis.at_least_one && axis.extent(rois_, roi) == Rational(1);
    const R extent = is_forced ? R(1.0) : (high - low) * scale;
    for (const Samples::Sample& sample : samples.inside) {
      if (!sample.is_between) {
        lines.push_back({{{sample.pixel, D}}});
        continue;
      }
      const R index = R(static_cast<double>(i)) * R(static_cast<double>(samples.G)) + R(static_cast<double>(sample.g));
      const R place = D * start + (R(2.0) * index + R(1.0)) * extent, pixel(static_cast<double>(sample.pixel));
      x.named("a sample's place", place / D);
      lines.push_back({{{sample.pixel, D * (pixel + R(1.0)) - place}, {sample.pixel + 1, place - D * pixel}}});
    }
    return lines;
  }

  Elements X_, rois_, batches_;
  Dims x_;
  std::array<Axis, 2> axes_;
  bool is_max_, by_samples_;
};

void require_regions(const Call& call) {
  const Tensor &rois = call.input("rois"), &batches = call.input("batch_indices");
  const std::int64_t N = call.type("X").shape[0];
  for (std::int64_t i = 0; i < rois.count(); ++i)
    require(std::isfinite(Elements(rois).number(i)), "rois{} is {}, but must be finite", coordinates(i, rois.shape()),
            Elements(rois).number(i));
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    const std::int64_t batch = Elements(batches).integer(i);
    require(batch >= 0 && batch < N, "batch_indices{} is {}, but X has {} batches", Dims{i}, batch, N);
  }
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_regions(call);
  const Dims& x = call.type("X").shape;
  const bool half = is_half_pixel(call), by_mode = call.reads("roi_align.min_size", "by_mode");
  const bool at_least_one = by_mode ? !half : call.reads("roi_align.min_size", "always");
  const auto axis = [&](std::int64_t corner, size_t place, std::string_view bins) {
    return Axis{corner,
                x[place],
                call.integer(bins),
                half,
                at_least_one,
                call.number("spatial_scale"),
                call.integer("sampling_ratio")};
  };
  return {real(outs[0], RegionBins(call, {axis(1, 2, "output_height"), axis(0, 3, "output_width")}))};
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
                .may_change_values = [](const Call&) { return true; }})
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"output_height", "h"},
                    {"output_width", "w"},
                    {"sampling_ratio", "ratio"},
                    {"spatial_scale", "scale"},
                    {"coordinate_transformation_mode", ""}});
}

}  // namespace opref::ops::onnx
