// SPDX-License-Identifier: Apache-2.0
#include "exact/compensated_sum.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "exact/oracle_testing.h"

namespace opref::exact::compensated_sum_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

CompensatedSum sum_of(const std::vector<double>& terms) {
  CompensatedSum sum;
  for (const double term : terms) sum.add(term);
  return sum;
}

/// The element, or nothing where the sum is undecided.
template <class T>
std::optional<double> decided(const std::vector<double>& terms) {
  T y{};
  return sum_of(terms).round(y) ? std::optional(widen(y)) : std::nullopt;
}

}  // namespace

TEMPLATE_TEST_CASE("CompensatedSum decides what its error cannot change", "[exact][compensated_sum]", Half, BFloat16,
                   float) {
  CHECK(decided<TestType>({1, 2, 0.25}) == 3.25);
  CHECK(decided<TestType>({-1, -2, 0x1p-30}) == -3);
  CHECK(decided<TestType>({0x1p127, 0x1p127}) == kInfinity);
}

TEMPLATE_TEST_CASE("CompensatedSum decides midpoints and what is near them", "[exact][compensated_sum]", Half, BFloat16,
                   float) {
  const double half_place = std::ldexp(1.0, -Format<TestType>::precision), next = 1 + 2 * half_place;
  CHECK(decided<TestType>({1, half_place}) == 1);
  CHECK(decided<TestType>({next, half_place}) == next + 2 * half_place);
  CHECK(decided<TestType>({1, half_place, 0x1p-52}) == next);
  CHECK(decided<TestType>({-1, -half_place, 0x1p-52}) == -1);
  CHECK(decided<TestType>({1, half_place, 0x1p-120}) == next);
  CHECK(decided<TestType>({1, 0x1p-120, half_place, -0x1p-119}) == 1);
  CHECK(decided<TestType>({0x1p90, 1, half_place, 0x1p-15, -0x1p90, -0x1p-15, 0x1p-40}) == next);
  // What the sum of the losses loses is not known any more.
  CHECK_FALSE(decided<TestType>({1, half_place, 0x1p-80, 0x1p-200, -0x1p-80}));
  CHECK(decided<TestType>({1, half_place, 0x1p-80, 0x1p-200}) == next);
}

TEMPLATE_TEST_CASE("CompensatedSum knows a zero's sign, or leaves it undecided", "[exact][compensated_sum]", Half,
                   BFloat16, float) {
  TestType y{};
  for (const auto& zeros :
       std::vector<std::vector<double>>{{}, {0}, {-0.0}, {-0.0, -0.0}, {0, -0.0}, {1, -1}, {-1, 1}}) {
    REQUIRE(sum_of(zeros).round(y));
    CHECK(to_bits(y) == 0);
  }
  REQUIRE(sum_of({1, -0x1p-200, -1}).round(y));
  CHECK(to_bits(y) == sign_bit<TestType>);
  CHECK_FALSE(decided<TestType>({1, 0x1p-100, 0x1p-200, -1, -0x1p-100}));
  CompensatedSum product;  // below every format, but its sign is known
  product.add(-0x1p-149, 0x1p-149);
  REQUIRE(product.round(y));
  CHECK(to_bits(y) == sign_bit<TestType>);
}

TEMPLATE_TEST_CASE("CompensatedSum leaves infinities and NaN undecided", "[exact][compensated_sum]", Half, BFloat16,
                   float) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& terms :
       std::vector<std::vector<double>>{{kInfinity}, {1, -kInfinity}, {kInfinity, -kInfinity}, {nan}, {nan, 1}}) {
    TestType y = from_bits<TestType>(1);
    CHECK_FALSE(sum_of(terms).round(y));
    CHECK(to_bits(y) == 1);
  }
  CompensatedSum gap;
  gap.add(0, kInfinity);
  TestType y{};
  CHECK_FALSE(gap.round(y));
}

