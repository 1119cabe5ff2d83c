#include "core/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace opref {

int available_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void for_each_job(std::size_t jobs, int threads, const std::function<void(std::size_t)>& job) {
  std::atomic<std::size_t> next = 0;
  std::mutex guard;
  std::size_t failed = jobs;  // jobs below it have all been started
  std::exception_ptr error;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs; i = next++) {
      try {
        job(i);
      } catch (...) {
        next = jobs;
        const std::lock_guard lock(guard);
        if (i < failed) failed = i, error = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    const std::size_t count = std::min(jobs, static_cast<std::size_t>(std::max(threads, 1)));
    for (std::size_t i = 1; i < count; ++i) workers.emplace_back(work);
    work();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace opref
