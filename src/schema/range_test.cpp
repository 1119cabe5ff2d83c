// SPDX-License-Identifier: Apache-2.0
#include "schema/range.h"

#include <catch2/catch.hpp>

#include "core/error.h"

namespace schema_range_test {

using namespace opref::schema;

TEST_CASE("a range has all of another one where no value of that is outside", "[schema]") {
  const Range any, first = at_least(1), positive = above(0), narrow = between(1, 4), words = one_of({"a", "b"});
  for (const Range& each : {any, first, positive, narrow, words}) {
    CHECK(has_all_of(any, each));
    CHECK(has_all_of(each, each));
    CHECK(has_all_of(each, any) == (each == any));
  }
  CHECK(has_all_of(first, narrow));
  CHECK(has_all_of(first, above(1)));
  CHECK_FALSE(has_all_of(first, positive));
  CHECK_FALSE(has_all_of(first, at_least(0)));
  CHECK(has_all_of(positive, narrow));
  CHECK_FALSE(has_all_of(positive, first));  // which has infinity
  CHECK_FALSE(has_all_of(positive, flag()));
  CHECK(has_all_of(narrow, between(2, 4)));
  CHECK_FALSE(has_all_of(narrow, between(1, 5)));
  CHECK_FALSE(has_all_of(narrow, first));
  CHECK(has_all_of(words, one_of({"b"})));
  CHECK_FALSE(has_all_of(words, one_of({"b", "c"})));
  CHECK_FALSE(has_all_of(words, first));
  CHECK_FALSE(has_all_of(first, words));
}

TEST_CASE("what is out of range is told by its name and by what it is", "[schema]") {
  const auto message = [](const AttributeValue& value, const Range& range, std::string_view noun) {
    try {
      require_in_range("p", value, range, noun);
    } catch (const opref::core::Error& error) {
      return error.message();
    }
    return std::string();
  };
  CHECK(message(AttributeValue::of(std::int64_t{0}), at_least(1), "attribute") ==
        "attribute 'p' is 0, but must be > 0");
  CHECK(message(AttributeValue::of(std::vector<std::int64_t>{1, 3}), flag(), "input") ==
        "input 'p' is [1,3], but its values must be 0 or 1");
  CHECK(message(AttributeValue::of(std::string("c")), one_of({"a", "b"}), "attribute") ==
        "attribute 'p' is 'c', but must be a, b");
  CHECK(message(AttributeValue::of(std::int64_t{1}), flag(), "input").empty());
}

}  // namespace schema_range_test
