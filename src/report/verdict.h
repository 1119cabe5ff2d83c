// SPDX-License-Identifier: Apache-2.0
// What a case comes out as.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "core/rooms.h"

namespace opref::report {

enum class Verdict : std::uint8_t { pass, fail, error, unsupported, skip };
inline constexpr std::array kVerdicts = {Verdict::pass, Verdict::fail, Verdict::error, Verdict::unsupported,
                                         Verdict::skip};

constexpr std::string_view name(Verdict verdict) {
  constexpr std::string_view kNames[] = {"pass", "fail", "error", "unsupported", "skip"};
  return kNames[static_cast<std::size_t>(verdict)];
}

/// Numbers of cases by their verdicts.
class VerdictCounts {
 public:
  std::int64_t& operator[](Verdict verdict) { return numbers_[static_cast<std::size_t>(verdict)]; }
  std::int64_t operator[](Verdict verdict) const { return numbers_[static_cast<std::size_t>(verdict)]; }
  std::int64_t all() const { return std::accumulate(numbers_.begin(), numbers_.end(), std::int64_t{0}); }

 private:
  std::array<std::int64_t, kVerdicts.size()> numbers_ = {};
};

}  // namespace opref::report
