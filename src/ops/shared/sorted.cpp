// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/sorted.h"

#include "core/nearly.h"
#include "exact/exact_sum.h"
namespace opref::ops {
namespace {
void add(ExactSum& sum, const Elements& x, std::int64_t i, double sign) {
  if (x.is_floating()) return sum.add(x.number(i), sign);
  const Elements::Wide whole = x.wide(i), high = whole >> 32;
  sum.add(nearly(static_cast<std::int64_t>(high)) * 0x1p32, sign);
  sum.add(nearly(static_cast<std::int64_t>(whole - (high << 32))), sign);
}
}  // namespace
std::int64_t count_before(const Elements& list, std::int64_t first, std::int64_t n, const Elements& x, std::int64_t i,
                          bool counts_equal) {
  const auto is_before = [&](std::int64_t at) {
    ExactSum difference;  // list[at] - x[i]
    add(difference, list, first + at, 1), add(difference, x, i, -1);
    return difference.sign() < 0 || (counts_equal && difference.sign() == 0);
  };
  std::int64_t least = 0;
  for (std::int64_t most = n; least < most;) {
    const std::int64_t middle = least + (most - least) / 2;
    is_before(middle) ? least = middle + 1 : most = middle;
  }
  return least;
}
}  // namespace opref::ops
