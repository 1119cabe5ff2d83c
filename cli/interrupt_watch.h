// SPDX-License-Identifier: Apache-2.0
// An interrupt that still lets a command say what it knows.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "system/interrupt.h"

namespace opref::cli {

/// While one lives, the first SIGINT, SIGTERM or SIGHUP makes a thread call `end` with the signal's number, with
/// `guard` held, and then ends the program with 128 + that number; a second one ends it at once. Made after the
/// ScratchFolder of processes.
class InterruptWatch {
 public:
  InterruptWatch(std::mutex& guard, std::function<void(int signal)> end);
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

 private:
  void watch();

  system::InterruptDelay delay_;
  std::mutex& guard_;
  std::function<void(int)> end_;
  std::mutex own_guard_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace opref::cli
