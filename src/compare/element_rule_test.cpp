// SPDX-License-Identifier: Apache-2.0
#include "compare/element_rule.h"

#include <gmpxx.h>
#include <catch2/catch.hpp>
#include <random>

#include "compare/compare.h"

namespace opref::compare::element_rule_test {
namespace {

using Rule = Tolerance::Rule;

// numpy's rule as it is written, in rational numbers.
bool allowed(const mpq_class& actual, const mpq_class& expected, const Tolerance& tolerance) {
  return abs(actual - expected) <= mpq_class(tolerance.atol) + mpq_class(tolerance.rtol) * abs(expected);
}

template <class T>
bool passes(DType dtype, T actual, T expected, const Tolerance& tolerance) {
  const auto tensor = [&](T value) { return Tensor::of<T>(dtype, Dims{}, std::span(&value, 1)); };
  return compare_values(tensor(actual), tensor(expected), tolerance).equal();
}

mpq_class rational(double value) { return mpq_class(value); }

/// Pairs whose error is, or almost is, what a tolerance allows.
template <class T, class Draw>
void check_boundaries(DType dtype, const Draw& draw) {
  std::mt19937_64 random(static_cast<std::uint64_t>(dtype));
  int passed = 0, failed = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const T expected = draw(random), actual = draw(random);
    const mpq_class e = rational(expected), error = abs(rational(actual) - e);
    Tolerance tolerance{.rule = Rule::relative, .rtol = 0, .atol = 0};
    if (trial % 2 == 0) {
      tolerance.atol = error.get_d();
    } else {
      tolerance.atol = trial % 4 == 1 ? 0 : mpq_class(error / 3).get_d();
      if (e != 0) tolerance.rtol = mpq_class((error - mpq_class(tolerance.atol)) / abs(e)).get_d();
    }
    for (const double beside : {0.0, 1e300}) {
      Tolerance t = tolerance;
      if (trial % 2 == 0)
        t.atol = std::nextafter(t.atol, beside);
      else
        t.rtol = std::nextafter(t.rtol, beside);
      const bool expected_verdict = allowed(rational(actual), e, t);
      ++(expected_verdict ? passed : failed);
      if (passes(dtype, actual, expected, t) != expected_verdict)
        FAIL_CHECK(name(dtype) << " " << +actual << " for " << +expected << " by " << t.rtol << ", " << t.atol);
    }
  }
  CHECK(passed > 10000);
  CHECK(failed > 10000);
}

TEST_CASE("Numpy's rule at its boundary, against rational numbers", "[compare]") {
  check_boundaries<float>(DType::float32, [](std::mt19937_64& random) {
    return std::ldexp(static_cast<float>(random() >> 40) - 0x1p23F, static_cast<int>(random() % 8) - 24);
  });
  check_boundaries<double>(DType::float64, [](std::mt19937_64& random) {
    return std::ldexp(static_cast<double>(random() >> 11) - 0x1p52, static_cast<int>(random() % 8) - 53);
  });
}

// The fast judge is another way to the same verdicts, errors and order of mismatches.
template <class F>
void check_fast(DType dtype, const std::vector<Tolerance>& tolerances) {
  std::mt19937_64 random(static_cast<std::uint64_t>(dtype));
  int decided = 0, left = 0;
  for (const Tolerance& tolerance : tolerances) {
    ElementRule rule(dtype, dtype, tolerance);
    for (int trial = 0; trial < 20000; ++trial) {
      const auto expected = static_cast<BitsOf<F>>(random());
      // Anything, or a neighbour, or the other sign.
      auto actual = static_cast<BitsOf<F>>(random());
      if (trial % 3 == 1) actual = static_cast<BitsOf<F>>(expected + random() % 16 - 8);
      if (trial % 3 == 2) actual = static_cast<BitsOf<F>>(expected ^ sign_bit<F>);
      if (actual == expected) continue;
      Passing fast;
      if (!judge_fast<F>(tolerance, actual, expected, fast)) {
        ++left;
        continue;
      }
      ++decided;
      const Passing slow = rule.judge(actual, expected);
      const bool same =
          fast.passes == slow.passes && fast.identical == slow.identical && fast.ulp == slow.ulp &&
          fast.absolute == slow.absolute && fast.relative == slow.relative &&
          (fast.passes || (fast.badness.ratio == slow.badness.ratio && fast.badness.tie == slow.badness.tie));
      if (!same)
        FAIL_CHECK(name(dtype) << std::hex << " 0x" << +actual << " for 0x" << +expected << ", " << to_text(tolerance));
    }
  }
  CHECK(decided > left);
}

TEST_CASE("The fast judge decides as the exact one", "[compare]") {
  const std::vector<Tolerance> tolerances = {
      {},
      {.strict_nan = true},
      {.rule = Rule::ulp, .ulp = 0},
      {.rule = Rule::ulp, .ulp = 5},
      {.rule = Rule::ulp, .ulp = INT64_MAX},
      {.rule = Rule::relative, .rtol = 1e-3, .atol = 1e-7},
      {.rule = Rule::relative, .rtol = 0, .atol = 0},
      {.rule = Rule::relative, .rtol = 1e308, .atol = 1e308},
      {.rule = Rule::relative, .rtol = 1e-308, .atol = 5e-324},
  };
  check_fast<float>(DType::float32, tolerances);
  check_fast<double>(DType::float64, tolerances);
  check_fast<Half>(DType::float16, tolerances);
  check_fast<BFloat16>(DType::bfloat16, tolerances);
}

}  // namespace
}  // namespace opref::compare::element_rule_test
