// SPDX-License-Identifier: Apache-2.0
// How far the elements of an output are off, for a heat map.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compare/compare.h"

namespace opref::compare {

/// How far an output's elements are off, for a heat map: the tensor as planes of its two last axes (a rank below 2
/// counts as one row), at most 32 planes of at most 128x128 cells; beyond, a cell stands for the worst of its block.
struct ErrorMap {
  static constexpr std::int64_t kMostPlanes = 32, kMostCells = 128;
  Dims outer;                                  ///< the axes before the two last ones
  std::int64_t rows = 0, columns = 0;          ///< of the tensor
  std::int64_t row_step = 1, column_step = 1;  ///< elements per cell
  std::int64_t planes = 0;                     ///< shown: the first ones with mismatches, in C order
  std::vector<std::int64_t> plane_indices;     ///< which of the tensor's planes they are
  /// Per cell, row-major, plane after plane: 0 equal bits, else 1 + floor(log2(ULP)) up to 64; 65 where there is no
  /// distance (NaN against a number, infinities); 128 is added where the element does not pass.
  std::vector<std::uint8_t> cells;
};

/// Of two tensors whose types can be compared (difference_of_types); nothing where they cannot, or where every element
/// passes. Distances of elements with the same bits are not looked at, so that this costs what compare costs; -0
/// against +0 and other NaN payloads are cells of 0. Strings have no distance. By the rule bound the elements
/// `out_of_bound`, ascending, do not pass; if there are none, the output has no bound and is compared exactly. An
/// invalid tolerance is a `usage` error.
std::optional<ErrorMap> error_map(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance,
                                  std::span<const std::int64_t> out_of_bound = {});

}  // namespace opref::compare
