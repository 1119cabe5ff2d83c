// SPDX-License-Identifier: Apache-2.0
#include "exact/running_product.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "exact/oracle_testing.h"

namespace running_product_test {

using namespace opref::exact;
using oracle::Random;
using oracle::Rational;

namespace {

struct Products {
  std::vector<double> y, e;
};
Products products_of(const std::vector<double>& x, size_t part) {
  Products all{std::vector<double>(x.size()), std::vector<double>(x.size())};
  RunningProduct product;
  for (size_t i = 0; i < x.size(); i += part)
    product.multiply(&x[i], std::min(part, x.size() - i), &all.y[i], &all.e[i]);
  return all;
}
/// How much of its bound the greatest error takes.
double most_use(const Products& products, const std::vector<double>& x) {
  Rational exact(1);
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    exact *= Rational(x[i]);
    const Rational error = abs(exact - Rational(products.y[i]));
    if (error != 0)
      most = std::max(most, products.e[i] == 0 ? HUGE_VAL : Rational(error / Rational(products.e[i])).get_d());
  }
  return most;
}

}  // namespace

TEST_CASE("running products are within their bounds, however many parts", "[exact]") {
  Random random(8);
  for (const size_t part : {7, 512}) {
    std::vector<double> x;
    for (int i = 0; i < 700; ++i) x.push_back(static_cast<float>(random.normal() * 1.9));
    const Products products = products_of(x, part);
    CHECK(most_use(products, x) < 1);
    CHECK(products.e[699] < std::abs(products.y[699]) * 0x1p-42);
  }
}

TEST_CASE("running products take most of their bounds where each step loses the most", "[exact]") {
  Random random(9);
  std::vector<double> x;
  double v = 1;
  while (x.size() < 400) {
    const auto lost_by = [&](double factor) { return std::fma(v, factor, -(v * factor)) / (v * factor); };
    double factor = 1.5;
    for (int k = 0; k < 2000; ++k) {
      const double other =
          static_cast<float>((1 + static_cast<double>(random.in(0, 1 << 23)) * 0x1p-23) * (v > 1 ? 0.5 : 1));
      if (lost_by(other) > lost_by(factor)) factor = other;
    }
    v *= factor, x.push_back(factor);
  }
  const double use = most_use(products_of(x, 512), x);
  CAPTURE(use);
  CHECK(use < 1);
  CHECK(use > 0.75);
}

TEST_CASE("running products: what loses nothing has no error", "[exact]") {
  const Products products = products_of({0x1.000002p0, 0x1.000002p0, -2, 0x1p-140, 0x1p-140, 0x1p126, 0x1p127}, 3);
  CHECK(products.y[6] == -0x1.0000040000040p-26);
  for (const double e : products.e) CHECK(e == 0);
}

TEST_CASE("running products: zeros, what is not finite, and what is too small or too great", "[exact]") {
  const double inf = HUGE_VAL;
  Products products = products_of({-1, 0.0, 3, inf, 2}, 512);
  CHECK((products.y[1] == 0 && std::signbit(products.y[2]) && products.e[2] == 0));
  CHECK((products.e[3] == inf && products.e[4] == inf));
  products = products_of({inf, 2, NAN, 1}, 512);
  for (const double e : products.e) CHECK(e == inf);
  products = products_of(std::vector<double>(30, -0x1p-100), 4);
  for (size_t i = 0; i < 30; ++i) {
    CAPTURE(i);
    CHECK(std::signbit(products.y[i]) == (i % 2 == 0));
    CHECK((i < 5 ? products.y[i] == std::ldexp(i % 2 == 0 ? -1 : 1, -100 * (static_cast<int>(i) + 1))
                 : std::abs(products.y[i]) <= 0x1p-512));
    CHECK(products.e[i] < std::abs(products.y[i]));
  }
  products = products_of(std::vector<double>(30, 0x1p100), 4);
  for (size_t i = 0; i < 30; ++i) CHECK((i < 5 || products.y[i] >= 0x1p512 || products.e[i] == inf));
  CHECK(products.e[29] == inf);
}

}  // namespace running_product_test
