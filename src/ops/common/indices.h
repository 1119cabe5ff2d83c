// SPDX-License-Identifier: Apache-2.0
// The input indices: places along axes of the input data.
#pragma once

#include <functional>
#include <vector>

#include "schema/operator.h"

namespace opref::ops {

/// gather.v1_negative, of a version `since` whose page does not say whether indices may be negative, until `changed`.
Reading negative_index_reading(std::int64_t since, std::int64_t changed);

/// The indices, each along the axis of data that axis(k) names, k its flat position: negative ones count from the end,
/// unless the operator's reading refuses them. One out of range is `invalid`, with its place.
std::vector<std::int64_t> indices_along(const Call& call, const std::function<size_t(std::int64_t k)>& axis);
inline std::vector<std::int64_t> indices_along(const Call& call, size_t axis) {
  return indices_along(call, [axis](std::int64_t) { return axis; });
}

/// The axis of data that GatherElements and ScatterElements work along: indices have data's rank, and no axis but this
/// is longer than that of data.
size_t elements_axis(const Call& call);
/// Of each index the place in data that it names: its own coordinates, but the index along the axis.
std::vector<std::int64_t> elements_places(const Call& call);

/// Where GatherND and ScatterND find slices of data: the last axis of indices names a place in the `depth` axes of data
/// after the first `batch`, whose elements follow.
struct NamedSlices {
  size_t batch, depth;
  std::int64_t size;  ///< elements of a slice
  /// The place of each slice's first element.
  std::vector<std::int64_t> places(const Call& call) const;
};
NamedSlices named_slices(const Call& call, size_t batch);

}  // namespace opref::ops
