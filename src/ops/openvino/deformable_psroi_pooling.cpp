// SPDX-License-Identifier: Apache-2.0
// openvino DeformablePSROIPooling, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/regions.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_deformable_psroi_pooling {
namespace {
/// For how many classes there are offsets.
std::int64_t classes(const Call& call) { return call.has("offsets") ? call.type("offsets").shape[1] / 2 : 1; }

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("input");
  const Dims& rois = call.type("coords").shape;
  const std::int64_t dim = call.integer("output_dim"), g = call.integer("group_size"), part = call.integer("part_size");
  require_finite(call, "trans_std");
  require(x.size() == 4, "input has rank {}, but must be [N, C, H, W]: rank 4", x.size());
  require(rois.size() == 2 && rois[1] == 5, "coords has shape {}, but must be [rois, 5]", rois);
  const std::int64_t channels = checked_multiply(dim, checked_multiply(g, g));
  require(x[1] == channels, "input has {}, but must have output_dim * group_size² = {}", counted(x[1], "channel"),
          channels);
  require_spatial_sizes(call, "input", spatial(x));
  if (call.has("offsets")) {
    const Dims& offsets = call.type("offsets").shape;
    require(offsets.size() == 4 && offsets[0] == rois[0] && offsets[1] > 0 && offsets[1] % 2 == 0 &&
                offsets[2] == part && offsets[3] == part,
            "offsets has shape {}, but must be [rois, 2 * classes, part_size, part_size] of {} rois and part_size {}",
            offsets, rois[0], part);
    require(dim % classes(call) == 0, "offsets has shape {}, so {} classes, which must divide output_dim, {}", offsets,
            classes(call), dim);
  }
  return {TensorType{dtype, Dims{rois[0], dim, g, g}}};
}

// A box from round(x1)·scale - 1/2 to (round(x2) + 1)·scale - 1/2, rounded half away from 0, whose sides are at least
// 0.1. Bin j of g starts at x1 + j·side/g + offset·trans_std·side, with the offset at (i·part div g, j·part div g) of
// the class of c, x before y in the channels. Its samples k of n lie at start + k·side/(g·n), n being spatial_bins; one
// outside [-1/2, L - 1/2] does not count, others are moved into [0, L - 1]. output0 is their mean, of none 0, in
// channel (c·g + i)·g + j.
struct Pooling {
  Elements input, coords;
  std::optional<Elements> offsets;
  Dims x;
  std::int64_t dim, g, part, classes, bins_x, bins_y;
  double scale, trans_std;

  double corner(std::int64_t roi, std::int64_t k) const { return coords.number(roi * 5 + k); }

