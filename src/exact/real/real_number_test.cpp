// SPDX-License-Identifier: Apache-2.0
#include "exact/real/real_number.h"

#include <catch2/catch.hpp>

namespace real_number_test {

using namespace opref::exact;

TEST_CASE("real numbers as text: all digits, or as many as are said, cut", "[real]") {
  CHECK(to_text(RealNumber(0.1), 5) == "0.10000…");
  CHECK(to_text(RealNumber(0.5)) == "0.5");
  CHECK(to_text(RealNumber(-1e22)) == "-1e+22");
  CHECK(to_text(RealNumber(1) / RealNumber(3), 4) == "0.3333…");
  CHECK(to_text(RealNumber(-0.0)) == "-0");
  CHECK(hex_text(RealNumber(-1.5)) == "-0x1.8p+0");
}

}  // namespace real_number_test
