// SPDX-License-Identifier: Apache-2.0
// How Upsample, and Resize-10 by its rules, make each axis larger; what their pages leave open.
#pragma once

#include "ops/common/resize.h"

namespace opref::ops {

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

}  // namespace opref::ops
