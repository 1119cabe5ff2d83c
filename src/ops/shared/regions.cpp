// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/regions.h"
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "core/nearly.h"
#include "evaluators/move.h"
#include "evaluators/select.h"
#include "ops/shared/computed_places.h"
namespace opref::ops {
using namespace evaluators;
void require_batches(const Call& call, std::string_view X, std::string_view regions) {
  const Elements numbers(call.input(regions));
  const std::int64_t N = call.type(X).shape[0], count = call.type(regions).shape[0], row = call.type(regions).shape[1];
  for (std::int64_t roi = 0; roi < count; ++roi) {
    const double batch = numbers.number(roi * row);
    require(batch >= 0 && batch < nearly(N) && std::floor(batch) == batch,
            "{}{} is {}, but must be a whole number from 0 to {}: a batch of {}", regions, Dims{roi, 0}, batch, N - 1,
            X);
  }
}

std::vector<std::int64_t> batches_of(const Call& call, std::string_view X, std::string_view list) {
  std::vector<std::int64_t> batches = call.integers(list);
  const std::int64_t N = call.type(X).shape[0];
  for (size_t i = 0; i < batches.size(); ++i)
    require(batches[i] >= 0 && batches[i] < N, "{}[{}] is {}, but must be from 0 to {}: a batch of {}", list, i,
            batches[i], N - 1, X);
  return batches;
}
namespace {
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

}  // namespace
Tensor greatest_in_bins(const Output& out, const Tensor& X, const Tensor& regions, const RegionAxis& height,
                        const RegionAxis& width) {
  const Elements rois(regions);
  const Dims &x = X.shape(), &y = out.type().shape;
  if (element_count(y) == 0) return zeros_of(out.type());
  const std::vector<PixelRange> all_rows = all_bins(height, rois, y[0]), all_columns = all_bins(width, rois, y[0]);
  const auto terms = [&](std::int64_t at, Best& best) {
    const auto [roi, c, i, j] = split(at, y[1], y[2], y[3]);
    const PixelRange rows = all_rows[static_cast<size_t>(roi * y[2] + i)],
                     columns = all_columns[static_cast<size_t>(roi * y[3] + j)];
    const std::int64_t plane = static_cast<std::int64_t>(rois.number(roi * height.stride)) * x[1] + c;
    for (std::int64_t row = rows.first; row < rows.last; ++row)
      for (std::int64_t column = columns.first; column < columns.last; ++column)
        best.consider((plane * x[2] + row) * x[3] + column);
  };
  constexpr std::int64_t kLeastChannels = 4;
  const Neighbours alike = y[1] < kLeastChannels ? Neighbours() : along_channels(y[0], y[1], y[2] * y[3], x[2] * x[3]);
  return Selection(out, X, Zeros::ordered, Extreme::greatest, Tie::first, terms, alike).values(out);
}
namespace {
class Bins {
 public:
  Bins(const Tensor& rois, const std::vector<std::int64_t>& batches, const SampledAxis& rows,
       const SampledAxis& columns, OfSamples of)
      : rois_(rois),
        batches_(batches),
        rows_(rows),
        columns_(columns),
        is_max_(of != OfSamples::mean),
        by_samples_(of != OfSamples::greatest_corner),
        or_zero_(of == OfSamples::greatest_or_zero) {}

  std::int64_t per_image() const { return checked_multiply(rows_.bins, columns_.bins); }
  std::int64_t image(std::int64_t bin) const { return batches_[static_cast<size_t>(bin / per_image())]; }
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
    if (or_zero_ || rows.some_are_outside() || columns.some_are_outside()) consider(none);
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
    if (or_zero_ || rows.some_are_outside || columns.some_are_outside) consider(0.0);
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
        const R start = (from + (axis.before == 0 ? R(0) : half)) * scale - (axis.after == 0 ? R(0) : half),
                bin = (samples.is_forced ? R(1) : (to - from) * scale) / static_cast<R>(axis.bins);
        return start + static_cast<R>(i) * bin + (static_cast<R>(g) + half) * bin / static_cast<R>(samples.G);
      };
      tell_coordinate(format("{} of sample {}", name, g),
                      place(Rational::of(low), Rational::of(high), Rational::of(axis.scale), Rational(1) / Rational(2)),
                      Rational::of_float32(place(narrow(low), narrow(high), narrow(axis.scale), 0.5F)),
                      [&](const std::string& part, const Interval& number) { x.named(part, number); });
    }
  }

  Elements rois_;
  const std::vector<std::int64_t>& batches_;
  SampledAxis rows_, columns_;
  bool is_max_, by_samples_, or_zero_;
};

}  // namespace
AxisSample<Faithful>::AxisSample(std::int64_t L, const Rational& beyond, const ComputedPlace& place)
    : is_inside_(true),
      is_open_(may_cross(place.x, place.error, Rational(0) - beyond) ||
               may_cross(place.x, place.error, Rational(L - 1) + beyond)),
      point_({Resampling::linear}, place.within(0, L - 1),
             [L](std::int64_t i) { return std::clamp<std::int64_t>(i, 0, L - 1); }) {
  is_inside_ = is_open_ || (place.x >= Rational(0) - beyond && place.x <= Rational(L - 1) + beyond);
}

std::vector<Value> sampled_bins(std::span<const Output> outs, const Tensor& X, const Tensor& rois,
                                const std::vector<std::int64_t>& batches, const SampledAxis& rows,
                                const SampledAxis& columns, OfSamples of) {
  const Bins bins(rois, batches, rows, columns, of);
  const auto weighted = [&, row = X.shape()[3]](std::int64_t roi, std::int64_t first, std::int64_t count) {
    return bins.weighted(roi, first, count, row);
  };
  const auto image = [&](std::int64_t roi) { return batches[static_cast<size_t>(roi)]; };
  return in_each_channel(outs, bins, checked_multiply(rois.shape()[0], bins.per_image()), X,
                         bins.is_max() ? nullptr : rows_of_channels(X, {bins.per_image(), image, weighted}));
}
}  // namespace opref::ops
