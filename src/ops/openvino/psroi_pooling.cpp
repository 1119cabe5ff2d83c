// SPDX-License-Identifier: Apache-2.0
// openvino PSROIPooling, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/regions.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_psroi_pooling {
namespace {
bool is_average(const Call& call) { return call.string("mode") == "average"; }

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("input");
  const Dims& rois = call.type("coords").shape;
  const std::int64_t dim = call.integer("output_dim"), g = call.integer("group_size");
  const std::int64_t parts = is_average(call)
                                 ? checked_multiply(g, g)
                                 : checked_multiply(call.integer("spatial_bins_x"), call.integer("spatial_bins_y"));
  require(x.size() == 4, "input has rank {}, but must be [N, C, H, W]: rank 4", x.size());
  require(rois.size() == 2 && rois[1] == 5, "coords has shape {}, but must be [rois, 5]", rois);
  require(parts > 0, "attributes 'spatial_bins_x' and 'spatial_bins_y' are {} and {}, but must be > 0 in mode bilinear",
          call.integer("spatial_bins_x"), call.integer("spatial_bins_y"));
  require(x[1] == checked_multiply(dim, parts), "input has {}, but must have output_dim * {} = {}",
          counted(x[1], "channel"), is_average(call) ? "group_size²" : "spatial_bins_x * spatial_bins_y",
          checked_multiply(dim, parts));
  require_spatial_sizes(call, "input", spatial(x));
  return {TensorType{dtype, Dims{rois[0], dim, g, g}}};
}

struct Pooling {
  Elements input, coords;
  Dims x;
  std::int64_t dim, g, bins_x, bins_y;
  double scale;

  double corner(std::int64_t roi, std::int64_t k) const { return coords.number(roi * 5 + k); }
  std::int64_t plane(std::int64_t roi, std::int64_t channel) const {
    return (static_cast<std::int64_t>(corner(roi, 0)) * x[1] + channel) * x[2] * x[3];
  }
  std::int64_t program_of(std::size_t, std::int64_t at) const {
    const auto [roi, c, bin] = split(at, dim, g * g);
    return roi * g * g + bin;
  }
  std::int64_t place(std::int64_t roi, std::int64_t c, std::int64_t i, std::int64_t j) const {
    return ((roi * dim + c) * g + i) * g + j;
  }
};

// average: a box from round(x1)·scale to round(x2 + 1)·scale, rounded half away from 0, whose sides are at least 0.1;
// bin j of g has the elements from floor(x1 + j·side/g) to ceil(x1 + (j + 1)·side/g) - 1 of channel (c·g + i)·g + j
struct Average : Pooling {
  /// The elements of a bin along an axis; kernels may have others where the bin is `open`.
  struct Bin {
    PixelRange pixels;
    bool is_open;
  };
  template <class R>
  Bin bin(std::int64_t roi, std::int64_t first, std::int64_t L, std::int64_t j) const {
    const double low = Rational::of(corner(roi, first)).rounded_away().nearby(),
                 high = (Rational::of(corner(roi, first + 2)) + Rational(1)).rounded_away().nearby();
    const Rational width = (Rational::of(high) - Rational::of(low)) * Rational::of(scale);
    const bool is_small = width < Rational(1) / Rational(10);
    const auto edge = [&](const auto& number, std::int64_t k) {
      const auto start = number(low) * number(scale),
                 side = is_small ? number(1) / number(10) : number(high) * number(scale) - start;
      return start + number(nearly(k)) * side / number(nearly(g));
    };
    const Rational from = edge(ExactNumber{}, j), to = edge(ExactNumber{}, j + 1);
    bool is_open = false;
    if constexpr (std::is_same_v<R, Faithful>)
      is_open = may_cross(from, edge(KernelNumber{}, j).error(), from.rounded_even()) ||
                may_cross(to, edge(KernelNumber{}, j + 1).error(), to.rounded_even());
    return {{from.floor().clamped(0, L), to.ceil().clamped(0, L)}, is_open};
  }
  /// Where kernels may have a row or a column more on each side, or fewer.
  Faithful any_mean(const Bin& rows, const Bin& columns, std::int64_t from, const Reader<Faithful>& read) const {
    MeanOfSome mean;
    const auto is_empty = [](const Bin& bin) { return bin.pixels.last - bin.pixels.first <= (bin.is_open ? 2 : 0); };
    if (is_empty(rows) || is_empty(columns)) mean.add(0.0);
    const auto last = [](const Bin& bin, std::int64_t L) {
      return std::min(bin.pixels.last + (bin.is_open ? 1 : 0), L);
    };
    const auto first = [](const Bin& bin) {
      return std::max<std::int64_t>(bin.pixels.first - (bin.is_open ? 1 : 0), 0);
    };
    for (std::int64_t row = first(rows); row < last(rows, x[2]); ++row)
      for (std::int64_t column = first(columns); column < last(columns, x[3]); ++column)
        mean.add(read(input, from + row * x[3] + column));
    return mean.any();
  }
  template <class R>
  void operator()(std::int64_t k, const Reader<R>& read, Writer<R>& write) const {
    const auto [roi, i, j] = split(k, g, g);
    const Bin rows = bin<R>(roi, 2, x[2], i), columns = bin<R>(roi, 1, x[3], j);
    const std::int64_t height = std::max<std::int64_t>(rows.pixels.last - rows.pixels.first, 0),
                       width = std::max<std::int64_t>(columns.pixels.last - columns.pixels.first, 0);
    for (std::int64_t c = 0; c < dim; ++c)
      write.put(0, place(roi, c, i, j), [&]() -> R {
        if constexpr (std::is_same_v<R, Faithful>)
          if (rows.is_open || columns.is_open) return any_mean(rows, columns, plane(roi, (c * g + i) * g + j), read);
        if (height * width == 0) return read.zero();
        SumOf<R> sum;
        const std::int64_t from = plane(roi, (c * g + i) * g + j);
        for (std::int64_t row = rows.pixels.first; row < rows.pixels.last; ++row)
          for (std::int64_t column = columns.pixels.first; column < columns.pixels.last; ++column)
            sum.add(read(input, from + row * x[3] + column));
        return sum.total() / R::whole(height * width);
      });
  }
};

