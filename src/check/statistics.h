// How far elements are apart, summed up.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace opref {

/// A measure of error over the elements that have it.
struct ErrorSummary {
  double max = 0, mean = 0;
  std::int64_t count = 0;  ///< elements that have it
};

/// Elements counted by their distance. Bin 0 holds those 0 ULP apart, bin 1 those 1 apart, bin 2 those 2 apart, bin k
/// those 2^(k-2)+1 to 2^(k-1) apart, and the last one those without a distance.
struct UlpHistogram {
  static constexpr size_t kNoDistance = 66;
  std::array<std::int64_t, kNoDistance + 1> bins{};

  static size_t bin_of(const std::optional<std::uint64_t>& ulp);
  /// "0", "1", "2", "3-4", "5-8", …, "none".
  static std::string label(size_t bin);
};

}  // namespace opref
