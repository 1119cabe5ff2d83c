// SPDX-License-Identifier: Apache-2.0
#include "core/random.h"

#include <catch2/catch.hpp>

namespace random_test {

using namespace opref::core;

namespace {

using Words = std::array<std::uint32_t, 4>;

}  // namespace

TEST_CASE("Philox4x32-10 gives the numbers of its authors' known answers", "[core]") {
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr std::uint32_t kOnes = 0xffffffff;
  CHECK(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  // The digits of pi.
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a stream's counter is the index, the draw and the stream", "[core]") {
  const Random random(0x15dbda19d39e06ae);
  CHECK(random.draw(5, 2, 1) == philox({5, 0, 2, 1}, {0xd39e06ae, 0x15dbda19}));
  CHECK(random.draw(std::int64_t{1} << 32) == philox({0, 1, 0, 0}, {0xd39e06ae, 0x15dbda19}));
}

TEST_CASE("two words make a number, the lower one first", "[core]") {
  const Words words{1, 2, 3, 4};
  CHECK(word64(words, 0) == 0x200000001);
  CHECK(word64(words, 1) == 0x400000003);
}

}  // namespace random_test
