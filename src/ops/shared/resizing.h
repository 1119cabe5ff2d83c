// SPDX-License-Identifier: Apache-2.0
// How Resize and Upsample make each axis larger or smaller.
#pragma once

#include <optional>
#include <vector>

#include "ops/shared/images.h"
#include "schema/operator.h"
namespace opref::ops {
// One axis of Resize and Upsample: the place in X of each coordinate of Y, and the pixels around it with their weights.

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
  std::int64_t before = 0, after = 0;  ///< of the L elements: zeros around those of X

  /// The element of X that is element i of L; -1: a zero.
  std::int64_t in_X(std::int64_t i) const { return i < before || i >= L - after ? -1 : i - before; }
  /// O = floor(L·(end - start)·scale), or floor(L·scale) of the whole axis: of the exact product, or of float32
  /// arithmetic, whose steps round.
  void take_scale(const Rational& by, bool of_whole, bool in_float32);
  /// scale = O/L
  void take_size(std::int64_t size);
  bool is_whole() const;  ///< Y is X along it
};
/// The least or greatest of the axes' scales becomes that of all; O = floor(scale·L + 1/2). With `by_ratio` coordinates
/// are mapped by O/L.
void take_common_scale(std::vector<ResizedAxis>& all, const std::vector<size_t>& axes, bool greatest, bool by_ratio);
Coordinate coordinate_named(std::string_view name);

struct Resizing;
/// x_original of an output coordinate: exact, and as float32 arithmetic has it.
Rational place_of(const Resizing& how, const ResizedAxis& axis, std::int64_t coordinate);
Rational place_in_float32(const Resizing& how, const ResizedAxis& axis, std::int64_t coordinate);

struct Resizing {
  std::vector<ResizedAxis> axes;
  Resampling mode = Resampling::nearest;
  Coordinate coordinate = Coordinate::asymmetric;
  Rounded rounded = Rounded::by_scale;
  Rational cubic_a = 0;
  bool excludes_outside = false, antialias = false;
  bool narrows = false;  ///< antialias narrows the filter along axes that get larger; where it meets no pixel Y is 0
  ZeroWeights zeros = ZeroWeights::left_out;
  double extrapolation = 0;  ///< of what lies outside in tf_crop_and_resize
  /// x_original of an output coordinate.
  Rational (*place)(const Resizing&, const ResizedAxis&, std::int64_t coordinate) = place_of;
};

/// Of mode nearest: the pixel at a place.
std::int64_t nearest_pixel(const Resizing& how, const ResizedAxis& axis, const Rational& x);

/// The pixels that meet in each coordinate; none outside of what tf_crop_and_resize sees.
class PointsOfAxis {
 public:
  PointsOfAxis(const Resizing& how, const ResizedAxis& axis) : how_(how), axis_(axis) {
    if (axis.O <= kTabled && axis.L > 0)
      for (std::int64_t o = 0; o < axis.O; ++o) table_.push_back(made(o));
  }
  bool is_tabled() const { return !table_.empty(); }
  const AxisPoint& at(std::int64_t o, std::optional<AxisPoint>& room) const {
    if (!table_.empty()) return table_[static_cast<size_t>(o)];
    return room.emplace(made(o));
  }

 private:
  static constexpr std::int64_t kTabled = 1 << 16;

  AxisPoint made(std::int64_t o) const;

  const Resizing& how_;
  const ResizedAxis& axis_;
  std::vector<AxisPoint> table_;
};

// What Resize and Upsample share: the sum of the pixels that meet in each element.

/// Y = X resized; `reading` is the operator's own on integers.
Tensor resized(const Output& out, const Tensor& X, const Resizing& how, std::string_view integer_reading);

std::vector<ValueType> resized_types(const Call& call, const Resizing& how);

// How Upsample, and Resize-10 by its rules, make each axis larger; what their pages leave open.

/// The scale as an exact number; one that is not finite or less than `least` (0 excluded) is `invalid`.
Rational scale_of(std::string_view name, size_t i, double scale, std::int64_t least);

/// Of Upsample and Resize-10: nearest or linear, x/s, sizes floor(L·s).
Resizing upsampling(const Call& call, std::span<const double> scales, std::int64_t least, std::string_view nearest,
                    std::string_view linear);
/// Numbers of an input that is a list.
std::vector<double> list_input(const Call& call, std::string_view input);
Reading old_nearest_reading(std::string_view name, std::int64_t since, std::int64_t until);
Reading old_linear_reading(std::string_view name, std::int64_t since, std::int64_t until);
/// resize.scale_product: the size that a scale gives.
Reading scale_product_reading();
/// Of elements between pixels, and of extrapolation_value.
Reading resized_integer_reading(std::string_view name, std::int64_t since);

// What operators make of places between pixels, for those who work the places out otherwise.
namespace onnx {
/// How the node resizes.
inline namespace file_resize {
Resizing resizing_of_resize(const Call& call);
}  // namespace file_resize
inline namespace file_upsample {
Resizing resizing_of_upsample(const Call& call);
}  // namespace file_upsample

inline namespace file_grid_sample {
/// Where GridSample's n, from -1 to 1, lies among L pixels.
using Place = Rational (*)(double n, std::int64_t L, bool aligned);
/// As float32 arithmetic has it.
Rational place_in_float32(double n, std::int64_t L, bool aligned);
/// GridSample, each place worked out like that.
std::vector<Value> grid_sample_by(const Call& call, std::span<const Output> outs, Place place);
}  // namespace file_grid_sample
}  // namespace onnx
}  // namespace opref::ops
