// SPDX-License-Identifier: Apache-2.0
// The attribute axis of operators that work along one.
#pragma once

#include "schema/operator.h"

namespace opref::ops {

/// What pages before opset 11 leave open: whether a negative axis counts from the end. Of versions since `first`, the
/// operator's first one, until `changed`, the one that says so.
Reading negative_axis_reading(std::int64_t first, std::int64_t changed);

/// The attribute `axis` of an operator that lists this reading, as one of `rank` axes; another one is `invalid`, and so
/// is a negative one where the reading refuses it.
size_t axis_of(const Call& call, size_t rank);

}  // namespace opref::ops
