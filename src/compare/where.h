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
    if (count_++ == 0)
      start(element);
    else
      advance(element - last_);
    last_ = element;
    if (border_axes_ < shape_.size()) note_border();
  }

  /// What holds for all mismatches, not for all elements of the tensor, and would hardly hold for as many elements
  /// chosen at random (less than once in 64 times):
  /// - per axis the coordinates, in at most four ranges ("all 128 mismatches have w == 63", "… c in {0, 4..7}"); ranges
  ///   that repeat ("h % 8 in 4..7"); a parity or residue ("odd w", "w % 4 == 1"); or the range from first to last;
  ///   of channels beside it which of the equal groups that is ("c in 8..15, group 2 of 4");
  /// - "all 128 mismatches lie on the border (first or last h or w)", "… within 2 of the border of h and w".
  /// Axes are called n, c, d, h, w where there are 3 to 5 of them (n, c, w; n, c, h, w), else axis 0, axis 1, ….
  std::vector<std::string> sentences() const;

 private:
  struct Axis {
    std::int64_t size = 0, first = 0, least = 0, most = 0;
    std::int64_t deepest = 0;        ///< greatest distance to the nearer end
    std::int64_t step = 0;           ///< greatest common divisor of the distances from `first`
    std::vector<std::uint8_t> seen;  ///< per coordinate, of axes up to kMostSeen
  };
  /// "have w == 63", and of how many of the axis's coordinates it speaks.
  struct Claim {
    std::string text;
    std::int64_t coordinates = 0;
    int choices = 0;  ///< numbers in the text that were chosen after the fact
  };
  static constexpr std::int64_t kMostSeen = 1 << 20;

  void start(std::int64_t element);
  void advance(std::int64_t distance);
  void mark(size_t axis);
  void note_border();
  std::int64_t distance_to_border(size_t axis) const { return std::min(at_[axis], shape_[axis] - 1 - at_[axis]); }
  bool tells(const Claim& claim, std::int64_t size) const;
  std::vector<Claim> claims(size_t axis) const;
  std::string border_text() const;
  std::string axis_name(size_t axis) const;

  Dims shape_, at_;
  std::vector<Axis> axes_;
  std::int64_t count_ = 0, last_ = 0;
  size_t border_axes_;               ///< the first of the spatial axes
  std::int64_t outer_border_ = 0;    ///< of the last element: least distance to a border, without the last axis
  std::int64_t deepest_border_ = 0;  ///< the greatest distance of any mismatch from its nearest border
};

}  // namespace opref::compare
