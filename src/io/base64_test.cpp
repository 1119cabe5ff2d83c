// SPDX-License-Identifier: Apache-2.0
#include "io/base64.h"

#include <catch2/catch.hpp>

#include "core/error.h"

namespace base64_test {

using namespace opref::io;

TEST_CASE("base64: the test vectors of RFC 4648, chapter 10", "[io][base64]") {
  const std::pair<std::string_view, std::string_view> vectors[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [plain, coded] : vectors) {
    const std::vector<std::uint8_t> bytes(plain.begin(), plain.end());
    CHECK(base64(bytes) == coded);
    CHECK(from_base64(coded) == bytes);
  }
  CHECK(from_base64("//79") == std::vector<std::uint8_t>{0xff, 0xfe, 0xfd});
}

TEST_CASE("base64: what ends early or has other characters is malformed", "[io][base64]") {
  for (const char* text : {"Zg=", "Zg", "Z", "Zm9v!", "Zg==Zg=="}) {
    INFO(text);
    CHECK_THROWS_AS(from_base64(text), Error);
  }
}

}  // namespace base64_test
