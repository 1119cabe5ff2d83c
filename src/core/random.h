// SPDX-License-Identifier: Apache-2.0
// Streams of random numbers on integers alone: the same on every machine, each element by itself.
#pragma once

#include <array>
#include <cstdint>

#include "core/rooms.h"

namespace opref::core {

/// Philox4x32-10 (Salmon et al., SC 2011): the ten rounds themselves.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// 128 bits as two numbers: the words 0 and 1, 2 and 3, the lower one first.
std::uint64_t word64(const std::array<std::uint32_t, 4>& words, int half);

/// The stream of a key: the counter holds an element's index in its low 64 bits, then the number of the draw, then that
/// of the stream. It has no state: the same question has the same answer.
class Random {
 public:
  explicit Random(std::uint64_t key);
  /// 128 random bits of the element; other draws and streams are independent of each other.
  std::array<std::uint32_t, 4> draw(std::int64_t index, std::uint32_t number = 0, std::uint32_t stream = 0) const;
  /// A whole number from 0 to `count` - 1; count < 2^32.
  std::uint32_t below(std::uint32_t count, std::int64_t index, std::uint32_t stream = 0) const;

 private:
  std::array<std::uint32_t, 2> key_;
};

}  // namespace opref::core
