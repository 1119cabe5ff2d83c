// SPDX-License-Identifier: Apache-2.0
// Documents that are read an item at a time.
#include "io/json/parse.h"

#include <catch2/catch.hpp>

#include "core/error.h"

namespace parse_test {

using namespace opref::io;
using opref::core::Error;

namespace {

/// Each item of "list" with its path and how many members were read before it, then the rest, or the message of the
/// fault. The bytes come `step` at a time.
std::vector<std::string> parts(std::string_view text, size_t step) {
  std::vector<std::string> found;
  ByteSource all = bytes_of(text);
  try {
    JsonText bytes([&](std::span<char> to) { return all(to.first(std::min(step, to.size()))); });
    const Json rest = parse_json(bytes, "list", [&](const JsonValue& document, const JsonValue& item) {
      found.push_back(item.path() + "=" + item.line() + " after " + std::to_string(document.size()));
    });
    found.push_back(rest.root().line());
  } catch (const Error& error) {
    found.push_back(error.message());
  }
  return found;
}

}  // namespace

TEST_CASE("json: items of a long list and the rest, wherever the bytes are cut", "[json]") {
  const std::string text =
      "\xef\xbb\xbf {\"a\": {\"list\": [\"}\\\"]\"]}, \"list\": [1, \"\\\\\", [2, []] ,{}], \"b\\u0041\":-1.5e3 , "
      "\"c\":[]}\n";
  const std::vector<std::string> expected = {"list[0]=1 after 2", R"(list[1]="\\" after 2)", "list[2]=[2,[]] after 2",
                                             "list[3]={} after 2",
                                             R"({"a": {"list": ["}\"]"]},"list": [],"bA": -1.5e3,"c": []})"};
  for (const size_t step : {1, 2, 3, 7, 1000}) CHECK(parts(text, step) == expected);
  CHECK(parts("{}", 1) == std::vector<std::string>{"{}"});
  CHECK(parts(R"({"list": 3})", 1) == std::vector<std::string>{R"({"list": 3})"});
  CHECK(parts(R"([{"list": [1]}])", 1) == std::vector<std::string>{R"([{"list": [1]}])"});
}

TEST_CASE("json: the place of a fault is known however long the text is", "[json]") {
  for (const size_t lines : {0, 1, 1000, 30000}) {
    std::string text = "{\"list\": [1";
    for (size_t i = 0; i < lines; ++i) text += ",\n [1, 2]";
    const std::string place = lines == 0 ? "line 1, column 13: " : "line " + std::to_string(lines + 1) + ", column 9: ";
    CHECK(parts(text + " 2]}", 1000).back().starts_with(place + "syntax error while parsing array"));
    CHECK(parts(text + ", }", 1000).back().ends_with("; the comma before it has to go"));
  }
  CHECK(parts(std::string_view("{\"list\": [\n1, \0]}", 17), 1).back() == "line 2, column 4: there is a null byte");
  CHECK(parts("{\"list\": [], \"list\": []}", 1).back() == "the key 'list' is there twice");
  CHECK(parts("{\"list\": [1, {\"a\": {\"b\": 1, \"b\": 2}}]}", 1).back() == "the key 'list[1].a.b' is there twice");
}

}  // namespace parse_test
