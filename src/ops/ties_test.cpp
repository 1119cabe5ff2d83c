// SPDX-License-Identifier: Apache-2.0
// Results that are ties or zero, or beside one by less than any precision shows, by both tiers.
//
// Of attention: equal rows of K, masks of the least float32, values that cancel. Compared with rational arithmetic
// where all groups of equal scores have one mean, and with MPFR in 600 bits where they do not. Of normalizations:
// slices of any length whose deviation is rational.
#include <catch2/catch.hpp>
#include <map>

#include "exact/real/function_oracle_testing.h"
#include "ops/two_tiers_testing.h"

namespace opref::ops::ties_test {
namespace {

using namespace two_tiers;
using oracle::Random, oracle::Rational, oracle::Wide;

/// That both tiers give these bits.
void check(const Case& c, const std::vector<std::uint64_t>& expected, size_t output = 0) {
  for (const auto& outputs : results_of(c)) CHECK(outputs[output] == expected);
}

/// Keys with equal scores.
struct Group {
  Wide score;
  Rational keys = 0, values = 0;  ///< how many, and the sum of their values
};

/// One query.
struct Scores {
  std::vector<double> query;
  std::vector<std::vector<double>> keys;
  std::vector<double> mask;
  std::optional<double> scale;
  double softcap;

