// SPDX-License-Identifier: Apache-2.0
// Images whose channels are the second axis, (N, C, D1, …), or the last one, (N, D1, …, C): shapes and places.
#pragma once

#include <array>

#include "evaluators/strided.h"
#include "ops/shared/windows.h"
#include "schema/operator.h"
namespace opref::ops {
enum class ChannelsAt : std::uint8_t { second, last };
/// By the attribute channels_last, where the version has it.
inline ChannelsAt channels_at(const Call& call) {
  return call.has_here("channels_last") && call.integer("channels_last") == 1 ? ChannelsAt::last : ChannelsAt::second;
}

/// Such a shape as (N, C, D1, …), and one of these as it lies. Of rank 2 or more.
inline Dims channels_second(const Dims& lying, ChannelsAt at) {
  if (at == ChannelsAt::second) return lying;
  Dims shape{lying[0], lying[lying.size() - 1]};
  for (size_t axis = 1; axis + 1 < lying.size(); ++axis) shape.push_back(lying[axis]);
  return shape;
}
inline Dims lying(const Dims& shape, ChannelsAt at) {
  if (at == ChannelsAt::second) return shape;
  Dims y = join(shape.first(1), spatial(shape));
  y.push_back(shape[1]);
  return y;
}

/// Where an image's element lies: that of channel c at the row-major place p of its spatial axes.
class ImagePlaces {
 public:
  /// `shape` is (N, C, D1, …), whatever lies.
  ImagePlaces(const Dims& shape, ChannelsAt at)
      : C_(shape[1]), P_(element_count(spatial(shape))), is_last_(at == ChannelsAt::last) {}
  std::int64_t operator()(std::int64_t n, std::int64_t c, std::int64_t p) const {
    return is_last_ ? (n * P_ + p) * C_ + c : (n * C_ + c) * P_ + p;
  }
  /// n, c and p of the element that lies at flat position i.
  std::array<std::int64_t, 3> of(std::int64_t i) const {
    if (!is_last_) return evaluators::split(i, C_, P_);
    const auto [n, p, c] = evaluators::split(i, P_, C_);
    return {n, c, p};
  }

 private:
  std::int64_t C_, P_;
  bool is_last_;
};
}  // namespace opref::ops
