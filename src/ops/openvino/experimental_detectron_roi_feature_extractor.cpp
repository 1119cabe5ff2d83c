// SPDX-License-Identifier: Apache-2.0
// openvino ExperimentalDetectronROIFeatureExtractor, version 6 (opset6)
#include "evaluators/stretches.h"
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/regions.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_experimental_detectron_roi_feature_extractor {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, rois] = call.type("input0");
  const std::span<const Input> levels = call.inputs("input1");
  const size_t scales = call.integers("pyramid_scales").size();
  require(rois.size() == 2 && rois[1] == 4, "{} has shape {}, but must be (rois, 4)", call.name("input0"), rois);
  require(scales == levels.size(), "attribute 'pyramid_scales' has {} values, but there are {} maps: as many", scales,
          levels.size());
  const Dims& first = levels[0].tensor_type().shape;
  for (const Input& level : levels) {
    const Dims& shape = level.tensor_type().shape;
    require(shape.size() == 4 && shape[0] == 1 && shape[2] > 0 && shape[3] > 0,
            "a map has shape {}, but must be (1, channels, height, width), with pixels", shape);
    require(shape[1] == first[1], "a map has {} channels, but the first one has {}: all have as many", shape[1],
            first[1]);
  }
  const std::int64_t size = call.integer("output_size");
  return {TensorType{dtype, Dims{rois[0], first[1], size, size}}, TensorType{dtype, rois}};
}

/// Regions of a pyramid of maps, each in the map for its size, and their bins there.
class Pyramid {
  static constexpr double kRoundings = 64;  ///< of a square root, a quotient and a logarithm

  double stride(std::int64_t roi) const { return nearly(scales_[static_cast<size_t>(level(roi))]); }
  template <class Number>
  auto area(std::int64_t roi, const Number& number) const {
    const auto at = [&](std::int64_t k) { return number(rois_.number(roi * 4 + k)); };
    return (at(2) - at(0)) * (at(3) - at(1));
  }
  /// (224·2^(level - 2))²
  Rational least_area(std::int64_t level) const {
    Rational root = Rational(1) / Rational(4);
    for (std::int64_t k = 0; k < level; ++k) root = root * Rational(2);
    root = (root - more_) * Rational(224);
    return root * root;
  }
  template <class Number>
  auto extent(std::int64_t roi, std::int64_t axis, const Number& number) const {
    const auto at = [&](std::int64_t k) { return rois_.number(roi * 4 + axis + k); };
    const bool is_small = Rational::of(at(2)) - Rational::of(at(0)) < Rational::of(stride(roi));
    return is_small ? number(1) : (number(at(2)) - number(at(0))) / number(stride(roi));
  }
  std::int64_t samples_of_bin(std::int64_t roi, std::int64_t axis) const {
    if (sampling_ratio_ > 0) return sampling_ratio_;
    return (extent(roi, axis, ExactNumber{}) / Rational(size_)).ceil().clamped(1, INT64_MAX);
  }

 public:
  explicit Pyramid(const Call& call)
      : rois_(call.input("input0")),
        scales_(call.integers("pyramid_scales")),
        size_(call.integer("output_size")),
        sampling_ratio_(call.integer("sampling_ratio")),
        half_(call.flag("aligned") ? 0.5 : 0),
        more_(call.reads("experimental_detectron.level", "above") ? Rational(1) / Rational(1000000) : Rational(0)) {
    require_finite(call, "input0");
    for (const Input& level : call.inputs("input1")) maps_.emplace_back(level.tensor());
    for (const Input& level : call.inputs("input1")) shapes_.push_back(level.tensor_type().shape);
  }
  std::int64_t channels() const { return shapes_[0][1]; }
  std::int64_t bins() const { return size_; }
  const Elements& map(std::int64_t level) const { return maps_[static_cast<size_t>(level)]; }
  const Dims& shape(std::int64_t level) const { return shapes_[static_cast<size_t>(level)]; }
  bool is_empty(std::int64_t roi) const { return area(roi, ExactNumber{}) <= Rational(0); }
  // floor(2 + log2(√(w·h)/224)), from 0 to the last level: the greatest one with √(w·h)/224 >= 2^(level - 2)
  std::int64_t level(std::int64_t roi) const {
    std::int64_t level = 0;
    while (level + 1 < std::ssize(maps_) && area(roi, ExactNumber{}) >= least_area(level + 1)) ++level;
    return level;
  }
  /// Whether kernels may take another level, or another number of samples of a bin.
  bool is_open(std::int64_t roi) const {
    const Rational exact = area(roi, ExactNumber{});
    const Faithful about = area(roi, KernelNumber{});
    const double off = about.error() + about.size() * Faithful::kernel.unit_roundoff() * kRoundings;
    for (std::int64_t next = 1; next < std::ssize(maps_); ++next)
      if (may_cross(exact, off, least_area(next))) return true;
    for (const std::int64_t axis : {0, 1}) {
      const Rational per_bin = extent(roi, axis, ExactNumber{}) / Rational(size_), G(samples_of_bin(roi, axis));
      const double wrong = (extent(roi, axis, KernelNumber{}) / Faithful::whole(size_)).error();
      if (sampling_ratio_ == 0 && (may_cross(per_bin, wrong, G) || may_cross(per_bin, wrong, G - Rational(1))))
        return true;
    }
    return false;
  }
  // Along x (axis 0) or y (1), of corners/scale, less 1/2 if aligned, and an extent of at least 1:
  //   grid G = sampling_ratio, or ceil(extent/bins);   sample g of bin i: start + (i + (g + 1/2)/G)·extent/bins
  template <class R>
  std::vector<AxisSample<R>> samples(std::int64_t roi, std::int64_t axis, std::int64_t i) const {
    const std::int64_t G = samples_of_bin(roi, axis), L = shape(level(roi))[axis == 0 ? 3 : 2];
    std::vector<AxisSample<R>> all;
    for (std::int64_t g = 0; g < G; ++g)
      all.emplace_back(L, Rational(1), [&](const auto& number) {
        const auto start = number(rois_.number(roi * 4 + axis)) / number(stride(roi)) - number(half_),
                   part = (number(nearly(g)) + number(0.5)) / number(nearly(G));
        return start + (number(nearly(i)) + part) * extent(roi, axis, number) / number(nearly(size_));
      });
    return all;
  }

