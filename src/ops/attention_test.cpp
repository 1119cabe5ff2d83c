// SPDX-License-Identifier: Apache-2.0
// Attentions have the same bytes by all tiers, certified rows among them, and by the exact one alone.
#include <catch2/catch.hpp>
#include <random>

#include "ops/two_tiers_testing.h"

namespace opref::ops::ops_attention_test {
namespace {

using two_tiers::integer;
using two_tiers::number;

/// Few different numbers, so that scores and means tie; or any.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : random_(seed) {}
  bool chance(double part) { return std::uniform_real_distribution<>()(random_) < part; }
  std::int64_t whole(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random_);
  }
  template <class T>
  Tensor tensor(const Dims& shape, double special) {
    std::vector<double> numbers(static_cast<size_t>(element_count(shape)));
    const bool are_whole = chance(0.3);
    for (double& x : numbers) {
      x = normal_(random_);
      if (are_whole) x = std::round(x);
      if (chance(special)) x = kSpecial[static_cast<size_t>(whole(0, std::ssize(kSpecial) - 1))];
    }
    return two_tiers::floats<T>(shape, numbers);
  }
  Tensor mask(const Dims& shape) {
    TensorBuilder builder({DType::boolean, shape});
    for (std::byte& x : builder.bytes()) x = static_cast<std::byte>(chance(0.6));
    return std::move(builder).finish();
  }

 private:
  static constexpr std::array kSpecial{0.0, HUGE_VAL, -HUGE_VAL, double{NAN}, -0x1.fffffep127, 0x1p-140};
  std::mt19937_64 random_;
  std::normal_distribution<> normal_;
};

template <class T>
two_tiers::Case some_attention(std::uint64_t seed) {
  Numbers r(seed);
  const std::int64_t kv = r.whole(1, 2), heads = kv * r.whole(1, 2), queries = r.whole(1, 5), keys = r.whole(1, 6),
                     size = r.whole(1, 20), value_size = r.whole(1, 4), past = r.chance(0.4) ? r.whole(0, 3) : 0;
  const double special = r.chance(0.2) ? 0.02 : 0;
  two_tiers::Case c{"", "Attention", r.whole(23, 25), {}, {}};
  if (r.chance(0.5)) {
    c.attributes = {{"q_num_heads", integer(heads)}, {"kv_num_heads", integer(kv)}};
    c.inputs = {r.tensor<T>({2, queries, heads * size}, special), r.tensor<T>({2, keys, kv * size}, special),
                r.tensor<T>({2, keys, kv * value_size}, special)};
  } else {
    c.inputs = {r.tensor<T>({2, heads, queries, size}, special), r.tensor<T>({2, kv, keys, size}, special),
                r.tensor<T>({2, kv, keys, value_size}, special)};
  }
  c.inputs.emplace_back();
  if (r.chance(0.3)) c.inputs.back() = r.mask({heads, queries, past + keys});
  if (r.chance(0.3)) c.inputs.back() = r.tensor<T>({queries, past + keys}, 0.1);
  if (past > 0) {
    c.inputs.emplace_back(r.tensor<T>({2, kv, past, size}, special));
    c.inputs.emplace_back(r.tensor<T>({2, kv, past, value_size}, special));
    c.outputs = 3;
  }
  if (r.chance(0.3)) c.attributes.push_back({"is_causal", integer(1)});
  if (r.chance(0.3)) c.attributes.push_back({"softcap", number(2.5)});
  if (r.chance(0.2)) c.attributes.push_back({"scale", number(-3)});
  if (c.opset == 25 && r.chance(0.3)) c.attributes.push_back({"left_window_size", integer(1)});
  if (r.chance(0.2)) {
    c.outputs = 4;
    c.attributes.push_back({"qk_matmul_output_mode", integer(r.whole(0, 3))});
  }
  return c;
}

Tensor int32s(const Dims& shape, const std::vector<std::int32_t>& numbers) {
  return Tensor::of<std::int32_t>(DType::int32, shape, numbers);
}

/// Of keys and values whose heads are shared, with a cache.
template <class T>
two_tiers::Case some_group_query_attention(std::uint64_t seed) {
  Numbers r(seed);
  const std::int64_t kv = r.whole(1, 2), heads = kv * r.whole(1, 2), size = 2 * r.whole(1, 6);
  const bool is_prompt = r.chance(0.5);
  const std::int64_t queries = is_prompt ? r.whole(1, 4) : 1, past = is_prompt ? 0 : r.whole(1, 4),
                     total = past + queries, capacity = past + r.whole(0, 1) * queries;
  const double special = r.chance(0.2) ? 0.02 : 0;
  two_tiers::Case c{"com.microsoft", "GroupQueryAttention", 1, {}, {}, 3};
  c.attributes = {{"num_heads", integer(heads)}, {"kv_num_heads", integer(kv)}};
  if (r.chance(0.3)) {
    c.inputs = {r.tensor<T>({2, queries, (heads + 2 * kv) * size}, special), std::nullopt, std::nullopt};
  } else {
    c.inputs = {r.tensor<T>({2, queries, heads * size}, special), r.tensor<T>({2, queries, kv * size}, special),
                r.tensor<T>({2, queries, kv * size}, special)};
  }
  for (int part = 0; part < 2; ++part)
    c.inputs.push_back(past > 0 ? std::optional(r.tensor<T>({2, kv, capacity, size}, special)) : std::nullopt);
  const auto first = static_cast<std::int32_t>(total - 1), second = static_cast<std::int32_t>(r.whole(0, total - 1));
  c.inputs.emplace_back(int32s({2}, {first, second}));
  c.inputs.emplace_back(int32s({}, {static_cast<std::int32_t>(total)}));
  const bool is_turned = r.chance(0.5);
  for (int cache = 0; cache < 2; ++cache)
    c.inputs.push_back(is_turned ? std::optional(r.tensor<T>({total, size / 2}, 0)) : std::nullopt);
  if (is_turned) c.attributes.push_back({"do_rotary", integer(1)});
  c.inputs.emplace_back();
  c.inputs.push_back(r.chance(0.3) ? std::optional(r.tensor<T>({1, heads, queries, total}, 0.1)) : std::nullopt);
  if (r.chance(0.3)) c.inputs.emplace_back(r.tensor<T>({heads}, special));
  if (r.chance(0.3)) c.attributes.push_back({"softcap", number(2.5)});
  if (r.chance(0.3)) c.attributes.push_back({"local_window_size", integer(r.whole(1, 2))});
  if (r.chance(0.3)) {
    c.outputs = 4;
    c.attributes.push_back({"qk_output", integer(r.whole(1, 2))});
  }
  return c;
}

