#include "core/parallel.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

using namespace opref;

TEST_CASE("each job runs once, on any number of threads") {
  for (const int threads : {0, 1, 2, 7}) {
    std::vector<std::atomic<int>> calls(100);
    for_each_job(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
    for (const auto& count : calls) REQUIRE(count == 1);
  }
  for_each_job(0, 2, [](std::size_t) { FAIL("there is no job"); });
}

TEST_CASE("the error of the lowest job is thrown, on any number of threads") {
  for (const int threads : {1, 2, 5}) {
    for (int round = 0; round < 50; ++round) {
      std::string what;
      try {
        for_each_job(64, threads, [](std::size_t i) {
          if (i >= 20) throw std::runtime_error(std::to_string(i));
        });
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      REQUIRE(what == "20");
    }
  }
}

TEST_CASE("at least one core is available") { REQUIRE(available_cores() >= 1); }
