// Work that must end in time.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <utility>

namespace opref {

/// Threads that `within` gave up on, and that still run.
int abandoned_threads();

namespace detail {
extern std::atomic<int> abandoned;
}

/// What `body` returns or throws, or nothing if that takes longer than `seconds`. Then its thread is left to itself: it
/// must own all that it uses, and the program must end by _exit.
template <class Body>
auto within(double seconds, Body body) -> std::optional<decltype(body())> {
  std::packaged_task<decltype(body())()> task(std::move(body));
  auto result = task.get_future();
  std::thread thread(std::move(task));
  if (result.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::ready) {
    thread.join();
    return result.get();
  }
  ++detail::abandoned;
  thread.detach();
  return std::nullopt;
}

}  // namespace opref
