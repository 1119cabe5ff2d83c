// SPDX-License-Identifier: Apache-2.0
// Work that must end in time.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "core/rooms.h"

namespace opref::system {

/// Threads that `within` gave up on, and that still run.
int abandoned_threads();

namespace detail {
/// Runs `task` beside the caller; whether it ended within `seconds`. If so, it is destroyed.
bool ends_within(double seconds, std::function<void()> task);
}  // namespace detail

/// What `body` returns or throws, or nothing if that takes longer than `seconds`. Then its thread is left to itself: it
/// must own all that it uses, and the program must end by _exit.
template <class Body>
auto within(double seconds, Body body) -> std::optional<decltype(body())> {
  const auto task = std::make_shared<std::packaged_task<decltype(body())()>>(std::move(body));
  auto result = task->get_future();
  if (!detail::ends_within(seconds, [task] { (*task)(); })) return std::nullopt;
  return result.get();
}

}  // namespace opref::system
