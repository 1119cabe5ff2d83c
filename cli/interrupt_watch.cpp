// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt_watch.h"

#include <unistd.h>  // _exit

#include <chrono>

#include "cli/output.h"
#include "core/error.h"
#include "system/parallel.h"

namespace opref::cli {

InterruptWatch::InterruptWatch(std::mutex& guard, std::function<void(int)> end)
    : guard_(guard), end_(std::move(end)), thread_(start_thread([this] { watch(); })) {}

InterruptWatch::~InterruptWatch() {
  {
    const std::lock_guard lock(own_guard_);
    is_over_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void InterruptWatch::watch() {
  constexpr auto kSlice = std::chrono::milliseconds(20);  // a signal's handler can wake nobody
  constexpr int kShell = 128;
  {
    std::unique_lock lock(own_guard_);
    while (InterruptDelay::requested() == 0) {
      // One that is announced has ended the processes, and is noted next: nothing else may end the program then.
      if (is_over_ && !InterruptDelay::is_coming()) return;
      ended_.wait_for(lock, kSlice, [this] { return is_over_ && !InterruptDelay::is_coming(); });
    }
  }
  const int signal = InterruptDelay::requested();
  const std::lock_guard lock(guard_);
  try {
    end_(signal);
  } catch (const Error& error) {
    report(error);
  } catch (const std::exception&) {  // no memory: it ends all the same
  }
  _exit(kShell + signal);
}

}  // namespace opref::cli
