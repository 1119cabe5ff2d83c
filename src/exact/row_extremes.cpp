// SPDX-License-Identifier: Apache-2.0
#include "exact/row_extremes.h"

#include <bit>
#include <cstdint>

#include "exact/vector.h"

namespace opref::exact {
namespace {

/// The ends of a part of the row as integers that have the order of the numbers, and the greatest magnitude's bits.
struct Ends {
  std::int32_t least, most;
  std::uint32_t size;
};
OPREF_CLONES Ends ends_loop(const float* x, std::size_t n) {
  std::int32_t least = INT32_MAX, most = INT32_MIN;
  std::uint32_t size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float without_sign_of_zero = x[i] + 0.0F;
    const auto bits = std::bit_cast<std::int32_t>(without_sign_of_zero);
    const std::int32_t key = bits ^ ((bits >> 31) & INT32_MAX);
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(x[i]) & INT32_MAX;
    least = key < least ? key : least;
    most = key > most ? key : most;
    size = magnitude > size ? magnitude : size;
  }
  return {least, most, size};
}
float number(std::int32_t key) { return std::bit_cast<float>(key ^ ((key >> 31) & INT32_MAX)); }

}  // namespace

std::array<std::size_t, 2> row_extremes(const float* x, std::size_t n) {
  constexpr std::size_t kPart = 4096;
  constexpr std::uint32_t kInfinity = 0x7f800000;
  std::array<std::size_t, 2> parts{0, 0};  // where the ends are
  std::int32_t least = INT32_MAX, most = INT32_MIN;
  const auto find = [&](std::size_t first, const auto& is_it) {
    while (!is_it(x[first])) ++first;
    return first;
  };
  for (std::size_t first = 0; first < n; first += kPart) {
    const Ends ends = ends_loop(x + first, n - first < kPart ? n - first : kPart);
    if (ends.size > kInfinity) {
      const std::size_t at = find(first, [](float a) { return a != a; });
      return {at, at};
    }
    if (ends.least < least) least = ends.least, parts[0] = first;
    if (ends.most > most) most = ends.most, parts[1] = first;
  }
  return {find(parts[0], [&](float a) { return a == number(least); }),
          find(parts[1], [&](float a) { return a == number(most); })};
}

}  // namespace opref::exact
