// SPDX-License-Identifier: Apache-2.0
#include "system/deadline.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "system/parallel.h"

namespace opref::system {

/// A thread that sets `over` once the time is over, unless it is stopped before.
class Deadline::Clock {
 public:
  using Time = std::chrono::steady_clock;

  Clock(Time::time_point end, std::atomic<bool>& over)
      : end_(end), thread_(start_thread([this, &over] { wait(over); })) {}
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  ~Clock() {
    {
      const std::lock_guard lock(guard_);
      is_stopped_ = true;
    }
    stopped_.notify_all();
    thread_.join();
  }

  Time::time_point end() const { return end_; }
  static Time::time_point after(double seconds) {
    constexpr double kLongest = 1e9;  // 30 years; a clock's time cannot hold ten times as much
    const std::chrono::duration<double> time(std::min(seconds, kLongest));
    return Time::now() + std::chrono::duration_cast<Time::duration>(time);
  }

 private:
  void wait(std::atomic<bool>& over) {
    std::unique_lock lock(guard_);
    if (!stopped_.wait_until(lock, end_, [this] { return is_stopped_; })) over = true;
  }

  const Time::time_point end_;
  std::mutex guard_;
  std::condition_variable stopped_;
  bool is_stopped_ = false;
  std::thread thread_;
};

Deadline::Deadline(double seconds, std::string done)
    : seconds_(seconds), done_(std::move(done)), outer_(current_), in_force_(this) {
  const Clock::Time::time_point end = Clock::after(seconds);
  if (outer_ != nullptr && outer_->clock_->end() <= end)
    in_force_ = outer_;
  else
    clock_ = std::make_unique<Clock>(end, over_);
  current_ = in_force_;
}

Deadline::~Deadline() { current_ = outer_; }

void Deadline::fail() const {
  core::fail(Fault::system, kMoreTime, "it is not {} within {} s", in_force_->done_, in_force_->seconds_);
}

}  // namespace opref::system
