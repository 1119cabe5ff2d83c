// SPDX-License-Identifier: Apache-2.0
#include "system/time_limit.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "system/parallel.h"

namespace opref::system {
namespace {

std::atomic<int> abandoned = 0;

/// A thread that does one task after another. Its state belongs to both sides, so that either can leave first.
class Companion {
 public:
  Companion() {
    start_thread([state = state_] { work(*state); }).detach();
  }
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  ~Companion() {
    set([](State& state) { state.ended = true; });
  }

  bool ends_within(double seconds, std::function<void()> task) {
    set([&](State& state) { state.task = std::move(task); });
    std::unique_lock lock(state_->guard);
    return state_->changed.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return !state_->task; });
  }

 private:
  struct State {
    std::mutex guard;
    std::condition_variable changed;
    std::function<void()> task;  ///< empty when it is done
    bool ended = false;
  };

  template <class Change>
  void set(const Change& change) {
    {
      const std::lock_guard lock(state_->guard);
      change(*state_);
    }
    state_->changed.notify_all();
  }

  static void work(State& state) {
    std::unique_lock lock(state.guard);
    while (true) {
      state.changed.wait(lock, [&] { return state.ended || state.task; });
      if (!state.task) return;
      lock.unlock();
      state.task();
      lock.lock();
      state.task = nullptr;
      state.changed.notify_all();
    }
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace

int abandoned_threads() { return abandoned; }

bool detail::ends_within(double seconds, std::function<void()> task) {
  thread_local std::unique_ptr<Companion> companion;
  if (!companion) companion = std::make_unique<Companion>();
  if (companion->ends_within(seconds, std::move(task))) return true;
  companion = nullptr;
  ++abandoned;
  return false;
}

}  // namespace opref::system
