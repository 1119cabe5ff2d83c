// SPDX-License-Identifier: Apache-2.0
#include "core/utf8.h"

#include <catch2/catch.hpp>

namespace utf8_test {

using namespace opref::core;

namespace {

std::string utf8(std::uint32_t code) {
  std::string text;
  return append_utf8(text, code) ? text : "none";
}

}  // namespace

TEST_CASE("UTF-8: code points there and back, at both ends of every length", "[core]") {
  const std::pair<std::uint32_t, std::string> pairs[] = {{0x00, std::string(1, '\0')},
                                                         {0x7f, "\x7f"},
                                                         {0x80, "\xc2\x80"},
                                                         {0x7ff, "\xdf\xbf"},
                                                         {0x800, "\xe0\xa0\x80"},
                                                         {0xd7ff, "\xed\x9f\xbf"},
                                                         {0xe000, "\xee\x80\x80"},
                                                         {0xffff, "\xef\xbf\xbf"},
                                                         {0x10000, "\xf0\x90\x80\x80"},
                                                         {0x1f600, "\xf0\x9f\x98\x80"},
                                                         {0x10ffff, "\xf4\x8f\xbf\xbf"}};
  for (const auto& [code, text] : pairs) {
    CHECK(utf8(code) == text);
    CHECK(code_points(text) == std::vector<std::uint32_t>{code});
  }
  CHECK(code_points("a\xc3\xa9z") == std::vector<std::uint32_t>{'a', 0xe9, 'z'});
  CHECK(code_points("")->empty());
}

TEST_CASE("UTF-8: what is none", "[core]") {
  for (const std::uint32_t code : {0xd800U, 0xdfffU, 0x110000U, 0xffffffffU}) CHECK(utf8(code) == "none");
  // A following byte alone, one that is missing, surrogates, more bytes than need be, above 10FFFF, bytes of no
  // meaning.
  for (const char* text : {"\x80", "\xc3", "\xc3z", "\xe2\x82", "\xed\xa0\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf",
                           "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff"})
    CHECK_FALSE(code_points(text));
}

TEST_CASE("utf8: what is no UTF-8 becomes U+FFFD, as the Unicode Standard says", "[core]") {
  // Tables 3-8 to 3-11 of The Unicode Standard, section 3.9; the last rows are texts that end too early.
  const std::pair<std::string, std::string> rows[] = {
      {"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", "????????A"},
      {"\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", "????????A"},
      {"\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", "?????A??B"},
      {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", "????A"},
      {"\xc3", "?"},
      {"a\xf0\x9f\x98", "a?"},
  };
  for (const auto& [bytes, expected] : rows) {
    CHECK_FALSE(is_utf8(bytes));
    std::string text = valid_utf8(bytes);
    for (size_t at = 0; (at = text.find(kReplacement, at)) != std::string::npos;) text.replace(at, 3, "?");
    CHECK(text == expected);
  }
  CHECK((is_utf8("") && is_utf8("a\xc3\xa4\xf0\x9f\x98\x80") && valid_utf8("\xc3\xa4") == "\xc3\xa4"));
}

}  // namespace utf8_test
