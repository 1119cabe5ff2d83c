// SPDX-License-Identifier: Apache-2.0
// Work that must end in time. Whatever may take long asks for the time that is left, and stops when that is over.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/rooms.h"
#include "system/machine_error.h"

namespace opref::system {

/// A greater limit of time.
inline constexpr Remedy kMoreTime{"more_time"};

/// While it lives, the work of its thread, and of those that for_each_job starts for it, has so many seconds. One
/// inside another leaves no more time than that.
class Deadline {
 public:
  /// `done` is what the work is not within this time: "evaluated". Fault: MachineError.
  explicit Deadline(double seconds, std::string done = "evaluated");
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline();

  bool is_over() const { return in_force_->over_.load(std::memory_order_relaxed); }
  /// A `system` error: "it is not evaluated within 2 s".
  [[noreturn]] void fail() const;

  /// Of this thread's work; null where it may take any time.
  static const Deadline* current() { return current_; }
  /// Makes it that of a thread that works for another one.
  static void adopt(const Deadline* deadline) { current_ = deadline; }

 private:
  class Clock;

  const double seconds_;
  const std::string done_;
  const Deadline* const outer_;
  const Deadline* in_force_;  ///< the outer one where that ends first
  std::atomic<bool> over_ = false;
  std::unique_ptr<Clock> clock_;  ///< sets it, so that nobody else needs to look at one
  static constinit inline thread_local const Deadline* current_ = nullptr;
};

/// A `system` error where the time of this thread's work is over. It takes about a nanosecond: for each round of a loop
/// that does more than to copy an element.
inline void require_time() {
  if (const Deadline* deadline = Deadline::current(); deadline != nullptr && deadline->is_over()) [[unlikely]]
    deadline->fail();
}

/// What `body` returns; a `system` error where that takes longer than `seconds`, if any are given: "it is not `done`
/// within 2 s".
template <class Body>
auto in_given_time(const std::optional<double>& seconds, std::string done, const Body& body) {
  std::optional<Deadline> deadline;
  if (seconds) deadline.emplace(*seconds, std::move(done));
  auto result = body();
  require_time();  // what it may have given up on the way is not known
  return result;
}

/// What `body` returns or throws, or nothing if that takes longer than `seconds`.
template <class Body>
auto within(double seconds, const Body& body) -> std::optional<decltype(body())> {
  const Deadline deadline(seconds);
  try {
    std::optional<decltype(body())> result(body());
    if (!deadline.is_over()) return result;
  } catch (const Error& error) {
    pass_on(error);
    if (!deadline.is_over()) throw;
  }
  return std::nullopt;
}

}  // namespace opref::system
