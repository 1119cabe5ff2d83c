// SPDX-License-Identifier: Apache-2.0
#include "exact/rows.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "exact/grid.h"
#include "exact/root.h"
#include "fast/double_rows.h"
#include "fast/power_rows.h"

namespace opref::fast::rows_test {
namespace {

/// What settle_row says of value ± error, judged by scalar rounding of both ends.
template <class T>
int wrong_decisions(const std::vector<double>& values, const std::vector<double>& errors, bool must_decide) {
  std::vector<T> out(values.size());
  std::vector<std::uint64_t> undecided(values.size());
  const size_t count = settle_row(values.data(), errors.data(), 1, values.size(), out.data(), undecided.data());
  int wrong = 0;
  size_t doubts = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    doubts += undecided[i];
    if (undecided[i] != 0) {
      wrong += must_decide && std::isfinite(values[i]);
      continue;
    }
    const double zero = values[i] == 0 ? 0.0 : values[i];  // +0
    const T low = nearest<T>(errors[i] == 0 ? zero : values[i] - errors[i]);
    const T high = nearest<T>(errors[i] == 0 ? zero : values[i] + errors[i]);
    wrong += to_bits(low) != to_bits(out[i]) || to_bits(high) != to_bits(out[i]);
  }
  return wrong + (doubts == count ? 0 : 1);
}

/// Numbers of T, their midpoints and the doubles beside them, of both signs.
template <class T>
std::vector<double> around_ties() {
  std::vector<double> values;
  const std::uint64_t step = sizeof(T) == 2 ? 1 : 0x10001;
  for (std::uint64_t u = 0; u < infinity_bits<T>; u += step) {
    const double a = widen(from_bits<T>(static_cast<BitsOf<T>>(u)));
    const double b = u + 1 == infinity_bits<T> ? std::ldexp(1.0, Format<T>::max_exponent + 1)
                                               : widen(from_bits<T>(static_cast<BitsOf<T>>(u + 1)));
    const double middle = (a + b) / 2;
    for (const double v : {a, middle, std::nextafter(middle, 0), std::nextafter(middle, b)})
      values.insert(values.end(), {v, -v});
  }
  return values;
}

}  // namespace

TEMPLATE_TEST_CASE("row_has_nan finds the one NaN of any sign and payload, and no infinity", "[rows]", Half, BFloat16,
                   float, double) {
  using Bits = BitsOf<TestType>;
  constexpr Bits infinity = infinity_bits<TestType>, negative = sign_bit<TestType>;
  for (const std::size_t n : {1, 2, 31, 100, 9000}) {
    std::vector<TestType> x(n, from_bits<TestType>(infinity));
    for (std::size_t i = 0; i < n; i += 2) x[i] = from_bits<TestType>(static_cast<Bits>(infinity | negative));
    REQUIRE_FALSE(row_has_nan(x.data(), n));
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1})
      for (const Bits payload : {Bits{1}, Bits{3}})
        for (const Bits sign : {Bits{0}, negative}) {
          const TestType before = x[at];
          x[at] = from_bits<TestType>(static_cast<Bits>(infinity | sign | payload));
          REQUIRE(row_has_nan(x.data(), n));
          x[at] = before;
        }
  }
}

TEMPLATE_TEST_CASE("settle_row rounds exact values, ties included", "[rows]", Half, BFloat16, float) {
  const std::vector<double> values = around_ties<TestType>();
  CHECK(wrong_decisions<TestType>(values, std::vector<double>(values.size(), 0), true) == 0);
}

TEMPLATE_TEST_CASE("settle_row decides only what no error within the bound can change", "[rows]", Half, BFloat16,
                   float) {
  const std::vector<double> values = around_ties<TestType>();
  for (const double relative : {0x1p-53, 0x1p-40, 0x1p-12, 0x1p-9, 0.3, 0.9, 1.0, 1.1, 3.0}) {
    std::vector<double> errors;
    for (const double v : values) errors.push_back(std::abs(v) * relative);
    CHECK(wrong_decisions<TestType>(values, errors, false) == 0);
  }
  for (const double error : {0x1p-160, 0x1p-140, 0x1p-26, 0x1p-25, 0x1p-24, 1.0, 1e300})
    CHECK(wrong_decisions<TestType>(values, std::vector<double>(values.size(), error), false) == 0);
}

