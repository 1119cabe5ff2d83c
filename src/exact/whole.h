// SPDX-License-Identifier: Apache-2.0
// Whole numbers of 64 bits as doubles that lose nothing.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "exact/vector.h"

namespace opref::exact {

/// The number is nearest + rest; rest is 0 unless the number has more than 53 bits.
struct WholeParts {
  double nearest, rest;
};
/// Fast2Sum of the number's two halves, which are doubles: the upper one is 0 or the greater in magnitude.
template <std::integral N>
OPREF_INLINE WholeParts parts_of_whole(N n) {
  using Wide = std::conditional_t<std::is_signed_v<N>, std::int64_t, std::uint64_t>;
  const auto wide = static_cast<Wide>(n);
  const double upper = static_cast<double>(wide >> 32) * 0x1p32,
               lower = static_cast<double>(static_cast<std::uint32_t>(wide)), nearest = upper + lower;
  return {nearest, lower - (nearest - upper)};
}

}  // namespace opref::exact
