// SPDX-License-Identifier: Apache-2.0
// Positions shared out among threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "exact/numerics.h"

namespace opref::evaluators {

/// f(first, last) for parts of [0, count), neighbours of each other, on the numerics' threads; on one thread for the
/// whole, for an only element for that one. Parts are cut at multiples of `grain` only.
void for_each_part(std::int64_t count, std::int64_t grain, const Numerics& numerics,
                   const std::function<void(std::int64_t first, std::int64_t last)>& f);

/// f(i) for all positions that are asked for, in order.
template <class F>
void for_each_element(std::int64_t count, const Numerics& numerics, const F& f) {
  const std::int64_t first = numerics.only.value_or(0), last = numerics.only ? std::min(count, first + 1) : count;
  for (std::int64_t i = first; i < last; ++i) f(i);
}

}  // namespace opref::evaluators
