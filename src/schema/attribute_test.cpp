// SPDX-License-Identifier: Apache-2.0
#include "schema/attribute.h"

#include <catch2/catch.hpp>

#include "core/error.h"

namespace attribute_test {

using namespace opref::schema;

namespace {

/// The items between bars, quoted ones in quotes, a list in brackets.
std::string shown(const Untyped& untyped) {
  std::string text;
  for (const UntypedItem& item : untyped.items) text += (item.quoted ? "'" + item.text + "'" : item.text) + "|";
  return untyped.is_list ? "[" + text + "]" : text;
}

std::string split(const std::string& text, AttributeType type = AttributeType::INTS) {
  return shown(split_text(Untyped{{{text, true}}}, type));
}

}  // namespace

TEST_CASE("split_text: a list as XML writes it", "[schema]") {
  CHECK(split("2,3") == "[2|3|]");
  CHECK(split(" 2 ,\t-3\n, 4") == "[2|-3|4|]");
  CHECK(split("2") == "2|");
  CHECK(split("2", AttributeType::INT) == "2|");
  CHECK(split("0.5, 1e3", AttributeType::FLOATS) == "[0.5|1e3|]");
  CHECK(split("") == "[]");
  CHECK(split("  ") == "[]");
  CHECK(split("sigmoid, tanh", AttributeType::STRINGS) == "['sigmoid'|'tanh'|]");
  CHECK(split("tanh", AttributeType::STRINGS) == "'tanh'|");
  // Empty items stay, for coerce to refuse.
  CHECK(split("2,") == "[2||]");
  CHECK(split(",") == "[||]");
  CHECK(split(", 2") == "[|2|]");
  CHECK_THROWS_WITH(coerce("a", split_text(Untyped{{{"2,", true}}}, AttributeType::INTS), AttributeType::INTS),
                    "attribute 'a': '' is not an integer");
  CHECK_THROWS_WITH(coerce("a", split_text(Untyped{{{"1,2", true}}}, AttributeType::INT), AttributeType::INT),
                    "attribute 'a' takes one INT, but has a list of 2 values");
}

TEST_CASE("coerce: a number is no tensor; where it can be written is said", "[schema]") {
  const auto error_of = [](const Untyped& untyped, AttributeType type) {
    try {
      coerce("value", untyped, type);
    } catch (const Error& error) {
      return format("{}: {}", name(error.fault()), error.message());
    }
    return std::string("no error");
  };
  CHECK(error_of(Untyped{{{"3"}}}, AttributeType::TENSOR) ==
        "invalid: attribute 'value' takes a TENSOR, but has '3': it is an object as {\"dtype\": \"float32\", \"data\": "
        "[1, "
        "2]} in a JSON case, float[2] {1, 2} in ONNX text");
  CHECK(
      error_of(Untyped{{{"3"}, {"4"}}, true}, AttributeType::SPARSE_TENSOR) ==
      "invalid: attribute 'value' takes a SPARSE_TENSOR, but has a list of 2 values: it is an object with \"values\", "
      "\"indices\" and \"shape\" in a JSON case");
  CHECK(error_of(Untyped{{{"3"}}}, AttributeType::GRAPH) ==
        "invalid: attribute 'value' takes a GRAPH, but has '3': it is a string, the graph in ONNX text");
  CHECK(error_of(Untyped{{{"3"}}}, AttributeType::TYPE_PROTO) ==
        "invalid: attribute 'value': '3' is no type: one is written as float32, sequence of float32");
  CHECK(error_of(Untyped{{{"3"}}}, AttributeType::GRAPHS) ==
        "unsupported: attribute 'value' takes a value of type GRAPHS, which only a model can hold");
}

TEST_CASE("split_text: what is no text of a list stays as it is", "[schema]") {
  CHECK(split("same_upper, x", AttributeType::STRING) == "'same_upper, x'|");
  CHECK(shown(split_text(Untyped{{{"2,3"}}}, AttributeType::INTS)) == "2,3|");
  CHECK(shown(split_text(Untyped{{{"2", true}, {"3", true}}, true}, AttributeType::INTS)) == "['2'|'3'|]");
  CHECK(shown(split_text(Untyped{{{"2,3", true}}, true}, AttributeType::INTS)) == "['2,3'|]");
}

}  // namespace attribute_test
