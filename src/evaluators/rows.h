// SPDX-License-Identifier: Apache-2.0
// What evaluators ask of certified rows (fast.h), and give them to do it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "core/value_type.h"
#include "exact/numerics.h"

namespace opref::evaluators {

/// Computes elements of Y, given by their positions, by the definition, and counts them. For any thread.
using ByDefinition = std::function<void(std::span<const std::int64_t> positions)>;

/// What certified rows may do: write the elements of y that they are sure of, counted as `estimated`, and leave others
/// to the definition, which counts them.
struct RowTarget {
  const TensorType& type;
  const Numerics& numerics;
  std::span<std::byte> y;
  ByDefinition by_definition;
};
/// An optional second way to the same bytes, faster; false, having written nothing, where it does not serve. Not asked
/// for an empty y, nor where all is to be exact.
using Rows = std::function<bool(RowTarget&)>;

}  // namespace opref::evaluators
