// SPDX-License-Identifier: Apache-2.0
// What Resize and Upsample share: the pixels that meet in each coordinate of a resized axis, and their sum.
#pragma once

#include <optional>
#include <vector>

#include "ops/common/rational.h"
#include "schema/operator.h"

namespace opref::ops {

enum class Resampling : std::uint8_t { nearest, linear, cubic };
/// `by_scale`: floor where the scale is at least 1, else ceil.
enum class Rounded : std::uint8_t { prefer_floor, prefer_ceil, floor, ceil, by_scale };
enum class Coordinate : std::uint8_t {
  half_pixel,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  tf_crop_and_resize,
  tf_half_pixel_for_nn,
  half_pixel_symmetric,
};

/// One axis: of L elements O are made.
struct ResizedAxis {
  std::int64_t L, O;
  Rational scale = 1;
  Rational start = 0, end = 1;  ///< the part of the axis, of tf_crop_and_resize
  Rational resized = 1;         ///< length_resized of align_corners and tf_crop_and_resize
  bool is_copied = true;
};

struct Resizing {
  std::vector<ResizedAxis> axes;
  Resampling mode = Resampling::nearest;
  Coordinate coordinate = Coordinate::asymmetric;
  Rounded rounded = Rounded::by_scale;
  Rational cubic_a = 0;
  bool excludes_outside = false, antialias = false;
  bool in_float32 = false;   ///< coordinates: a known mistake
  double extrapolation = 0;  ///< of what lies outside in tf_crop_and_resize
};

/// A mistake of Resize and Upsample, with `how` in float32.
Resizing in_float32(Resizing how);

/// Y = X resized; `reading` is the operator's own on integers.
Tensor resized(const Output& out, const Tensor& X, const Resizing& how, std::string_view integer_reading);

/// The scale as an exact number; one that is not finite or less than `least` (0 excluded) is `invalid`.
Rational scale_of(std::string_view name, size_t i, double scale, std::int64_t least);

/// Of Upsample and Resize-10: nearest or linear, x/s, sizes floor(L·s).
Resizing upsampling(const Call& call, std::span<const double> scales, std::int64_t least, std::string_view nearest,
                    std::string_view linear);
std::vector<double> scales_input(const Call& call);
Reading old_nearest_reading(std::string_view name, std::int64_t since, std::int64_t until);
Reading old_linear_reading(std::string_view name, std::int64_t since, std::int64_t until);
Reading resized_integer_reading(std::string_view name, std::int64_t since);
std::vector<ValueType> resized_types(const Call& call, const Resizing& how);

}  // namespace opref::ops
