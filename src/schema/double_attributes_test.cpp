// SPDX-License-Identifier: Apache-2.0
#include "schema/double_attributes.h"

#include <catch2/catch.hpp>

namespace double_attributes_test {

using namespace opref::schema;

namespace {

AttributeValue read(const char* decimal) {
  const Untyped text{{{std::string(decimal)}}, false};
  return with_all_digits(coerce("eps", text, AttributeType::FLOAT), text);
}

}  // namespace

TEST_CASE("a FLOAT in both types: its float32 is the nearest to the decimal, not to the float64", "[schema]") {
  // Just below the middle of 1 + 2^-23 and 1 + 2^-22, which is the nearest float64.
  const AttributeValue value = read("1.00000017881393432617187499");
  REQUIRE(in_both_types(value));
  CHECK(in_both_types(value)->exact == 1 + 0x3p-24);
  CHECK(in_both_types(value)->nearest == 1 + 0x1p-23F);
  CHECK(to_text(value) == "1.0000001788139343");
}

TEST_CASE("a FLOAT that float32 holds is one number", "[schema]") {
  for (const char* decimal : {"0.5", "+2", "0.10000000149011612", "inf"}) CHECK_FALSE(in_both_types(read(decimal)));
}

}  // namespace double_attributes_test
