// SPDX-License-Identifier: Apache-2.0
#include "check/schedule.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"

namespace schedule_test {

using namespace opref::check;

TEST_CASE("results come out in order on any number of threads, also where the first take longest", "[check]") {
  for (const int threads : {1, 2, 5}) {
    std::atomic<bool> stopped = false;
    std::vector<size_t> seen;
    std::vector<char> worked(20);
    run_in_order(
        20, threads, stopped,
        [&](size_t i) {
          std::this_thread::sleep_for(std::chrono::milliseconds(i % 5 == 0 ? 10 : 0));
          worked[i] = 1;
        },
        [&](size_t i) {
          CHECK(worked[i] == 1);
          seen.push_back(i);
          return Next::go_on;
        });
    std::vector<size_t> expected(20);
    std::iota(expected.begin(), expected.end(), size_t{0});
    CHECK(seen == expected);
    CHECK_FALSE(stopped);
  }
}

TEST_CASE("nothing comes out after the one that stops", "[check]") {
  for (const int threads : {1, 4}) {
    std::atomic<bool> stopped = false;
    std::atomic<int> started = 0;
    std::vector<size_t> seen;
    run_in_order(
        1000, threads, stopped, [&](size_t) { ++started; },
        [&](size_t i) {
          seen.push_back(i);
          return i == 2 ? Next::stop : Next::go_on;
        });
    CHECK(seen == std::vector<size_t>{0, 1, 2});
    CHECK(stopped);
    CHECK(started < 1000);
  }
}

TEST_CASE("an exception tells the other jobs to end, and is thrown", "[check]") {
  std::atomic<bool> stopped = false;
  std::atomic<bool> ended_early = false;
  const auto job = [&](size_t i) {
    if (i == 1) fail(Fault::system, "the runner cannot be started");
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (i == 0 && !stopped && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (i == 0) ended_early = stopped.load();
  };
  CHECK_THROWS_AS(run_in_order(3, 2, stopped, job, [](size_t) { return Next::go_on; }), Error);
  CHECK(ended_early);
}

}  // namespace schedule_test
