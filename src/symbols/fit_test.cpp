// SPDX-License-Identifier: Apache-2.0
#include "symbols/fit.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "symbols/sizes.h"

namespace fit_test {

using namespace opref::symbols;

namespace {

const Expression kN = Expression::symbol("N", 0), kT = Expression::symbol("T", 1), kH = Expression::symbol("H", 2);

/// Assignments of N, T and H as a survey draws them.
std::vector<Assignment> some_sizes() {
  Sampler sampler(std::vector<Bounds>(3), 3);
  std::vector<Assignment> all;
  for (int k = 0; k < 64; ++k)
    all.push_back(
        sampler.draw(std::array{Style::small, Style::middle, Style::blocks, Style::large, Style::huge, Style::mixed,
                                Style::large_blocks, Style::constant}[static_cast<size_t>(k % 8)]));
  return all;
}

using Formula = std::function<std::int64_t(std::int64_t n, std::int64_t t, std::int64_t h)>;

std::string fitted(const Formula& formula, std::vector<Expression> near = {}) {
  const std::vector<Assignment> all = some_sizes();
  Fitter fitter(std::vector{kN, kT, kH}, all);
  Values values;
  for (const Assignment& sizes : all) values.push_back(formula(sizes[0], sizes[1], sizes[2]));
  const Size found = fitter.fit(values, near);
  return found ? found->text() : "?";
}

}  // namespace

TEST_CASE("each form of the grammar is found from its own values", "[symbols]") {
  CHECK(fitted([](auto, auto, auto) { return 7; }) == "7");
  CHECK(fitted([](auto, auto t, auto) { return t; }) == "T");
  CHECK(fitted([](auto, auto t, auto) { return (t + 1) / 2; }) == "floor((T+1)/2)");
  CHECK(fitted([](auto, auto t, auto) { return 32 * ((t + 31) / 32); }) == "32*floor((T+31)/32)");
  CHECK(fitted([](auto, auto t, auto) { return 2 * t / 3; }) == "floor(2*T/3)");
  CHECK(fitted([](auto, auto t, auto) { return t / 1009 + 1; }) == "floor(T/1009)+1");
  CHECK(fitted([](auto n, auto t, auto) { return n * t * 12; }) == "12*N*T");
  CHECK(fitted([](auto n, auto t, auto h) { return n * t * h; }) == "N*T*H");
  CHECK(fitted([](auto n, auto t, auto) { return n * t / 16; }) == "floor(N*T/16)");
  CHECK(fitted([](auto n, auto t, auto h) { return n + 2 * t - h + 3; }) == "N+2*T-H+3");
  CHECK(fitted([](auto, auto t, auto) { return std::min<std::int64_t>(t, 512); }) == "Min(T,512)");
  CHECK(fitted([](auto, auto t, auto) { return std::max<std::int64_t>(t / 2, 9); }) == "Max(floor(T/2),9)");
  CHECK(fitted([](auto n, auto t, auto) { return std::max(n, t); }) == "Max(N,T)");
  const Expression half = Expression::line(kT, {.b = 1, .q = 2});
  CHECK(fitted([](auto n, auto t, auto) { return n * ((t + 1) / 2); }, {half}) == "N*floor((T+1)/2)");
  CHECK(fitted([](auto, auto t, auto) { return t / 3 + t / 5; },
               {Expression::line(kT, {.q = 3}), Expression::line(kT, {.q = 5})}) == "floor(T/3)+floor(T/5)");
}

TEST_CASE("what is outside the grammar is not known", "[symbols]") {
  CHECK(fitted([](auto, auto t, auto) { return static_cast<std::int64_t>(std::sqrt(static_cast<double>(t))); }) == "?");
  CHECK(fitted([](auto, auto t, auto) { return t % 7 + 1; }) == "?");
  CHECK(fitted([](auto, auto t, auto) { return t % 2 == 0 ? t / 2 : 2 * t; }) == "?");
}

TEST_CASE("a sum along an axis and a product of neighbours are found in what a node reads", "[symbols]") {
  const std::vector<Assignment> all = some_sizes();
  Fitter fitter(std::vector{kN, kT, kH}, all);
  const Sizes a{kN, Expression::line(kT, {.q = 2})}, b{kN, Expression::line(kH, {.q = 3})};
  Values sums, products;
  for (const Assignment& sizes : all) {
    sums.push_back(sizes[1] / 2 + sizes[2] / 3);
    products.push_back(sizes[0] * (sizes[1] / 2));
  }
  CHECK(fitter.fit(sums, {}, std::vector{a, b})->text() == "floor(T/2)+floor(H/3)");
  CHECK(fitter.fit(products, {}, std::vector{a, b})->text() == "N*floor(T/2)");
  // What is known has its text from now on.
  CHECK(fitter.known(sums)->text() == "floor(T/2)+floor(H/3)");
}

TEST_CASE("every b that gives the same values is told, up to denominators of 4,096", "[symbols]") {
  for (const std::int64_t q : {2, 3, 160, 1009, 4095, 4096}) {
    INFO(q);
    const std::int64_t b = q / 2 + 1;
    Values xs, values;
    for (std::int64_t k = 0; k < 40; ++k)
      xs.push_back(q * (8 * k * k) + (k * 7919) % q), values.push_back((xs.back() + b) / q);
    const auto found = fit_line(xs, values);
    REQUIRE(found);
    CHECK(found->line.p == 1);
    CHECK(found->line.q == q);
    CHECK(found->least <= b);
    CHECK(found->most >= b);
    for (const std::int64_t other : {found->least, found->most})
      for (size_t i = 0; i < xs.size(); ++i) CHECK((xs[i] + other) / q == values[i]);
    const auto gives_all = [&](std::int64_t other) {
      for (size_t i = 0; i < xs.size(); ++i)
        if (opref::symbols::Expression::line(kN, {.b = other, .q = q}).at(std::vector{xs[i]}) != values[i])
          return false;
      return true;
    };
    CHECK_FALSE(gives_all(found->least - 1));
    CHECK_FALSE(gives_all(found->most + 1));
  }
  Values xs, values;
  for (std::int64_t k = 0; k < 40; ++k) xs.push_back(5000 * k + k), values.push_back(xs.back() / 5000);
  const auto beyond = fit_line(xs, values);
  CHECK((!beyond || beyond->line.q <= 4096));
}

}  // namespace fit_test
