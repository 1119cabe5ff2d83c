// SPDX-License-Identifier: Apache-2.0
// Signals: all that this program does about them, but for what a child process starts with.
#pragma once

#include <atomic>
#include <climits>

#include "core/rooms.h"

namespace opref::system {

/// Makes SIGINT, SIGTERM, SIGHUP and SIGPIPE remove unfinished files and end the program at once with 128 + the
/// signal's number. A signal that the program was started to ignore stays ignored.
/// A mapped file that gets shorter while it is read does the same, with exit code 6 and a sentence.
void remove_unfinished_files_on_interrupt();

/// A file that an interrupt has to remove while it is armed.
struct UnfinishedFile {
  enum State : int { unused, taken, armed };
  std::atomic<int> state = taken;
  UnfinishedFile* next = nullptr;
  char path[PATH_MAX];

  /// One of a list in which entries are used again and never freed: a signal may arrive at any time.
  static UnfinishedFile* take();
};

/// Removes unfinished files and ends the program as the signal does.
extern "C" [[noreturn]] void end_by(int signal);

/// While one lives, SIGINT, SIGTERM and SIGHUP only set `requested`: what is being written can be brought to an end. A
/// second signal ends the program at once, unless it follows within 200 ms.
class InterruptDelay {
 public:
  InterruptDelay();
  InterruptDelay(const InterruptDelay&) = delete;
  InterruptDelay& operator=(const InterruptDelay&) = delete;
  ~InterruptDelay();
  /// The signal's number, or 0.
  static int requested();
  /// Whether one is on its way: what ends from now on may do so because of it.
  static bool is_coming();
};

/// From now on a thread takes SIGINT, SIGTERM and SIGHUP and calls `end` before they take their course: it may do more
/// than a handler may. So does std::quick_exit. SIGPIPE is ignored. Before the first thread; only the first call
/// counts.
void end_on_interrupt(void (*end)());

/// Writing to a pipe that nobody reads fails.
void ignore_broken_pipes();

}  // namespace opref::system
