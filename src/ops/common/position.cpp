#include "ops/common/position.h"

#include "core/error.h"

namespace opref::ops {

std::ptrdiff_t position_of(const Call& call, std::int64_t n, std::int64_t omitted, std::int64_t last) {
  const std::int64_t position = call.has("position") ? call.integer("position") : omitted;
  require(position >= -n && position <= last, "position is {}, but the sequence has {}", position,
          counted(n, "element"));
  return position < 0 ? position + n : position;
}

}  // namespace opref::ops
