// SPDX-License-Identifier: Apache-2.0
#include "check/schedule.h"

#include <mutex>
#include <vector>

#include "system/parallel.h"

namespace opref::check {

void run_in_order(std::size_t jobs, int threads, std::atomic<bool>& stopped,
                  const std::function<void(std::size_t)>& job, const std::function<Next(std::size_t)>& done) {
  std::mutex guard;
  std::vector<char> ended(jobs);
  std::size_t next = 0;
  for_each_job(jobs, threads, [&](std::size_t i) {
    if (stopped) return;
    try {
      job(i);
      const std::lock_guard lock(guard);
      ended[i] = 1;
      while (!stopped && next < jobs && ended[next] != 0)
        if (done(next++) == Next::stop) stopped = true;
    } catch (...) {
      stopped = true;
      throw;
    }
  });
}

}  // namespace opref::check
