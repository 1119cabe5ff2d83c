// SPDX-License-Identifier: Apache-2.0
// One line times a matrix that is read once, where it lies.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opref::fast {

/// v[j] = Σ over k < K of a[k]·b(k, j), m[j] = Σ |a[k]·b(k, j)|, for j < n; the products are exact. No product takes
/// part in more than row_product_additions that round.

/// b(k, j) = b[k·step + j]: rows, four of them added up before they are added.
void row_times_rows(const double* a, std::size_t K, const float* b, std::int64_t step, std::size_t n, double* v,
                    double* m);
/// b(k, j) = b[j·step + k]: lines, each summed in 16 lanes, which are added up two by two, and what is beyond these.
void row_times_lines(const double* a, std::size_t K, const float* b, std::int64_t step, std::size_t n, double* v,
                     double* m);
/// Of rows: 2 of the first four, then one for each four and for each row beyond. Of lines: those within a lane, 4 of
/// the lanes, two by two, and one of what is beyond; or those beyond. K > 0.
double row_product_additions(std::size_t K, bool by_rows);

}  // namespace opref::fast
