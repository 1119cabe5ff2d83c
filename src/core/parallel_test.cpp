#include "core/parallel.h"

#include <atomic>
#include <barrier>
#include <catch2/catch.hpp>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace opref;

namespace {

using ForEachJob = void (*)(std::size_t, int, const std::function<void(std::size_t)>&);
constexpr ForEachJob kBoth[] = {for_each_job, for_each_job_in_shares};

}  // namespace

TEST_CASE("each job runs once, on any number of threads") {
  for (const ForEachJob each : kBoth)
    for (const int threads : {0, 1, 2, 7, 200}) {
      std::vector<std::atomic<int>> calls(100);
      each(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
      for (const auto& count : calls) REQUIRE(count == 1);
      each(0, threads, [](std::size_t) { FAIL("there is no job"); });
    }
}

TEST_CASE("the error of the lowest job is thrown, on any number of threads") {
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

TEST_CASE("a thread begins with neighbours of its own") {
  std::vector<std::thread::id> threads(8);
  std::barrier both_began(2);
  for_each_job_in_shares(threads.size(), 2, [&](std::size_t i) {
    threads[i] = std::this_thread::get_id();
    if (i % 4 == 0) both_began.arrive_and_wait();
  });
  REQUIRE(threads[0] != threads[4]);
}

TEST_CASE("a thread that is through helps the others") {
  std::promise<void> last_ended;
  for_each_job_in_shares(8, 2, [&](std::size_t i) {
    if (i == 0) last_ended.get_future().wait();  // jobs 1 to 3 are left to the other
    if (i == 3) last_ended.set_value();
  });
}

TEST_CASE("at least one core is available") { REQUIRE(available_cores() >= 1); }