 private:
  Elements rois_;
  std::vector<Elements> maps_;
  std::vector<Dims> shapes_;
  std::vector<std::int64_t> scales_;
  std::int64_t size_, sampling_ratio_;
  double half_;
  Rational more_;
};

// output0: of each bin of each region, in its map, the mean of the samples
struct Features {
  const Pyramid& pyramid;

  template <class R>
  void operator()(std::int64_t k, const Reader<R>& read, Writer<R>& write) const {
    const auto [roi, i, j] = split(k, pyramid.bins(), pyramid.bins());
    const std::int64_t level = pyramid.level(roi), columns = pyramid.shape(level)[3],
                       plane = pyramid.shape(level)[2] * columns;
    const bool is_empty = pyramid.is_empty(roi);
    bool is_open = false;
    if constexpr (std::is_same_v<R, Faithful>) is_open = !is_empty && pyramid.is_open(roi);
    std::vector<AxisSample<R>> ys, xs;
    if (!is_empty && !is_open) ys = pyramid.samples<R>(roi, 1, i), xs = pyramid.samples<R>(roi, 0, j);
    for (std::int64_t c = 0; c < pyramid.channels(); ++c)
      write.put(0, ((roi * pyramid.channels() + c) * pyramid.bins() + i) * pyramid.bins() + j, [&] {
        if (is_empty) return read.zero();
        if constexpr (std::is_same_v<R, Faithful>)
          if (is_open) return kUnknown;
        const auto at_pixel = [&](std::int64_t at) { return read(pyramid.map(level), c * plane + at); };
        SumOf<R> sum;
        for (const AxisSample<R>& y : ys)
          for (const AxisSample<R>& x : xs) {
            require_time();
            sum.add(sample_of(y, x, columns, at_pixel));
          }
        return sum.total() / R::whole(std::ssize(ys) * std::ssize(xs));
      });
  }
  std::int64_t program_of(std::size_t, std::int64_t at) const {
    const auto [roi, c, bin] = split(at, pyramid.channels(), pyramid.bins() * pyramid.bins());
    return roi * pyramid.bins() * pyramid.bins() + bin;
  }
};

// output1: the regions, by the reading `reordered` by their levels
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Pyramid pyramid(call);
  const std::int64_t rois = call.type("input0").shape[0];
  std::vector<std::int64_t> order(static_cast<size_t>(rois));
  std::iota(order.begin(), order.end(), 0);
  if (call.reads("experimental_detectron.reordered", "by_level"))
    sort_places(order, [&](std::int64_t a, std::int64_t b) { return pyramid.level(a) < pyramid.level(b); });
  std::vector<Value> results = programs(outs.first(1), rois * pyramid.bins() * pyramid.bins(), Features{pyramid});
  results.emplace_back(move(outs[1], call.input("input0"),
                            [&](std::int64_t i) { return Run{order[static_cast<size_t>(i / 4)] * 4 + i % 4}; }));
  return results;
}

bool has_levels(const Call& call) { return call.inputs("input1").size() > 1; }

void version_6(OpSchema& s) {
  s.attribute(required(INT, "output_size", at_least(1)))
      .attribute(required(INT, "sampling_ratio", at_least(0)))
      .attribute(required(INTS, "pyramid_scales", at_least(1)))
      .attribute(with_default("aligned", 0, flag()))
      .input("input0", "T", "regions, (rois, 4): x1, y1, x2, y2 in the image")
      .input("input1", "T", Arity::variadic, "maps, (1, channels, height, width): the image over each of the scales")
      .output("output0", "T", "features, (rois, channels, output_size, output_size)")
      .output("output1", "T", "the regions")
      .types("T", computed_floats);
}
}  // namespace
Operator experimental_detectron_roi_feature_extractor() {
  return Operator("openvino", "ExperimentalDetectronROIFeatureExtractor")
      .summary("the mean of samples in each bin of each region, in the map of a pyramid for the region's size")
      .page("detection/experimental-detectron-roi-feature-extractor-6")
      .category("category object detection")
      .version(6, version_6)
      .reading({.name = "experimental_detectron.level",
                .alternatives = {"exact: floor(2 + log2(√(w·h)/224))", "above: floor(2 + log2(√(w·h)/224 + 10^-6))"},
                .defaults = {{6, "exact"}},
                .reason = "the page's formula; both programs add 10^-6",
                .may_change_values = has_levels})
      .reading({.name = "experimental_detectron.reordered",
                .alternatives = {"no: the regions are given back as they came",
                                 "by_level: in the order of their levels, of equal ones as they came"},
                .defaults = {{6, "no"}},
                .reason = "both programs; the page says reordered by level, and no order of equals",
                .may_change_values = has_levels})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_experimental_detectron_roi_feature_extractor
