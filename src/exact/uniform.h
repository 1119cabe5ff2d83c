// SPDX-License-Identifier: Apache-2.0
// Uniform random elements of any type.
#pragma once

#include "core/dtype.h"
#include "core/random.h"

namespace opref::exact {

/// The bits of one element: multiples of 2^(scale-p) in [-2^scale, 2^scale), p the type's precision; of integers and
/// bool every value of the type.
std::uint64_t uniform_bits(const Random& random, DType dtype, std::int64_t index, int scale = 0);

}  // namespace opref::exact
