// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "exact/real/interval.h"

namespace opref::exact {

/// The determinant of n·n finite numbers, row by row: a point with all its digits, whatever the precision. Of none 1.
Interval determinant(const std::vector<double>& matrix, std::size_t n);

}  // namespace opref::exact
