// SPDX-License-Identifier: Apache-2.0
// Which elements of Y are made alike, so that vector loops make many of them in step: a definition is asked for the
// terms of one of them, and those of the others lie so many places further.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/strided.h"

namespace opref::evaluators {

/// Along an axis of neighbours the next element is `y` positions further in Y, and all of its terms are `x` >= 0 places
/// further in X.
struct NeighbourAxis {
  std::int64_t size, y, x;
};
/// The element of Y at position `first`, and others along axes; whatever else a definition says of them is the same.
struct NeighbourBox {
  std::int64_t first;
  std::vector<NeighbourAxis> axes;
};

/// Boxes that have every element of Y once; none where nothing is known. What elements are made of must not depend on
/// X's numbers.
class Neighbours {
 public:
  Neighbours() = default;
  explicit Neighbours(std::vector<NeighbourBox> boxes);
  /// All elements of Y: the terms of the i-th lie places(i) further than those of a first one.
  explicit Neighbours(const Strided& places);
  /// By `first`, ascending.
  const std::vector<NeighbourBox>& boxes() const { return boxes_; }

 private:
  std::vector<NeighbourBox> boxes_;
};

/// The places of one element's terms, in order: few runs.
class TermPlaces {
 public:
  void add(const Run& run);
  const std::vector<Run>& runs() const { return runs_; }
  /// How many terms.
  std::int64_t count() const { return count_; }
  /// The place of term t.
  std::int64_t operator[](std::int64_t t) const;
  /// Whether there are too many runs, so that some are missing.
  bool are_many() const { return are_many_; }

 private:
  static constexpr std::size_t kMostRuns = 1 << 12;
  std::vector<Run> runs_;
  std::int64_t count_ = 0;
  bool are_many_ = false;
};

}  // namespace opref::evaluators
