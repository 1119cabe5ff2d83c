// SPDX-License-Identifier: Apache-2.0
#include "ops/common/position.h"

#include "core/error.h"

namespace opref::ops {

void require_scalar_position(const Call& call) {
  if (!call.has_here("position")) return;
  const Dims& shape = call.type("position").shape;
  require(shape.empty() || shape == Dims{1}, "position has shape {}, but must be a scalar", shape);
}

std::ptrdiff_t position_of(const Call& call, std::int64_t n, std::int64_t omitted, std::int64_t last) {
  require(n > 0 || last == n, "input_sequence has no elements, but {} needs one", call.title());
  const std::int64_t position = call.has_here("position") ? call.integer("position") : omitted;
  require(position >= -n && position <= last, "position is {}, but must be from {} to {}: the sequence has {}",
          position, -n, last, counted(n, "element"));
  return position < 0 ? position + n : position;
}

}  // namespace opref::ops
