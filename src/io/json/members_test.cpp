// SPDX-License-Identifier: Apache-2.0
#include "io/json/members.h"

#include <catch2/catch.hpp>
#include <string>

namespace members_test {

using namespace opref::io;

namespace {

/// "1:a=x 2:b=y": depth, key and the first character of the value.
std::string members(std::string_view text) {
  std::string all;
  each_member(text, [&](const JsonMember& member) {
    all += (all.empty() ? "" : " ") + std::to_string(member.depth) + ":" + std::string(member.key) + "=";
    all += member.rest.substr(0, 1);
    return true;
  });
  return all;
}

}  // namespace

TEST_CASE("members of a JSON text, with how deep they are", "[json]") {
  CHECK(members(R"({"a": 1, "b": {"c": [2, {"d": "x"}], "e": null}, "f" : []})") ==
        "1:a=1 1:b={ 2:c=[ 4:d=\" 2:e=n 1:f=[");
  CHECK(members(R"([{"a":1},{"a":2}])") == "2:a=1 2:a=2");
  CHECK(members("\xef\xbb\xbf{\n\t\"a\"\r\n:\n1}") == "1:a=1");
}

TEST_CASE("what stands in a string is no member", "[json]") {
  CHECK(members(R"({"a": "{\"b\": 1}", "c": ["d", "e"], "f\\": 2, "g:": 3})") == R"(1:a=" 1:c=[ 1:f\\=2 1:g:=3)");
}

TEST_CASE("members of a text that is no JSON: some or none, and an end", "[json]") {
  CHECK(members("").empty());
  CHECK(members("}}]\"a\":") == "0:a=");
  for (const char* text : {"{\"a", "{\"a\\", "{\"a\\\"", "\"", "\"\"", "{\"a\" ", "[[[["}) CHECK(members(text).empty());
}

TEST_CASE("members: no more of the text is read than is asked for", "[json]") {
  int count = 0;
  each_member(R"({"a": 1, "b": 2, "c": 3})", [&](const JsonMember& member) {
    ++count;
    return member.key != "b";
  });
  CHECK(count == 2);
}

}  // namespace members_test
