// SPDX-License-Identifier: Apache-2.0
// Oracle: GMP's rational numbers.
#include "exact/weighted_rows.h"

#include <gmpxx.h>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace weighted_rows_test {

using namespace opref::exact;

namespace {

constexpr std::size_t kSize = 37, kMostTerms = 9;

/// Numbers and weights of several magnitudes, some of which cancel.
struct Work {
  std::vector<float> x;
  std::vector<double> doubles, lost;
  std::vector<std::int32_t> at;
  std::vector<double> weights, errors;
};
Work random_work(std::mt19937& random, int spread, bool of_few_bits) {
  const auto number = [&] {
    const int digits = static_cast<int>(random() % (of_few_bits ? 9 : 1U << 24)) - (of_few_bits ? 4 : 1 << 23);
    return std::ldexp(static_cast<double>(digits), static_cast<int>(random() % static_cast<unsigned>(spread)) - 20);
  };
  Work w;
  for (int i = 0; i < 100; ++i) {
    w.x.push_back(static_cast<float>(number()));
    w.doubles.push_back(number() * (of_few_bits ? 1 : 1.1));
    w.lost.push_back(std::abs(w.doubles.back()) * 0x1p-52);
  }
  for (std::size_t i = 0; i < kSize * kMostTerms; ++i) {
    w.at.push_back(static_cast<std::int32_t>(random() % w.x.size()));
    w.weights.push_back(of_few_bits ? static_cast<double>(random() % 16) / 16 : number() * 0x1.7p-3);
    w.errors.push_back(std::abs(w.weights.back()) * 0x1p-51);
  }
  return w;
}
/// How far the number is from the value, in errors; 0 of 0.
double off(const mpq_class& number, double value, double error) {
  const mpq_class apart = abs(number - mpq_class(value));
  if (apart == 0) return 0;
  REQUIRE(error > 0);
  return mpq_class(apart / mpq_class(error)).get_d();
}

struct Worst {
  double off = 0;
  std::size_t exact = 0, all = 0;
  void take(double one, double error) { off = std::max(off, one), exact += error == 0 ? 1 : 0, ++all; }
};

}  // namespace

TEST_CASE("weighted rows: sums and bounds of their errors", "[exact]") {
  std::mt19937 random(3);
  Worst plain, of_weights, of_numbers, of_rows;
  for (int round = 0; round < 300; ++round) {
    const bool few = round % 3 == 0;
    const std::size_t count = round % (kMostTerms + 1);
    const Work w = random_work(random, round % 2 == 0 ? 4 : 60, few);
    std::vector<WeightedTerm<float>> exact, wrong;
    std::vector<WeightedTerm<double>> doubles;
    std::vector<WeightedRow> rows;
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t i = t * kSize;
      const double factor = t % 2 == 0 ? 1 : -0.5;
      exact.push_back({w.x.data(), &w.at[i], &w.weights[i], factor});
      wrong.push_back({w.x.data(), &w.at[i], &w.weights[i], factor, &w.errors[i]});
      doubles.push_back({w.doubles.data(), &w.at[i], &w.weights[i], factor, nullptr, w.lost.data()});
      rows.push_back({w.x.data() + t, w.weights[t]});
    }
    std::vector<double> value(kSize), error(kSize);
    // What is wrong with a weight or a number is wrong in the worst direction.
    const auto check = [&](const auto& terms, double of_weight, double of_number, Worst& worst) {
      row_weighted_sums(std::span(terms), kSize, value.data(), error.data());
      for (std::size_t k = 0; k < kSize; ++k) {
        mpq_class sum, lacks;
        for (const auto& term : terms) {
          const std::int32_t at = term.at[k];
          const mpq_class x(static_cast<double>(term.x[at])),
              weight = mpq_class(term.weights[k]) * mpq_class(term.factor);
          sum += x * weight;
          if (of_weight > 0) lacks += abs(x * mpq_class(term.factor)) * mpq_class(term.errors[k]);
          if (of_number > 0) lacks += abs(weight) * mpq_class(term.lost[at]);
        }
        const double bound = error[k] * kWeightedLost;
        worst.take(std::max(off(sum + lacks, value[k], bound), off(sum - lacks, value[k], bound)), error[k]);
        CHECK_FALSE((value[k] == 0 && std::signbit(value[k])));
      }
    };
    check(exact, 0, 0, plain);
    check(wrong, 1, 0, of_weights);
    check(doubles, 0, 1, of_numbers);
    if (count == 0) continue;
    const bool is_exact = row_weighted_rows(rows, kSize, value.data(), error.data());
    bool all_are = true;
    for (std::size_t k = 0; k < kSize; ++k) {
      mpq_class sum;
      for (const WeightedRow& row : rows) sum += mpq_class(static_cast<double>(row.x[k])) * mpq_class(row.weight);
      of_rows.take(off(sum, value[k], error[k] * kWeightedLost), error[k]);
      all_are = all_are && error[k] == 0;
    }
    CHECK(is_exact == all_are);
  }
  // Never beyond the bound, which is nearly reached; and not all are exact, nor none.
  for (const Worst& worst : {plain, of_weights, of_numbers, of_rows}) {
    CHECK(worst.off <= 1);
    CHECK(worst.off > 0.95);
  }
  for (const Worst& worst : {plain, of_rows}) CHECK((worst.exact > worst.all / 10 && worst.exact < worst.all));
}

TEST_CASE("weighted rows: what is not finite is not known", "[exact]") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x{1, kInfinity, kNan, 2};
  const std::vector<std::int32_t> at{0, 1, 2, 3};
  const std::vector<double> weights{1, 0, 1, 1};
  std::vector<double> value(4), error(4);
  const std::vector<WeightedTerm<float>> terms{{x.data(), at.data(), weights.data()}};
  row_weighted_sums(std::span(terms), 4, value.data(), error.data());
  CHECK((value[0] == 1 && error[0] == 0 && value[3] == 2 && error[3] == 0));
  CHECK_FALSE(error[1] < 1e300);
  CHECK_FALSE(error[2] < 1e300);
  const std::vector<WeightedRow> rows{{x.data(), 1}};
  CHECK_FALSE(row_weighted_rows(rows, 4, value.data(), error.data()));
  CHECK_FALSE(error[1] < 1e300);
}

}  // namespace weighted_rows_test
