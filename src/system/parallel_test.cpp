// SPDX-License-Identifier: Apache-2.0
#include "system/parallel.h"

#include <sched.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace parallel_test {

using namespace opref::system;

namespace {

using ForEachJob = void (*)(std::size_t, int, const std::function<void(std::size_t)>&);
constexpr ForEachJob kBoth[] = {for_each_job, for_each_job_in_shares};

/// The end of waiting for what should happen at once.
std::chrono::steady_clock::time_point soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(20); }

}  // namespace

TEST_CASE("each job runs once, on any number of threads", "[system]") {
  for (const ForEachJob each : kBoth)
    for (const int threads : {0, 1, 2, 7, 200}) {
      std::vector<std::atomic<int>> calls(100);
      each(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
      for (const auto& count : calls) REQUIRE(count == 1);
      each(0, threads, [](std::size_t) { FAIL("there is no job"); });
    }
}

TEST_CASE("the error of the lowest job is thrown, on any number of threads", "[system]") {
  for (const ForEachJob each : kBoth)
    for (const int threads : {1, 2, 5}) {
      for (int round = 0; round < 50; ++round) {
        std::string what;
        try {
          each(64, threads, [](std::size_t i) {
            if (i >= 20) throw std::runtime_error(std::to_string(i));
          });
        } catch (const std::runtime_error& error) {
          what = error.what();
        }
        REQUIRE(what == "20");
      }
    }
}

TEST_CASE("a thread begins with a share of its own", "[system]") {
  std::atomic<bool> second_began = false, too_early = false;
  for_each_job_in_shares(8, 2, [&](std::size_t i) {
    if (i == 4) second_began = true;
    if (i > 0 && i < 4 && !second_began) too_early = true;
    for (const auto end = soon(); i == 0 && !second_began && std::chrono::steady_clock::now() < end;)
      std::this_thread::yield();
  });
  REQUIRE_FALSE(too_early);
}

TEST_CASE("a thread that is through helps the others", "[system]") {
  std::promise<void> last_ended;
  bool helped = false;
  for_each_job_in_shares(8, 2, [&](std::size_t i) {
    // Jobs 1 to 3 are left to the other thread.
    if (i == 0) helped = last_ended.get_future().wait_until(soon()) == std::future_status::ready;
    if (i == 3) last_ended.set_value();
  });
  REQUIRE(helped);
}

TEST_CASE("threads that were placed on a core may leave it", "[system]") {
  cpu_set_t before, during;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  std::mutex guard;
  std::set<std::thread::id> ids;
  bool is_free = true;
  for_each_job_in_shares(64, 4, [&](std::size_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // placing takes microseconds
    const std::lock_guard lock(guard);
    ids.insert(std::this_thread::get_id());
    is_free = is_free && sched_getaffinity(0, sizeof during, &during) == 0 && CPU_EQUAL(&before, &during);
  });
  CHECK(ids.size() == 4);
  CHECK(is_free);
}

TEST_CASE("at least one core is available", "[system]") { REQUIRE(available_cores() >= 1); }

}  // namespace parallel_test
