// SPDX-License-Identifier: Apache-2.0
#include "exact/grid.h"

#include <algorithm>

namespace opref::exact {

Grid Grid::with(const Grid& other) const { return {std::max(most, other.most), std::min(step, other.step)}; }

bool additions_are_exact(const Grid& sums) {
  const double most = sums.most * 1.01;
  return most == 0 || (most <= 0x1p900 && sums.step >= 0x1p-900 && most <= sums.step * 0x1p53);
}

bool sums_are_exact(double terms, const Grid& x, const Grid& w, const Grid& start) {
  // Of terms that are all zero there is no step.
  const double step =
      std::min(x.most == 0 || w.most == 0 ? std::numeric_limits<double>::infinity() : x.step * w.step, start.step);
  return additions_are_exact({terms * x.most * w.most + start.most, step});
}

}  // namespace opref::exact