TEMPLATE_TEST_CASE("settle_sum_products rounds sums without an error, ties included", "[rows]", Half, BFloat16) {
  using F = Format<TestType>;
  const double least = std::ldexp(1.0, F::min_exponent), overflow = std::ldexp(1.0, F::max_exponent + 1);
  const auto settled = [](std::vector<double> x, std::vector<TestType>& out) {
    out.resize(x.size());
    x.resize(x.size() + kRowSlack);
    const RowTerm<double> term{x.data(), 1};
    return settle_sum_products(&term, 1, 0.0, 0.0, 0, out.size(), out.data());
  };
  std::vector<double> values = around_ties<TestType>();
  std::erase_if(values, [&](double v) { return std::abs(v) < least || !std::isfinite(widen(nearest<TestType>(v))); });
  REQUIRE(values.size() > 50000);
  std::vector<TestType> out;
  CHECK(settled(values, out) == values.size());
  int wrong = 0;
  for (size_t i = 0; i < values.size(); ++i) wrong += to_bits(out[i]) != to_bits(nearest<TestType>(values[i]));
  CHECK(wrong == 0);
  // What is no normal number is left to others.
  for (const double v : {0.0, least / 2, -least / 2, overflow, -overflow, 0x1p500}) {
    CAPTURE(v);
    std::vector<double> x(40, 1.0);
    x[20] = v;
    CHECK(settled(x, out) == 16);
  }
}

TEMPLATE_TEST_CASE("settle_row leaves NaN, infinities and zeros of unknown sign undecided", "[rows]", Half, BFloat16,
                   float) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::nan("");
  const std::vector<std::pair<double, double>> brackets = {{kInfinity, 0},    {-kInfinity, 1}, {kNan, 0},
                                                           {1, kNan},         {1, kInfinity},  {0, 1e-300},
                                                           {-1e-310, 2e-310}, {1e-300, 1}};
  for (const auto& [value, error] : brackets) {
    CAPTURE(value, error);
    const std::vector<double> values(20, value), errors(20, error);
    std::vector<TestType> out(20);
    std::vector<std::uint64_t> undecided(20);
    CHECK(settle_row(values.data(), errors.data(), 1, 20, out.data(), undecided.data()) == 20);
  }
}

TEMPLATE_TEST_CASE("rows of roots agree with single roots", "[rows]", Half, BFloat16, float) {
  std::mt19937_64 random(3);
  std::vector<double> sums = {0,       1,        4,        25,  0x1p-901, 0x1p-899,
                              0x1p999, 0x1p1001, INFINITY, NAN, 1e-300,   65504.0 * 65504};
  for (int i = 0; i < 5000; ++i)
    sums.push_back(std::ldexp(static_cast<double>(1 + random() % 100000), static_cast<int>(random() % 60) - 40));
  for (const double q : {2.0, 3.0, 4.0, 7.0, 8.0, 64.0, 0.5, 2.75, 7.5}) {
    const Power p = *Power::of(q);
    for (const double near_overflow : {65519.9, 65520.1, 0x1p128}) sums.push_back(std::pow(near_overflow, q));
    for (const double relative : {0.0, root_bound(9, p), 1e-4}) {
      std::vector<TestType> out(sums.size());
      std::vector<std::uint64_t> undecided(sums.size());
      settle_root_row(sums.data(), p, relative, sums.size(), out.data(), undecided.data());
      int wrong = 0, doubts = 0;
      for (size_t i = 0; i < sums.size(); ++i) {
        TestType single{};
        const bool decided = settle_root(sums[i], p, relative, single);
        doubts += decided && undecided[i] != 0;  // a worse guess
        wrong += undecided[i] == 0 && (!decided || to_bits(out[i]) != to_bits(single));
      }
      CAPTURE(q, relative);
      CHECK(wrong == 0);
      CHECK(doubts <= 5);
    }
  }
}

