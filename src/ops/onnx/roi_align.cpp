// SPDX-License-Identifier: Apache-2.0
// ai.onnx RoiAlign, versions 10, 16, 22
// https://onnx.ai/onnx/operators/onnx__RoiAlign.html
#include "ops/operator_file.h"
#include "ops/shared/computed_places.h"
#include "ops/shared/images.h"
#include "ops/shared/windows.h"
namespace opref::ops::onnx {
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
          half,
          by_mode ? !half : call.reads("roi_align.min_size", "always"),
          zero_weights(call)};
}

// avg:  Σ over the samples and the pixels around each of w·x / (samples of the bin);  max: the greatest w·x
class Bins {
 public:
  explicit Bins(const Call& call)
      : rois_(call.input("rois")),
        batches_(call.input("batch_indices")),
        rows_(axis(call, 1, 2, "output_height")),
        columns_(axis(call, 0, 3, "output_width")),
        is_max_(call.string("mode") == "max"),
        by_samples_(call.reads("roi_align.max", "samples")) {}

  std::int64_t per_image() const { return checked_multiply(rows_.bins, columns_.bins); }
  std::int64_t image(std::int64_t bin) const { return batches_.integer(bin / per_image()); }
  struct Points {
    Samples rows, columns;
  };
  Points points(std::int64_t bin) const {
    const auto [roi, i, j] = split(bin, rows_.bins, columns_.bins);
    return {{rows_, rois_, roi, i}, {columns_, rois_, roi, j}};
  }
  /// The means of some bins of a region for rows.
  WeightedPlaces weighted(std::int64_t roi, std::int64_t first, std::int64_t count, std::int64_t row_stride) const {
    WeightedPlaces places;
    const std::int64_t last = first + count - 1;
    std::vector<std::vector<WeightedPlace>> columns;
    for (std::int64_t j = 0; j < columns_.bins; ++j) columns.push_back(near({columns_, rois_, roi, j}));
    for (std::int64_t i = first / columns_.bins; i <= last / columns_.bins; ++i) {
      const std::vector<WeightedPlace> rows = near({rows_, rois_, roi, i});
      const std::int64_t from = std::max<std::int64_t>(first - i * columns_.bins, 0);
      for (std::int64_t j = from; j < std::min(columns_.bins, last + 1 - i * columns_.bins); ++j) {
        for (const auto& [v, of_row] : rows)
          for (const auto& [u, of_column] : columns[static_cast<size_t>(j)])
            places.add(v * row_stride + u, of_row * of_column);
        places.next_or_zero();
      }
    }
    return places;
  }
  bool is_max() const { return is_max_; }
  template <class R, class X>
  R value(const Points& points, std::span<const std::int64_t> strides, const X& x) const {
    const auto& [rows, columns] = points;
    const R none(0.0), G_rows = R::whole(rows.G), G_columns = R::whole(columns.G);
    if (rows.G == 0 || columns.G == 0) return none;
    const std::array<const AxisPoint*, 2> both{&rows.pixels, &columns.pixels};
    if (!is_max_) return interpolated<R>(both, strides, 0, x) / (G_rows * G_columns);
    std::optional<R> greatest;
    const auto consider = [&](const R& value) { greatest = greatest ? max(*greatest, value) : value; };
    if (rows.some_are_outside() || columns.some_are_outside()) consider(none);
    for (size_t a = 0; a < rows.inside.size(); ++a)
      for (size_t b = 0; b < columns.inside.size(); ++b) {
        R sample = none;
        for (const AxisPoint::Pixel& v : rows.of(a))
          for (const AxisPoint::Pixel& u : columns.of(b)) {
            const R weight = v.numerator.as<R>() * u.numerator.as<R>(),
                    term = x(v.at * strides[0] + u.at * strides[1]) * weight;
            sample = sample + term;
            if (!by_samples_) consider(term);
          }
        if (by_samples_) consider(sample);
        if (!by_samples_ && rows.of(a).size() * columns.of(b).size() < 4) consider(none);  // a pixel of weight 0
      }
    return *greatest / (rows.pixels.denominator().as<R>() * columns.pixels.denominator().as<R>());
  }
  struct ComputedPoints {
    ComputedSamples rows, columns;
  };
  ComputedPoints computed_points(std::int64_t bin) const {
    const auto [roi, i, j] = split(bin, rows_.bins, columns_.bins);
    return {{rows_, rois_, roi, i}, {columns_, rois_, roi, j}};
  }
  Faithful computed_value(const ComputedPoints& points, std::span<const std::int64_t> strides,
                          const std::function<Faithful(std::int64_t)>& x) const {
    const auto& [rows, columns] = points;
    if (!rows.is_known || !columns.is_known) return kUnknown;
    if (rows.G == 0 || columns.G == 0) return 0.0;
    exact::FaithfulSum sum;
    std::optional<Faithful> greatest;
    const auto consider = [&](const Faithful& value) { greatest = greatest ? max(*greatest, value) : value; };
    if (rows.some_are_outside || columns.some_are_outside) consider(0.0);
    for (const auto& [row, may_lie_above] : rows.inside)
      for (const auto& [column, may_lie_beside] : columns.inside) {
        const Faithful sample = ops::interpolated(std::array{row, column}, strides, 0, x);
        sum.add(may_lie_above || may_lie_beside ? hull(sample, 0.0) : sample);
        if (is_max_ && by_samples_) consider(sample);
        for (const ComputedPoint::Tap& v : row.taps())
          for (const ComputedPoint::Tap& u : column.taps())
            if (is_max_ && !by_samples_)
              consider(x(v.pixel * strides[0] + u.pixel * strides[1]) *
                       (v.weight.moved_by(row.moved()) * u.weight.moved_by(column.moved())));
      }
    return is_max_ ? *greatest : sum.total() / (Faithful(rows.G) * Faithful(columns.G));
  }
  void tell(std::int64_t bin, const Points& points, const Reader<Interval>& x) const {
    const auto [roi, i, j] = split(bin, rows_.bins, columns_.bins);
    tell_places("row", rows_, points.rows, roi, i, x);
    tell_places("column", columns_, points.columns, roi, j, x);
  }