// bilinear: of normalized corners times scale, divided into spatial_bins_x · spatial_bins_y boxes, the mean over the
// boxes (p, q) of channel (p·spatial_bins_x + q)·output_dim + c at place j of g in the box, from one side to the other
struct Bilinear : Pooling {
  template <class R>
  std::vector<AxisSample<R>> samples(std::int64_t roi, std::int64_t first, std::int64_t bins, std::int64_t L,
                                     std::int64_t j) const {
    std::vector<AxisSample<R>> all;
    for (std::int64_t bin = 0; bin < bins; ++bin)
      all.emplace_back(L, 0, [&](const auto& number) {
        const auto low = number(corner(roi, first)) * number(scale),
                   high = number(corner(roi, first + 2)) * number(scale), width = high - low, n = number(nearly(bins)),
                   from = low + number(nearly(bin)) * width / n, to = low + number(nearly(bin + 1)) * width / n,
                   last = number(nearly(L - 1));
        return g > 1 ? (number(nearly(j)) * (to - from) / number(nearly(g - 1)) + from) * last
                     : (from + to) / number(2) * last;
      });
    return all;
  }
  template <class R>
  void operator()(std::int64_t k, const Reader<R>& read, Writer<R>& write) const {
    const auto [roi, i, j] = split(k, g, g);
    const auto rows = samples<R>(roi, 2, bins_y, x[2], i), columns = samples<R>(roi, 1, bins_x, x[3], j);
    for (std::int64_t c = 0; c < dim; ++c)
      write.put(0, place(roi, c, i, j), [&] {
        SumOf<R> sum;
        for (std::int64_t p = 0; p < bins_y; ++p)
          for (std::int64_t q = 0; q < bins_x; ++q) {
            const std::int64_t from = plane(roi, (p * bins_x + q) * dim + c);
            sum.add(sample_of(rows[static_cast<size_t>(p)], columns[static_cast<size_t>(q)], x[3],
                              [&](std::int64_t at) { return read(input, from + at); }));
          }
        return sum.total() / R::whole(bins_x * bins_y);
      });
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "input");
  require_finite(call, "coords");
  require_batches(call, "input", "coords");
  const Dims& y = outs[0].type().shape;
  const Pooling pooling{
      Elements(call.input("input")),  Elements(call.input("coords")), call.type("input").shape,    y[1], y[2],
      call.integer("spatial_bins_x"), call.integer("spatial_bins_y"), call.number("spatial_scale")};
  const std::int64_t bins = y[0] * y[2] * y[3];
  return is_average(call) ? programs(outs, bins, Average{pooling}) : programs(outs, bins, Bilinear{pooling});
}
}  // namespace
Operator psroi_pooling() {
  return Operator("openvino", "PSROIPooling")
      .summary("the mean of each bin of each region of interest, each bin of its own channels")
      .page("detection/psroi-pooling-1")
      .category("category object detection")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(required(INT, "output_dim", at_least(1)))
                     .attribute(with_default("group_size", 1, at_least(1)))
                     .attribute(required(FLOAT, "spatial_scale", above(0)))
                     .attribute(with_default("mode", "average", one_of({"average", "bilinear"})))
                     .attribute(with_default("spatial_bins_x", 1, at_least(0)))
                     .attribute(with_default("spatial_bins_y", 1, at_least(0)))
                     .input("input", "T")
                     .input("coords", "T")
                     .output("output0", "T")
                     .types("T", computed_floats);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_psroi_pooling
