#include "exact/grid.h"

#include <algorithm>

namespace opref {

Grid Grid::with(const Grid& other) const { return {std::max(most, other.most), std::min(step, other.step)}; }

bool sums_are_exact(double terms, const Grid& x, const Grid& w, const Grid& start) {
  const double most = (terms * x.most * w.most + start.most) * 1.01;
  if (!(most <= 0x1p900)) return false;
  if (most == 0) return true;
  // Of terms that are all zero there is no step.
  const double step =
      std::min(x.most == 0 || w.most == 0 ? std::numeric_limits<double>::infinity() : x.step * w.step, start.step);
  return step >= 0x1p-900 && most <= step * 0x1p53;
}

}  // namespace opref
