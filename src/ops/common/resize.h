// SPDX-License-Identifier: Apache-2.0
// What Resize and Upsample share: the sum of the pixels that meet in each element.
#pragma once

#include "ops/common/resized_axis.h"
#include "schema/operator.h"

namespace opref::ops {

/// Y = X resized; `reading` is the operator's own on integers.
Tensor resized(const Output& out, const Tensor& X, const Resizing& how, std::string_view integer_reading);

std::vector<ValueType> resized_types(const Call& call, const Resizing& how);

}  // namespace opref::ops
