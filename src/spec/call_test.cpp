#include "spec/call.h"

#include <catch2/catch.hpp>

namespace opref {

TEST_CASE("a call with another reading is evaluated alike, but not counted") {
  Stats stats;
  Call call;
  call.set_numerics({true, &stats});
  const Call other = call.with_reading("an.operator", "alternative");
  CHECK(other.numerics().exact_only);
  CHECK(other.numerics().stats == nullptr);
  CHECK(call.numerics().stats == &stats);
}

}  // namespace opref
