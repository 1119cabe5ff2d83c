// SPDX-License-Identifier: Apache-2.0
// Elements and their bits, in forms that compilers turn into vector instructions.
#pragma once

#include <bit>
#include <cstdint>

#include "exact/rounding.h"
#include "exact/vector.h"

namespace opref::exact {

constexpr std::uint64_t kPlace = std::uint64_t{1} << 52;  ///< of a double's exponent field

OPREF_INLINE double double_of(std::uint64_t bits) { return std::bit_cast<double>(bits); }
OPREF_INLINE std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) * kPlace);
}

OPREF_INLINE float vector_widen(float x) { return x; }
OPREF_INLINE float vector_widen(BFloat16 x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16); }
OPREF_INLINE float vector_widen(Half x) {
  const std::uint32_t bits = x.bits, magnitude = bits & 0x7fff;
  // The fraction and the exponent's field in their places of a float, whose exponents count from 2^112 less.
  const float finite = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  const std::uint32_t special = magnitude >= 0x7c00 ? 0x7f800000 : 0;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(finite) | special | (bits & 0x8000) << 16);
}
OPREF_INLINE double vector_widen(double x) { return x; }

}  // namespace opref::exact
