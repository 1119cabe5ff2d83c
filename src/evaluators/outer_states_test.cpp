// SPDX-License-Identifier: Apache-2.0
// Bounds of states that outer products are added to, against the same formulas in 600 bits. Where a state has one row
// and a value makes it nearly vanish, what earlier steps lost is all that it is wrong by: bounds are nearly reached.
#include "evaluators/outer_states.h"

#include <catch2/catch.hpp>

#include "exact/real/function_oracle_testing.h"

namespace opref::evaluators::outer_states_test {
namespace {

using exact::oracle::Random;
using exact::oracle::Wide;

Wide value(const Vector<Bounded>& x, size_t i) { return Wide(x.v[i]); }
Wide value(const Vector<Paired>& x, size_t i) { return Wide(x.h[i]) + Wide(x.l[i]); }
double nearest(const Wide& a) { return mpfr_get_d(a.number(), MPFR_RNDN); }
double up(const Wide& a) { return std::abs(mpfr_get_d(a.number(), MPFR_RNDA)); }

Tensor tensor(const std::vector<double>& numbers) {
  TensorBuilder x(TensorType{DType::float32, {std::ssize(numbers)}});
  std::ranges::transform(numbers, x.values<float>().begin(), [](double y) { return static_cast<float>(y); });
  return std::move(x).finish();
}
struct Operand {
  explicit Operand(const std::vector<double>& numbers) : kept(tensor(numbers)), x(kept) {}
  double operator[](size_t i) const { return x.number(static_cast<std::int64_t>(i)); }
  Tensor kept;
  Elements x;
};
std::vector<double> normal(Random& random, size_t n, double scale) {
  std::vector<double> y(n);
  for (double& x : y) x = random.normal() * scale;
  return y;
}

/// Error/bound at most: of the state's columns, as long as they are, and of what queries give.
struct Worst {
  double columns = 0, queries = 0;
};
template <class V>
void compare(Random& random, Worst& worst) {
  const size_t n = random.one_in(2) ? 1 : random.one_in(2) ? 2 : 5, m = 3;
  const bool is_started = random.one_in(2);
  const Operand start(normal(random, n * m, is_started ? 1 : 0));
  std::vector<Wide> S;
  for (size_t i = 0; i < n * m; ++i) S.emplace_back(start[i]);
  Tier tier;
  OuterState<V> state{VectorReader<V>(tier), is_started ? std::optional(start.x) : std::nullopt, 0, n, m};
  for (int step = 0; step < 5; ++step) {
    if (random.one_in(3)) {
      const bool has_one = random.one_in(2);
      const Operand g(normal(random, n, 3));
      state.fade({g.x, 0}, has_one);
      for (size_t i = 0; i < n * m; ++i) S[i] = S[i] * Wide::of(mpfr_exp, Wide(g[has_one ? 0 : i / m]));
    }
    const Operand k(normal(random, n, std::ldexp(1, static_cast<int>(random.in(-3, 4)))));
    const Operand b(normal(random, 1, 1));
    const bool learns = random.one_in(2);
    const auto asked = [&](size_t j) {
      Wide of_key(0);
      for (size_t i = 0; i < n; ++i) of_key = of_key + S[i * m + j] * Wide(k[i]);
      return of_key;
    };
    std::vector<double> values = normal(random, m, 1);
    if (n == 1 && (is_started || step > 0))  // to nothing but for what a value's 24 bits leave
      for (size_t j = 0; j < m; ++j)
        values[j] = learns ? nearest(asked(j) - S[j] / Wide(b[0] * k[0])) : -nearest(S[j] / Wide(k[0]));
    const Operand v(values);
    learns ? state.learn({k.x, 0}, {v.x, 0}, {b.x, 0}) : state.add({k.x, 0}, {v.x, 0});
    for (size_t j = 0; j < m; ++j) {
      const Wide moved = learns ? (Wide(v[j]) - asked(j)) * Wide(b[0]) : Wide(v[j]);
      for (size_t i = 0; i < n; ++i) S[i * m + j] = S[i * m + j] + Wide(k[i]) * moved;
    }
    const Operand q(normal(random, n, 1));
    const V of_query = state.times({q.x, 0});
    for (size_t j = 0; j < m; ++j) {
      Wide error(0), expected(0);
      double bound = 0;
      for (size_t i = 0; i < n; ++i) {
        const V row = state.row(i);
        const Wide off = value(row, j) - S[i * m + j];
        error = error + off * off, bound = std::max(bound, row.e[j]);
        expected = expected + S[i * m + j] * Wide(q[i]);
      }
      worst.columns = std::max(worst.columns, std::sqrt(up(error)) / (bound * 1.01 + 1e-300));
      worst.queries = std::max(worst.queries, up(value(of_query, j) - expected) / (of_query.e[j] * 1.01 + 1e-300));
    }
  }
}

}  // namespace

TEST_CASE("outer states: bounds hold, and are nearly reached", "[real][vectors]") {
  Random random(11);
  Worst of_doubles, of_pairs;
  for (int i = 0; i < 600; ++i) compare<Vector<Bounded>>(random, of_doubles), compare<Vector<Paired>>(random, of_pairs);
  for (const Worst& worst : {of_doubles, of_pairs}) {
    CHECK((worst.columns <= 1 && worst.queries <= 1));
    CAPTURE(worst.columns, worst.queries);
    CHECK((worst.columns > 0.05 && worst.queries > 0.05));
  }
  CHECK((of_doubles.columns > 0.98 && of_doubles.queries > 0.98));
}

}  // namespace opref::evaluators::outer_states_test
