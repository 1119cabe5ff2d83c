// SPDX-License-Identifier: Apache-2.0
#include "exact/real/equal_numbers.h"

#include <algorithm>
#include <numeric>

#include "exact/mpfr.h"

namespace opref::exact {

std::vector<std::size_t> ranks(std::span<const Interval> numbers) {
  std::vector<std::size_t> ascending(numbers.size()), ranks(numbers.size());
  std::iota(ascending.begin(), ascending.end(), 0);
  std::ranges::stable_sort(
      ascending, [&](std::size_t i, std::size_t j) { return mpfr_less_p(numbers[i].low(), numbers[j].low()) != 0; });
  for (std::size_t k = 1; k < ascending.size(); ++k) {
    const std::size_t i = ascending[k], before = ascending[k - 1];
    ranks[i] = ranks[before] + ((numbers[i] - numbers[before]).is_zero() ? 0 : 1);
  }
  return ranks;
}

}  // namespace opref::exact
