// SPDX-License-Identifier: Apache-2.0
// openvino PriorBox, versions 1 (opset1), 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/decisions.h"
#include "ops/shared/prior_boxes.h"
namespace opref::ops::openvino::file_prior_box {
namespace {
/// A number or its inverse.
struct Ratio {
  double of;
  bool is_inverse = false;
  template <class R>
  R number() const {
    return is_inverse ? R(1.0) / R(of) : R(of);
  }
};
/// A box of each cell: width √ratio·size and height size/√ratio, its center beside the cell's.
struct Shape {
  double size, greatest = 0;  ///< with a greatest one √(size·greatest) instead
  Ratio ratio{1.0};
  double right = 0, down = 0;
  bool is_fixed = false;  ///< of fixed_size: never scaled, and what lies beyond the image is cut off

  template <class R>
  std::pair<R, R> sides() const {
    const R side = greatest == 0 ? R(size) : sqrt(R(size) * R(greatest));
    if (ratio.of == 1) return {side, side};
    const R root = sqrt(R(ratio.of)), more = side * root, less = side / root;
    return ratio.is_inverse ? std::pair(less, more) : std::pair(more, less);
  }
};

// Each aspect_ratio once, with flip also its inverse; 1 is there already.
std::vector<Ratio> ratios(const Call& call) {
  std::vector<Ratio> all{{1.0}};
  for (const double ratio : numbers_of(call, "aspect_ratio")) {
    const auto is_there = [&](const Ratio& other) {
      return decide(
          [&]<class R>(const Reader<R>&) { return is_less(abs(R(ratio) - other.number<R>()) * R(1e6), R(1.0)); },
          [] { return "whether two aspect ratios are one"; });
    };
    if (std::ranges::any_of(all, is_there)) continue;
    all.push_back({ratio});
    if (call.flag("flip")) all.push_back({ratio, true});
  }
  all.erase(all.begin());
  return all;
}

// fixed_size f, density d: of each of d × d places, floor(f/d) apart, a box f·√r × f/√r for each fixed_ratio r; without
// them a square of floor(f), and one for each aspect_ratio.
void add_fixed(const Call& call, std::vector<Shape>& all) {
  const std::vector<double> sizes = numbers_of(call, "fixed_size"), densities = numbers_of(call, "density");
  for (size_t k = 0; k < sizes.size(); ++k) {
    const double d = std::trunc(densities[k]), whole = std::floor(sizes[k]), step = std::floor(sizes[k] / d),
                 first = step / 2 - std::floor(whole / 2);
    const auto add = [&](double size, const Ratio& ratio) {
      for (double down = 0; down < d; ++down)
        for (double right = 0; right < d; ++right)
          all.push_back({size, 0, ratio, first + right * step, first + down * step, true});
    };
    for (const double ratio : numbers_of(call, "fixed_ratio")) add(sizes[k], {ratio});
    if (!numbers_of(call, "fixed_ratio").empty()) continue;
    add(whole, {1.0});
    for (const Ratio& ratio : ratios(call)) add(sizes[k], ratio);
  }
}

// min_size s: a square of s, one of √(s·max_size), and a box for each aspect_ratio, in this order or the last two
// exchanged. Without scale_all_sizes no greatest ones, and ratios of the first size alone, after all squares.
std::vector<Shape> shapes(const Call& call) {
  std::vector<Shape> all;
  add_fixed(call, all);
  const std::vector<double> sizes = numbers_of(call, "min_size"), greatest = numbers_of(call, "max_size");
  const bool scales_all = call.flag("scale_all_sizes"),
             has_greatest_first = !call.has("min_max_aspect_ratios_order") || call.flag("min_max_aspect_ratios_order");
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto add_greatest = [&] {
      if (scales_all && i < greatest.size()) all.push_back({sizes[i], greatest[i]});
    };
    all.push_back({sizes[i]});
    if (has_greatest_first) add_greatest();
    if (scales_all || i + 1 == sizes.size())
      for (const Ratio& ratio : ratios(call)) all.push_back({scales_all ? sizes[i] : sizes[0], 0, ratio});
    if (!has_greatest_first) add_greatest();
  }
  return all;
}

std::vector<ValueType> output_types(const Call& call) {
  const size_t fixed = numbers_of(call, "fixed_size").size(), least = numbers_of(call, "min_size").size(),
               most = numbers_of(call, "max_size").size(), densities = numbers_of(call, "density").size();
  require(most <= least, "attribute 'max_size' has {} values, but 'min_size' has {}: not more", most, least);
  require(fixed == 0 || least == 0, "attribute 'fixed_size' is given with 'min_size', but a box has one of them");
  require(fixed == densities, "attribute 'density' has {} values, but 'fixed_size' has {}: as many", densities, fixed);
  require(fixed > 0 || numbers_of(call, "fixed_ratio").empty(),
          "attribute 'fixed_ratio' is given without 'fixed_size'");
  const double step = call.number("step");
  require(step >= 0 || (step == -1 && !call.flag("scale_all_sizes")),
          "attribute 'step' is {}, but must be >= 0, or -1 without scale_all_sizes", step);
  return prior_types(call, std::ssize(shapes(call)));
}

// center = ((w + 1/2)·IW/W, (h + 1/2)·IH/H), with a step ((w + offset)·step, (h + offset)·step);
// x1, y1 = (center - sides/2)/(IW, IH), x2, y2 = (center + sides/2)/(IW, IH)
// Without scale_all_sizes min_size and steps are times IH, a step of -1 is IH/H.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<Shape> all = shapes(call);
  const bool scales_all = call.flag("scale_all_sizes"), is_printed = call.reads("prior_box.formula", "printed");
  const double step = call.number("step"), offset = call.number("offset");
  return prior_boxes(call, outs, std::ssize(all), [&]<class R>(const PriorPlace& at, const Reader<R>&) {
    const Shape& shape = all[static_cast<size_t>(at.box)];
    const R height = R::whole(at.image_height), half(0.5);
    const auto [width, tall] = shape.sides<R>();
    R center = R::whole(at.cell), side = at.is_x ? width : tall;
    if (step == 0) {
      center = center + half;
      if (!is_printed) center = center * R::whole(at.image) / R::whole(at.cells);
    } else {
      const R apart = step < 0 ? height / R::whole(at.rows) : scales_all ? R(step) : R(step) * height;
      center = (R(offset) + center) * apart;
    }
    center = center + R(at.is_x ? shape.right : shape.down);
    if (!scales_all && !shape.is_fixed) side = side * height;
    const R corner = is_printed ? (at.is_end ? center + side : center - side) * half
                                : (at.is_end ? center + side * half : center - side * half);
    const R place = corner / R::whole(at.image);
    if (!shape.is_fixed) return place;
    return at.is_end ? min(place, R(1.0)) : max(R(0.0), place);
  });
}

