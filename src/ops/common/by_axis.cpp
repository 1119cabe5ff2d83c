// SPDX-License-Identifier: Apache-2.0
#include "ops/common/by_axis.h"

#include "evaluators/move.h"

namespace opref::ops {

Tensor moved_by_axis(const Output& out, const Tensor& x, const FromAlong& from, const std::optional<Tensor>& fill) {
  const Dims &shape = out.type().shape, strides = strides_of(x.shape());
  const auto source = [&](std::int64_t i) -> Run {
    if (shape.empty()) return {0};
    const size_t last = shape.size() - 1;
    const std::int64_t n = shape[last], o = i % n, inner = from(last, o);
    std::int64_t at = 0, outer = i / n;
    for (size_t axis = last; axis-- > 0; outer /= shape[axis]) {
      const std::int64_t along = from(axis, outer % shape[axis]);
      if (along < 0) return Run::fill(n - o);
      at += along * strides[axis];
    }
    std::int64_t count = 1;
    while (o + count < n && from(last, o + count) == (inner < 0 ? -1 : inner + count)) ++count;
    return inner < 0 ? Run::fill(count) : Run{at + inner, count};
  };
  return move(out, x, source, fill);
}

}  // namespace opref::ops
