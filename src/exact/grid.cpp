#include "exact/grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "exact/rows.h"

namespace opref {

Grid Grid::with(const Grid& other) const { return {std::max(most, other.most), std::min(step, other.step)}; }

template <class T>
Grid grid_of(const T* x, std::size_t n) {
  constexpr std::size_t kPart = 1024;
  double part[kPart];
  Grid grid;
  for (std::size_t i = 0; i < n; i += kPart) {
    const std::size_t count = std::min(kPart, n - i);
    row_widen(x + i, count, part);
    grid = grid.with(row_grid(part, count));
  }
  return grid;
}
template Grid grid_of(const Half*, std::size_t);
template Grid grid_of(const BFloat16*, std::size_t);
template Grid grid_of(const float*, std::size_t);
template Grid grid_of(const double*, std::size_t);

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
