// SPDX-License-Identifier: Apache-2.0
// Recurrences whose plain bounds are too wide: a trace decides them, as far back and in blocks as long as it needs.
#include <catch2/catch.hpp>

#include "exact/oracle_testing.h"
#include "ops/two_tiers_testing.h"

namespace opref::ops::ops_recurrences_test {
namespace {

using namespace two_tiers;
using oracle::Random;

Tensor normal(Random& random, const Dims& shape, double scale) {
  std::vector<double> numbers(static_cast<size_t>(element_count(shape)));
  for (double& x : numbers) x = random.normal() * scale;
  return floats<float>(shape, numbers);
}
Case layer(std::string_view name, std::int64_t gates, std::int64_t steps, std::int64_t units, double scale) {
  Random random(7);
  return {"",
          name,
          22,
          {{"hidden_size", integer(units)}},
          {normal(random, {steps, 1, 4}, 1), normal(random, {1, gates * units, 4}, 0.3),
           normal(random, {1, gates * units, units}, scale / std::sqrt(static_cast<double>(units)))}};
}

/// Keys of a length, and one that is always 0.
Case attention(const std::string& rule, double length) {
  Random random(8);
  const std::int64_t steps = 40, size = 24;
  std::vector<double> key(static_cast<size_t>(steps * size));
  for (std::int64_t t = 0; t < steps; ++t) {
    const auto k = std::span(key).subspan(static_cast<size_t>(t * size), static_cast<size_t>(size));
    double squares = 0;
    for (double& x : k) x = random.normal(), squares += x * x;
    for (double& x : k) x *= length / std::sqrt(squares);
    k[5] = 0;
  }
  std::vector<double> decay(static_cast<size_t>(steps)), beta(decay);
  for (double& x : decay) x = -0.1 * std::abs(random.normal());
  for (double& x : beta) x = 0.5 + 0.4 * random.normal();
  const Dims rows{1, steps, size}, scalars{1, steps, 1};
  Case c{"",
         "LinearAttention",
         27,
         {{"update_rule", AttributeValue::of(rule)}, {"q_num_heads", integer(1)}, {"kv_num_heads", integer(1)}},
         {normal(random, rows, 1), floats<float>(rows, key), normal(random, rows, 1), std::nullopt, std::nullopt,
          std::nullopt},
         2};
  if (rule.starts_with("gated")) c.inputs[4] = floats<float>(scalars, decay);
  if (rule.ends_with("delta")) c.inputs[5] = floats<float>(scalars, beta);
  return c;
}

}  // namespace

TEST_CASE("recurrences: a trace decides what pairs leave open", "[RNN][LSTM][GRU]") {
  for (const Case& c : {layer("RNN", 1, 90, 64, 1.1), layer("LSTM", 4, 30, 48, 1.2), layer("GRU", 3, 30, 48, 1)}) {
    CAPTURE(c.op_type);
    Stats stats;
    const auto results = results_of(c, &stats);
    CHECK(stats.exact == 0);
    CHECK(results[0] == results[1]);
  }
}

TEST_CASE("recurrences: keys of length 1 do not make errors grow; long ones are left to intervals",
          "[LinearAttention]") {
  for (const std::string rule : {"linear", "gated", "delta", "gated_delta"})
    for (const double length : {1.0, 6.0}) {
      CAPTURE(rule, length);
      Stats stats;
      const auto results = results_of(attention(rule, length), &stats);
      CHECK((stats.exact == 0) == (length == 1 || !rule.ends_with("delta")));
      CHECK(results[0] == results[1]);
    }
}

}  // namespace opref::ops::ops_recurrences_test
