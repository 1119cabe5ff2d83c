// SPDX-License-Identifier: Apache-2.0
// Long loops over elements of which each takes next to no time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/rooms.h"
#include "system/deadline.h"

namespace opref::evaluators {

/// f(begin, end) for neighbouring stretches of [first, last), in order; between them it asks for the time that is left.
template <class F>
void for_each_stretch(std::int64_t first, std::int64_t last, const F& f) {
  constexpr std::int64_t kStretch = std::int64_t{1} << 14;
  for (std::int64_t i = first; i < last; i += kStretch) {
    require_time();
    f(i, std::min(last, i + kStretch));
  }
}

/// Puts places in order by `comes_before`; of equal ones the first stays first.
template <class Place, class ComesBefore>
void sort_places(std::vector<Place>& places, const ComesBefore& comes_before) {
  std::ranges::stable_sort(places, [&](Place a, Place b) {
    require_time();
    return comes_before(a, b);
  });
}

}  // namespace opref::evaluators
