// SPDX-License-Identifier: Apache-2.0
#include "ops/common/along_axis.h"

#include <algorithm>

#include "evaluators/move.h"

namespace opref::ops {

Dims with_axis(const Dims& shape, size_t axis, std::int64_t size) {
  return join(join(shape.first(axis), {size}), shape.without_first(axis));
}

Dims without_axis(const Dims& shape, size_t axis) { return join(shape.first(axis), shape.without_first(axis + 1)); }

Tensor concatenated(const Output& out, std::span<const Tensor> tensors, size_t axis) {
  const std::int64_t inner = strides_of(out.type().shape)[axis];
  std::vector<std::int64_t> ends;  // of each tensor's part of a row of out
  for (const Tensor& tensor : tensors) ends.push_back((ends.empty() ? 0 : ends.back()) + tensor.shape()[axis] * inner);
  return move(out, tensors, [&](std::int64_t i) {
    const std::int64_t row = i / ends.back(), at = i % ends.back();
    const auto end = std::ranges::upper_bound(ends, at);
    const std::int64_t begin = end == ends.begin() ? 0 : end[-1], size = *end - begin;
    return Run{row * size + at - begin, *end - at, 1, static_cast<int>(end - ends.begin())};
  });
}

Tensor stacked(const Output& out, std::span<const Tensor> items, size_t axis) {
  std::vector<Tensor> parts;
  for (const Tensor& item : items) parts.push_back(item.reshaped(with_axis(item.shape(), axis, 1)));
  return concatenated(out, parts, axis);
}

Tensor part_along(const Output& out, const Tensor& x, size_t axis, std::int64_t first) {
  const bool keeps_axis = out.type().rank() == x.shape().size();
  const Dims strides = strides_of(x.shape());
  const Strided place(out.type().shape, keeps_axis ? strides : without_axis(strides, axis), first * strides[axis]);
  return move(out, x, [&](std::int64_t i) { return place.run(i); });
}

}  // namespace opref::ops
