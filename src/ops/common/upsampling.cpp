// SPDX-License-Identifier: Apache-2.0
#include "ops/common/upsampling.h"

#include <cmath>

#include "core/error.h"
#include "core/nearly.h"
#include "evaluators/elements.h"

namespace opref::ops {

Rational scale_of(std::string_view name, size_t i, double scale, std::int64_t least) {
  require(std::isfinite(scale) && scale > 0 && scale >= nearly(least), "{}[{}] is {}, but must be finite and {}", name,
          i, scale, least > 0 ? ">= 1" : "> 0");
  return Rational::of(scale);
}

std::vector<double> list_input(const Call& call, std::string_view input) {
  const Tensor& numbers = call.input(input);
  require(numbers.shape().size() == 1, "{} has shape {}, but must be a list", input, numbers.shape());
  const evaluators::Elements elements(numbers);
  std::vector<double> list;
  for (std::int64_t i = 0; i < numbers.count(); ++i) list.push_back(elements.number(i));
  return list;
}

Resizing upsampling(const Call& call, std::span<const double> scales, std::int64_t least, std::string_view nearest,
                    std::string_view linear) {
  require_mode(call);
  const Dims& x = call.type("X").shape;
  require(scales.size() == x.size(), "scales has {} elements, but X has rank {}", scales.size(), x.size());
  Resizing how;
  how.mode = call.string("mode") == "nearest" ? Resampling::nearest : Resampling::linear;
  if (how.mode == Resampling::linear && call.reads(linear, "align_corners")) how.coordinate = Coordinate::align_corners;
  if (call.reads(nearest, "floor")) how.rounded = Rounded::floor;
  if (call.reads(nearest, "round")) how.rounded = Rounded::prefer_floor;
  how.zeros = zero_weights(call);
  for (size_t a = 0; a < x.size(); ++a) {
    ResizedAxis axis{x[a], x[a]};
    axis.take_scale(scale_of("scales", a, scales[a], least), true, call.reads("resize.scale_product", "float32"));
    axis.resized = Rational(axis.O), axis.is_copied = axis.scale == Rational(1);
    how.axes.push_back(axis);
  }
  return how;
}

namespace {

bool is_nearest(const Call& call) { return call.string("mode") == "nearest"; }
bool is_not_nearest(const Call& call) { return call.string("mode") != "nearest"; }
std::vector<std::pair<std::int64_t, std::string_view>> from_until(std::int64_t since, std::int64_t until,
                                                                  std::string_view alternative) {
  if (until == 0) return {{since, alternative}};
  return {{since, alternative}, {until, ""}};
}

}  // namespace

Reading old_nearest_reading(std::string_view name, std::int64_t since, std::int64_t until) {
  return {.name = name,
          .alternatives = {"by_scale: of x/s the floor where s >= 1, else the ceiling", "floor: the floor of x/s",
                           "round: the nearest of x/s, halves down"},
          .defaults = from_until(since, until, "by_scale"),
          .reason = "the page does not say; the data published with opset 10 and onnxruntime take it so",
          .may_change_values = is_nearest};
}
Reading old_linear_reading(std::string_view name, std::int64_t since, std::int64_t until) {
  return {.name = name,
          .alternatives = {"asymmetric: x/s, the edge repeated", "align_corners: the corners of X are those of Y"},
          .defaults = from_until(since, until, "asymmetric"),
          .reason = "the page does not say; the data published with opset 10 take it so",
          .may_change_values = is_not_nearest};
}
Reading scale_product_reading() {
  return {.name = "resize.scale_product",
          .alternatives = {"exact: the size is the floor of the product of the numbers as they are",
                           "float32: the product is rounded to float32 before the floor"},
          .defaults = {{1, "exact"}},
          .reason = "the text's formula; onnx.reference and inference do; onnxruntime and OpenVINO round"};
}
Reading resized_integer_reading(std::string_view name, std::int64_t since) {
  return {.name = name,
          .alternatives = {"nearest: rounded, halves to even, and saturated", "truncate: toward zero, and saturated",
                           "wrap: rounded, halves to even, and modulo 2^bits"},
          .defaults = {{since, "nearest"}},
          .reason = "the text is silent; onnx.reference does",
          .may_change_values = [](const Call& call) {
            constexpr std::string_view kMapping = "coordinate_transformation_mode";
            const bool extrapolates =
                call.schema().find_attribute(kMapping) != nullptr && call.string(kMapping) == "tf_crop_and_resize";
            return interpolates_integers(call) || (extrapolates && types::integers.contains(call.type("X").dtype));
          }};
}

}  // namespace opref::ops
