// SPDX-License-Identifier: Apache-2.0
// ai.onnx Resize, versions 10, 11, 13, 18, 19
// https://onnx.ai/onnx/operators/onnx__Resize.html
#include "ops/operator_file.h"
#include "ops/shared/resizing.h"
#include "ops/shared/windows.h"
namespace opref::ops::onnx::file_resize {
namespace {
bool is_mapped(const Call& call, std::string_view by) {
  return call.has("coordinate_transformation_mode") && call.string("coordinate_transformation_mode") == by;
}
bool is_crop(const Call& call) { return is_mapped(call, "tf_crop_and_resize"); }
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
  const std::vector<double> roi = list_input(call, "roi");
  const auto at = [&](size_t i) {
    require(std::isfinite(roi[i]), "roi[{}] is {}, but must be finite", i, roi[i]);
    return Rational::of(roi[i]);
  };
  for (size_t i = 0; i < axes.size(); ++i) all[axes[i]].start = at(i), all[axes[i]].end = at(axes.size() + i);
}

// O = floor(L·(end - start)·scale)
void take_scales(const Call& call, const std::vector<size_t>& axes, std::vector<ResizedAxis>& all) {
  if (has_policy(call))
    fail(Fault::invalid, "attribute 'keep_aspect_ratio_policy' is '{}', but needs sizes",
         call.string("keep_aspect_ratio_policy"));
  require_list(call, "scales", axes.size());
  const std::vector<double> scales = list_input(call, "scales");
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizedAxis& axis = all[axes[i]];
    const bool of_whole = call.reads("resize.out_size", "without_roi");
    require(of_whole || axis.end >= axis.start, "roi of axis {} ends at {}, before it starts at {}", axes[i],
            to_text(axis.end), to_text(axis.start));
    axis.take_scale(scale_of("scales", i, scales[i], 0), of_whole, call.reads("resize.scale_product", "float32"));
  }
}

void take_sizes(const Call& call, const std::vector<size_t>& axes, std::vector<ResizedAxis>& all) {
  require_list(call, "sizes", axes.size());
  const std::vector<std::int64_t> sizes = call.integers("sizes");
  for (size_t i = 0; i < axes.size(); ++i) {
    require(sizes[i] >= 1, "sizes[{}] is {}, but must be >= 1", i, sizes[i]);
    require(all[axes[i]].L > 0, "axis {} of X is empty, but sizes[{}] is {}", axes[i], i, sizes[i]);
    all[axes[i]].take_size(sizes[i]);
  }
  if (has_policy(call))
    take_common_scale(all, axes, call.string("keep_aspect_ratio_policy") == "not_smaller",
                      call.reads("resize.policy_scale", "ratio"));
}
}  // namespace
Resizing resizing_of_resize(const Call& call) {
  if (call.version() == 10)
    return upsampling(call, list_input(call, "scales"), 0, "resize.v10_nearest", "resize.v10_linear");
  require(call.version() != 11 || call.has("roi") || call.reads("resize.v11_roi", "optional"),
          "input 'roi' is omitted, but {} requires it; the reading resize.v11_roi=optional allows that", call.title());
  require_mode(call);
  const Dims& x = call.type("X").shape;
  const std::vector<size_t> axes = axes_of(call, x.size());
  Resizing how;
  how.mode = call.choice<Resampling>("mode"), how.rounded = call.choice<Rounded>("nearest_mode");
  how.coordinate = coordinate_named(call.string("coordinate_transformation_mode"));
  require_finite(call, "cubic_coeff_a");
  how.cubic_a = Rational::of(call.number("cubic_coeff_a"));
  how.excludes_outside = call.flag("exclude_outside");
  how.antialias = call.flag("antialias");
  how.extrapolation = call.number("extrapolation_value"), how.zeros = zero_weights(call);
  for (const std::int64_t L : x) how.axes.push_back({L, L});
  if (is_crop(call)) take_roi(call, axes, how.axes);
  require(given(call, "scales") != given(call, "sizes"), "{} given, but must be one of them",
          given(call, "scales") ? "scales and sizes are" : "neither scales nor sizes is");
  given(call, "scales") ? take_scales(call, axes, how.axes) : take_sizes(call, axes, how.axes);
  for (const size_t a : axes) {
    ResizedAxis& axis = how.axes[a];
    axis.resized = call.reads("resize.length_resized", "integer") ? Rational(axis.O) : Rational(axis.L) * axis.scale;
    axis.is_copied = axis.is_whole() && call.reads("resize.identity_axis", "copied");
    if (given(call, "scales") && call.reads("resize.scale", "ratio") && axis.L > 0 && axis.O > 0)
      axis.scale = Rational(axis.O) / Rational(axis.L);
  }
  return how;
}
namespace {
std::vector<ValueType> output_types(const Call& call) { return resized_types(call, resizing_of_resize(call)); }

// Y[o] = Σ X[i]·Π w_a(i_a, o_a): per axis the pixels around x_original(o), each with the weight of its distance
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {resized(outs[0], call.input("X"), resizing_of_resize(call), "resize.integer")};
}

bool has_length(const Call& call) { return is_crop(call) || is_mapped(call, "align_corners"); }
bool may_move(const Call& call) { return is_mapped(call, "tf_half_pixel_for_nn"); }

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
      .input("roi", "T2", Arity::optional, "of tf_crop_and_resize: where each axis starts, then where each ends")
      .input("scales", "float32", "a number for each axis, > 0, or none")
      .input("sizes", "int64", Arity::optional, "a size for each axis, or none")
      .output("Y", "T1", "the data, resized")
      .types("T1", types::basic, "Constrain input 'X' and output 'Y' to all tensor types.")
      .types("T2", types::floats, "Constrain roi type to float or double.");
}

void version_13(OpSchema& s) {
  s.change_parameter("scales").arity = Arity::optional;
  s.other_rule("input roi is optional, was required").types("T1", types::ir4);
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
      .reading({.name = "resize.v11_roi",
                .alternatives = {"required: a node states it, without elements too", "optional: as from 13 on"},
                .defaults = {{11, "required"}, {13, ""}},
                .reason = "version 11 lists it as a required input; OpenVINO's models leave it out"})
      .reading({.name = "resize.scale",
                .alternatives = {"given: the element of scales", "ratio: O/L, as with sizes"},
                .defaults = {{11, "given"}},
                .reason = "published data; the text defines scale as length_resized / length_original",
                .may_change_values = [](const Call& call) { return given(call, "scales"); }})
      .reading({.name = "resize.length_resized",
                .alternatives = {"fractional: L·scale", "integer: O"},
                .defaults = {{11, "fractional"}},
                .reason = "published data; version 19 speaks of a fractional target; onnxruntime takes O",
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
                .reason = "onnx.reference and onnxruntime; it matters to tf_half_pixel_for_nn alone",
                .may_change_values = may_move})
      .reading({.name = "resize.out_size",
                .alternatives = {"with_roi: O = floor(L·(end - start)·scale)", "without_roi: O = floor(L·scale)"},
                .defaults = {{11, "with_roi"}},
                .reason = "the text; inference, onnx.reference and onnxruntime leave the roi out",
                .may_change_values = is_crop})
      .reading(scale_product_reading())
      .reading(zero_weight_reading(10))
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"coordinate_transformation_mode", ""}, {"keep_aspect_ratio_policy", ""}, {"nearest_mode", ""}});
}
}  // namespace opref::ops::onnx::file_resize
