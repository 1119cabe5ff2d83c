// SPDX-License-Identifier: Apache-2.0
// Attentions have the same bytes by all tiers, certified rows among them, and by the exact one alone.
#include <catch2/catch.hpp>
#include <random>

#include "ops/two_tiers_testing.h"

namespace opref::ops {
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

}  // namespace

TEMPLATE_TEST_CASE("attentions have the bytes of the exact tier", "[Attention]", float, Half, BFloat16) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const auto results = two_tiers::results_of(some_attention<TestType>(seed));
    CHECK(results[0] == results[1]);
  }
}

}  // namespace opref::ops
