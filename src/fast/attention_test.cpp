// SPDX-License-Identifier: Apache-2.0
// What rows of attentions claim to know of their scores. Bytes of whole attentions: ops/attention_test.cpp.
#include "fast/attention.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "exact/oracle_testing.h"
#include "exact/rows.h"
#include "fast/attention_rows.h"
#include "fast/tiled_product.h"

namespace opref::fast::fast_attention_test {
namespace {

Tensor line(const std::vector<float>& numbers) {
  return Tensor::of<float>(DType::float32, {static_cast<std::int64_t>(numbers.size())}, numbers);
}

/// One query of `size` numbers and one number as each key's value.
struct Small {
  std::vector<float> query, keys, values;
  double scale = 1, softcap = 0;
  std::vector<double> added = {};
  std::vector<float> past_keys = {}, past_values = {};
  Slack slack = {};
};
constexpr float kLeftOpen = -1;

float mean(const Small& a) {
  const evaluators::Strided first({1}, {0});
  const TensorType type{DType::float32, {1}};
  Numerics numerics;
  numerics.slack = a.slack;
  float y = 0;
  const RowTarget target{type, numerics, std::as_writable_bytes(std::span(&y, 1)),
                         [&](std::span<const std::int64_t>) { y = kLeftOpen; }};
  const std::int64_t size = std::ssize(a.query);
  const auto keys = [&](const std::vector<float>& of, const std::vector<float>& values) {
    const std::int64_t n = std::ssize(values);
    return Attention::Keys{{line(of), first, n, size}, {line(values), first, n, 1}};
  };
  Attention form{.query = {line(a.query), first, 1, size},
                 .keys = {keys(a.past_keys, a.past_values), keys(a.keys, a.values)},
                 .y_head = first,
                 .y_step = 1,
                 .size = size,
                 .value_size = 1,
                 .scale = a.scale,
                 .precise_scale = a.scale,
                 .softcap = a.softcap};
  if (!a.added.empty())
    form.added = [&](std::int64_t, std::int64_t, std::int64_t, std::int64_t j, double* to) {
      to[0] = a.added[static_cast<std::size_t>(j)];
    };
  CHECK(attention(target, form));
  return y;
}

/// Two float32s and what lies between them is y of two keys of equal scores and the values 1 and 2^-24.
constexpr float kBelow = 0.5F, kAbove = 0.5F + 0x1p-24F;

/// The first of two scores is 1 + 99·(2^-53 - 2^-60), the second 1 + 88·2^-53, times 2^20. The first is greater, but in
/// double all of its small terms are lost where they are added to 1 one by one.
float of_drifting_score(const Slack& slack) {
  constexpr std::int64_t kTerms = 100;
  std::vector<float> query(kTerms, 0x1p-27F), keys(2 * kTerms, 0x1p-26F - 0x1p-33F);
  query[0] = keys[0] = keys[kTerms] = 1;
  std::fill(keys.begin() + kTerms + 1, keys.end(), 0.0F);
  keys[kTerms + 1] = 0x1p-26F * 88;
  return mean({.query = query, .keys = keys, .values = {1, 0x1p-24F}, .scale = 0x1p20, .slack = slack});
}

}  // namespace

TEST_CASE("attention: what additions of a score lose is counted", "[rows]") {
  CHECK(of_drifting_score({}) == kAbove);
  CHECK(of_drifting_score({.roundings = 0, .factor = 1.0 / 16}) == kBelow);
}

// As above, but small terms are a lane's of the sums that look again: 99 of 2^-53 - 2^-60 against one of 80·2^-53.
TEST_CASE("attention: what additions of a score lose is counted where its row is looked at again", "[rows]") {
  constexpr std::size_t kTerms = 1600, kLanes = 16;
  std::vector<float> query(kTerms, 0x1p-27F), keys(2 * kTerms, 0.0F);
  for (std::size_t k = 0; k < kTerms; k += kLanes) keys[k] = 0x1p-26F - 0x1p-33F;
  query[0] = keys[0] = keys[kTerms] = 1;
  keys[kTerms + kLanes] = 0x1p-26F * 80;
  CHECK(mean({.query = query, .keys = keys, .values = {1, 0x1p-24F}, .scale = 0x1p20}) == kAbove);
}

// The second score, 2^20 + 0.9·2^-33, is rounded to the first, 2^20: y, which lies 1.6·2^-36 below the middle between
// two float32s, seems to lie 2^-37 above it.
TEST_CASE("attention: what a score and a mask lose where they are added is counted", "[rows]") {
  CHECK(mean({.query = {1},
              .keys = {0, 0.9F * 0x1p-33F},
              .values = {1, 0x1p-24F + 0x1p-36F},
              .added = {0x1p20, 0x1p20},
              .slack = {.roundings = 0, .factor = 0}}) == kBelow);
}

// The second product lies two doubles above the first, and so its score above the first by some 2^-36, which tanh, flat
// there, often does not show: then y, which lies below the middle between two float32s, seems to lie 2^-39 above it.
TEST_CASE("attention: what softcap's tanh loses is counted", "[rows]") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    std::vector<float> keys;
    const double first = 0.9 + static_cast<double>(random() >> 12) * 0x1p-56;
    for (const double product : {first, first + 0x1p-52}) {
      const double high = std::floor(product * 0x1p20) * 0x1p-20, rest = product - high,
                   middle = std::floor(rest * 0x1p40) * 0x1p-40;
      for (const double part : {high, middle, rest - middle}) keys.push_back(static_cast<float>(part));
    }
    CAPTURE(first);
    REQUIRE(mean({.query = {1, 1, 1},
                  .keys = keys,
                  .values = {1, 0x1p-24F + 0x1p-38F},
                  .scale = 0x1p20,
                  .softcap = 0x1p19,
                  .slack = {.roundings = 0, .factor = 0}}) == kBelow);
  }
}

