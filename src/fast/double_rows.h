// SPDX-License-Identifier: Apache-2.0
// Rows whose estimates are twice as precise as double, for results in double: unevaluated pairs hi + lo. Sums of
// products by Dot2 (Ogita, Rump, Oishi, "Accurate sum and dot product", 2005). Powers by sums and products of pairs
// (Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic building blocks of double-word arithmetic",
// 2017: SloppyDWPlusDW of numbers of one sign, DWTimesDW2) and their square roots (Lefèvre, Louvet, Muller, Picot,
// Rideau, "Accurate calculation of Euclidean norms using double-word arithmetic", 2023: SQRTDWtoDW): a relative error
// of at most 3, 6 and 25/8 times 2^-106; pair_bound counts 8 for each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exact/power.h"
#include "exact/rows.h"
#include "exact/slack.h"

namespace opref::fast {

/// hi[i] + lo[i] = start + Σ over t of weight·x[i], but for an error: lo[i] is the sum of what the products and the
/// additions of hi[i] lost, and lost[i] of its magnitudes. What a term loses is rounded at most `count` times: once
/// with what its addition loses, then in the additions of lo[i]. With slack.
void row_sum_products(const RowTerm<double>* terms, std::size_t count, double start, std::size_t n, double* hi,
                      double* lo, double* lost);
/// What products below 2^-968 lose beyond what a double can hold: 2^-1074 each, and as much again for sums of it.
constexpr double kTinyProduct = 0x1p-1070;

/// As settle_row, of hi[i] + lo[i], which are wrong by at most scale·magnitude[i] + least.
std::size_t settle_double_row(const double* hi, const double* lo, const double* magnitude, double scale, double least,
                              std::size_t n, double* out, std::uint64_t* undecided);

/// hi[i] + lo[i] = Σ over t of |rows[t][i]|^p; NaN where that has a NaN, an infinity or a non-zero number whose power
/// is so large or small that pairs might lose some of it.
void row_power_sum(const double* const* rows, std::size_t count, const Power& p, std::size_t n, double* hi, double* lo);
/// Sums over windows, as row_windows, of the pairs x_hi + x_lo >= 0.
void row_windows(const double* x_hi, const double* x_lo, std::size_t stride, std::size_t kernel, std::size_t dilation,
                 std::size_t n, double* hi, double* lo);
/// As root_bound, of sums of at most `terms` powers from the two above.
double pair_bound(double terms, const Power& p, const Slack& slack);
/// As settle_root_row.
std::size_t settle_double_root_row(const double* hi, const double* lo, const Power& p, double relative, std::size_t n,
                                   double* out, std::uint64_t* undecided);

}  // namespace opref::fast
