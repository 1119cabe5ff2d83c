// Positions shared out among threads.
#pragma once

#include <cstdint>
#include <functional>

#include "core/rooms.h"

namespace opref::families {

/// f(first, last) for parts of [0, count), neighbours of each other, on up to `threads` threads; on one thread for the
/// whole. Parts are cut at multiples of `grain` only.
void for_each_part(std::int64_t count, std::int64_t grain, int threads,
                   const std::function<void(std::int64_t first, std::int64_t last)>& f);

}  // namespace opref::families
