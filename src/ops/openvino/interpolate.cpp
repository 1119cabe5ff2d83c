// SPDX-License-Identifier: Apache-2.0
// openvino Interpolate, versions 1 (opset1), 4 (opset4), 11 (opset11)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/resizing.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_interpolate {
namespace {
bool is_pillow(const Call& call) { return call.string("mode").ends_with("pillow"); }
bool is_by_scales(const Call& call) { return call.version() > 1 && call.string("shape_calculation_mode") == "scales"; }

/// Zeros before or after each axis; 0 where the list is shorter.
std::vector<std::int64_t> pads(const Call& call, std::string_view name, size_t rank) {
  std::vector<std::int64_t> list;
  if (call.has(name)) list = call.integers(name);
  require(list.size() <= rank, "attribute '{}' has {}, but {} has rank {}", name, counted(std::ssize(list), "value"),
          call.schema().inputs()[0].name, rank);
  list.resize(rank);
  return list;
}

void require_axes(const Call& call, const std::vector<size_t>& axes, size_t rank) {
  if (is_pillow(call))
    require(axes.size() == 2, "mode {} has 2 axes, but there are {}", call.string("mode"), axes.size());
  if (call.string("mode") != "linear_onnx") return;
  const size_t first = rank > 3 ? 2 : 0;
  const auto is_spatial = [&](size_t axis) { return axis >= first; };
  require(rank >= 2 && rank <= 5 && axes.size() == rank - first && std::ranges::all_of(axes, is_spatial),
          "mode linear_onnx takes all axes of rank 2 or 3, the axes 2, 3 of rank 4 or 2, 3, 4 of rank 5, but rank is "
          "{} and axes are {}",
          rank, Dims(std::vector<std::int64_t>(axes.begin(), axes.end())));
}

/// The input of sizes or scales has one for each of the axes, and its type fits.
void require_one_each(const Call& call, std::string_view name, size_t axes) {
  const auto& [dtype, shape] = call.type(name);
  require(is_floating(dtype) == is_by_scales(call), "{} has type {}, but shape_calculation_mode is {}", name, dtype,
          is_by_scales(call) ? "scales" : "sizes");
  require(shape == Dims{static_cast<std::int64_t>(axes)},
          "{} has shape {}, but must be a list of {}: one for each axis", name, shape, axes);
}

Resizing resizing(const Call& call) {
  const Dims& data = image_type(call).shape;
  const std::vector<size_t> axes = axes_of(call, data.size());
  require_axes(call, axes, data.size());
  const std::string& mode = call.string("mode");
  const bool is_linear = mode == "linear";
  if (mode == "area") fail(Fault::unsupported, "attribute 'mode' is area, of which the page does not say the rule");
  Resizing how;
  how.mode = mode == "nearest"          ? Resampling::nearest
             : mode.find("cubic") == 0  ? Resampling::cubic
             : mode == "bicubic_pillow" ? Resampling::cubic
                                        : Resampling::linear;
  how.excludes_outside = is_linear || is_pillow(call), how.zeros = zero_weights(call);
  if (call.version() == 1) {
    how.coordinate = call.flag("align_corners") ? Coordinate::align_corners : Coordinate::asymmetric;
    how.cubic_a = Rational(-3) / Rational(4);
  } else {
    require_finite(call, "cube_coeff");
    how.coordinate = coordinate_named(is_pillow(call) ? "half_pixel" : call.string("coordinate_transformation_mode"));
    how.rounded = call.choice<Rounded>("nearest_mode"), how.cubic_a = Rational::of(call.number("cube_coeff"));
  }
  const std::vector<std::int64_t> before = pads(call, "pads_begin", data.size()),
                                  after = pads(call, "pads_end", data.size());
  for (size_t a = 0; a < data.size(); ++a) {
    ResizedAxis axis{checked_add(checked_add(data[a], before[a]), after[a]), 0};
    axis.O = axis.L, axis.before = before[a], axis.after = after[a];
    how.axes.push_back(axis);
  }
  const std::string_view by = call.version() == 1    ? "target_spatial_shape"
                              : call.version() == 11 ? "scales_or_sizes"
                              : is_by_scales(call)   ? "scales"
                                                     : "sizes";
  require_one_each(call, by, axes.size());
  const std::vector<double> scales = is_by_scales(call) ? list_input(call, by) : std::vector<double>();
  const std::vector<std::int64_t> sizes = is_by_scales(call) ? std::vector<std::int64_t>() : call.integers(by);
  bool shrinks = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizedAxis& axis = how.axes[axes[i]];
    require(axis.L > 0, "axis {} of {} is empty", axes[i], call.schema().inputs()[0].name);
    if (is_by_scales(call))
      axis.take_scale(scale_of(by, i, scales[i], 0), true, false);
    else
      axis.O = sizes[i];
    require(axis.O >= 1, "{}[{}] is {}, but then axis {} of {} elements has none", by, i,
            is_by_scales(call) ? to_text(axis.scale) : std::to_string(sizes[i]), axes[i], axis.L);
    if (!is_by_scales(call) || is_pillow(call) || call.reads("interpolate.scale", "ratio")) axis.take_size(axis.O);
    axis.resized = Rational(axis.O);
    axis.is_copied = axis.O == axis.L && call.reads("interpolate.same_size", "copied");
    shrinks |= axis.scale < Rational(1);
  }
  how.antialias = is_pillow(call) || (is_linear && call.flag("antialias") && shrinks);
  how.narrows = is_linear && how.antialias;
  return how;
}

