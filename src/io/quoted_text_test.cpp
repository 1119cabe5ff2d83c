// SPDX-License-Identifier: Apache-2.0
#include "io/quoted_text.h"

#include <catch2/catch.hpp>

#include "core/error.h"

namespace quoted_text_test {

using namespace opref::io;

namespace {

std::string parsed(std::string_view text) {
  size_t position = 0;
  std::string value = parse_quoted(text, position);
  CHECK(position == text.size());
  return value;
}

std::string problem(std::string_view text) {
  size_t position = 0;
  try {
    return parse_quoted(text, position);
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.message();
  }
}

}  // namespace

TEST_CASE("quoted text: escapes are JSON's", "[io]") {
  CHECK(parsed(R"("")").empty());
  CHECK(parsed(R"("a\\b")") == "a\\b");
  CHECK(parsed(R"("\"\/\b\f\n\r\t")") == "\"/\b\f\n\r\t");
  CHECK(parsed(R"("\u0041\u00e9\u20AC")") == "A\xc3\xa9\xe2\x82\xac");
  CHECK(parsed(R"("\ud83d\ude00")") == "\xf0\x9f\x98\x80");
  CHECK(parsed(R"("\u0000")") == std::string(1, '\0'));
  size_t position = 2;
  CHECK(parse_quoted(R"([ "a", "b"])", position) == "a");
  CHECK(position == 5);
}

TEST_CASE("quoted text: what is no escape is refused, not taken for its letter", "[io]") {
  CHECK(problem(R"("a\qb")") == R"('\q' is no escape (a backslash itself is written \\) at character 3 of '"a\qb"')");
  CHECK(problem(R"("\x41")") == R"('\x' is no escape (a backslash itself is written \\) at character 2 of '"\x41"')");
  CHECK(problem(R"("\u12G4")") == R"('\u' has not four hexadecimal digits at character 2 of '"\u12G4"')");
  CHECK(problem(R"("\u+123")") == R"('\u' has not four hexadecimal digits at character 2 of '"\u+123"')");
  CHECK(problem(R"("\u12)") == R"('\u' has not four hexadecimal digits at character 2 of '"\u12')");
  for (const char* half : {R"("\ud83d")", R"("\ude00")", R"("\ud83d\u0041")", R"("\ude00\ud83d")"})
    CHECK(problem(half) == std::string("half a pair of surrogates at character 2 of '") + half + "'");
  CHECK(problem(R"("a)") == R"(expected '"' at character 3 of '"a')");
  CHECK(problem(R"("a\)") == R"(expected '"' at character 4 of '"a\')");
}

}  // namespace quoted_text_test
