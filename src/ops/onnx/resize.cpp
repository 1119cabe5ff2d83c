// SPDX-License-Identifier: Apache-2.0
// ai.onnx Resize, versions 10, 11, 13, 18, 19
// https://onnx.ai/onnx/operators/onnx__Resize.html
#include "ops/common/resize.h"
#include "ops/common/mistakes.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "families/elements.h"
#include "ops/common/axis.h"
#include "ops/common/interpolation.h"

namespace opref::ops::onnx {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 62;

template <class Enum>
Enum word(const Call& call, std::string_view attribute, std::initializer_list<std::string_view> words) {
  return static_cast<Enum>(std::ranges::find(words, call.string(attribute)) - words.begin());
}
bool is_crop(const Call& call) {
  return call.has("coordinate_transformation_mode") &&
         call.string("coordinate_transformation_mode") == "tf_crop_and_resize";
}
bool has_policy(const Call& call) {
  return call.has("keep_aspect_ratio_policy") && call.string("keep_aspect_ratio_policy") != "stretch";
}
bool given(const Call& call, std::string_view input) {
  return call.has(input) && element_count(call.type(input).shape) > 0;
}
void require_list(const Call& call, std::string_view input, size_t count) {
  const Dims& shape = call.type(input).shape;
  require(shape == Dims{static_cast<std::int64_t>(count)}, "{} has shape {}, but must be a list of {}", input, shape,
          count);
}

/// start and end of each of the resized axes.
void take_roi(const Call& call, const std::vector<size_t>& axes, std::vector<ResizedAxis>& all) {
  require(call.has("roi"), "roi is absent, but tf_crop_and_resize needs it");
  require_list(call, "roi", 2 * axes.size());
  const Elements roi(call.input("roi"));
  const auto at = [&](size_t i) {
    const double number = roi.number(static_cast<std::int64_t>(i));
    require(std::isfinite(number), "roi[{}] is {}, but must be finite", i, number);
    return Rational::of(number);
  };
  for (size_t i = 0; i < axes.size(); ++i) all[axes[i]].start = at(i), all[axes[i]].end = at(axes.size() + i);
}

// O = floor(L·(end - start)·scale)
void take_scales(const Call& call, const std::vector<size_t>& axes, std::vector<ResizedAxis>& all) {
  require_list(call, "scales", axes.size());
  const std::vector<double> scales = scales_input(call);
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizedAxis& axis = all[axes[i]];
    axis.scale = scale_of("scales", i, scales[i], 0);
    const bool by_roi = call.reads("resize.out_size", "with_roi");
    const Rational part = by_roi ? axis.end - axis.start : Rational(1), size = Rational(axis.L) * part * axis.scale;
    require(size >= Rational(0), "axis {} would have {} elements: roi ends before it starts", axes[i],
            to_text(size.floor()));
    axis.O = size.clamped(0, kMost);
  }
}

// scale = O/L; by a policy the least or greatest of these is the scale of all axes, and O = floor(scale·L + 1/2)
void take_sizes(const Call& call, const std::vector<size_t>& axes, std::vector<ResizedAxis>& all) {
  require_list(call, "sizes", axes.size());
  const std::vector<std::int64_t> sizes = call.integers("sizes");
  std::vector<Rational> ratios;
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizedAxis& axis = all[axes[i]];
    require(sizes[i] >= 1, "sizes[{}] is {}, but must be >= 1", i, sizes[i]);
    require(axis.L > 0, "axis {} of X is empty, but sizes[{}] is {}", axes[i], i, sizes[i]);
    axis.O = sizes[i];
    axis.scale = Rational(sizes[i]) / Rational(axis.L);
    ratios.push_back(axis.scale);
  }
  if (!has_policy(call)) return;
  const Rational common = call.string("keep_aspect_ratio_policy") == "not_smaller" ? *std::ranges::max_element(ratios)
                                                                                   : *std::ranges::min_element(ratios);
  for (const size_t i : axes) {
    ResizedAxis& axis = all[i];
    axis.O = (common * Rational(axis.L) + Rational(1) / Rational(2)).clamped(0, kMost);
    const bool is_ratio = call.reads("resize.policy_scale", "ratio") && axis.O > 0;
    axis.scale = is_ratio ? Rational(axis.O) / Rational(axis.L) : common;
  }
}