TEST_CASE("CompensatedSum of double: midpoints, overflow and underflow", "[exact][compensated_sum]") {
  CHECK(decided<double>({1, 0x1p-53}) == 1);
  CHECK(decided<double>({1, 0x1p-53, 0x1p-100}) == 1 + 0x1p-52);
  CHECK_FALSE(decided<double>({1, 0x1p-53, 0x1p-120}));  // below what the sum of losses may lose
  CHECK(decided<double>({1 + 0x1p-52, 0x1p-53}) == 1 + 0x1p-51);
  CHECK(decided<double>({0x1p-1074, 0x1p-1074, -0x1p-1073}) == 0);
  CHECK(decided<double>({0x1.fffffffffffffp1023, 0x1p969}) == 0x1.fffffffffffffp1023);
  CHECK_FALSE(decided<double>({0x1.fffffffffffffp1023, 0x1p970}));  // the addition overflows
  const auto products = [](const std::vector<std::pair<double, double>>& terms) {
    CompensatedSum sum;
    for (const auto& [a, b] : terms) sum.add(a, b);
    double y = 0;
    return sum.round(y) ? std::optional(y) : std::nullopt;
  };
  CHECK(products({{1 + 0x1p-30, 1 + 0x1p-30}, {-1, 1}}) == 0x1p-29 + 0x1p-60);
  CHECK(products({{0, 0x1p-1000}, {3, 5}}) == 15);  // no underflow
  CHECK_FALSE(products({{0x1p-540, 0x1p-540}, {3, 5}}));
  CHECK_FALSE(products({{0x1p600, 0x1p600}}));
  // 2·(1 + 2^-24 + 2^-700), beside a midpoint of float: 2^-700·2^-390 is below all doubles.
  CompensatedSum scaled;
  scaled.add(1 + 0x1p-24);
  scaled.add(0x1p-700);
  scaled.scale({0x1p-390, 0x1p-391});
  float y = 0;
  CHECK((!scaled.round(y) || y == 2 + 0x1p-22F));
}

