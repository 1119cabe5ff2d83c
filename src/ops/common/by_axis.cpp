// SPDX-License-Identifier: Apache-2.0
#include "ops/common/by_axis.h"

#include "families/move.h"

namespace opref::ops {

Tensor moved_by_axis(const Output& out, const Tensor& x, const FromAlong& from, const std::optional<Tensor>& fill) {
  const Dims &shape = out.type().shape, strides = strides_of(x.shape());
  const size_t rank = shape.size();
  std::vector<std::vector<std::int64_t>> along(rank);  // of each coordinate of y, its part of a place in x, or -1
  for (size_t axis = 0; axis < rank && element_count(shape) > 0; ++axis)
    for (std::int64_t o = 0; o < shape[axis]; ++o) {
      const std::int64_t at = from(axis, o);
      along[axis].push_back(at < 0 ? -1 : at * strides[axis]);
    }
  return move(
      out, x,
      [&](std::int64_t i) -> Run {
        std::int64_t at = 0, outer = rank == 0 ? 0 : i / shape[rank - 1];
        bool is_filled = false;
        for (size_t axis = rank; axis-- > 1; outer /= shape[axis - 1]) {
          const std::int64_t part = along[axis - 1][static_cast<size_t>(outer % shape[axis - 1])];
          is_filled |= part < 0;
          at += part;
        }
        if (rank == 0) return {0};
        const std::vector<std::int64_t>& last = along[rank - 1];
        const auto o = static_cast<size_t>(i % shape[rank - 1]);
        if (is_filled) return Run::fill(static_cast<std::int64_t>(last.size() - o));
        size_t end = o + 1;
        if (last[o] < 0) {
          while (end < last.size() && last[end] < 0) ++end;
          return Run::fill(static_cast<std::int64_t>(end - o));
        }
        while (end < last.size() && last[end] == last[end - 1] + 1) ++end;
        return {at + last[o], static_cast<std::int64_t>(end - o)};
      },
      fill);
}

}  // namespace opref::ops
