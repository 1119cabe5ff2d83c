// SPDX-License-Identifier: Apache-2.0
// What operators share whose result is a sum of integers that is quantized again:
//   y = clamp(nearest(sum · x_scale·w_scale / y_scale) + y_zero_point)
#pragma once

#include <optional>

#include "schema/operator.h"

namespace opref::ops {

/// "Each scale and zero-point pair must have same shape": a scalar, or one number per output channel, of which there
/// are `channels`; without these a scalar alone. [1] is a scalar too.
void require_scale_shapes(const Call& call, std::string_view scale, std::string_view zero_point,
                          std::optional<std::int64_t> channels = {});

/// Each element of a scale is finite and > 0.
void require_scales(const Call& call, std::string_view input);

/// a·b/c of three float32 scales. The product is exact. What is asked of scales that are not finite and > 0 is true.
struct Rescale {
  double a, b, c;
  /// fl(fl(a·b)/c)
  float in_float32() const;
  /// Whether that is another number.
  bool is_rounded_in_float32() const;
  /// Whether the product with a whole number of at most this magnitude can lie half-way between two whole numbers.
  bool may_tie(double most) const;
};

/// That it is a scale itself in float32, finite and > 0.
void require_float32_quotient(const Rescale& scale);

/// The greatest |q - zero_point| of a quantized tensor: by its type and its zero points, as far as they are known.
double most_magnitude(const Call& call, std::string_view tensor, std::string_view zero_points);
/// The greatest |element| of an int32 tensor: 0 where there is none, 2^31 where its elements are not known.
double most_int32(const Call& call, std::string_view input);

}  // namespace opref::ops
