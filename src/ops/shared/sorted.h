// SPDX-License-Identifier: Apache-2.0
// Places in ascending lists.
#pragma once

#include <cstdint>

#include "evaluators/elements.h"
namespace opref::ops {
/// How many of the n elements of `list` from `first` on are less than x[i], or, if equal ones count, not greater; they
/// ascend. Numbers are compared exactly, whatever their types. What NaN gives is open.
std::int64_t count_before(const Elements& list, std::int64_t first, std::int64_t n, const Elements& x, std::int64_t i,
                          bool counts_equal);
}  // namespace opref::ops
