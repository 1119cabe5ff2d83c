// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/signals.h"

#include <catch2/catch.hpp>

#include "exact/oracle_testing.h"
#include "exact/real/simulated_testing.h"

namespace turns_test {

using namespace opref::ops;
namespace oracle = opref::exact::oracle;

namespace {

using oracle::Simulated;
using Complex = std::pair<Simulated, Simulated>;

/// e^(-2πij/N), each step rounded.
Complex turn(std::int64_t j, std::int64_t N) {
  const Simulated angle = Simulated(2.0) * pi(Simulated(0.0)) * Simulated::whole(j) / Simulated::whole(N);
  return {cos(angle), -sin(angle)};
}
Complex product(const Complex& a, const Complex& b) {
  return {a.first * b.first - a.second * b.second, a.first * b.second + a.second * b.first};
}
/// By halves, of a length that is a power of two.
std::vector<Complex> halved(const std::vector<Complex>& x) {
  const auto N = std::ssize(x);
  if (N == 1) return x;
  std::vector<Complex> even, odd, y(x.size(), {0.0, 0.0});
  for (std::size_t n = 0; n < x.size(); ++n) (n % 2 == 0 ? even : odd).push_back(x[n]);
  even = halved(even), odd = halved(odd);
  for (std::size_t k = 0; k < x.size() / 2; ++k) {
    const Complex part = product(turn(static_cast<std::int64_t>(k), N), odd[k]);
    y[k] = {even[k].first + part.first, even[k].second + part.second};
    y[k + x.size() / 2] = {even[k].first - part.first, even[k].second - part.second};
  }
  return y;
}
/// As a sum.
Complex summed(const std::vector<Complex>& x, std::int64_t k) {
  Complex sum{0.0, 0.0};
  for (std::int64_t n = 0; n < std::ssize(x); ++n) {
    const Complex part = product(x[static_cast<std::size_t>(n)], turn(k * n % std::ssize(x), std::ssize(x)));
    sum = {sum.first + part.first, sum.second + part.second};
  }
  return sum;
}

}  // namespace

TEST_CASE("turns: no transform leaves its bound, be it a sum or by halves", "[DFT][bound]") {
  using Errors = oracle::SimulatedKernel::Errors;
  oracle::Random random(9);
  double greatest = 0;
  for (const std::int64_t N : {2, 4, 8, 32, 128}) {
    const Turns turns(N);
    std::vector<Complex> x;
    const auto number = [&] {
      return Simulated::of(Simulated::nearest(static_cast<double>(random.in(-1000000, 1000000)) * 1e-6));
    };
    for (std::int64_t n = 0; n < N; ++n) x.emplace_back(number(), number());
    for (const Errors errors : {Errors::nearest, Errors::random, Errors::up, Errors::outward}) {
      Simulated::kernel.errors = errors;
      const std::vector<Complex> fast = halved(x);
      for (std::int64_t k = 0; k < N; ++k) {
        TurnSum<Faithful> real(turns);
        for (std::int64_t n = 0; n < N; ++n) {
          real.cosine(k * n % N, x[static_cast<std::size_t>(n)].first.v);
          real.sine(k * n % N, x[static_cast<std::size_t>(n)].second.v);
        }
        const Faithful y = real.sum();
        for (const double of_kernel : {fast[static_cast<std::size_t>(k)].first.v, summed(x, k).first.v}) {
          const double share = std::abs((of_kernel - y.high()) - y.low()) / y.error();
          INFO("N = " << N << ", bin " << k << ", share " << share);
          CHECK(share <= 1);
          greatest = std::max(greatest, share);
        }
      }
    }
  }
  CHECK(greatest > 0.02);
}

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

}  // namespace turns_test
