// SPDX-License-Identifier: Apache-2.0
// Jobs on several threads whose results come out in order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/rooms.h"

namespace opref::check {

enum class Next : std::uint8_t { go_on, stop };

/// Calls job(i) for each i in [0, jobs) on up to `threads` threads, and done(i) for each, in ascending order, as soon
/// as that job and all before it have ended; one at a time, on any thread. After done() says `stop`, and after an
/// exception of either (which is thrown in the end), `stopped` is true: no further job starts or is done, and those
/// that still run may look at it and end early. Without an exception, what done() sees does not depend on `threads`.
void run_in_order(std::size_t jobs, int threads, std::atomic<bool>& stopped,
                  const std::function<void(std::size_t)>& job, const std::function<Next(std::size_t)>& done);

}  // namespace opref::check
