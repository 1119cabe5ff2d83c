// SPDX-License-Identifier: Apache-2.0
// Which of several real numbers are equal.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exact/real/interval.h"

namespace opref::exact {

/// A number for each: the same for those that are known to be equal, and ascending with them as far as is known. All
/// are finite. Enough bits tell it of all algebraic numbers (interval.h).
std::vector<std::size_t> ranks(std::span<const Interval> numbers);

}  // namespace opref::exact