Resizing resizing(const Call& call) {
  if (call.version() == 10) return upsampling(call, scales_input(call), 0, "resize.v10_nearest", "resize.v10_linear");
  require_mode(call);
  const Dims& x = call.type("X").shape;
  std::vector<size_t> axes;
  for (size_t a = 0; a < x.size(); ++a) axes.push_back(a);
  if (call.has("axes")) axes = axes_of(call, x.size());
  Resizing how;
  how.mode = word<Resampling>(call, "mode", {"nearest", "linear", "cubic"});
  how.coordinate = word<Coordinate>(call, "coordinate_transformation_mode",
                                    {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                                     "tf_crop_and_resize", "tf_half_pixel_for_nn", "half_pixel_symmetric"});
  how.rounded = word<Rounded>(call, "nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  require(std::isfinite(call.number("cubic_coeff_a")), "attribute 'cubic_coeff_a' is {}, but must be finite",
          call.number("cubic_coeff_a"));
  how.cubic_a = Rational::of(call.number("cubic_coeff_a"));
  how.excludes_outside = call.integer("exclude_outside") != 0;
  how.antialias = call.has("antialias") && call.integer("antialias") != 0;
  how.extrapolation = call.number("extrapolation_value");
  for (const std::int64_t L : x) how.axes.push_back({L, L});
  if (is_crop(call)) take_roi(call, axes, how.axes);
  require(given(call, "scales") != given(call, "sizes"), "{} given, but must be one of them",
          given(call, "scales") ? "scales and sizes are" : "neither scales nor sizes is");
  if (given(call, "scales")) {
    if (has_policy(call))
      fail(Fault::invalid, "attribute 'keep_aspect_ratio_policy' is '{}', but needs sizes",
           call.string("keep_aspect_ratio_policy"));
    take_scales(call, axes, how.axes);
  } else {
    take_sizes(call, axes, how.axes);
  }
  for (const size_t a : axes) {
    ResizedAxis& axis = how.axes[a];
    const Rational one(1);
    axis.resized = call.reads("resize.length_resized", "integer") ? Rational(axis.O) : Rational(axis.L) * axis.scale;
    const bool is_whole = axis.scale == one && axis.O == axis.L && axis.start == Rational(0) && axis.end == one;
    axis.is_copied = is_whole && call.reads("resize.identity_axis", "copied");
    if (given(call, "scales") && call.reads("resize.scale", "ratio") && axis.L > 0 && axis.O > 0)
      axis.scale = Rational(axis.O) / Rational(axis.L);
  }
  return how;
}

std::vector<ValueType> output_types(const Call& call) { return resized_types(call, resizing(call)); }

// Y[o] = Σ X[i]·Π w_a(i_a, o_a): per axis the pixels around x_original(o), each with the weight of its distance
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {resized(outs[0], call.input("X"), resizing(call), "resize.integer")};
}

bool by_scales(const Call& call) { return given(call, "scales"); }
bool has_length(const Call& call) {
  return is_crop(call) || call.string("coordinate_transformation_mode") == "align_corners";
}
bool may_move(const Call& call) { return call.string("coordinate_transformation_mode") == "tf_half_pixel_for_nn"; }

void version_10(OpSchema& s) {
  s.attribute(with_default("mode", "nearest", one_of({"nearest", "linear"})))
      .input("X", "T", "the data")
      .input("scales", "float32", "a number for each axis, > 0")
      .output("Y", "T", "the data, resized")
      .types("T", types::basic, "Constrain input 'X' and output 'Y' to all tensor types.");
}

