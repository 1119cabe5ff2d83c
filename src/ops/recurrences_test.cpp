// SPDX-License-Identifier: Apache-2.0
// Recurrences whose plain bounds are too wide: a trace decides them, as far back and in blocks as long as it needs.
#include <catch2/catch.hpp>

#include "exact/oracle_testing.h"
#include "ops/two_tiers_testing.h"

namespace opref::ops {
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

}  // namespace opref::ops
