#include "ops/common/evaluate.h"

namespace opref::ops {
namespace {

constexpr std::int64_t kMostCopied = std::int64_t{1} << 17;  // elements: 1 MiB of the widest storage

}  // namespace

std::int64_t slices_at_once(std::int64_t count, std::int64_t slice, bool copies) {
  return copies && slice > 0 ? std::clamp<std::int64_t>(kMostCopied / slice, 1, count) : count;
}

}  // namespace opref::ops
