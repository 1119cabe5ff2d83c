// SPDX-License-Identifier: Apache-2.0
// Determinants against rationals: by cofactors, and Vandermonde's product.
#include "exact/real/determinant.h"

#include <catch2/catch.hpp>

#include "exact/mpfr.h"
#include "exact/oracle_testing.h"
#include "exact/real/simulated_testing.h"
#include "exact/real/with_kernel.h"

namespace opref::exact::determinant_test {
namespace {

using oracle::Random;
using oracle::Rational;

Rational by_cofactors(const std::vector<double>& x, std::size_t n) {
  if (n == 0) return 1;
  Rational sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> minor;
    for (std::size_t i = 1; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        if (k != j) minor.push_back(x[i * n + k]);
    const Rational term = Rational(x[j]) * by_cofactors(minor, n - 1);
    sum += j % 2 == 0 ? term : Rational(-term);
  }
  return sum;
}
bool is(const Interval& y, const Rational& exact) {
  return y.is_point() && mpfr_cmp_q(y.low(), exact.get_mpq_t()) == 0;
}

/// Powers of the numbers, in rows.
std::vector<double> vandermonde(const std::vector<double>& numbers) {
  std::vector<double> x;
  for (const double number : numbers) {
    double power = 1;
    for (std::size_t k = 0; k < numbers.size(); ++k, power *= number) x.push_back(power);
  }
  return x;
}

/// By elimination with pivots, each step rounded.
double eliminated(const std::vector<double>& x, std::size_t n) {
  using oracle::Simulated;
  std::vector<Simulated> a(x.begin(), x.end());
  const auto at = [&](std::size_t i, std::size_t j) -> Simulated& { return a[i * n + j]; };
  Simulated product(1.0);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(at(i, k).v) > std::abs(at(pivot, k).v)) pivot = i;
    for (std::size_t j = 0; pivot != k && j < n; ++j) std::swap(at(k, j), at(pivot, j));
    product = product * (pivot == k ? at(k, k) : -at(k, k));
    if (at(k, k).v == 0) return 0;
    for (std::size_t i = k + 1; i < n; ++i) {
      const Simulated factor = at(i, k) / at(k, k);
      for (std::size_t j = k; j < n; ++j) at(i, j) = at(i, j) - factor * at(k, j);
    }
  }
  return product.v;
}

}  // namespace

TEST_CASE("determinant: of small matrices, as by cofactors", "[Det]") {
  Random random(1);
  Interval::precision = 96;
  int wrong = 0, zeros = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto n = static_cast<std::size_t>(random.in(0, 5));
    const auto places = static_cast<int>(random.in(0, 1) * random.in(0, 1000));
    std::vector<double> x;
    for (std::size_t k = 0; k < n * n; ++k) {
      const double small = static_cast<double>(random.in(-2, 2));  // rows that depend on each other, pivots of zero
      x.push_back(places == 0 ? small : std::ldexp(random.normal(), static_cast<int>(random.in(-places, places))));
    }
    if (n > 1 && random.one_in(9)) std::copy_n(x.begin(), n, x.begin() + static_cast<std::ptrdiff_t>(n));
    const Rational exact = by_cofactors(x, n);
    zeros += exact == 0;
    wrong += !is(determinant(x, n), exact);
  }
  CHECK(zeros > 300);
  CHECK(wrong == 0);
  const Interval zero = determinant({0, 0, 0, 0}, 2);
  CHECK((zero.is_zero() && mpfr_signbit(zero.low()) == 0));
  CHECK(Interval::precision == 96);
}

TEST_CASE("determinant: of a large matrix, as Vandermonde's product", "[Det]") {
  Interval::precision = 96;
  const std::vector<double> numbers{3, -1, 2, 0.5, -0.25, 0, 1, -4, 5, 8, -8, 0.75, 16, -16, 0.125, 7};
  Rational product = 1;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) product *= Rational(numbers[i]) - Rational(numbers[j]);
  std::vector<double> x = vandermonde(numbers);
  CHECK(is(determinant(x, numbers.size()), product));
  for (double& element : x) element = std::ldexp(element, -900);
  mpq_div_2exp(product.get_mpq_t(), product.get_mpq_t(), 900 * numbers.size());
  CHECK(is(determinant(x, numbers.size()), product));
}

TEST_CASE("determinants: no kernel that eliminates leaves its bound", "[Det][bound]") {
  using Errors = oracle::SimulatedKernel::Errors;
  Random random(5);
  double greatest = 0;
  int moved = 0;
  for (const std::size_t n : {2, 3, 4, 6, 10, 16})
    for (int draw = 0; draw < 20; ++draw) {
      std::vector<double> x;
      for (std::size_t i = 0; i < n * n; ++i)
        x.push_back(oracle::Simulated::nearest(static_cast<double>(random.in(-1000000, 1000000)) * 1e-6));
      if (draw % 4 == 0)  // a singular one
        for (std::size_t j = 0; j < n; ++j) x[j] = 2 * x[n + j];
      const Faithful y = computed_determinant(x, n);
      REQUIRE(is_finite(y));
      const exact::SimulatedKernel usual{.run = static_cast<std::uint32_t>(draw)};
      const Faithful simulated = [&] {
        const WithKernel with_kernel(Faithful::kernel, &usual);
        return computed_determinant(x, n);
      }();
      CHECK((simulated.error() == 0 && Faithful::kernel.holds(simulated.high())));
      CHECK(std::abs((simulated.high() - y.high()) - y.low()) <= y.error());
      moved += simulated.high() != oracle::Simulated::nearest(y.high());
      for (const Errors errors : {Errors::nearest, Errors::random, Errors::up, Errors::outward}) {
        oracle::Simulated::kernel.errors = errors;
        const double share = std::abs((eliminated(x, n) - y.high()) - y.low()) / y.error();
        INFO("n = " << n << ", share " << share);
        CHECK(share <= 1);
        greatest = std::max(greatest, share);
      }
    }
  CHECK(greatest > 0.05);
  CHECK(moved > 60);  // of 120
}

}  // namespace opref::exact::determinant_test
