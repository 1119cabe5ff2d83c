// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/windows.h"

#include <catch2/catch.hpp>

namespace pooling_test {

using namespace opref::ops;

namespace {

/// By looking at every tap of every window.
bool is_some_empty(std::int64_t L, std::int64_t k, std::int64_t s, std::int64_t d, std::int64_t pad, std::int64_t O) {
  for (std::int64_t o = 0; o < O; ++o) {
    int inside = 0;
    for (std::int64_t tap = 0; tap < k; ++tap) {
      const std::int64_t x = o * s + tap * d - pad;
      inside += x >= 0 && x < L ? 1 : 0;
    }
    if (inside == 0) return true;
  }
  return false;
}
bool has_empty(std::int64_t L, std::int64_t k, std::int64_t s, std::int64_t d, std::int64_t pad, std::int64_t O) {
  return has_empty_window({{L}, {k}, {s}, {d}, {{pad}, {0}}, {O}});
}

}  // namespace

TEST_CASE("windows: which are empty, by all their taps", "[ops][pooling]") {
  int wrong = 0, empty = 0, all = 0;
  for (std::int64_t L = 1; L <= 9; ++L)
    for (std::int64_t k = 1; k <= 4; ++k)
      for (std::int64_t s = 1; s <= 7; ++s)
        for (std::int64_t d = 1; d <= 11; ++d)
          for (std::int64_t pad = 0; pad <= 12; ++pad)
            for (std::int64_t O = 1; O <= 6; ++O) {
              const bool expected = is_some_empty(L, k, s, d, pad, O);
              wrong += has_empty(L, k, s, d, pad, O) != expected;
              empty += expected, ++all;
            }
  CHECK(wrong == 0);
  CHECK(empty > all / 10);
  CHECK(empty < all * 9 / 10);
}

// 10^18 windows, also of a step and a dilation without a common divisor beyond X's size.
TEST_CASE("windows: whether one is empty is not looked for", "[ops][pooling]") {
  constexpr std::int64_t kHuge = 1'000'000'000'000'000'000;
  CHECK_FALSE(has_empty(kHuge, 3, 1, 1, 2, kHuge));
  CHECK(has_empty(kHuge, 3, 1, 1, 3, kHuge));
  CHECK_FALSE(has_empty(kHuge - 1, 4, 2, kHuge, 2 * kHuge, kHuge));
  CHECK(has_empty(kHuge - 1, 4, 1, kHuge, 2 * kHuge, 2 * kHuge));
  CHECK_FALSE(has_empty_window({{3, kHuge}, {2, 2}, {1, 1}, {1, 1}, {{1, 1}, {0, 0}}, {4, kHuge}}));
}

}  // namespace pooling_test
