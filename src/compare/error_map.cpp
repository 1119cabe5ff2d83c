// SPDX-License-Identifier: Apache-2.0
#include "compare/error_map.h"

#include <algorithm>
#include <bit>

#include "compare/element_scan.h"

namespace opref::compare {
namespace {

constexpr std::uint8_t kNoDistance = 65, kFails = 128;

std::uint8_t cell_of(const Passing& verdict, bool passes) {
  const auto distance = verdict.ulp ? static_cast<std::uint8_t>(std::bit_width(*verdict.ulp)) : kNoDistance;
  return distance | (passes ? 0 : kFails);
}

/// Elements per cell, so that `size` of them need at most ErrorMap::kMostCells.
std::int64_t step_of(std::int64_t size) {
  return std::max<std::int64_t>(1, (size + ErrorMap::kMostCells - 1) / ErrorMap::kMostCells);
}

/// A visitor of ElementScan: gathers one plane after the other and keeps those with mismatches.
class MapBuilder {
 public:
  MapBuilder(const Dims& shape, std::span<const std::int64_t> failing) : failing_(failing) {
    const size_t rank = shape.size();
    map_.columns = rank < 1 ? 1 : shape[rank - 1];
    map_.rows = rank < 2 ? 1 : shape[rank - 2];
    if (rank > 2) map_.outer = shape.first(rank - 2);
    map_.row_step = step_of(map_.rows);
    map_.column_step = step_of(map_.columns);
    across_ = (map_.columns + map_.column_step - 1) / map_.column_step;
    plane_.resize(static_cast<size_t>((map_.rows + map_.row_step - 1) / map_.row_step * across_));
  }

  bool done() const { return map_.planes == ErrorMap::kMostPlanes; }
  void equal(std::int64_t) {}
  void differ(std::int64_t element, const Passing& verdict) {
    const std::int64_t size = map_.rows * map_.columns;
    if (element >= end_) {
      finish_plane();
      index_ = element / size;
      end_ = (index_ + 1) * size;
    }
    const std::int64_t at = element - index_ * size;
    const std::int64_t row = at / map_.columns / map_.row_step, column = at % map_.columns / map_.column_step;
    std::uint8_t& cell = plane_[static_cast<size_t>(row * across_ + column)];
    cell = std::max(cell, cell_of(verdict, passes(element, verdict)));  // what fails is greater than what passes
  }

  std::optional<ErrorMap> map() && {
    finish_plane();
    if (map_.planes == 0) return std::nullopt;
    return std::move(map_);
  }

 private:
  bool passes(std::int64_t element, const Passing& verdict) const {
    return failing_.empty() ? verdict.passes : !std::ranges::binary_search(failing_, element);
  }

  void finish_plane() {
    if (!done() && std::ranges::any_of(plane_, [](std::uint8_t cell) { return cell >= kFails; })) {
      ++map_.planes;
      map_.plane_indices.push_back(index_);
      map_.cells.insert(map_.cells.end(), plane_.begin(), plane_.end());
    }
    std::ranges::fill(plane_, 0);
  }

  std::span<const std::int64_t> failing_;  ///< if not empty, these instead of the rule's
  ErrorMap map_;
  std::int64_t across_ = 0;           ///< cells in a row
  std::int64_t index_ = 0, end_ = 0;  ///< of the plane at hand; its last element + 1
  std::vector<std::uint8_t> plane_;   ///< its cells
};

}  // namespace

std::optional<ErrorMap> error_map(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance,
                                  std::span<const std::int64_t> out_of_bound) {
  require_valid(tolerance);
  if (!difference_of_types(actual.type(), expected.type(), tolerance).empty()) return std::nullopt;
  if (actual.count() == 0) return std::nullopt;
  MapBuilder builder(actual.shape(), out_of_bound);
  if (actual.dtype() == DType::string) {
    const auto a = actual.strings(), e = expected.strings();
    for (size_t i = 0; i < a.size() && !builder.done(); ++i)
      if (a[i] != e[i]) builder.differ(static_cast<std::int64_t>(i), Passing::failure());
  } else {
    const bool is_bound = tolerance.rule == Tolerance::Rule::bound;  // which elements alone do not have
    ElementScan(actual, expected, is_bound ? Tolerance{.rule = Tolerance::Rule::ulp, .ulp = 0} : tolerance)
        .run(builder);
  }
  return std::move(builder).map();
}

}  // namespace opref::compare
