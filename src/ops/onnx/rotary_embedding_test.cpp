// SPDX-License-Identifier: Apache-2.0
// Lines of tokens at once give what the definition gives, also where a result lies beside a midpoint.
#include <catch2/catch.hpp>

#include "ops/two_tiers_testing.h"

namespace opref::ops::rotary_embedding_test {
namespace {

using oracle::Random;

/// `heads` of `size` elements for each of 3 tokens of 2 batch rows.
template <class T>
two_tiers::Case rotated(Random& random, std::int64_t heads, std::int64_t size, std::int64_t turned, bool interleaved,
                        bool has_positions) {
  constexpr std::int64_t kBatch = 2, kSteps = 3;
  const auto numbers = [&](const Dims& shape) {
    std::vector<double> x;
    for (std::int64_t i = 0; i < element_count(shape); ++i)
      x.push_back(random.one_in(9)
                      ? random.of(std::vector<double>{0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 0x1p-149})
                  : random.one_in(3) ? std::round(random.normal() * 4)
                                     : random.normal());
    return two_tiers::floats<T>(shape, x);
  };
  const Dims cache = has_positions ? Dims{7, turned / 2} : Dims{kBatch, kSteps, turned / 2};
  std::vector<std::optional<Tensor>> inputs{numbers({kBatch, heads, kSteps, size}), numbers(cache), numbers(cache)};
  if (has_positions)
    inputs.push_back(
        Tensor::of<std::int64_t>(DType::int64, {kBatch, kSteps}, std::array<std::int64_t, 6>{6, 0, 3, 3, 1, 2}));
  return {"",
          "RotaryEmbedding",
          23,
          {{"interleaved", two_tiers::integer(interleaved ? 1 : 0)},
           {"rotary_embedding_dim", two_tiers::integer(turned == size ? 0 : turned)}},
          inputs};
}
template <class T>
void compare(Random& random) {
  for (const std::int64_t size : {2, 6, 40, 700})
    for (const std::int64_t turned : {size, size / 2 / 2 * 2})
      for (const bool interleaved : {false, true})
        for (const bool has_positions : {false, true}) {
          if (turned == 0) continue;
          const auto results = two_tiers::results_of(rotated<T>(random, 2, size, turned, interleaved, has_positions));
          CAPTURE(size, turned, interleaved, has_positions);
          CHECK(results[0] == results[1]);
        }
}

}  // namespace

TEST_CASE("RotaryEmbedding: lines give what the exact tier gives", "[RotaryEmbedding]") {
  Random random(1);
  compare<float>(random);
  compare<Half>(random);
  compare<BFloat16>(random);
}

// (1 + 2^-12)² is 1 + 2^-11 and half a place of float32; 2^-100 says to which side it rounds.
TEST_CASE("RotaryEmbedding: beside a midpoint", "[RotaryEmbedding]") {
  constexpr double kFactor = 1 + 0x1p-12;
  for (const double sign : {1.0, -1.0}) {
    const Tensor x = two_tiers::floats<float>({1, 1, 1, 2}, {kFactor, 0x1p-40}),
                 cos = two_tiers::floats<float>({1, 1, 1}, {kFactor}),
                 sin = two_tiers::floats<float>({1, 1, 1}, {sign * 0x1p-60});
    const auto results = two_tiers::results_of({"", "RotaryEmbedding", 23, {}, {x, cos, sin}});
    CHECK(results[0][0][0] == to_bits(static_cast<float>(1 + 0x1p-11 + (sign > 0 ? 0 : 0x1p-23))));
  }
}

}  // namespace opref::ops::rotary_embedding_test
