#include "check/statistics.h"

#include <bit>

#include "core/text.h"

namespace opref {

size_t UlpHistogram::bin_of(const std::optional<std::uint64_t>& ulp) {
  if (!ulp) return kNoDistance;
  return *ulp == 0 ? 0 : 1 + static_cast<size_t>(std::bit_width(*ulp - 1));
}

std::string UlpHistogram::label(size_t bin) {
  if (bin == kNoDistance) return "none";
  if (bin <= 2) return std::to_string(bin);
  const std::uint64_t above = std::uint64_t{1} << (bin - 2);
  return format("{}-{}", above + 1, above - 1 + above + (bin < kNoDistance - 1 ? 1 : 0));
}

}  // namespace opref