// Elsewhere the formula gives the elements of an axis that keeps its size.
bool may_move(const Call& call) {
  return is_by_scales(call) || call.string("coordinate_transformation_mode") == "tf_half_pixel_for_nn";
}

std::vector<ValueType> output_types(const Call& call) { return resized_types(call, resizing(call)); }

// output[o] = Σ data[i]·Π w_a(i_a, o_a) of data between its pads of zeros: per axis the elements around the place of o,
// each with the weight of its distance. With s = size/(size of data and pads), or the scale:
//   linear  weights max(0, 1 - |i - x|), with antialias, if one s < 1, max(0, 1 - s·|i - x|); divided by their sum
//   *_pillow  x = (o + 1/2)/s - 1/2, weights h(min(s, 1)·(i - x)), divided by their sum
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {resized(outs[0], call.inputs()[0].tensor(), resizing(call), "interpolate.integer")};
}

void version_1(OpSchema& s) {
  s.attribute(required(INTS, "axes"))
      .attribute(required(STRING, "mode", one_of({"nearest", "linear", "cubic", "area"})))
      .attribute(with_default("align_corners", 1, flag()))
      .attribute(with_default("antialias", 0, flag()))
      .attribute(optional(INTS, "pads_begin", at_least(0)))
      .attribute(optional(INTS, "pads_end", at_least(0)))
      .input("data", "T")
      .input("target_spatial_shape", "T_SIZE")
      .output("output0", "T")
      .types("T", computed_numbers)
      .types("T_SIZE", types::integers);
}

void version_4(OpSchema& s) {
  s.remove("axes").remove("align_corners").remove("target_spatial_shape");
  s.change("mode").range = one_of({"nearest", "linear", "linear_onnx", "cubic"});
  s.attribute(required(STRING, "shape_calculation_mode", one_of({"sizes", "scales"})))
      .attribute(with_default(
          "coordinate_transformation_mode", "half_pixel",
          one_of({"half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"})))
      .attribute(with_default("nearest_mode", "round_prefer_floor",
                              one_of({"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"})))
      .attribute(with_default("cube_coeff", -0.75F))
      .input("sizes", "T_SIZE")
      .input("scales", "T_SCALES")
      .input("axes", "T_AXES", Arity::optional)
      .types("T_SCALES", computed_floats)
      .types("T_AXES", types::integers);
}

void version_11(OpSchema& s) {
  s.rename("data", "image").rename("output0", "out").remove("sizes").remove("scales").remove("axes");
  s.remove("T_SIZE").remove("T_SCALES");
  s.change("mode").range = one_of({"nearest", "linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow"});
  s.input("scales_or_sizes", "T_SCALES_OR_SIZES")
      .input("axes", "T_AXES", Arity::optional)
      .types("T_SCALES_OR_SIZES", computed_numbers);
}
}  // namespace
Operator interpolate() {
  return Operator("openvino", "Interpolate")
      .summary("the data resized along axes, by the nearest elements, linear or cubic interpolation")
      .page("image/interpolate-11")
      .category("category image processing")
      .version(1, version_1)
      .version(4, version_4)
      .version(11, version_11)
      .reading({.name = "interpolate.scale",
                .alternatives = {"given: the element of scales", "ratio: the new size by the old one, as with sizes"},
                .defaults = {{4, "given"}},
                .reason = "the page's code",
                .may_change_values = is_by_scales})
      .reading(
          {.name = "interpolate.same_size",
           .alternatives = {"formula: an axis that keeps its size is resampled like others", "copied: it is copied"},
           .defaults = {{4, "formula"}},
           .reason = "the page's code; both programs copy it",
           .may_change_values = may_move})
      .reading(resized_integer_reading("interpolate.integer", 1))
      .reading(zero_weight_reading(1))
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"coordinate_transformation_mode", ""}, {"nearest_mode", ""}, {"shape_calculation_mode", ""}});
}
}  // namespace opref::ops::openvino::file_interpolate