bool always(const Call&) { return true; }

void version_1(OpSchema& s) {
  for (const char* name : {"min_size", "max_size", "aspect_ratio", "density", "fixed_ratio", "fixed_size"})
    s.attribute(optional(FLOATS, name, above(0)));
  s.change("density").range = at_least(1);
  s.attribute(with_default("flip", 0, flag()))
      .attribute(with_default("clip", 0, flag()))
      .attribute(with_default("step", 0.0F))
      .attribute(required(FLOAT, "offset", at_least(0)))
      .attribute(with_default("scale_all_sizes", 1, flag()));
  add_prior_parameters(s);
  s.input("image_size", "T_INT", "height and width");
}
}  // namespace
Operator prior_box() {
  return Operator("openvino", "PriorBox")
      .summary("boxes of given sizes and shapes around the center of each cell of an image")
      .page("detection/prior-box-8")
      .category("category object detection")
      .version(1, version_1)
      .version(8, [](OpSchema& s) { s.attribute(with_default("min_max_aspect_ratios_order", 1, flag())); })
      .reading({.name = "prior_box.formula",
                .alternatives = {"center: the center without a step is (w + 1/2)·IW/W, corners center ± size/2",
                                 "printed: it is w + 1/2, corners (center ± size)/2"},
                .defaults = {{1, "center"}},
                .reason = "the page's formulas lack a factor and misplace a bracket; both programs",
                .may_change_values = always})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_prior_box