/// Of two sequences a mask of `keys` keys.
Tensor some_padding(Numbers& r, std::int64_t queries, std::int64_t keys) {
  const auto n = static_cast<std::int32_t>(keys);
  const auto end = [&] { return static_cast<std::int32_t>(r.whole(0, n)); };
  if (r.chance(0.5)) return int32s({2}, {end(), end()});
  std::vector<std::int32_t> numbers(static_cast<size_t>(2 * queries * keys));
  for (std::int32_t& x : numbers) x = static_cast<std::int32_t>(r.whole(0, 1));
  return int32s({2, queries, keys}, numbers);
}

template <class T>
two_tiers::Case some_multi_head_attention(std::uint64_t seed) {
  Numbers r(seed);
  const std::int64_t heads = r.whole(1, 2), queries = r.whole(1, 4), keys = r.whole(1, 5), size = r.whole(1, 9),
                     past = r.chance(0.4) ? r.whole(1, 2) : 0;
  const double special = r.chance(0.2) ? 0.02 : 0;
  two_tiers::Case c{"com.microsoft", "MultiHeadAttention", 1, {}, {}, 4};
  c.attributes = {{"num_heads", integer(heads)}, {"unidirectional", integer(r.whole(0, 1))}};
  c.inputs = {r.tensor<T>({2, queries, heads * size}, special), r.tensor<T>({2, keys, heads * size}, special),
              r.tensor<T>({2, keys, heads * size}, special)};
  c.inputs.push_back(r.chance(0.5) ? std::optional(r.tensor<T>({3 * heads * size}, special)) : std::nullopt);
  c.inputs.push_back(r.chance(0.5) ? std::optional(some_padding(r, queries, past + keys)) : std::nullopt);
  c.inputs.push_back(r.chance(0.3) ? std::optional(r.tensor<T>({1, heads, queries, past + keys}, 0)) : std::nullopt);
  for (int part = 0; past > 0 && part < 2; ++part) c.inputs.emplace_back(r.tensor<T>({2, heads, past, size}, special));
  if (r.chance(0.5)) c.outputs = 1;
  return c;
}

template <class T>
two_tiers::Case some_projected_attention(std::uint64_t seed) {
  Numbers r(seed);
  const std::int64_t heads = r.whole(1, 2), tokens = r.whole(1, 4), hidden = heads * r.whole(1, 3),
                     inputs = r.whole(1, 20), past = r.chance(0.4) ? r.whole(1, 2) : 0;
  two_tiers::Case c{"com.microsoft", "Attention", 1, {}, {}, 2};
  c.attributes = {{"num_heads", integer(heads)}, {"unidirectional", integer(r.whole(0, 1))}};
  const double special = r.chance(0.2) ? 0.02 : 0;
  c.inputs = {r.tensor<T>({2, tokens, inputs}, special), r.tensor<T>({inputs, 3 * hidden}, special),
              r.tensor<T>({3 * hidden}, special)};
  c.inputs.push_back(r.chance(0.5) ? std::optional(some_padding(r, tokens, past + tokens)) : std::nullopt);
  if (past > 0) c.inputs.emplace_back(r.tensor<T>({2, 2, heads, past, hidden / heads}, special));
  return c;
}

}  // namespace

TEMPLATE_TEST_CASE("attentions of com.microsoft have the bytes of the exact tier",
                   "[GroupQueryAttention][MultiHeadAttention][Attention]", float, Half, BFloat16) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    for (const auto& some : {some_group_query_attention<TestType>, some_multi_head_attention<TestType>,
                             some_projected_attention<TestType>}) {
      const auto results = two_tiers::results_of(some(seed));
      CHECK(results[0] == results[1]);
    }
  }
}

TEMPLATE_TEST_CASE("attentions have the bytes of the exact tier", "[Attention]", float, Half, BFloat16) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const auto results = two_tiers::results_of(some_attention<TestType>(seed));
    CHECK(results[0] == results[1]);
  }
}

}  // namespace opref::ops::ops_attention_test
