// SPDX-License-Identifier: Apache-2.0
// Vector loops over contiguous rows: estimates, and the test that decides each element by its error bound.
//
// No result of a loop here needs to be exact: whoever forms an estimate knows how wrong it can be in any order, with or
// without FMA, and `settle_…` decides only what that cannot change. (settle_double_row and what feeds it, which need
// error-free additions, are in double_rows.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "exact/rounding.h"

namespace opref::exact {

/// Row loops may read and write this many elements past the end of a row.
constexpr std::size_t kRowSlack = 16;

/// to[i] = x[i]; T is Half, BFloat16, float or double.
template <class T>
void row_widen(const T* x, std::size_t n, double* to);
/// to[i] = x[i·step]
template <class T>
void row_widen(const T* x, std::int64_t step, std::size_t n, double* to);

/// Whether an x[i] is NaN; T as above.
template <class T>
bool row_has_nan(const T* x, std::size_t n);

/// sum[i] += weight·x[i]²
void row_add_squares(double weight, const double* x, std::size_t n, double* sum);
/// x[i] = √x[i]
void row_root(double* x, std::size_t n);

/// sum[i] = start + Σ over t of rows[t][i]
void row_sum(const double* const* rows, std::size_t count, double start, std::size_t n, double* sum);

/// A row and its weight.
template <class S>
struct RowTerm {
  const S* x;
  S weight;
};

/// value[i] = start + Σ over t of weight·x[i], magnitude[i] likewise of absolute values; with slack. Each value is at
/// most `count` additions away from its terms.
void row_sum_products(const RowTerm<double>* terms, std::size_t count, double start, std::size_t n, double* value,
                      double* magnitude);
/// Likewise modulo 2^32 or 2^64, without slack.
void row_sum_products(const RowTerm<std::uint32_t>* terms, std::size_t count, std::uint32_t start, std::size_t n,
                      std::uint32_t* sum);
void row_sum_products(const RowTerm<std::uint64_t>* terms, std::size_t count, std::uint64_t start, std::size_t n,
                      std::uint64_t* sum);

/// out[i] = the T nearest to all of value[i] ± scale·magnitude[i]. Where there is no such T, undecided[i] = 1 (else 0)
/// and out[i] means nothing; values or errors that are NaN, infinite or huge are undecided, and brackets across zero.
/// Returns how many are undecided. T is Half, BFloat16 or float.
template <class T>
std::size_t settle_row(const double* value, const double* magnitude, double scale, std::size_t n, T* out,
                       std::uint64_t* undecided);

/// The greatest |x[i]|; infinity if one is NaN.
float row_most(const float* x, std::size_t n);

/// out[i] = the T nearest to all of value[i] ± error, the values being those of row_sum_products, with slack. They and
/// the error are finite. For i from `first` until a block that is not decided: returns where that begins, or n.
template <class T>
std::size_t settle_sum_products(const RowTerm<double>* terms, std::size_t count, double start, double error,
                                std::size_t first, std::size_t n, T* out);

/// out[2i] = a[i], out[2i+1] = b[i], n elements of out. T is an unsigned integer of 16, 32 or 64 bits.
template <class T>
void row_interleave(const T* a, const T* b, std::size_t n, T* out);

}  // namespace opref::exact
