// SPDX-License-Identifier: Apache-2.0
#include "core/random.h"

#include <Random123/philox.h>

namespace opref::core {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  const r123::Philox4x32::ctr_type words{{counter[0], counter[1], counter[2], counter[3]}};
  const r123::Philox4x32::key_type two{{key[0], key[1]}};
  const r123::Philox4x32::ctr_type random = r123::Philox4x32{}(words, two);
  return {random[0], random[1], random[2], random[3]};
}

std::uint64_t word64(const std::array<std::uint32_t, 4>& words, int half) {
  return std::uint64_t{words[static_cast<size_t>(2 * half + 1)]} << 32 | words[static_cast<size_t>(2 * half)];
}

Random::Random(std::uint64_t key) : key_{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)} {}

std::array<std::uint32_t, 4> Random::draw(std::int64_t index, std::uint32_t number, std::uint32_t stream) const {
  const auto at = static_cast<std::uint64_t>(index);
  return philox({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32), number, stream}, key_);
}

std::uint32_t Random::below(std::uint32_t count, std::int64_t index, std::uint32_t stream) const {
  return static_cast<std::uint32_t>(std::uint64_t{draw(index, 0, stream)[0]} * count >> 32);
}

}  // namespace opref::core