 private:
  /// What a mean adds up along an axis.
  static std::vector<WeightedPlace> near(const Samples& samples) {
    std::vector<WeightedPlace> all;
    if (samples.G == 0) return all;
    const Bounded divisor = samples.pixels.denominator().as<Bounded>() * Bounded::whole(samples.G);
    for (const auto& [at, numerator] : samples.pixels.pixels()) {
      const Bounded weight = numerator.as<Bounded>() / divisor;
      const auto same = std::ranges::find(all, at, &WeightedPlace::at);
      if (same == all.end())
        all.push_back({at, weight});
      else
        same->weight = same->weight + weight;
    }
    return all;
  }
  void tell_places(std::string_view name, const SampledAxis& axis, const Samples& samples, std::int64_t roi,
                   std::int64_t i, const Reader<Interval>& x) const {
    const std::int64_t at = roi * 4 + axis.corner;
    x(rois_, at), x(rois_, at + 2);
    const double low = rois_.number(at), high = rois_.number(at + 2);
    const auto narrow = [](double number) { return static_cast<float>(number); };
    for (const std::int64_t g : samples.inside) {
      const auto place = [&]<class R>(R from, R to, R scale, R half) {
        const R start = from * scale - (axis.half ? half : R(0)),
                bin = (samples.is_forced ? R(1) : (to - from) * scale) / static_cast<R>(axis.bins);
        return start + static_cast<R>(i) * bin + (static_cast<R>(g) + half) * bin / static_cast<R>(samples.G);
      };
      tell_coordinate(format("{} of sample {}", name, g),
                      place(Rational::of(low), Rational::of(high), Rational::of(axis.scale), Rational(1) / Rational(2)),
                      Rational::of_float32(place(narrow(low), narrow(high), narrow(axis.scale), 0.5F)),
                      [&](const std::string& part, const Interval& number) { x.named(part, number); });
    }
  }

  Elements rois_, batches_;
  SampledAxis rows_, columns_;
  bool is_max_, by_samples_;
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "rois");
  const std::vector<std::int64_t> batches = call.integers("batch_indices");
  const std::int64_t N = call.type("X").shape[0];
  for (size_t i = 0; i < batches.size(); ++i)
    require(batches[i] >= 0 && batches[i] < N, "batch_indices[{}] is {}, but must be from 0 to {}: a batch of X", i,
            batches[i], N - 1);
  const Bins bins(call);
  const Tensor& X = call.input("X");
  const auto weighted = [&, row = X.shape()[3]](std::int64_t roi, std::int64_t first, std::int64_t count) {
    return bins.weighted(roi, first, count, row);
  };
  const auto image = [&](std::int64_t roi) { return batches[static_cast<size_t>(roi)]; };
  return in_each_channel(outs, bins, checked_multiply(call.type("rois").shape[0], bins.per_image()), X,
                         bins.is_max() ? nullptr : rows_of_channels(X, {bins.per_image(), image, weighted}));
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
}  // namespace opref::ops::onnx
