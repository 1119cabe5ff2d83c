// SPDX-License-Identifier: Apache-2.0
// openvino ROIAlignRotated, version 15 (opset15)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/regions.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_roi_align_rotated {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("data");
  const Dims &rois = call.type("rois").shape, &batches = call.type("batch_indices").shape;
  require(x.size() == 4, "data has rank {}, but must be [N, C, H, W]: rank 4", x.size());
  require(rois.size() == 2 && rois[1] == 5, "rois has shape {}, but must be [rois, 5]", rois);
  require(batches == rois.first(1), "batch_indices has shape {}, but rois has shape {}: it must be {}", batches, rois,
          rois.first(1));
  require_spatial_sizes(call, "data", spatial(x));
  return {TensorType{dtype, Dims{rois[0], x[1], call.integer("pooled_h"), call.integer("pooled_w")}}};
}

/// A pixel along an axis and its weight.
template <class R>
struct Tap {
  std::int64_t at;
  R weight;
};

/// How far the number may be from a double near it.
template <class R>
double error_of(const R& number) {
  if constexpr (std::is_same_v<R, Faithful>)
    return number.error();
  else
    return 0;
}

/// The pixels of an axis of L that may have a weight at a place, which is `near` the number x: none outside [-1, L].
template <class R>
std::vector<Tap<R>> taps(const R& x, double near, std::int64_t L) {
  constexpr double kFar = 64;  // pixels: of such places nothing is said
  const double e = error_of(x) + 0x1p-10, last = nearly(L - 1);
  std::vector<Tap<R>> all;
  if (near < -1 - e || near > nearly(L) + e) return all;
  if constexpr (std::is_same_v<R, Faithful>)
    if (!(e < kFar)) return {{0, kUnknown}};
  const R moved = max(R(0.0), min(R(last), x));
  const auto pixel_at = [&](double place) {
    return static_cast<std::int64_t>(std::clamp(std::floor(place), -1.0, last));
  };
  const std::int64_t first = pixel_at(near - e), end = pixel_at(near + e) + 1;
  for (std::int64_t pixel = std::max<std::int64_t>(first, 0); pixel <= std::min(end, L - 1); ++pixel)
    all.push_back({pixel, choose(
                              x < R(-1.0), [] { return R(0.0); },
                              [&] {
                                return choose(
                                    R::whole(L) < x, [] { return R(0.0); },
                                    [&] { return max(R(0.0), R(1.0) - abs(moved - R::whole(pixel))); });
                              })});
  return all;
}

// A box of center·scale - 1/2 and sides·scale is turned by its angle, with clockwise_mode by the negative one. With
// G = sampling_ratio, or ceil(side/bins), sample g of bin i lies at -side/2 + (i + (g + 1/2)/G)·side/bins, and (u, v)
// is turned to (u·cos + v·sin + cx, v·cos - u·sin + cy). out is the mean of a bin's samples, without any 0; a sample
// outside [-1, H] and [-1, W] is 0, others are moved into [0, H - 1] and [0, W - 1].
struct Bins {
  Elements data, rois;
  std::vector<std::int64_t> batches;
  Dims x, y;
  double scale;
  std::int64_t sampling_ratio;
  bool clockwise;