void version_11(OpSchema& s) {
  s.anew();
  s.attribute(with_default("mode", "nearest", one_of({"nearest", "linear", "cubic"})))
      .attribute(with_default("coordinate_transformation_mode", "half_pixel",
                              one_of({"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                                      "tf_half_pixel_for_nn", "tf_crop_and_resize"})))
      .attribute(with_default("nearest_mode", "round_prefer_floor",
                              one_of({"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})))
      .attribute(with_default("cubic_coeff_a", -0.75F))
      .attribute(with_default("exclude_outside", 0, flag()))
      .attribute(with_default("extrapolation_value", 0.0F))
      .input("X", "T1", "the data")
      .input("roi", "T2", "of tf_crop_and_resize: where each axis starts, then where each ends")
      .input("scales", "float32", "a number for each axis, > 0, or none")
      .input("sizes", "int64", Arity::optional, "a size for each axis, or none")
      .output("Y", "T1", "the data, resized")
      .types("T1", types::basic, "Constrain input 'X' and output 'Y' to all tensor types.")
      .types("T2", types::floats, "Constrain roi type to float or double.");
}

void version_13(OpSchema& s) {
  s.change_parameter("roi").arity = Arity::optional;
  s.change_parameter("scales").arity = Arity::optional;
  s.types("T1", types::ir4);
}

void version_18(OpSchema& s) {
  s.attribute(with_default("antialias", 0, flag()))
      .attribute(optional(INTS, "axes"))
      .attribute(with_default("keep_aspect_ratio_policy", "stretch", one_of({"stretch", "not_larger", "not_smaller"})));
  s.change("coordinate_transformation_mode").range =
      one_of({"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize"});
}

void version_19(OpSchema& s) {
  s.change("coordinate_transformation_mode").range = one_of({"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                                                             "align_corners", "asymmetric", "tf_crop_and_resize"});
}

std::optional<Call> coefficient_of_half(const Call& call) {
  return with_attribute_if_any(call, "cubic_coeff_a", AttributeValue::of(-0.5F));
}
std::vector<Value> by_float32(const Call& call, std::span<const Output> outs) {
  return {resized(outs[0], call.input("X"), in_float32(resizing(call)), "resize.integer")};
}

}  // namespace

Operator resize() {
  return Operator("ai.onnx", "Resize")
      .summary("X resized along axes, by the nearest elements, linear or cubic interpolation")
      .version(10, version_10)
      .version(11, version_11)
      .version(13, version_13)
      .version(18, version_18)
      .version(19, version_19)
      .reading(old_nearest_reading("resize.v10_nearest", 10, 11))
      .reading(old_linear_reading("resize.v10_linear", 10, 11))
      .reading(resized_integer_reading("resize.integer", 10))
      .reading({.name = "resize.scale",
                .alternatives = {"given: the element of scales", "ratio: O/L, as with sizes"},
                .defaults = {{11, "given"}},
                .reason = "published data; the text defines scale as length_resized / length_original",
                .may_change_values = by_scales})
      .reading({.name = "resize.length_resized",
                .alternatives = {"fractional: L·scale", "integer: O"},
                .defaults = {{11, "fractional"}},
                .reason = "published data; version 19 speaks of a fractional target, onnxruntime takes the integer",
                .may_change_values = has_length})
      .reading({.name = "resize.policy_scale",
                .alternatives = {"common: the policy's scale maps coordinates too", "ratio: each axis's own O/L does"},
                .defaults = {{18, "common"}},
                .reason = "the text calls it scale; so does onnx.reference",
                .may_change_values = has_policy})
      .reading({.name = "resize.identity_axis",
                .alternatives = {"copied: an axis of scale 1 and its own size is copied",
                                 "literal: its coordinates are mapped like others"},
                .defaults = {{11, "copied"}},
                .reason = "onnx.reference and onnxruntime copy it; it matters to tf_half_pixel_for_nn alone",
                .may_change_values = may_move})
      .reading({.name = "resize.out_size",
                .alternatives = {"with_roi: O = floor(L·(end - start)·scale)", "without_roi: O = floor(L·scale)"},
                .defaults = {{11, "with_roi"}},
                .reason = "the text; shape inference, onnx.reference and onnxruntime leave the roi out",
                .may_change_values = is_crop})
      .output_types(output_types)
      .kernel(kernel)
      .mistake("coordinates pytorch_half_pixel", taken_for<"coordinate_transformation_mode", "pytorch_half_pixel">)
      .mistake("coordinates align_corners", taken_for<"coordinate_transformation_mode", "align_corners">)
      .mistake("coordinates asymmetric", taken_for<"coordinate_transformation_mode", "asymmetric">)
      .mistake("coordinates half_pixel_symmetric", taken_for<"coordinate_transformation_mode", "half_pixel_symmetric">)
      .mistake("coordinates tf_half_pixel_for_nn", taken_for<"coordinate_transformation_mode", "tf_half_pixel_for_nn">)
      .mistake("nearest_mode round_prefer_ceil", taken_for<"nearest_mode", "round_prefer_ceil">)
      .mistake("nearest_mode floor", taken_for<"nearest_mode", "floor">)
      .mistake("nearest_mode ceil", taken_for<"nearest_mode", "ceil">)
      .mistake("cubic_coeff_a -0.5", coefficient_of_half)
      .mistake("coordinates in float32", computed_by<as_it_is, by_float32>)
      .short_names({{"coordinate_transformation_mode", ""}, {"keep_aspect_ratio_policy", ""}, {"nearest_mode", ""}});
}

}  // namespace opref::ops::onnx
