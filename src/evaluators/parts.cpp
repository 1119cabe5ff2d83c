// SPDX-License-Identifier: Apache-2.0
#include "evaluators/parts.h"

#include <algorithm>

#include "system/parallel.h"

namespace opref::evaluators {

void for_each_part(std::int64_t count, std::int64_t grain, const Numerics& numerics,
                   const std::function<void(std::int64_t, std::int64_t)>& f) {
  constexpr std::int64_t kPartsPerThread = 8;
  if (count == 0) return;
  if (numerics.only) return for_each_element(count, numerics, [&](std::int64_t i) { f(i, i + 1); });
  const int threads = numerics.threads;
  const std::int64_t grains = (count + grain - 1) / grain,
                     parts = threads == 1 ? 1 : std::min<std::int64_t>(grains, kPartsPerThread * threads);
  const auto cut = [&](std::int64_t part) {
    return std::min(count, (grains / parts * part + grains % parts * part / parts) * grain);
  };
  for_each_job_in_shares(static_cast<size_t>(parts), threads, [&](size_t part) {
    f(cut(static_cast<std::int64_t>(part)), cut(static_cast<std::int64_t>(part) + 1));
  });
}

}  // namespace opref::evaluators
