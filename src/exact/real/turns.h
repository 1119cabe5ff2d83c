// SPDX-License-Identifier: Apache-2.0
// Cosines and sines of parts of a turn of the circle.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/real/pair.h"

namespace opref::exact {

/// cos(2πe/M) for e < M, a multiple of 4: each wrong by at most 2^-102 of itself; exact where it is 0, ±1/2 or ±1.
class TurnTable {
 public:
  explicit TurnTable(std::int64_t M);
  std::int64_t M() const { return static_cast<std::int64_t>(cosines_.size()); }
  /// 0 <= e < M
  const Pair& cosine(std::int64_t e) const { return cosines_[static_cast<std::size_t>(e)]; }
  /// sin(2πe/M) = cos(2π(e - M/4)/M)
  const Pair& sine(std::int64_t e) const { return cosine(e < M() / 4 ? e + M() - M() / 4 : e - M() / 4); }

 private:
  std::vector<Pair> cosines_;
};

}  // namespace opref::exact
