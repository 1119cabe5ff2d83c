// SPDX-License-Identifier: Apache-2.0
#include "io/gzip.h"

#include <array>
#include <catch2/catch.hpp>
#include <utility>

#include "core/error.h"

namespace gzip_test {

using namespace opref::io;

TEST_CASE("gzip: what gzip -n9 packs; a byte that differs, an end that is missing and another size are faults",
          "[io]") {
  const auto packed = std::to_array<std::uint8_t>({0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                                                   0xcb, 0x2f, 0x28, 0x4a, 0x4d, 0x53, 0xc8, 0x47, 0x27, 0xb9,
                                                   0x00, 0x23, 0x69, 0xff, 0x66, 0x18, 0x00, 0x00, 0x00});
  const std::string text = "opref opref opref opref\n";
  CHECK(unpacked_gzip(packed, text.size()) == text);
  CHECK_THROWS_AS(unpacked_gzip(packed, text.size() - 1), opref::core::Error);
  CHECK_THROWS_AS(unpacked_gzip(packed, text.size() + 1), opref::core::Error);
  for (std::size_t size = 0; size < packed.size(); ++size)
    CHECK_THROWS_AS(unpacked_gzip(std::span(packed).first(size), text.size()), opref::core::Error);
  auto changed = packed;
  changed[packed.size() - 5] ^= 1;  // of the sum
  CHECK_THROWS_AS(unpacked_gzip(changed, text.size()), opref::core::Error);
}

TEST_CASE("gzip: texts that are packed one after the other are each read under its name", "[io]") {
  // printf 'one\ntwo' | gzip -n9
  const auto packed =
      std::to_array<std::uint8_t>({0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0xcf, 0x4b, 0xe5,
                                   0x2a, 0x29, 0xcf, 0x07, 0x00, 0x75, 0xc6, 0x88, 0x02, 0x07, 0x00, 0x00, 0x00});
  const auto names = std::to_array<PackedText>({{"a", 4}, {"empty", 0}, {"b", 3}});
  const UnpackedTexts texts(names, packed);
  using File = std::pair<std::string_view, std::string_view>;
  CHECK(texts.files<File>() == std::vector<File>{{"a", "one\n"}, {"empty", ""}, {"b", "two"}});
  CHECK_THROWS_AS(UnpackedTexts(std::span(names).first(2), packed), opref::core::Error);
}

}  // namespace gzip_test
