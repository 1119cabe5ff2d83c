// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/signals.h"

#include <catch2/catch.hpp>

#include "exact/oracle_testing.h"

using namespace opref::ops;
namespace oracle = opref::exact::oracle;

// Doubles see the same of all places that Rationals see of those that have a term.
TEST_CASE("turns: which sums are rational", "[DFT]") {
  oracle::Random random(1);
  int rational = 0, different = 0;
  for (const std::int64_t N : {1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 30, 49, 105}) {
    const Turns turns(N);
    for (int round = 0; round < 200; ++round) {
      std::map<std::int64_t, Rational> terms;
      std::vector<double> all(static_cast<size_t>(turns.M()));
      const auto add = [&](std::int64_t e, std::int64_t c) {
        e %= turns.M();
        terms[e] = terms[e] + Rational(c), all[static_cast<size_t>(e)] += static_cast<double>(c);
      };
      const std::int64_t first = random.in(0, 500), c = random.in(-3, 3);
      for (const std::int64_t p : {2, 3, 5})  // which cancel
        if (turns.M() % p == 0 && random.one_in(2))
          for (std::int64_t k = 0; k < p; ++k) add(first + k * (turns.M() / p), c);
      if (random.one_in(3)) add(random.in(0, 500), random.in(-2, 2));
      if (random.one_in(3)) add(0, 1);
      Rational mean;
      const Turns::Answer answer = turns.is_rational(all, mean);
      const std::optional<Rational> number = turns.rational(terms);
      different += answer != (number ? Turns::Answer::yes : Turns::Answer::no) || (number && *number != mean);
      rational += number ? 1 : 0;
    }
  }
  CHECK(different == 0);
  CHECK((rational > 800 && rational < 2600));
}