namespace {

using oracle::Products, oracle::Random;

/// Each term by itself, as one run, as runs of 40.
enum class Way : std::uint8_t { single, run, runs };

/// `is_exact`: of numbers of which float holds the factors.
CompensatedSum sum_by(Way way, const Products& products, bool is_exact) {
  CompensatedSum sum;
  std::vector<double> a, b;
  for (const auto& [x, w] : products) a.push_back(x), b.push_back(w);
  const size_t size = way == Way::runs ? 40 : a.size();
  if (way == Way::single)
    for (const auto& [x, w] : products) is_exact ? sum.add(x * w) : sum.add(x, w);
  else
    for (size_t first = 0; first < a.size(); first += size) {
      const size_t n = std::min(size, a.size() - first);
      sum.add(std::span(a).subspan(first, n), std::span(b).subspan(first, n),
              is_exact ? CompensatedSum::Products::exact : CompensatedSum::Products::any);
    }
  return sum;
}

/// So many products, wide or near each other, whose sum cancels now and then.
Products random_terms(Random& random, std::int64_t count, bool is_exact) {
  const std::int64_t range = random.of(std::vector<std::int64_t>{0, 3, 40});
  const auto number = [&] {
    const double x = std::ldexp(random.normal(), static_cast<int>(random.in(-range, range)));
    return is_exact ? oracle::rounded<float>(x) : x;
  };
  Products products;
  while (std::ssize(products) < count) {
    products.emplace_back(number(), number());
    if (random.one_in(3)) products.emplace_back(-products.back().first, products.back().second);
    if (random.one_in(20)) products.emplace_back(0, number());
  }
  return products;
}

template <class T>
void check_random_sums(bool is_exact) {
  Random random(7);
  int wrong = 0, undecided = 0;
  constexpr int kCases = 300;
  for (int i = 0; i < kCases; ++i) {
    const Products products =
        random_terms(random, random.of(std::vector<std::int64_t>{1, 3, 31, 33, 200, 1100}), is_exact);
    const std::uint64_t want = oracle::sum_of_products<T>(products);
    for (const Way way : {Way::single, Way::run, Way::runs}) {
      T y{};
      if (!sum_by(way, products, is_exact).round(y))
        ++undecided;
      else
        wrong += to_bits(y) == want ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(undecided < 3 * kCases / 10);  // zeros, mostly
}

}  // namespace

TEMPLATE_TEST_CASE("CompensatedSum of terms and of runs: what it decides is right, and that is most",
                   "[exact][compensated_sum]", Half, BFloat16, float, double) {
  check_random_sums<TestType>(true);
  check_random_sums<TestType>(false);
}

namespace {

constexpr Slack kNone{.roundings = 0, .factor = 1};
constexpr Slack lowered_by(double roundings) { return {.roundings = -roundings, .factor = 1}; }

// Terms whose sum is beside the midpoint 1 + 2^-52 + 2^-53 of double. What the additions lose is 2^-53, whose half unit
// in the last place is kUnit, and then a little less than that, so many times, each lost again. A step back moves the
// midpoint through each distance from 0 to what is lost.

constexpr double kUnit = 0x1p-106, kLost = -kUnit * (1 - 0x1p-20);

std::vector<double> first_terms(int j) {
  const double back = kUnit * (j == 0 ? -1 + 0x1p-20 : 2.0 * j - 1 + 0x1p-20);
  return {1 + 0x1p-52, 0x1p-53 * (1 - 0x1p-40), 0x1p-53 * 0x1p-40, back};
}

/// How often the bracket leaves no doubt but is wrong. make(terms) adds the first terms and `lost` times kLost, in the
/// sum's and in the oracle's list.
template <class Make>
int wrong_sums(int lost, const Make& make, const Slack& slack) {
  int wrong = 0;
  for (int j = 0; 2 * j <= lost + 2; ++j) {
    Products terms;
    const CompensatedSum sum = make(first_terms(j), terms);
    double y = 0;
    wrong += sum.round(y, slack) && to_bits(y) != oracle::sum_of_products<double>(terms) ? 1 : 0;
  }
  return wrong;
}

/// The slack is not needed, and so many roundings fewer are too few.
template <class Make>
void check_count(int lost, double lowered, const Make& make) {
  CHECK(wrong_sums(lost, make, kNone) == 0);
  CHECK(wrong_sums(lost, make, {}) == 0);
  CHECK(wrong_sums(lost, make, lowered_by(lowered)) > 0);
}

}  // namespace

TEST_CASE("drift: a compensated sum counts each number and each product", "[exact][compensated_sum][drift][release]") {
  constexpr int kTimes = 41;
  // Of the first terms, three add to lo without a loss; brackets end at even units.
  check_count(kTimes, 3, [](const std::vector<double>& first, Products& terms) {
    CompensatedSum sum;
    for (const double x : first) terms.emplace_back(x, 1);
    for (int i = 0; i < kTimes; ++i) terms.emplace_back(kLost, 1);
    for (const auto& [x, w] : terms) sum.add(x);
    return sum;
  });
  check_count(kTimes, 5, [](const std::vector<double>& first, Products& terms) {
    CompensatedSum sum;
    for (const double x : first) terms.emplace_back(x, 1);
    for (int i = 0; i < kTimes; ++i) terms.emplace_back(kLost, 1);
    for (const auto& [x, w] : terms) sum.add(x, w);
    return sum;
  });
}

TEST_CASE("drift: what a compensated sum counts is scaled with it", "[exact][compensated_sum][drift][release]") {
  constexpr int kTimes = 41;
  check_count(kTimes, 8, [](const std::vector<double>& first, Products& terms) {
    CompensatedSum sum;
    for (const double x : first) terms.emplace_back(x, 0.5);
    for (int i = 0; i < kTimes; ++i) terms.emplace_back(kLost, 0.5);
    for (const auto& [x, half] : terms) sum.add(x);
    sum.scale({1, 2});
    return sum;
  });
}

TEST_CASE("drift: a compensated sum counts what a run's lanes and their steps lose",
          "[exact][compensated_sum][drift][release]") {
  constexpr int kTimes = 41;
  constexpr size_t kLanes = 16;
  for (const auto products : {CompensatedSum::Products::exact, CompensatedSum::Products::any}) {
    // All in lane 0, and one in each of the lanes that a step adds to it.
    check_count(kTimes + 4, products == CompensatedSum::Products::any ? 11 : 9,
                [&](const std::vector<double>& first, Products& terms) {
                  std::vector<double> x((first.size() + kTimes) * kLanes, 0.0), ones(x.size(), 1.0);
                  for (size_t i = 0; i < first.size() + kTimes; ++i)
                    x[i * kLanes] = i < first.size() ? first[i] : kLost;
                  for (const size_t lane : {8, 4, 2, 1}) x[lane] = kLost;
                  for (const double number : x) terms.emplace_back(number, 1);
                  CompensatedSum sum;
                  sum.add(x, ones, products);
                  return sum;
                });
  }
  check_count(kTimes + 4, 9, [&](const std::vector<double>& first, Products& terms) {
    std::vector<double> x((first.size() + kTimes) * kLanes, 0.0);
    for (size_t i = 0; i < first.size() + kTimes; ++i) x[i * kLanes] = i < first.size() ? first[i] : kLost;
    for (const size_t lane : {8, 4, 2, 1}) x[lane] = kLost;
    for (const double number : x) terms.emplace_back(number, 1);
    CompensatedSum sum;
    sum.add(x);
    return sum;
  });
}

TEST_CASE("drift: a compensated sum counts each part of a run", "[exact][compensated_sum][drift][release]") {
  constexpr int kTimes = 101;
  // A run of 32 is said to meet 9 roundings of its own.
  check_count(kTimes, 14, [&](const std::vector<double>& first, Products& terms) {
    CompensatedSum sum;
    for (const double x : first) terms.emplace_back(x, 1), sum.add(x);
    for (int i = 0; i < kTimes; ++i) {
      std::vector<double> run(32, 0.0);
      run[static_cast<size_t>(i) % 32] = kLost;
      terms.emplace_back(kLost, 1);
      sum.add(run);
    }
    return sum;
  });
}

TEST_CASE("drift: a scaled compensated sum counts what its quotient loses",
          "[exact][compensated_sum][drift][release]") {
  Random random(11);
  int wrong = 0, lowered = 0;
  for (int i = 0; i < 100000; ++i) {  // of which a dozen lose more than two of the three roundings
    const auto factor = [&] {
      return std::ldexp(static_cast<double>(random.bits() >> 11 | std::uint64_t{1} << 52),
                        static_cast<int>(random.in(-72, -32)));
    };
    const double a = factor(), b = factor(), q = factor();
    const oracle::Rational midpoint = oracle::midpoint_after<double>(to_bits(q)),
                           target = midpoint * oracle::Rational(b) / oracle::Rational(a);
    const double hi = target.get_d(), lo = oracle::Rational(target - oracle::Rational(hi)).get_d();
    CompensatedSum sum;
    sum.add(hi);
    sum.add(lo);
    sum.scale({a, b});
    const oracle::Rational sum_of_both = oracle::Rational(hi) + oracle::Rational(lo);
    const std::uint64_t want =
        oracle::nearest_bits<double>(oracle::Rational(sum_of_both * oracle::Rational(a) / oracle::Rational(b)));
    double y = 0;
    if (sum.round(y, kNone)) wrong += to_bits(y) == want ? 0 : 1;
    if (sum.round(y, lowered_by(1))) lowered += to_bits(y) == want ? 0 : 1;
    if (sum.round(y)) wrong += to_bits(y) == want ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(lowered > 0);
}

}  // namespace opref::exact::compensated_sum_test
