// SPDX-License-Identifier: Apache-2.0
#include "system/time_limit.h"

#include <catch2/catch.hpp>
#include <memory>

#include "core/error.h"

using namespace opref::system;

TEST_CASE("what is done within the time is returned or thrown; what is not is given up", "[system]") {
  CHECK(within(60, [] { return 7; }) == 7);
  CHECK_THROWS_AS(within(60, []() -> int { fail(Fault::invalid, "no"); }), Error);
  const int before = abandoned_threads();
  const auto release = std::make_shared<std::atomic<bool>>(false);
  const auto late = within(0.01, [release] {
    while (!*release) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 7;
  });
  CHECK_FALSE(late);
  CHECK(abandoned_threads() == before + 1);
  *release = true;
}
