// SPDX-License-Identifier: Apache-2.0
// Slices of an array, as Python's start:stop:step has them along each axis: what Slice and StridedSlice take, and where
// SliceScatter writes.
#pragma once

#include <string_view>

#include "evaluators/strided.h"
#include "schema/operator.h"
namespace opref::ops {
/// What is taken along each axis of an array: output[i] = data[start + i·step].
struct Cut {
  Dims start, step, shape;

  /// All of an array of this shape.
  explicit Cut(const Dims& data);
  /// Along an axis of `size`: negative starts and ends count from its end; then start is clamped to the axis, end to
  /// one place beyond it. Nothing leaves 64 bits. The step is not 0.
  void cut(size_t axis, std::int64_t size, std::int64_t first, std::int64_t end, std::int64_t stride);
  /// Where the elements lie in an array of this shape.
  Strided places(const Dims& data) const;
};

/// The lists by which a node says it, one value for each axis that is cut; steps may be omitted.
struct CutNames {
  std::string_view starts, ends, steps;
};
/// By these lists and `axes`, which may be omitted: the axes are then the first ones of data. Each rule of the lists.
Cut cut_of(const Call& call, const CutNames& names);
}  // namespace opref::ops
