// SPDX-License-Identifier: Apache-2.0
// Vector loops for p-norms over contiguous rows: powers, their sums, and the roots that the sums' error bounds decide.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exact/power.h"

namespace opref::fast {

/// sum[i] = Σ over t of |rows[t][i]|^p. T is Half, BFloat16 or float.
template <class T>
void row_power_sum(const T* const* rows, std::size_t count, const Power& p, std::size_t n, double* sum);
/// sum[i] = Σ over k in [0, kernel) of x[i·stride + k·dilation]
void row_windows(const double* x, std::size_t stride, std::size_t kernel, std::size_t dilation, std::size_t n,
                 double* sum);

/// out[i] = the T nearest to the p-th roots of all of sum[i]·(1 ± relative), p not 1, by the rules of settle_root.
/// Where there is no such T, undecided[i] = 1 (else 0) and out[i] means nothing. Returns how many are undecided.
template <class T>
std::size_t settle_root_row(const double* sum, const Power& p, double relative, std::size_t n, T* out,
                            std::uint64_t* undecided);

}  // namespace opref::fast
