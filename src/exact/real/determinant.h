// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "exact/real/faithful.h"
#include "exact/real/interval.h"

namespace opref::exact {

/// The determinant of n·n finite numbers, row by row: a point with all its digits, whatever the precision. Of none 1.
Interval determinant(const std::vector<double>& matrix, std::size_t n);

/// The same as kernels compute it that eliminate with pivots: they give exactly the determinant of a matrix A + Δ times
/// 1 + n·u, where |Δ| <= γ·|L|·|U| (Higham, "Accuracy and Stability of Numerical Algorithms", 9.3). Two bounds of what
/// Δ changes, of which the lesser holds: by the inverse, and by the lengths of the rows (Hadamard), which a singular
/// matrix has too.
Faithful computed_determinant(const std::vector<double>& matrix, std::size_t n);

}  // namespace opref::exact
