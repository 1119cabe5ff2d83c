// SPDX-License-Identifier: Apache-2.0
#include "compare/where.h"

#include <algorithm>

#include "core/text.h"

namespace opref::compare {

Whereabouts::Whereabouts(const Dims& shape) : shape_(shape), at_(shape), axes_(shape.size()) {
  std::ranges::fill(at_, 0);
}

void Whereabouts::advance(std::int64_t distance) {
  const bool is_start = count_ == 0;
  for (size_t axis = axes_.size(); axis-- > 0 && (is_start || distance > 0);) {
    const std::int64_t sum = at_[axis] + distance;
    distance = sum < shape_[axis] ? 0 : sum / shape_[axis];
    at_[axis] = sum - distance * shape_[axis];
    mark(axis);
  }
}

void Whereabouts::mark(size_t index) {
  Axis& axis = axes_[index];
  const std::int64_t at = at_[index];
  axis.first = std::min(axis.first, at);
  axis.last = std::max(axis.last, at);
  if (shape_[index] > kMostSeen) {
    axis.coordinates = axis.last - axis.first + 1;
    return;
  }
  axis.seen.resize(static_cast<size_t>(shape_[index]));
  std::uint8_t& seen = axis.seen[static_cast<size_t>(at)];
  axis.coordinates += seen == 0 ? 1 : 0;
  seen = 1;
}

std::string Whereabouts::coordinates_text(size_t index) const {
  constexpr std::int64_t kMostListed = 4;
  const Axis& axis = axes_[index];
  if (axis.coordinates == 1) return format("axis {} == {}", index, axis.first);
  if (axis.coordinates == axis.last - axis.first + 1) return format("axis {} in {}..{}", index, axis.first, axis.last);
  if (axis.coordinates > kMostListed)
    return format("{} of {} coordinates of axis {}, from {} to {}", axis.coordinates, shape_[index], index, axis.first,
                  axis.last);
  std::vector<std::string> listed;
  for (size_t at = 0; at < axis.seen.size(); ++at)
    if (axis.seen[at] != 0) listed.push_back(std::to_string(at));
  return format("axis {} in {{{}}}", index, join_text(listed, ", "));
}

std::vector<std::string> Whereabouts::sentences() const {
  std::vector<std::string> texts;
  for (size_t axis = 0; axis < axes_.size(); ++axis)
    if (count_ > 0 && axes_[axis].coordinates <= std::min(shape_[axis], count_) / 2)
      texts.push_back(format("all {} mismatches have {}", count_, coordinates_text(axis)));
  return texts;
}

}  // namespace opref::compare
