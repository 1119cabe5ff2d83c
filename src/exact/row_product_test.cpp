// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "exact/oracle_testing.h"
#include "exact/row_sums.h"

namespace row_product_test {

using namespace opref::exact;
using oracle::Random;
using oracle::Rational;

namespace {

Bounded product_of(const std::vector<double>& x, size_t part) {
  RowProduct product(x.size());
  for (size_t i = 0; i < x.size(); i += part) product.add(&x[i], std::min(part, x.size() - i));
  return product.total();
}
/// How much of the bound the error takes.
double use_of(const Bounded& y, const std::vector<double>& x) {
  Rational exact(1);
  for (const double factor : x) exact *= Rational(factor);
  const Rational error = abs(exact - Rational(y.v));
  return error == 0 ? 0 : y.e == 0 ? HUGE_VAL : Rational(error / Rational(y.e)).get_d();
}

}  // namespace

TEST_CASE("products of rows are within their bounds", "[exact]") {
  Random random(8);
  double worst = 0;
  for (const size_t n : {0, 1, 2, 15, 16, 17, 95, 96, 97, 300, 1500})
    for (const size_t part : {96, 1024}) {
      std::vector<double> x;
      while (x.size() < n) x.push_back(static_cast<float>(random.normal() * 1.5));
      const Bounded y = product_of(x, part);
      CAPTURE(n, part, y.v, y.e);
      worst = std::max(worst, use_of(y, x));
    }
  CHECK(worst < 1);
}

TEST_CASE("products of rows take much of their bounds where each step loses the most", "[exact]") {
  Random random(9);
  std::vector<double> lanes(16, 1.0), x;
  while (x.size() < 3200) {
    double& lane = lanes[x.size() % 16];
    const auto lost_by = [&](double factor) { return std::fma(lane, factor, -(lane * factor)) / (lane * factor); };
    double factor = 1.5;
    for (int k = 0; k < 60; ++k) {
      const double other = static_cast<float>(1 + std::abs(std::fmod(random.normal(), 1.0)));
      if (lost_by(other) > lost_by(factor)) factor = other;
    }
    lane *= factor, lane = lane >= 2 ? lane / 2 : lane, lane = lane >= 2 ? lane / 2 : lane;
    x.push_back(factor);
  }
  for (size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? x[i] / 2 : x[i];  // the product stays a double
  const double use = use_of(product_of(x, 960), x);
  CHECK(use < 1);
  CHECK(use > 0.3);
}

TEST_CASE("products of rows: factors of all sizes neither overflow nor underflow on the way", "[exact]") {
  std::vector<double> x(400, 0x1p-149);
  for (size_t i = 200; i < 400; ++i) x[i] = 0x1.fffffep127;
  for (size_t i = 0; i < 400; i += 9) std::swap(x[i], x[399 - i]);
  for (int k = 0; k < 33; ++k) x.push_back(0x1p127);
  Rational exact(1);
  for (const double factor : x) exact *= Rational(factor);
  const Bounded y = product_of(x, 1024);
  CHECK(use_of(y, x) < 1);
  CHECK(y.e < std::abs(y.v) * 0x1p-40);
}

TEST_CASE("products of rows: zeros, what is not finite, and what is too small or too great", "[exact]") {
  const auto of = [](std::vector<double> x) {
    x.resize(300, -2.0);
    return product_of(x, 1024);
  };
  CHECK(of({0.0, 3.0}).v == 0);
  CHECK(of({0.0, 3.0}).e == 0);
  CHECK(!std::signbit(of({0.0, 3.0}).v));  // 298 times -2
  CHECK(std::signbit(of({-0.0, 3.0}).v));
  CHECK(std::isnan(of({std::nan(""), 1.0}).v));
  CHECK(!(of({HUGE_VAL, 0.0}).e < HUGE_VAL));
  CHECK(!(of({HUGE_VAL, 1.0}).e < HUGE_VAL));
  const Bounded small = product_of(std::vector<double>(301, -0x1p-100), 1024),
                great = product_of(std::vector<double>(300, -0x1p100), 1024);
  CHECK((small.v < 0 && small.v >= -0x1p-900 && small.e >= -small.v));
  CHECK(great.e == HUGE_VAL);
}

}  // namespace row_product_test
