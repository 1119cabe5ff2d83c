// Rows whose estimates are twice as precise as double, for results in double: sums of products as unevaluated pairs
// hi + lo (Dot2: Ogita, Rump, Oishi, "Accurate sum and dot product", 2005).
#pragma once

#include <cstddef>
#include <cstdint>

#include "exact/rows.h"

namespace opref {

/// hi[i] + lo[i] = start + Σ over t of weight·x[i], but for an error that settle_double_row knows; magnitude[i]
/// likewise of absolute values. With slack.
void row_sum_products(const RowTerm<double>* terms, std::size_t count, double start, std::size_t n, double* hi,
                      double* lo, double* magnitude);

/// As settle_row, for sums of at most `terms` products (the start counts as one).
std::size_t settle_double_row(const double* hi, const double* lo, const double* magnitude, double terms, std::size_t n,
                              double* out, std::uint64_t* undecided);

}  // namespace opref