// Two keys of the past have powers of 1. Of the others 32, a chunk, have 0.98·2^-52 together, which is lost where it is
// added to 2. So y lies (0.98 - 1/2)·2^-42 below the middle between two float32s, but seems to lie 2^-43 above it.
TEST_CASE("attention: what the sum of powers loses is counted", "[rows]") {
  constexpr std::size_t kKeys = std::size_t{1} << 17;
  const auto score = static_cast<float>(std::log(0.98) - 57 * std::log(2.0));
  CHECK(mean({.query = {1},
              .keys = std::vector<float>(kKeys, score),
              .values = std::vector<float>(kKeys, 0.0F),
              .past_keys = {0, 0},
              .past_values = {1, 0x1p-24F + 0x1p-42F}}) == kBelow);
}

// The third key has a power of about 2^-58: y lies above the middle by less than half a unit of a double.
TEST_CASE("attention: what the higher double of a pair lacks is counted", "[rows]") {
  CHECK(mean({.query = {1}, .keys = {0, 0, -40}, .values = {1, 0x1p-24F, 4}}) == kLeftOpen);
}

// A product of a power and a value, and a small one that is added: what both lose is what each mean claims, at least.
TEST_CASE("attention: what a mean's numerator loses is counted", "[rows]") {
  std::mt19937_64 random(6);
  const ProductBound bound = TiledProduct<float, double>::bound(1, {.roundings = 0, .factor = 1}, kMeanRoundings);
  double worst = 0;
  for (int i = 0; i < 2000; ++i) {
    const double value = 1 + static_cast<double>(random() % 64) * 0x1p-23,
                 power = 1 + static_cast<double>(random() >> 12) * 0x1p-62,
                 small = 0x1p-53 * (1 - static_cast<double>(random() % 64) * 0x1p-10);
    const double product = value * power, sum = product + small;
    const double lost = std::abs(std::fma(value, power, -product) + (small - (sum - product)));
    double v[1 + kRowSlack] = {}, e[1 + kRowSlack] = {};
    const double none[1 + kRowSlack] = {};
    for (const auto& [of_value, of_power] : {std::pair(value, power), std::pair(1.0, small)}) {
      const double one[1 + kRowSlack] = {of_value * of_power}, norm[1 + kRowSlack] = {of_power};
      row_numerator(one, norm, none, bound.scale(of_value * of_value), of_value, 0, 1, v, e);
    }
    REQUIRE(v[0] == sum);
    REQUIRE(lost <= e[0] * (1 + 0x1p-40));
    worst = std::max(worst, lost / e[0]);
  }
  CHECK(worst > 0.9);
}

}  // namespace opref::fast::fast_attention_test