  /// Along y (first = 2) or x (first = 1).
  template <class R>
  std::vector<AxisSample<R>> samples(std::int64_t roi, std::int64_t first, std::int64_t bins, std::int64_t L,
                                     std::int64_t bin, double offset) const {
    const double low = Rational::of(corner(roi, first)).rounded_away().nearby(),
                 high = Rational::of(corner(roi, first + 2)).rounded_away().nearby();
    const bool is_small =
        (Rational::of(high) + Rational(1) - Rational::of(low)) * Rational::of(scale) < Rational(1) / Rational(10);
    const Rational half = Rational(1) / Rational(2);
    std::vector<AxisSample<R>> all;
    for (std::int64_t k = 0; k < bins; ++k) {
      require_time();
      all.emplace_back(L, half, [&](const auto& number) {
        const auto start = number(low) * number(scale) - number(0.5),
                   end = (number(high) + number(1)) * number(scale) - number(0.5),
                   side = is_small ? number(1) / number(10) : end - start, part_of = side / number(nearly(g));
        return start + number(nearly(bin)) * part_of + number(offset) * number(trans_std) * side +
               number(nearly(k)) * part_of / number(nearly(bins));
      });
    }
    return all;
  }
  static bool are_open(const std::vector<AxisSample<Faithful>>& samples) {
    return std::ranges::any_of(samples, &AxisSample<Faithful>::is_open);
  }
  /// Where kernels may count more samples or fewer.
  template <class X>
  Faithful any_mean(const std::vector<AxisSample<Faithful>>& rows, const std::vector<AxisSample<Faithful>>& columns,
                    const X& at_pixel) const {
    MeanOfSome mean;
    mean.add(0.0);
    for (const AxisSample<Faithful>& row : rows)
      for (const AxisSample<Faithful>& column : columns)
        if (row.is_inside() && column.is_inside()) mean.add(sample_of(row, column, x[3], at_pixel));
    return mean.any();
  }
  template <class R>
  void operator()(std::int64_t k, const Reader<R>& read, Writer<R>& write) const {
    const auto [roi, of_class, i, j] = split(k, classes, g, g);
    const auto moved_by = [&, roi = roi, of_class = of_class, i = i, j = j](std::int64_t axis) {
      if (!offsets) return 0.0;
      const std::int64_t at = (i * part / g) * part + j * part / g;
      return offsets->number(((roi * classes + of_class) * 2 + axis) * part * part + at);
    };
    const auto rows = samples<R>(roi, 2, bins_y, x[2], i, moved_by(1)),
               columns = samples<R>(roi, 1, bins_x, x[3], j, moved_by(0));
    const auto batch = static_cast<std::int64_t>(corner(roi, 0));
    const std::int64_t each = dim / classes;
    for (std::int64_t c = of_class * each; c < (of_class + 1) * each; ++c)
      write.put(0, ((roi * dim + c) * g + i) * g + j, [&]() -> R {
        const std::int64_t from = (batch * x[1] + (c * g + i) * g + j) * x[2] * x[3];
        const auto at_pixel = [&](std::int64_t pixel) { return read(input, from + pixel); };
        if constexpr (std::is_same_v<R, Faithful>)
          if (are_open(rows) || are_open(columns)) return any_mean(rows, columns, at_pixel);
        SumOf<R> sum;
        std::int64_t count = 0;
        for (const AxisSample<R>& row : rows)
          for (const AxisSample<R>& column : columns) {
            require_time();
            if (!row.is_inside() || !column.is_inside()) continue;
            sum.add(sample_of(row, column, x[3], at_pixel));
            ++count;
          }
        return count == 0 ? read.zero() : sum.total() / R::whole(count);
      });
  }
  std::int64_t program_of(std::size_t, std::int64_t at) const {
    const auto [roi, c, bin] = split(at, dim, g * g);
    return (roi * classes + c / (dim / classes)) * g * g + bin;
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "input");
  require_finite(call, "coords");
  if (call.has("offsets")) require_finite(call, "offsets");
  require_batches(call, "input", "coords");
  const Dims& y = outs[0].type().shape;
  const Pooling pooling{Elements(call.input("input")),
                        Elements(call.input("coords")),
                        elements_if_given(call, "offsets"),
                        call.type("input").shape,
                        y[1],
                        y[2],
                        call.integer("part_size"),
                        classes(call),
                        call.integer("spatial_bins_x"),
                        call.integer("spatial_bins_y"),
                        call.number("spatial_scale"),
                        call.number("trans_std")};
  return programs(outs, y[0] * pooling.classes * y[2] * y[3], pooling);
}
}  // namespace
Operator deformable_psroi_pooling() {
  return Operator("openvino", "DeformablePSROIPooling")
      .summary("the mean of samples in each bin of each region of interest, which offsets move")
      .page("detection/deformable-psroi-pooling-1")
      .category("category object detection")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(required(INT, "output_dim", at_least(1)))
                     .attribute(required(FLOAT, "spatial_scale", above(0)))
                     .attribute(with_default("group_size", 1, at_least(1)))
                     .attribute(with_default("mode", "bilinear_deformable", one_of({"bilinear_deformable"})))
                     .attribute(with_default("spatial_bins_x", 1, at_least(1)))
                     .attribute(with_default("spatial_bins_y", 1, at_least(1)))
                     .attribute(with_default("trans_std", 1.0F))
                     .attribute(with_default("part_size", 1, at_least(1)))
                     .input("input", "T")
                     .input("coords", "T")
                     .input("offsets", "T", Arity::optional)
                     .output("output0", "T")
                     .types("T", computed_floats);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_deformable_psroi_pooling
