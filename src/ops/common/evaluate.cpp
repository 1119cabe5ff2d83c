#include "ops/common/evaluate.h"

#include "core/parallel.h"

namespace opref::ops {
namespace {

constexpr std::int64_t kPartsPerThread = 8, kLeastPositions = 64;

}  // namespace

void for_each_part(std::int64_t planes, std::int64_t positions, int threads, const std::function<void(Part)>& f) {
  const std::int64_t wanted = threads == 1 ? 1 : kPartsPerThread * threads;
  // Parts of the positions first: their taps are expanded once for all planes of a part.
  const std::int64_t along = std::clamp<std::int64_t>(positions / kLeastPositions, 1, wanted);
  const std::int64_t across = std::clamp<std::int64_t>(wanted / along, 1, planes);
  for_each_job_in_shares(static_cast<size_t>(along * across), threads, [&](size_t job) {
    const std::int64_t i = static_cast<std::int64_t>(job) % along, p = static_cast<std::int64_t>(job) / along;
    const auto cut = [](std::int64_t n, std::int64_t index, std::int64_t count) {
      return n / count * index + n % count * index / count;
    };
    f({cut(planes, p, across), cut(planes, p + 1, across), cut(positions, i, along), cut(positions, i + 1, along)});
  });
}

}  // namespace opref::ops
