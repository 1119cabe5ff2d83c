// SPDX-License-Identifier: Apache-2.0
#include "exact/row_terms.h"

#include <catch2/catch.hpp>
#include <vector>

#include "exact/oracle_testing.h"

namespace opref::exact::row_terms_test {
namespace {

using oracle::Random;
using oracle::Rational;

/// A few bits, so that sums are often exact, or ties; or all of them.
float term(Random& random) {
  const double x = random.one_in(2) ? std::round(random.normal() * 8) : random.normal();
  return static_cast<float>(std::ldexp(x, static_cast<int>(random.one_in(4) ? random.in(-40, 40) : random.in(-2, 24))));
}
float nearest_float(const Rational& sum) {
  return from_bits<float>(static_cast<std::uint32_t>(oracle::nearest_bits<float>(sum)));
}

}  // namespace

TEST_CASE("row terms: sums and means of rows are the nearest floats, or doubtful", "[exact]") {
  const std::size_t count = GENERATE(1, 2, 3, 4, 5, 9);
  const double divisor = GENERATE(1.0, 3.0, 4.0);
  CAPTURE(count, divisor);
  constexpr std::size_t kSize = 1500;
  Random random(count);
  std::vector<std::vector<float>> rows(count, std::vector<float>(kSize));
  for (auto& row : rows)
    for (float& x : row) x = term(random);
  for (std::size_t k = 0; k < count; ++k) rows[k][0] = -0.0F;
  rows[0][1] = HUGE_VALF, rows[0][2] = std::nanf("");
  std::vector<const float*> terms;
  for (const auto& row : rows) terms.push_back(row.data());
  std::vector<float> y(kSize);
  std::vector<std::int32_t> is_inexact(kSize), doubts(kSize);
  const std::size_t left =
      row_sum_of_terms(terms.data(), count, divisor, kSize, y.data(), is_inexact.data(), doubts.data());
  CHECK((doubts[1] == 1 && doubts[2] == 1));
  CHECK((doubts[0] == 0 && y[0] == 0 && !std::signbit(y[0])));
  std::size_t open = 0, wrong = 0, overclaimed = 0, exact = 0;
  for (std::size_t i = 0; i < kSize; ++i) {
    open += doubts[i] != 0 ? 1 : 0;
    if (doubts[i] != 0) continue;
    Rational sum = 0;
    for (const auto& row : rows) sum += Rational(static_cast<double>(row[i]));
    sum /= Rational(divisor);
    wrong += to_bits(nearest_float(sum)) != to_bits(y[i]) ? 1 : 0;
    exact += is_inexact[i] == 0 ? 1 : 0;
    overclaimed += is_inexact[i] == 0 && sum != Rational(static_cast<double>(y[i])) ? 1 : 0;
  }
  CHECK(open == left);
  CHECK(left < 30);
  CHECK(wrong == 0);
  CHECK(overclaimed == 0);
  if (count <= 2 && divisor != 3) CHECK(exact > 20);
}

// Above a midpoint by 2^-60, which is lost beside the loss of 1 that -1 takes back.
TEST_CASE("row terms: losses that cancel leave an element doubtful", "[exact]") {
  const float terms[] = {0x1p100F, 0x1p76F, 1, 0x1p-60F, -1};
  const float* rows[std::size(terms)];
  for (std::size_t k = 0; k < std::size(terms); ++k) rows[k] = &terms[k];
  float y = 0;
  std::int32_t is_inexact = 0, doubt = 0;
  CHECK(row_sum_of_terms(rows, std::size(terms), 1, 1, &y, &is_inexact, &doubt) == 1);
  CHECK(doubt == 1);
}

}  // namespace opref::exact::row_terms_test
