// SPDX-License-Identifier: Apache-2.0
// What rows of attentions claim to know of their scores. Bytes of whole attentions: ops/attention_test.cpp.
#include "fast/attention.h"

#include <catch2/catch.hpp>

#include "exact/oracle_testing.h"

namespace opref::fast {
namespace {

Tensor line(const std::vector<float>& numbers) {
  return Tensor::of<float>(DType::float32, {static_cast<std::int64_t>(numbers.size())}, numbers);
}

/// y of one query and two keys: their scores are 1 + 99·(2^-53 - 2^-60) and 1 + 88·2^-53, times 2^20, and the values 1
/// and 2^-24. With equal scores y were 1/2 + 2^-25, between two float32s. The first score is greater, but in double all
/// of its small terms are lost where they are added to 1 one by one.
float of_drifting_score(const Slack& slack) {
  constexpr std::int64_t kTerms = 100;
  std::vector<float> query(kTerms, 0x1p-27F), keys(2 * kTerms, 0x1p-26F - 0x1p-33F);
  query[0] = keys[0] = keys[kTerms] = 1;
  std::fill(keys.begin() + kTerms + 1, keys.end(), 0.0F);
  keys[kTerms + 1] = 0x1p-26F * 88;
  const evaluators::Strided first({1}, {0});
  const TensorType type{DType::float32, {1}};
  Numerics numerics;
  numerics.slack = slack;
  float y = -1;
  const RowTarget target{type, numerics, std::as_writable_bytes(std::span(&y, 1)),
                         [&](std::span<const std::int64_t>) { y = 0.5F + 0x1p-24F; }};
  CHECK(attention(target, {.query = {line(query), first, 1, kTerms},
                           .keys = {{{line(keys), first, 2, kTerms}, {line({1, 0x1p-24F}), first, 2, 1}}},
                           .y_head = first,
                           .y_step = 1,
                           .size = kTerms,
                           .value_size = 1,
                           .scale = 0x1p20}));
  return y;
}

}  // namespace

TEST_CASE("attention: what additions of a score lose is counted", "[rows]") {
  CHECK(of_drifting_score({}) == 0.5F + 0x1p-24F);
  CHECK(of_drifting_score({.roundings = 0, .factor = 1.0 / 16}) == 0.5F);
}

}  // namespace opref::fast
