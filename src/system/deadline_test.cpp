// SPDX-License-Identifier: Apache-2.0
#include "system/deadline.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "system/machine_error.h"
#include "system/parallel.h"

namespace deadline_test {

using namespace opref::system;

namespace {

/// Takes any time.
[[noreturn]] void work() {
  while (true) require_time();
}

std::string refusal(double seconds, std::string done) {
  try {
    in_given_time(seconds, std::move(done), []() -> int { work(); });
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::system);
    CHECK(error.remedy() == kMoreTime);
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("what is done within the time is returned or thrown; what is not stops", "[system]") {
  CHECK(within(60, [] { return 7; }) == 7);
  CHECK_THROWS_AS(within(60, []() -> int { fail(Fault::invalid, "no"); }), Error);
  CHECK_FALSE(within(0.01, []() -> int { work(); }));
  CHECK(refusal(0.01, "inferred") == "it is not inferred within 0.01 s");
  CHECK(in_given_time({}, "inferred", [] { return 7; }) == 7);
  require_time();  // any time
}

TEST_CASE("what gave up something because of its time is late, whatever it returns", "[system]") {
  const auto swallows = [] {
    try {
      work();
    } catch (const Error&) {
      return 7;
    }
  };
  CHECK_FALSE(within(0.01, swallows));
  CHECK_THROWS_AS(in_given_time(0.01, "evaluated", swallows), Error);
}

TEST_CASE("a time inside another one leaves no more, and the outer one goes on", "[system]") {
  CHECK_FALSE(within(0.01, [] { return within(60, []() -> int { work(); }).value_or(7); }));
  CHECK(within(60, [] { return within(0.01, []() -> int { work(); }).value_or(7); }) == 7);
}

TEST_CASE("a fault of the machine is no lateness, and a very long time is one", "[system]") {
  const auto breaks = []() -> int {
    try {
      work();
    } catch (const Error&) {
      fail_machine("no thread can be started");
    }
  };
  CHECK_THROWS_AS(within(0.01, breaks), MachineError);
  const auto works_a_moment = [] {
    using Clock = std::chrono::steady_clock;
    for (const auto end = Clock::now() + std::chrono::milliseconds(50); Clock::now() < end;) require_time();
    return 7;
  };
  CHECK(within(1e300, works_a_moment) == 7);
  CHECK(in_given_time(1e12, "evaluated", works_a_moment) == 7);
}

TEST_CASE("threads have the time of those they work for", "[system]") {
  for (const auto for_each : {for_each_job, for_each_job_in_shares})
    CHECK_FALSE(within(0.01, [&] {
      for_each(8, 4, [](std::size_t) { work(); });
      return 7;
    }));
}

}  // namespace deadline_test