TEST_CASE("the grid of numbers", "[rows]") {
  const auto grid = [](std::vector<float> x) { return grid_of(x.data(), x.size()); };
  CHECK(grid({1, -6, 0, 4}).most == 6);
  CHECK(grid({1, -6, 0, 4}).step == 1);
  CHECK(grid({12, -24}).step == 4);
  CHECK(grid({0.75F, 8}).step == 0.25);
  CHECK(grid({0x1p-149F, 1}).step == 0x1p-149);
  CHECK(grid({0x1.000006p0F}).step == 0x1p-23);  // both of the lowest bits are set
  CHECK(grid({0, -0.0F}).most == 0);
  CHECK(grid({1, NAN}).most == INFINITY);
  CHECK(grid({1, -INFINITY}).most == INFINITY);
}

TEST_CASE("sums are exact while they stay below 2^53 steps", "[rows]") {
  const Grid ones{1, 1};
  CHECK(sums_are_exact(0x1p52, ones, ones, {}));
  CHECK_FALSE(sums_are_exact(0x1p53, ones, ones, {}));
  CHECK(sums_are_exact(4, {0x1p26, 1}, {0x1p24, 1}, {}));
  CHECK_FALSE(sums_are_exact(4, {0x1p27, 1}, {0x1p24, 1}, {}));
  CHECK_FALSE(sums_are_exact(4, {0x1p26, 0.5}, {0x1p24, 1}, {}));
  CHECK_FALSE(sums_are_exact(1, ones, ones, {0x1p53, 0x1p30}));
  CHECK_FALSE(sums_are_exact(1, ones, ones, {1, 0x1p-60}));
  CHECK(sums_are_exact(1e9, {}, ones, {1, 0x1p-20}));
  CHECK_FALSE(sums_are_exact(1, {INFINITY, 1}, ones, {}));
  CHECK_FALSE(sums_are_exact(1, {INFINITY, 1}, {}, {}));
}

TEST_CASE("row_most is the greatest magnitude, infinite where there is a NaN", "[rows]") {
  const auto most = [](std::vector<float> x) { return row_most(x.data(), x.size()); };
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  CHECK(most({}) == 0);
  CHECK(most({1, -3, 2}) == 3);
  CHECK(most({1, -infinity}) == infinity);
  for (const float x : {nan, -nan}) CHECK(most({1, x, 2}) == infinity);
}

TEST_CASE("additions are exact while all stay below 2^53 steps", "[rows]") {
  CHECK(additions_are_exact({0x1p52, 1}));
  CHECK_FALSE(additions_are_exact({0x1p53, 1}));
  CHECK(additions_are_exact({0x1p-8, 0x1p-60}));
  CHECK_FALSE(additions_are_exact({1, 0}));
  CHECK(additions_are_exact({0, 0}));
  CHECK(additions_are_exact({}));
  CHECK_FALSE(additions_are_exact({INFINITY, 1}));
  CHECK_FALSE(additions_are_exact({NAN, 1}));
  CHECK_FALSE(additions_are_exact({0x1p901, 0x1p900}));
  CHECK_FALSE(additions_are_exact({0x1p-900, 0x1p-901}));
}

TEST_CASE("double rows: what overflows on the way is left undecided", "[rows]") {
  constexpr double kMost = std::numeric_limits<double>::max();
  const std::vector<std::vector<double>> weights = {{1, 1, -1, -1}, {1, 2, -2, -1}, {-1, -1, 1, 1}, {4}, {4, -4}};
  for (const auto& row : weights) {
    const std::vector<double> x(1 + kRowSlack, kMost);
    std::vector<RowTerm<double>> terms;
    for (const double weight : row) terms.push_back({x.data(), weight});
    std::vector<double> hi(x.size()), lo(x.size()), lost(x.size()), out(1);
    std::vector<std::uint64_t> undecided(1);
    row_sum_products(terms.data(), terms.size(), 0, 1, hi.data(), lo.data(), lost.data());
    const double count = static_cast<double>(terms.size()) + 1;
    CHECK(settle_double_row(hi.data(), lo.data(), lost.data(), Slack{}.bound(count), count * kTinyProduct, 1,
                            out.data(), undecided.data()) == 1);
    CHECK(undecided[0] == 1);
  }
}

}  // namespace opref::fast::rows_test
