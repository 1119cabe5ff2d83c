// SPDX-License-Identifier: Apache-2.0
#include "system/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/memory_limit.h"
#include "system/deadline.h"
#include "system/machine_error.h"

namespace opref::system {
namespace {

/// That this process may use, those after the caller's present one first, itself last.
std::vector<int> cores_from_here() {
  std::vector<int> cores;
  cpu_set_t allowed;
  const int here = sched_getcpu();
  if (here < 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cores;
  for (int i = 1; i <= CPU_SETSIZE; ++i)
    if (const int core = (here + i) % CPU_SETSIZE; CPU_ISSET(core, &allowed)) cores.push_back(core);
  return cores;
}

/// Moves a new thread to that core, but lets the system move it on. Left to itself it can stay behind its creator, on
/// the same core, for some milliseconds: longer than many nodes take. What it started in between would keep to that
/// core: not for jobs that start processes or threads.
void start_on(int core, std::jthread& thread) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  pthread_setaffinity_np(thread.native_handle(), sizeof one, &one);
  pthread_setaffinity_np(thread.native_handle(), sizeof allowed, &allowed);
}

/// Jobs of which threads take the next one.
struct Share {
  std::atomic<std::size_t> next;
  std::size_t end;
};

void work_off(std::span<Share> shares, std::size_t threads, bool in_shares,
              const std::function<void(std::size_t)>& job) {
  std::mutex guard;
  std::atomic<std::size_t> failed = shares.back().end;
  std::exception_ptr error;
  const auto work = [&, deadline = Deadline::current()](std::size_t own) {
    Deadline::adopt(deadline);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      Share& share = shares[(own + k) % shares.size()];
      for (std::size_t i = share.next++; i < share.end && i < failed; i = share.next++) {
        try {
          require_time();
          job(i);
        } catch (...) {
          const std::lock_guard lock(guard);
          if (i < failed) failed = i, error = std::current_exception();
        }
      }
    }
  };
  {
    std::vector<std::jthread> others;
    const std::vector<int> cores = in_shares && threads > 1 ? cores_from_here() : std::vector<int>();
    try {
      for (std::size_t i = 1; i < threads; ++i) {
        others.emplace_back([&, i, limit = MemoryLimit::current()] {
          const UnderLimit under(limit);
          work(i);
        });
        if (!cores.empty()) start_on(cores[(i - 1) % cores.size()], others.back());
      }
    } catch (const std::system_error&) {  // those that there are do it all
    }
    work(0);
  }
  if (error) std::rethrow_exception(error);
}

void work_off(std::size_t jobs, int threads, bool in_shares, const std::function<void(std::size_t)>& job) {
  if (jobs == 0) return;
  const std::size_t workers = std::min(jobs, static_cast<std::size_t>(std::max(threads, 1)));
  std::vector<Share> shares(in_shares ? workers : 1);
  for (std::size_t t = 0; t < shares.size(); ++t) {
    const auto cut = [&](std::size_t index) {
      return jobs / shares.size() * index + jobs % shares.size() * index / shares.size();
    };
    shares[t].next = cut(t), shares[t].end = cut(t + 1);
  }
  work_off(shares, workers, in_shares, job);
}

}  // namespace

int available_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::thread start_thread(std::function<void()> body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error& error) {
    fail_machine("cannot start a thread: {}", error.code().message());
  }
}

void for_each_job(std::size_t jobs, int threads, const std::function<void(std::size_t)>& job) {
  work_off(jobs, threads, false, job);
}

void for_each_job_in_shares(std::size_t jobs, int threads, const std::function<void(std::size_t)>& job) {
  work_off(jobs, threads, true, job);
}

}  // namespace opref::system
