// SPDX-License-Identifier: Apache-2.0
#include "core/letter_case.h"

#include <catch2/catch.hpp>

namespace letter_case_test {

using namespace opref::core;

TEST_CASE("case of letters: Unicode's simple mappings", "[core]") {
  // UnicodeData.txt: code point, upper, lower.
  const std::uint32_t rows[][3] = {{'a', 'A', 'a'},
                                   {'Z', 'Z', 'z'},
                                   {'@', '@', '@'},
                                   {'[', '[', '['},
                                   {0xB5, 0x39C, 0xB5},
                                   {0xDF, 0xDF, 0xDF},
                                   {0xD7, 0xD7, 0xD7},
                                   {0xFF, 0x178, 0xFF},
                                   {0x130, 0x130, 0x69},
                                   {0x131, 0x49, 0x131},
                                   {0x1C5, 0x1C4, 0x1C6},
                                   {0x3A9, 0x3A9, 0x3C9},
                                   {0x3C2, 0x3A3, 0x3C2},
                                   {0x1E9E, 0x1E9E, 0xDF},
                                   {0x2126, 0x2126, 0x3C9},
                                   {0xAB70, 0x13A0, 0xAB70},
                                   {0x1E943, 0x1E921, 0x1E943},
                                   {0x10FFFF, 0x10FFFF, 0x10FFFF}};
  for (const auto& [code, upper, lower] : rows) {
    INFO(code);
    CHECK(upper_case(code) == upper);
    CHECK(lower_case(code) == lower);
  }
}

TEST_CASE("case of letters: bytes that are no UTF-8 stay", "[core]") {
  CHECK(mapped_case("a\xff\xc3z\xc3\xa9", upper_case) == "A\xff\xc3Z\xc3\x89");
  CHECK(mapped_case("", lower_case).empty());
}

}  // namespace letter_case_test
