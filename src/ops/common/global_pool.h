// SPDX-License-Identifier: Apache-2.0
// Pooling of all spatial axes: Y (N, C, 1, …) has one element for each plane of X.
#pragma once

#include "schema/operator.h"

namespace opref::ops {

/// How many elements a plane of X has.
std::int64_t plane_size(const Call& call);

/// X's element type, in the shape (N, C, 1, …). X without a spatial axis is `invalid`.
std::vector<ValueType> global_pool_types(const Call& call);
/// An input X and an output Y of T, which is floats.
void global_pool_version_1(OpSchema& s, std::string_view meaning_of_y);

}  // namespace opref::ops
