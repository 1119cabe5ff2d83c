// SPDX-License-Identifier: Apache-2.0
// How wrong the sums of neighbours can be, against exact sums: each count of roundings is met.
#include "exact/sum_rows.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "exact/compensated_sum.h"
#include "exact/oracle_testing.h"

namespace sum_rows_test {

using namespace opref::exact;
using oracle::Random, oracle::Rational;

namespace {

Rational exact_sum(const std::vector<double>& terms) {
  Rational sum = 0;
  for (const double term : terms) sum += Rational(term);
  return sum;
}

/// One result of all terms; with room for what loops read beyond.
struct OneResult {
  std::vector<double> numbers;
  std::vector<std::int64_t> at;
  explicit OneResult(const std::vector<double>& terms) : numbers(terms), at(terms.size()) {
    numbers.resize(terms.size() + kTermSlack);
    std::iota(at.begin(), at.end(), 0);
  }
  TermRows rows() const { return {at, 1, 0, 1}; }
};

struct Known {
  double sum[kTermSlack + 1], low[kTermSlack + 1], lost[kTermSlack + 1];
};

std::vector<double> numbers(Random& random, int count) {
  std::vector<double> x;
  for (int i = 0; i < count; ++i)
    x.push_back(std::ldexp(static_cast<double>(random.in(-(1 << 24), 1 << 24)), static_cast<int>(random.in(-40, 40))));
  return x;
}

}  // namespace

TEST_CASE("sums of rows: what additions lost bounds the error, and nothing lost means exact", "[exact][rows]") {
  Random random(1);
  int exact = 0, most = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<double> terms = numbers(random, static_cast<int>(random.in(1, 64)));
    if (round % 3 == 0)
      for (double& term : terms) term = std::trunc(term);
    const OneResult result(terms);
    const Rational truth = exact_sum(terms);
    Known known;
    add_rows(result.numbers.data(), result.rows(), Begun::no, known.sum, known.lost);
    const Rational error = abs(truth - Rational(known.sum[0]));
    CHECK((error <= Rational(known.lost[0] * 1.01)));
    exact += known.lost[0] == 0;
    most += error > Rational(known.lost[0] * 0.5);
    CHECK((known.lost[0] != 0 || error == 0));
    add_rows(result.numbers.data(), result.rows(), Begun::no, known.sum, known.low, known.lost);
    const auto sum = CompensatedSum::of(known.sum[0], known.low[0], known.lost[0], std::ssize(terms));
    const auto bracket = sum.bracket({0, 1});
    REQUIRE(bracket);
    CHECK((Rational(bracket->value) + Rational(bracket->low) <= truth));
    CHECK((Rational(bracket->value) + Rational(bracket->high) >= truth));
  }
  CHECK(exact > 20);
  CHECK(most > 20);
}

TEST_CASE("sums of many rows: each of n - 1 additions can lose half a place", "[exact][rows]") {
  for (const int n : {2, 9, 1000}) {
    std::vector<double> terms(static_cast<size_t>(n), 0x1p-53);
    terms[0] = 1;  // each further term is lost
    const OneResult result(terms);
    Known known;
    add_many_rows(result.numbers.data(), result.rows(), Begun::no, known.sum, known.lost);
    const Rational error = abs(exact_sum(terms) - Rational(known.sum[0]));
    const auto bound = [&](double additions) { return Slack{0, 1}.bound(additions) * known.lost[0]; };
    CHECK((error <= Rational(bound(n - 1))));
    CHECK((error > Rational(bound(n - 1.5))));
  }
}

TEST_CASE("sums that go on: terms that come later are added to what is there", "[exact][rows]") {
  Random random(2);
  const std::vector<double> terms = numbers(random, 48);
  std::vector<double> x = terms;
  x.resize(terms.size() + kTermSlack);
  const std::vector<std::int64_t> at{0, 16, 32}, first{0}, rest{16, 32};
  Known once, twice;
  const auto check = [&](const auto& add) {
    add(TermRows{at, 1, 0, 16}, Begun::no, once);
    add(TermRows{first, 1, 0, 16}, Begun::no, twice);
    add(TermRows{rest, 1, 0, 16}, Begun::yes, twice);
    for (size_t j = 0; j < 16; ++j) {
      CHECK(once.sum[j] == twice.sum[j]);
      CHECK(once.lost[j] == twice.lost[j]);
    }
  };
  check([&](const TermRows& rows, Begun begun, Known& k) { add_rows(x.data(), rows, begun, k.sum, k.lost); });
  check([&](const TermRows& rows, Begun begun, Known& k) { add_rows(x.data(), rows, begun, k.sum, k.low, k.lost); });
  check([&](const TermRows& rows, Begun begun, Known& k) { add_many_rows(x.data(), rows, begun, k.sum, k.lost); });
}

TEST_CASE("long sums: the additions of a lane, and those that join lanes", "[exact][rows]") {
  Random random(3);
  for (const int n : {1, 15, 16, 17, 1000, 4096}) {
    std::vector<double> terms(static_cast<size_t>(n), 0x1p-53);
    terms[0] = 1;
    LongSum sum;
    const size_t cut = static_cast<size_t>(random.in(0, n));
    sum.add(terms.data(), cut), sum.add(terms.data() + cut, terms.size() - cut);
    const double bound = Slack{0, 1}.bound(sum.additions()) * sum.size();
    CHECK((abs(exact_sum(terms) - Rational(sum.sum())) <= Rational(bound)));
    if (n >= 1000) CHECK((abs(exact_sum(terms) - Rational(sum.sum())) > Rational(bound * 0.7)));
    CHECK(sum.size() == Approx(1).epsilon(1e-9));
  }
}

TEST_CASE("quotients of rows: exact ones have no error, others enclose the exact quotient", "[exact][rows]") {
  Random random(4);
  int exact = 0;
  for (const double divisor : {1.0, 3.0, 4.0, 9.0, 1000.0}) {
    std::vector<double> sums = numbers(random, 100), lost(100);
    for (size_t i = 0; i < 100; ++i) lost[i] = i % 2 == 0 ? 0 : std::abs(sums[i]) * 0x1p-60;
    std::vector<double> value = sums, error = lost;
    row_divide(value.data(), error.data(), 1.01, divisor, 100);
    for (size_t i = 0; i < 100; ++i)
      for (const int side : {-1, 1}) {
        const Rational truth = (Rational(sums[i]) + side * Rational(lost[i])) / Rational(divisor);
        const Rational distance = abs(truth - Rational(value[i]));
        CHECK((distance <= Rational(error[i])));
        CHECK((error[i] == 0) == (distance == 0 && lost[i] == 0));
        exact += error[i] == 0;
        // Far enough that the ends of a bracket are no midpoint that the value is.
        if (error[i] != 0) CHECK(value[i] - error[i] < value[i]);
      }
  }
  CHECK(exact > 50);
}

}  // namespace sum_rows_test
