// SPDX-License-Identifier: Apache-2.0
// Loops over numbers of 9 bits, which integers of 8 bits less zero points are: exact.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exact/integer_sum.h"

namespace opref::fast {

/// So many products of two such numbers have an exact sum in 32 bits: 255²·33,025 < 2^31.
constexpr std::int64_t kMostDots = 33025;
/// Lines of each factor that integer_dots takes.
constexpr std::size_t kDotLines = 4;

/// sums[i·row + j] = Σ over k < K <= kMostDots of a[i·step + k]·b[j·step + k], for i and j < kDotLines.
void integer_dots(const std::int16_t* a, const std::int16_t* b, std::size_t K, std::size_t step, std::int32_t* sums,
                  std::size_t row);

/// to[i] = x[i·step] - zero, an int16.
template <class T>
void row_less(const T* x, std::int64_t step, std::int64_t zero, std::size_t n, std::int16_t* to);

/// sums[i]·scale·scales[i]/divisor, rounded and clamped as `how` says: to the nearest, and to a number of T, 8 bits.
/// The scales and the divisor are float32s > 0, or `scale` a product of two; sums are below 2^53.
struct Requantized {
  double scale;
  const double* scales;
  double divisor;
  Integers how;
};
template <class T>
void requantize_row(const double* sums, const Requantized& by, std::size_t n, T* out);

}  // namespace opref::fast
