// SPDX-License-Identifier: Apache-2.0
// Right values in wrong places, which needs no knowledge of the operator: a region that nothing was written to, values
// shifted along an axis, axes in another order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace opref::explain {

/// Where the values of an output that was computed rightly stand in the backend's.
struct Layout {
  std::string name;       ///< "shifted by 1 along axis 3", "not written: 0 at [:,:,13]"
  std::int64_t left = 0;  ///< elements of which it says nothing: those that were shifted in
  std::int64_t told = 0;  ///< differing elements that it explains
};

/// Whether the backend's element k is the right output's element i.
using SameElement = std::function<bool(std::int64_t i, std::int64_t k)>;

/// What makes `actual` of `right`, the plainest first, of the kind that fits first; one that fewer than three differing
/// elements tell of is none. The shapes may differ, the types of elements may not.
std::vector<Layout> layouts(const Tensor& right, const Tensor& actual, const SameElement& same);

}  // namespace opref::explain
