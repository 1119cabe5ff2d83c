// SPDX-License-Identifier: Apache-2.0
#include "exact/real/faithful_products.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "exact/real/simulated_testing.h"
#include "exact/real/with_kernel.h"

namespace opref::exact::faithful_products_test {
namespace {

using oracle::Random;
struct Factors {
  double a, b;
};

/// Numbers of float32, some of them powers of two or zero.
std::vector<Factors> drawn(Random& random, std::size_t n, int least_exponent, int most_exponent) {
  const auto number = [&] {
    const double x = std::ldexp(static_cast<double>(random.in(-0xFFFFFF, 0xFFFFFF)),
                                static_cast<int>(random.in(least_exponent, most_exponent)) - 24);
    const auto kind = random.in(0, 9);
    return static_cast<double>(static_cast<float>(kind == 0 ? 0.0 : kind == 1 ? std::exp2(std::ilogb(x + 1)) : x));
  };
  std::vector<Factors> all(n);
  for (Factors& one : all) one = {number(), number()};
  return all;
}

Faithful term_by_term(const std::vector<Factors>& all) {
  FaithfulSum sum;
  for (const auto& [a, b] : all) sum.add(Faithful::input(a) * Faithful::input(b));
  return sum.total();
}
Faithful together(const std::vector<Factors>& all) {
  FaithfulProducts sum;
  for (const auto& [a, b] : all) sum.add_narrow(a, b);
  return sum.total();
}
bool are_near(double x, double y) { return x == y || std::abs(x - y) <= 1e-9 * std::abs(y); }
void check_alike(const Faithful& x, const Faithful& y) {
  CAPTURE(x.high(), x.low(), x.error(), y.high(), y.low(), y.error());
  CHECK((x.high() == y.high() || std::isnan(y.high())));
  CHECK((x.low() == y.low() || std::isnan(y.low())));
  CHECK((are_near(x.error(), y.error()) || !std::isfinite(y.error())));
  CHECK(std::isfinite(x.error()) == std::isfinite(y.error()));
}

const std::vector<KernelModel>& models() {
  static const std::vector<KernelModel> all = {
      {},
      {.flushes = true},
      {.input_error = 0x1p-11},
      {.bits = 53, .smallest_subnormal = 0x1p-1074, .smallest_normal = 0x1p-1022},
      {.bits = 8, .smallest_subnormal = 0x1p-133, .smallest_normal = 0x1p-126},
      {.bits = 11, .smallest_subnormal = 0x1p-24, .smallest_normal = 0x1p-14}};
  return all;
}

}  // namespace

TEST_CASE("products that are added together have the bound of products that are added one by one", "[bound]") {
  Random random(1);
  for (const KernelModel& model : models()) {
    const WithKernel with(model);
    for (const auto& [least, most] : {std::pair{-2, 2}, {-70, -60}, {-140, 120}})
      for (const std::size_t n : {0U, 1U, 2U, 3U, 64U, 3000U}) {
        const auto all = drawn(random, n, least, most);
        CAPTURE(model.bits, model.flushes, model.input_error, least, n);
        check_alike(together(all), term_by_term(all));
      }
  }
}

TEST_CASE("a sum of products takes other terms too", "[bound]") {
  Random random(2);
  const auto all = drawn(random, 10, -2, 2);
  const Faithful bias = Faithful(0.1) / Faithful(3.0);
  FaithfulSum one_by_one;
  FaithfulProducts sum;
  one_by_one.add(bias), sum.add(bias);
  for (const auto& [a, b] : all) one_by_one.add(Faithful(a) * Faithful(b)), sum.add_narrow(a, b);
  check_alike(sum.total(), one_by_one.total());
}

TEST_CASE("a sum of products with what is no number is none", "[bound]") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const Factors& odd : {Factors{kInfinity, 1}, {kInfinity, 0}, {std::nan(""), 1}, {0, std::nan("")}}) {
    const std::vector<Factors> all = {{1, 2}, odd, {3, 4}};
    CHECK(!is_finite(together(all)));
    check_alike(together(all), term_by_term(all));
  }
}

TEST_CASE("a simulated kernel adds products as it adds other terms", "[bound]") {
  Random random(3);
  for (const std::uint32_t run : {0U, 1U, 5U}) {
    const SimulatedKernel kernel{.key = 7, .run = run};
    const WithKernel with({}, &kernel);
    const auto all = drawn(random, 500, -3, 3);
    CHECK(together(all).high() == term_by_term(all).high());
  }
}

TEST_CASE("no kernel that rounds products and additions leaves the bound of a sum of products", "[bound]") {
  using oracle::Simulated;
  using Kernel = oracle::SimulatedKernel;
  Random random(4);
  double most = 0;
  for (const auto errors : {Kernel::Errors::nearest, Kernel::Errors::random, Kernel::Errors::outward})
    for (const auto order : {Kernel::Order::forward, Kernel::Order::reverse, Kernel::Order::lanes})
      for (int round = 0; round < 50; ++round) {
        Simulated::kernel = {errors, order, Random(static_cast<std::uint64_t>(round))};
        const auto all = drawn(random, 40, -2, 2);
        std::vector<Simulated> terms;
        for (const auto& [a, b] : all) terms.push_back(Simulated(a) * Simulated(b));
        const Faithful y = together(all);
        const double off = std::abs(oracle::sum(terms).v - y.high() - y.low());
        REQUIRE(off <= y.error());
        most = std::max(most, off / y.error());
      }
  CHECK(most > 0.05);
}

}  // namespace opref::exact::faithful_products_test
