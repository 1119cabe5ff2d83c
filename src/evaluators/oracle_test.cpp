// SPDX-License-Identifier: Apache-2.0
// Both tiers against rational arithmetic, byte by byte, on inputs that were made to be hard.
#include "exact/oracle_testing.h"

#include <catch2/catch.hpp>

#include "evaluators/sum.h"

namespace opref::evaluators::oracle_test {
namespace {

using namespace oracle;

// The two tiers.

enum class Tier : std::uint8_t { both, exact };

template <class T>
Tensor tensor_of(const std::vector<double>& numbers) {
  TensorBuilder tensor({kDType<T>, {static_cast<std::int64_t>(numbers.size())}});
  for (size_t i = 0; i < numbers.size(); ++i) tensor.values<T>()[i] = nearest<T>(numbers[i]);
  return std::move(tensor).finish();
}

Call call_of(Tier tier) {
  Call call;
  call.set_numerics({.exact_only = tier == Tier::exact});
  return call;
}

/// Terms one by one, or as runs.
enum class Terms : std::uint8_t { single, runs };

template <class T>
std::uint64_t sum_by(Tier tier, Terms terms, const Products& products) {
  std::vector<double> a, b;
  for (const auto& [first, second] : products) a.push_back(first), b.push_back(second);
  const Tensor A = tensor_of<T>(a), B = tensor_of<T>(b);
  const Elements x(A), w(B);
  const Tensor y = sum(Output(call_of(tier), TensorType{kDType<T>, {}}), kDType<T>, [&](std::int64_t, auto& sum) {
    if (const Run all{0, A.count()}; terms == Terms::runs)
      sum.add(x[all], w[all]);
    else
      for (std::int64_t i = 0; i < A.count(); ++i) sum.add(x[i], w[i]);
  });
  return to_bits(y.values<T>()[0]);
}

template <class T>
std::uint64_t norm_by(Tier tier, const Norm& norm) {
  const Tensor window = tensor_of<T>(norm.window);
  const Elements x(window);
  const auto definition = [&](std::int64_t, auto& sum) {
    sum.add(x[Run{0, window.count()}]);
    if (norm.scale_to != 0) sum.scale({norm.scale_to, window.count()});
  };
  return to_bits(evaluators::norm(Output(call_of(tier), TensorType{kDType<T>, {}}), norm.p.value(), definition)
                     .template values<T>()[0]);
}

template <class T>
void check_products(std::uint64_t seed, int cases) {
  Random random(seed);
  int differences = 0;
  for (int i = 0; i < cases && differences < 5; ++i) {
    const Products products = products_for<T>(random);
    const std::uint64_t want = sum_of_products<T>(products);
    for (const Terms terms : {Terms::single, Terms::runs}) {
      const std::uint64_t fast = sum_by<T>(Tier::both, terms, products),
                          exact = sum_by<T>(Tier::exact, terms, products);
      if (fast == want && exact == want) continue;
      ++differences;
      CAPTURE(i, described(products), want, static_cast<int>(terms));
      CHECK(fast == want);
      CHECK(exact == want);
    }
  }
  CHECK(differences == 0);
}

template <class T, class Generator>
void check_norms(std::uint64_t seed, int cases, const Generator& generator) {
  Random random(seed);
  int differences = 0;
  for (int i = 0; i < cases && differences < 5; ++i) {
    const Norm n = generator(random);
    const auto terms = static_cast<std::int64_t>(n.window.size());
    const std::uint64_t want = norm<T>(n.window, n.p, n.scale_to == 0 ? Rational(1) : Rational(n.scale_to) / terms);
    const std::uint64_t fast = norm_by<T>(Tier::both, n), exact = norm_by<T>(Tier::exact, n);
    if (fast == want && exact == want) continue;
    ++differences;
    CAPTURE(i, join_text(n.window, ","), n.p.value(), n.scale_to, want);
    CHECK(fast == want);
    CHECK(exact == want);
  }
  CHECK(differences == 0);
}

constexpr Slack kNoBound{.factor = 0};

/// How often a root that claims to be decided is wrong.
template <class T>
int wrong_roots(std::uint64_t seed, int cases, const Slack& slack) {
  Random random(seed);
  int wrong = 0;
  for (int i = 0; i < cases; ++i) {
    const Norm n = norm_beside_tie<T>(random);
    const int p = static_cast<int>(n.p.a);
    PowerEstimate estimate(p);
    for (const double x : n.window) estimate.add(x);
    const double relative = root_bound(estimate.terms(), p, slack);
    if (T y{}; settle_root(estimate.value(), p, relative, y)) wrong += to_bits(y) != norm<T>(n.window, n.p, 1);
  }
  return wrong;
}

}  // namespace

TEMPLATE_TEST_CASE("sums of products equal the rational sum, rounded once, by both tiers", "[evaluators][oracle]", Half,
                   BFloat16, float, double) {
  check_products<TestType>(1, 600);
}

TEMPLATE_TEST_CASE("p-norms equal the rational sum's root, rounded once, by both tiers", "[evaluators][oracle]", Half,
                   BFloat16, float, double) {
  check_norms<TestType>(2, 300, norm_for<TestType>);
}

TEMPLATE_TEST_CASE("scaled sums, many of them ties, are rounded once", "[evaluators][oracle]", Half, float, double) {
  check_norms<TestType>(4, 500, mean_at_tie<TestType>);
}

TEMPLATE_TEST_CASE("many sums and norms against rationals", "[evaluators][.long]", Half, BFloat16, float, double) {
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    check_products<TestType>(seed, 10000);
    check_norms<TestType>(seed, 4000, norm_for<TestType>);
  }
}

TEMPLATE_TEST_CASE("the oracle finds a root check that allows for no error", "[evaluators][oracle]", Half, BFloat16,
                   float) {
  CHECK(wrong_roots<TestType>(3, 300, kNoBound) > 0);
  CHECK(wrong_roots<TestType>(3, 300, {}) == 0);
}

}  // namespace opref::evaluators::oracle_test
