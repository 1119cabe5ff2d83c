// Jobs on several threads whose results come out in order, and work that must end in time.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <thread>

namespace opref {

enum class Next : std::uint8_t { go_on, stop };

/// Calls job(i) for each i in [0, jobs) on up to `threads` threads, and done(i) for each, in ascending order, as soon
/// as that job and all before it have ended; one at a time, on any thread. After done() says `stop`, and after an
/// exception of either (which is thrown in the end), `stopped` is true: no further job starts, and those that still run
/// may look at it and end early. So what done() sees does not depend on `threads`.
void run_in_order(std::size_t jobs, int threads, std::atomic<bool>& stopped,
                  const std::function<void(std::size_t)>& job, const std::function<Next(std::size_t)>& done);

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
