// SPDX-License-Identifier: Apache-2.0
#include "fast/scratch.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace opref::fast::scratch_test {

TEST_CASE("scratch memory grows", "[system][memory]") {
  Scratch<double> scratch;
  CHECK(scratch.size() == 0);
  for (const size_t n : {size_t{3}, size_t{1000000}, size_t{5}}) {
    scratch.resize(n);
    CHECK(scratch.size() == n);
    std::fill_n(scratch.data(), n, 1.5);
    CHECK(scratch[n - 1] == 1.5);
  }
}

}  // namespace opref::fast::scratch_test
