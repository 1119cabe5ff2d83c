// SPDX-License-Identifier: Apache-2.0
// Where in a tensor its mismatches lie.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/index.h"

namespace opref::compare {

/// Gathers the coordinates of mismatches, axis by axis; its memory depends on the sizes of the axes, not on their
/// product, and is at most 1 MiB per axis.
class Whereabouts {
 public:
  explicit Whereabouts(const Dims& shape);

  /// A flat position, greater than the one before.
  void add(std::int64_t element) {
    advance(element - last_);
    last_ = element;
    ++count_;
  }

  /// A sentence for each axis of whose coordinates the mismatches have at most half, and at most one for two of them:
  /// "all 64 mismatches have axis 3 == 63", "… axis 3 in {0, 63}", "… axis 2 in 3..7", "… 8 of 64 coordinates of axis
  /// 3, from 1 to 57". Axes have numbers: only the operator knows which one is a batch or a channel.
  std::vector<std::string> sentences() const;

 private:
  struct Axis {
    std::int64_t first = INT64_MAX, last = -1;
    std::int64_t coordinates = 0;    ///< that mismatches have; of an axis that is not seen, those from first to last
    std::vector<std::uint8_t> seen;  ///< per coordinate, of axes up to kMostSeen
  };
  static constexpr std::int64_t kMostSeen = 1 << 20;

  void advance(std::int64_t distance);
  void mark(size_t axis);
  std::string coordinates_text(size_t axis) const;

  Dims shape_, at_;
  std::vector<Axis> axes_;
  std::int64_t count_ = 0, last_ = 0;
};

}  // namespace opref::compare
