// SPDX-License-Identifier: Apache-2.0
#include "fast/scatter.h"

#include "fast/fast.h"

namespace opref::fast {

bool scatter(const Tensor& x, const std::int64_t* at, TensorBuilder& y, std::int64_t planes, int threads,
             const std::function<std::int64_t(std::int64_t)>& refuse) {
  with_unit(x.dtype(), [&]<class Unit>(Unit) {
    const auto from = x.values<Unit>();
    const size_t done = scatter_units(from, at, y.values<Unit>(), y.was_zero(), static_cast<size_t>(planes), threads);
    if (done < from.size()) refuse(static_cast<std::int64_t>(done));
  });
  return true;
}

}  // namespace opref::fast
