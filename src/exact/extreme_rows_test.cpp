// SPDX-License-Identifier: Apache-2.0
#include "exact/extreme_rows.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "exact/rounding.h"

namespace extreme_rows_test {

using namespace opref::exact;
using namespace opref::core;

namespace {

template <class T>
double number_of(std::uint16_t bits) {
  return static_cast<double>(static_cast<float>(T{bits}));
}

/// Ranks of all patterns of a type of 16 bits compare as its numbers do, -0 below +0.
template <class Number>
void check_ranks(DType dtype, const Number& number) {
  for (const bool least_wins : {false, true}) {
    const auto how = ranks_of<std::int16_t>(dtype, least_wins);
    std::vector<std::int16_t> patterns, ranks(1 << 16);
    for (int bits = 0; bits < 1 << 16; ++bits) patterns.push_back(static_cast<std::int16_t>(bits));
    row_ranks(patterns.data(), 1, patterns.size(), how, ranks.data());
    std::vector<double> by_rank(1 << 16, NAN);  // the number of each rank
    for (std::size_t bits = 0; bits < patterns.size(); ++bits) {
      const double x = number(static_cast<std::uint16_t>(bits));
      if (std::isnan(x)) {
        CHECK(ranks[bits] == INT16_MAX);
        continue;
      }
      CHECK((how.has_nan() && ranks[bits] == INT16_MAX) == false);
      CHECK(how.bits(ranks[bits]) == patterns[bits]);
      by_rank[static_cast<std::size_t>(ranks[bits] + (1 << 15))] = x;
    }
    const double* last = nullptr;
    for (const double& x : by_rank) {
      if (std::isnan(x)) continue;
      if (last != nullptr) {
        const double low = least_wins ? x : *last, high = least_wins ? *last : x;
        CHECK((low < high || (low == 0 && high == 0 && std::signbit(low) && !std::signbit(high))));
      }
      last = &x;
    }
  }
}

}  // namespace

TEST_CASE("ranks compare as numbers of 16 bits do, and NaN is above them", "[exact][rows]") {
  check_ranks(DType::float16, number_of<Half>);
  check_ranks(DType::bfloat16, number_of<BFloat16>);
  check_ranks(DType::int16, [](std::uint16_t bits) { return static_cast<double>(static_cast<std::int16_t>(bits)); });
  check_ranks(DType::uint16, [](std::uint16_t bits) { return static_cast<double>(bits); });
}

TEST_CASE("ranks: the ends of wide types", "[exact][rows]") {
  const auto floats = ranks_of<std::int32_t>(DType::float32, false);
  CHECK(floats.rank(std::int32_t{0x7f800000}) < INT32_MAX);
  CHECK(floats.rank(std::int32_t{0x7f800001}) == INT32_MAX);
  CHECK(floats.rank(INT32_MIN) == -1);  // -0
  CHECK(floats.rank(std::int32_t{0}) == 0);
  CHECK(ranks_of<std::int64_t>(DType::int64, true).rank(INT64_MIN) == INT64_MAX);
  CHECK(!ranks_of<std::int64_t>(DType::int64, true).has_nan());
  CHECK(ranks_of<std::int64_t>(DType::uint64, false).rank(std::int64_t{-1}) == INT64_MAX);
  CHECK(ranks_of<std::int64_t>(DType::float64, true).rank(static_cast<std::int64_t>(to_bits(-HUGE_VAL))) < INT64_MAX);
}

TEST_CASE("the place of the first or last greatest, wherever it lies", "[exact][rows]") {
  for (const std::size_t n : {1, 31, 32, 255, 256, 257, 1000})
    for (std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      std::vector<std::int8_t> x(n, 3);
      x[at] = 5;
      x[n - 1 - at / 2] = 5;
      const auto how = ranks_of<std::int8_t>(DType::int8, false);
      CHECK(greatest_rank(x.data(), n, how) == 5);
      const auto first = static_cast<std::int64_t>(std::min(at, n - 1 - at / 2)),
                 last = static_cast<std::int64_t>(std::max(at, n - 1 - at / 2));
      CHECK(find_place(x.data(), n, how, false, std::int8_t{5}) == first);
      CHECK(find_place(x.data(), n, how, true, std::int8_t{5}) == last);
      CHECK(find_place(x.data(), n, how, true, std::int8_t{6}) == -1);
    }
}

}  // namespace extreme_rows_test
