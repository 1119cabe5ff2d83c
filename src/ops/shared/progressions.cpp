// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/progressions.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "exact/exact_sum.h"
namespace opref::ops {
std::int64_t progression_length(double start, double limit, double delta) {
  const auto reaches = [&](double n) {
    ExactSum rest;  // start + n·delta - limit
    rest.add(start), rest.add(n, delta), rest.add(-limit);
    return delta > 0 ? rest.sign() >= 0 : rest.sign() <= 0;
  };
  const double way = limit - start;
  double n = std::ceil(std::isfinite(way) ? way / delta : (limit / 4 - start / 4) / delta * 4);  // not far from it
  require(n < 0x1p53, "start {}, limit {} and delta {} would make {} elements", start, limit, delta, n);
  for (n = std::max(n, 0.0); n > 0 && reaches(n - 1);) --n;
  while (!reaches(n)) ++n;
  return static_cast<std::int64_t>(n);
}

Elements::Wide progression_length(Elements::Wide start, Elements::Wide limit, Elements::Wide delta) {
  const Elements::Wide way = limit - start, n = way / delta + (way % delta != 0 && (way > 0) == (delta > 0) ? 1 : 0);
  return std::max<Elements::Wide>(n, 0);
}
}  // namespace opref::ops