  /// Those of one mean of values, the greatest score first.
  std::vector<Group> groups(const std::vector<double>& values) const {
    const auto size = static_cast<double>(query.size()), root = std::floor(std::sqrt(size));
    const std::optional<Rational> factor = scale                 ? std::optional(Rational(*scale))
                                           : root * root == size ? std::optional(Rational(1 / Rational(root)))
                                                                 : std::nullopt;
    const Wide wide_factor = factor ? Wide(*factor) : Wide(1.0) / Wide::of(mpfr_sqrt, Wide(size));
    std::map<std::pair<Rational, Rational>, Group> known;
    for (size_t j = 0; j < keys.size(); ++j) {
      Rational product = 0;
      for (size_t d = 0; d < query.size(); ++d) product += Rational(query[d]) * Rational(keys[j][d]);
      const Wide scaled = wide_factor * Wide(product);
      const Wide capped = softcap == 0 ? scaled : Wide(softcap) * Wide::of(mpfr_tanh, scaled / Wide(softcap));
      const bool is_rational = softcap == 0 && factor;
      const Rational added(mask[j]), sum = is_rational ? Rational(*factor * product + added) : product;
      Group& group = known.try_emplace({sum, is_rational ? Rational(0) : added}, capped + Wide(added)).first->second;
      group.keys += 1, group.values += Rational(values[j]);
    }
    std::vector<Group> groups;
    for (const auto& [what, group] : known) groups.push_back(group);
    std::ranges::sort(groups, [](const Group& a, const Group& b) { return b.score < a.score; });
    return groups;
  }
};

/// The element that the mean is. Scores are drawn so that they are apart by less than 200 or by more than 3000.
template <class T>
std::uint64_t expected(const std::vector<Group>& groups) {
  const Rational mean = groups[0].values / groups[0].keys;
  for (size_t first = 0; first < groups.size();) {
    size_t last = first;
    Wide apart(0.0), weights(0.0);
    bool is_apart = false;
    for (; last < groups.size() && groups[first].score < groups[last].score + Wide(200.0); ++last) {
      const Rational own = groups[last].values - groups[last].keys * mean;
      const Wide weight = Wide::of(mpfr_exp, groups[last].score - groups[first].score);
      is_apart |= own != 0;
      apart = apart + weight * Wide(own), weights = weights + weight * Wide(groups[last].keys);
    }
    if (is_apart && first == 0) return (Wide(mean) + apart / weights).bits<T>();
    if (is_apart)
      return oracle::nearest_bits<T>(Rational(mean + (apart < Wide(0.0) ? -1 : 1) * oracle::power_of_two(-3000)));
    first = last;
  }
  return oracle::nearest_bits<T>(mean);
}

template <class T>
void check_mean(Random& random) {
  const auto size = random.of(std::vector<std::int64_t>{1, 2, 3, 4, 8, 9}), keys = random.in(1, 6);
  const double next = 1 + std::ldexp(1.0, 1 - Format<T>::precision), least = -std::numeric_limits<float>::max();
  const auto row = [&] {
    std::vector<double> elements;
    for (std::int64_t d = 0; d < size; ++d) elements.push_back(static_cast<double>(random.in(-2, 2)));
    return elements;
  };
  const std::vector<std::vector<double>> rows{row(), row(), std::vector<double>(static_cast<size_t>(size))};
  const std::vector<double> masks = random.of(std::vector<std::vector<double>>{
      {0}, {0, least}, {0, least, least}, {0, -1}, {0, -10000}, {0, 1, least, -5000}, {least}});
  const std::vector<double> pool = random.of(
      std::vector<std::vector<double>>{{0, 1, -2}, {1, next}, {1, -1}, {0, 1, -1, next}, {-next, next, 3, -3}});
  Scores scores{.query = row(),
                .keys = {},
                .mask = {},
                .scale = random.of(std::vector<std::optional<double>>{{}, {}, 1.0, 0.5, 0.75}),
                .softcap = random.of(std::vector<double>{0, 0, 1, 30})};
  std::vector<double> values, other_values, K, V;
  for (std::int64_t j = 0; j < keys; ++j) {
    scores.keys.push_back(random.of(rows));
    scores.mask.push_back(random.of(masks));
    values.push_back(random.of(pool)), other_values.push_back(random.of(pool));
    K.insert(K.end(), scores.keys.back().begin(), scores.keys.back().end());
    V.insert(V.end(), {values.back(), other_values.back()});
  }
  std::vector<Attribute> attributes;
  if (scores.scale) attributes.push_back({"scale", number(*scores.scale)});
  const auto tensors = [&] {
    return std::vector<std::optional<Tensor>>{floats<T>({1, 1, 1, size}, scores.query),
                                              floats<T>({1, 1, keys, size}, K), floats<T>({1, 1, keys, 2}, V)};
  };
  const auto both = [&] {
    return std::vector{expected<T>(scores.groups(values)), expected<T>(scores.groups(other_values))};
  };
  CAPTURE(scores.query, K, V, scores.mask, scores.scale.value_or(0), scores.softcap);
  Case c{"", "Attention", random.in(23, 25), attributes, tensors()};
  c.attributes.push_back({"softcap", number(scores.softcap)});
  c.inputs.push_back(floats<float>({1, keys}, scores.mask));
  check(c, both());
  scores.mask.assign(scores.mask.size(), 0), scores.softcap = 0;
  check({"ai.onnx.preview", "FlexAttention", 1, attributes, tensors()}, both());
}

/// Four of five numbers are half a deviation below the mean, the fifth two above it: results and a bias make a tie.
template <class T>
void check_normalization(Random& random, std::int64_t n) {
  const double unit = std::ldexp(1.0, static_cast<int>(random.in(-3, 3))), low = static_cast<double>(random.in(-4, 4)),
               scale = random.of(std::vector<double>{1, -1, 0.5, 3, -0.75});
  const Rational largest(2 * scale);
  const double side = scale < 0 ? -1 : 1;
  const Rational middle = oracle::midpoint_after<T>(oracle::nearest_bits<T>(Rational(abs(largest)))) * Rational(side);
  const double bias = Rational(middle - largest).get_d();
  std::vector<double> x;
  std::vector<std::uint64_t> expected;
  for (std::int64_t k = 0; k < n; ++k) {
    const bool is_fifth = k % 5 == 3;
    x.push_back(unit * (low + (is_fifth ? 1 : 0)));
    expected.push_back(
        oracle::nearest_bits<T>(Rational(Rational(is_fifth ? 2.0 : -0.5) * Rational(scale) + Rational(bias))));
  }
  const std::vector<double> scales(x.size(), scale), biases(x.size(), bias);
  const Attribute epsilon{"epsilon", number(0)};
  CAPTURE(n, unit, low, scale, bias);
  check(
      {"", "LayerNormalization", 17, {epsilon}, {floats<T>({1, n}, x), floats<T>({n}, scales), floats<T>({n}, biases)}},
      expected);
  check({"",
         "InstanceNormalization",
         22,
         {epsilon},
         {floats<T>({1, 1, n}, x), floats<T>({1}, {scale}), floats<T>({1}, {bias})}},
        expected);
  check({"",
         "GroupNormalization",
         21,
         {epsilon, {"num_groups", integer(1)}},
         {floats<T>({1, 1, n}, x), floats<T>({1}, {scale}), floats<T>({1}, {bias})}},
        expected);
}

}  // namespace

TEMPLATE_TEST_CASE("attention: ties, zeros, and what is beside them by less than any precision shows",
                   "[Attention][FlexAttention][release]", Half, BFloat16, float, double) {
  Random random(1);
  for (int i = 0; i < 300; ++i) check_mean<TestType>(random);
}

TEMPLATE_TEST_CASE("normalizations: ties of slices of any length",
                   "[LayerNormalization][InstanceNormalization][GroupNormalization][release]", Half, BFloat16, float,
                   double) {
  Random random(2);
  for (int i = 0; i < 20; ++i) check_normalization<TestType>(random, 5 * random.in(1, 20));
  check_normalization<TestType>(random, 1500);
}

}  // namespace opref::ops::ties_test
