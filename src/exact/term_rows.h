// SPDX-License-Identifier: Apache-2.0
// Results in rows that are made of the same terms, as vector loops take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/rooms.h"

namespace opref::exact {

/// Result i of row r, the (r·count + i)-th one, is made of the numbers at places at[t] + r·row_step + i. Loops read and
/// write up to kTermSlack numbers beyond the last one.
struct TermRows {
  std::span<const std::int64_t> at;
  std::int64_t rows, row_step, count;
};
constexpr std::size_t kTermSlack = 64;

/// Whether what rows begin with is there already: from terms that were taken before.
enum class Begun : std::uint8_t { no, yes };

}  // namespace opref::exact