  double number(std::int64_t roi, std::int64_t k) const { return rois.number(roi * 5 + k); }
  /// G of the side that is number k of a roi.
  std::int64_t samples(std::int64_t roi, std::int64_t k, std::int64_t bins) const {
    constexpr double kFar = 0x1p30;
    for (std::int64_t place = 0; place < 4; ++place)
      if (!(std::abs(number(roi, place) * scale) < kFar))
        fail(Fault::unsupported, "rois{} times spatial_scale is {}, but opref takes less than 2^30", Dims{roi, place},
             number(roi, place) * scale);
    constexpr std::int64_t kMost = 1 << 10;
    const std::int64_t G = sampling_ratio > 0 ? sampling_ratio : ceiling(roi, k, bins);
    if (G > kMost)
      fail(Fault::unsupported, "a bin of roi {} has {} samples along an axis, more than {}", roi, G, kMost);
    return G;
  }
  std::int64_t ceiling(std::int64_t roi, std::int64_t k, std::int64_t bins) const {
    return (Rational::of(number(roi, k)) * Rational::of(scale) / Rational(bins)).ceil().clamped(0, INT64_MAX);
  }
  /// Where sample g of G of bin i lies on a side from its middle.
  template <class N>
  static N along(const N& side, std::int64_t i, std::int64_t bins, std::int64_t g, std::int64_t G) {
    const auto whole = [](std::int64_t n) { return N(nearly(n)); };
    return side * (whole(i) + (whole(g) + N(0.5)) / whole(G)) / whole(bins) - side / N(2.0);
  }
  template <class R>
  struct Sample {
    std::vector<Tap<R>> rows, columns;
  };
  template <class R>
  std::vector<Sample<R>> samples_of(std::int64_t roi, std::int64_t i, std::int64_t j, std::int64_t rows,
                                    std::int64_t columns, const Reader<R>& read) const {
    const auto of = [&](std::int64_t k) { return read(rois, roi * 5 + k); };
    const R by(scale), half(0.5), angle = clockwise ? -of(4) : of(4), c = cos(angle), s = sin(angle);
    const R cx = of(0) * by - half, cy = of(1) * by - half, width = of(2) * by, height = of(3) * by;
    // Where a sample is, but for much less than 2^-10 of a pixel: that decides which pixels are looked at.
    const double near_c = std::cos(number(roi, 4)), near_s = std::sin(number(roi, 4)) * (clockwise ? -1 : 1);
    std::vector<Sample<R>> all;
    for (std::int64_t p = 0; p < rows; ++p)
      for (std::int64_t q = 0; q < columns; ++q) {
        require_time();
        const R v = along(height, i, y[2], p, rows), u = along(width, j, y[3], q, columns);
        const double near_v = along(number(roi, 3) * scale, i, y[2], p, rows),
                     near_u = along(number(roi, 2) * scale, j, y[3], q, columns);
        all.push_back(
            {taps(v * c - u * s + cy, near_v * near_c - near_u * near_s + number(roi, 1) * scale - 0.5, x[2]),
             taps(v * s + u * c + cx, near_v * near_s + near_u * near_c + number(roi, 0) * scale - 0.5, x[3])});
      }
    return all;
  }
  template <class R>
  void operator()(std::int64_t k, const Reader<R>& read, Writer<R>& write) const {
    const auto [roi, i, j] = split(k, y[2], y[3]);
    const std::int64_t rows = samples(roi, 3, y[2]), columns = samples(roi, 2, y[3]);
    const auto all = samples_of(roi, i, j, rows, columns, read);
    for (std::int64_t channel = 0; channel < x[1]; ++channel)
      write.put(0, ((roi * x[1] + channel) * y[2] + i) * y[3] + j, [&]() -> R {
        if (all.empty()) return read.zero();
        const std::int64_t plane = (batches[static_cast<size_t>(roi)] * x[1] + channel) * x[2] * x[3];
        SumOf<R> sum;
        for (const Sample<R>& sample : all)
          for (const Tap<R>& row : sample.rows)
            for (const Tap<R>& column : sample.columns)
              sum.add(read(data, plane + row.at * x[3] + column.at) * (row.weight * column.weight));
        return sum.total() / (R::whole(rows) * R::whole(columns));
      });
  }
  std::int64_t program_of(std::size_t, std::int64_t at) const {
    const auto [roi, channel, bin] = split(at, x[1], y[2] * y[3]);
    return roi * y[2] * y[3] + bin;
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "data");
  require_finite(call, "rois");
  const Dims& y = outs[0].type().shape;
  return programs(outs, y[0] * y[2] * y[3],
                  Bins{Elements(call.input("data")), Elements(call.input("rois")),
                       batches_of(call, "data", "batch_indices"), call.type("data").shape, y,
                       call.number("spatial_scale"), call.integer("sampling_ratio"), call.flag("clockwise_mode")});
}
}  // namespace
Operator roi_align_rotated() {
  return Operator("openvino", "ROIAlignRotated")
      .summary("the mean of interpolated samples in each bin of each region of interest, which is turned")
      .page("detection/roi-align-rotated-15")
      .category("category object detection")
      .version(15,
               [](OpSchema& s) {
                 s.attribute(required(INT, "pooled_h", at_least(1)))
                     .attribute(required(INT, "pooled_w", at_least(1)))
                     .attribute(required(INT, "sampling_ratio", at_least(0)))
                     .attribute(required(FLOAT, "spatial_scale", above(0)))
                     .attribute(with_default("clockwise_mode", 0, flag()))
                     .input("data", "T")
                     .input("rois", "T")
                     .input("batch_indices", "IND_T")
                     .output("out", "T")
                     .types("T", computed_floats)
                     .types("IND_T", types::integers);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_roi_align_rotated
