// SPDX-License-Identifier: Apache-2.0
#include "io/json/stream.h"

#include <catch2/catch.hpp>

#include "core/error.h"

using namespace opref::io;
using opref::core::Error;

namespace {

/// "key=text" of each part, "key[]=text" of items; or the message of the fault. The bytes come `step` at a time.
std::vector<std::string> parts(std::string_view text, size_t step) {
  std::vector<std::string> found;
  ByteSource all = bytes_of(text);
  JsonStream stream([&](std::span<char> to) { return all(to.first(std::min(step, to.size()))); }, "list");
  try {
    for (JsonStream::Part part; stream.next(part);)
      found.push_back(part.key + (part.is_item ? "[]=" : "=") + part.text);
  } catch (const Error& error) {
    found.push_back(error.message());
  }
  return found;
}

}  // namespace

TEST_CASE("json stream: members and items, wherever the bytes are cut", "[json]") {
  const std::string text =
      "\xef\xbb\xbf {\"a\": {\"x\": \"}\\\"]\"}, \"list\": [1, \"\\\\\", [2, []] ,{}], \"b\\u0041\":-1.5e3 , "
      "\"c\":[]}\n";
  const std::vector<std::string> expected = {
      R"(a={"x": "}\"]"})", "list[]=1", R"(list[]="\\")", "list[]=[2, []]", "list[]={}", "bA=-1.5e3", "c=[]"};
  for (const size_t step : {1, 2, 3, 7, 1000}) CHECK(parts(text, step) == expected);
  CHECK(parts("{}", 1).empty());
  CHECK(parts(R"({"list": []})", 1).empty());
  CHECK(parts(R"({"list": 3})", 1) == std::vector<std::string>{"list=3"});
}

TEST_CASE("json stream: what is between the parts must be right", "[json]") {
  const std::pair<std::string, std::string> rows[] = {
      {"", "line 1, column 1: the text ends too early"},
      {"{", "line 1, column 2: a key is expected"},
      {"[]", "line 1, column 1: '{' is expected"},
      {"{\n \"a\" 1}", "line 2, column 6: ':' is expected"},
      {"{\"a\": 1 \"b\": 2}", "line 1, column 9: ',' is expected"},
      {"{\"list\": [1 2]}", "line 1, column 13: ',' is expected"},
      {"{\"list\": [1,]}", "line 1, column 13: a value is expected"},
      {"{\"a\": 1,}", "line 1, column 9: a key is expected"},
      {"{\"list\": [\"x", "line 1, column 13: the text ends too early"},
      {"{\"a\": 1} x", "line 1, column 10: the document has ended, but text follows"},
      {"{\"list\": [], \"list\": []}", "the key 'list' is there twice"},
  };
  for (const auto& [text, message] : rows) CHECK(parts(text, 1).back() == message);
}
