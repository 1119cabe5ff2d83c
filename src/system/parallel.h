// SPDX-License-Identifier: Apache-2.0
// Independent jobs on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>

#include "core/rooms.h"

namespace opref::system {

/// Cores that this process may use (its affinity mask), at least 1.
int available_cores();

/// A thread that runs `body`. Fault: MachineError where the system gives none.
std::thread start_thread(std::function<void()> body);

/// Calls job(i) for each i in [0, jobs), i ascending by start, on up to `threads` threads, of which the caller's is
/// one (fewer where the system gives no more); returns when all have ended. After an exception no further job starts;
/// that of the lowest i is thrown, which does not depend on `threads`.
void for_each_job(std::size_t jobs, int threads, const std::function<void(std::size_t)>& job);

/// As for_each_job, but each thread begins with a share of its own, jobs that are neighbours, and helps with the
/// others' when it is through: for jobs that write neighbouring memory, whose pages two threads would else ask the
/// system for at the same time. Threads start on cores of their own. After an exception, jobs before the one that threw
/// still start. Jobs start no threads or processes.
void for_each_job_in_shares(std::size_t jobs, int threads, const std::function<void(std::size_t)>& job);

}  // namespace opref::system
