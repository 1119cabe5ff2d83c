// SPDX-License-Identifier: Apache-2.0
// The formulas of error_bound.h by hand, at, below and above the bound; and kernels that really round, in several
// orders.
#include "compare/error_bound.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/error.h"
#include "exact/narrow_sum.h"

namespace opref::compare::error_bound_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Kernel = BoundedKernel;
constexpr auto kFlushed = Kernel::Subnormals::flushed;

MagnitudeSum sum_of(const std::vector<std::pair<double, double>>& products) {
  MagnitudeSum sum;
  for (const auto& [a, b] : products) sum.add(a, b);
  return sum;
}
MagnitudeSum squares_of(const std::vector<double>& x) {
  MagnitudeSum sum;
  for (const double element : x) sum.add(element, element);
  return sum;
}
bool has_bound(ErrorBound& bound, MagnitudeSum& terms) {
  return bound.no_bound(terms).empty() && (!terms.finite() || !bound.may_overflow(terms));
}
bool can_be_sum(const Kernel& kernel, DType output, const std::vector<std::pair<double, double>>& products, double a) {
  MagnitudeSum sum = sum_of(products);
  ErrorBound bound(kernel, output);
  REQUIRE(has_bound(bound, sum));
  const auto judged = bound.judge_sum(sum, a);
  CHECK(judged.passes == (judged.ratio <= 1));
  return judged.passes;
}
bool can_be_root(const Kernel& kernel, DType output, const std::vector<double>& x, double a) {
  MagnitudeSum sum = squares_of(x);
  ErrorBound bound(kernel, output);
  REQUIRE(has_bound(bound, sum));
  const auto judged = bound.judge_root(sum, a);
  CHECK(judged.passes == (judged.ratio <= 1));
  return judged.passes;
}

}  // namespace

TEST_CASE("the error bound of a sum: at it, below and above", "[bound]") {
  // n = 1: (n+1)u = 2^-10 in float16, γ = 1/1023; x·w = 1023 = M = s: γM = 1, nη(1+γ) = 2^-24·1024/1023.
  // E = 1 + 2^-24·1024/1023; the output is float64, so u_T(|s|+E) + η_T is 1024·2^-53 and less than 2^-60 more.
  const Kernel half{.accumulator = DType::float16};
  const std::vector<std::pair<double, double>> one{{1023, 1}};
  const double E = 1 + 0x1p-24 * 1024 / 1023, edge = 1023 + E + 1024 * 0x1p-53;
  CHECK(can_be_sum(half, DType::float64, one, 1023));
  CHECK(can_be_sum(half, DType::float64, one, edge - 0x1p-40));
  CHECK_FALSE(can_be_sum(half, DType::float64, one, edge + 0x1p-40));
  CHECK(can_be_sum(half, DType::float64, one, 1023 - E - 0x1p-43 + 0x1p-40));
  CHECK_FALSE(can_be_sum(half, DType::float64, one, 1023 - E - 0x1p-43 - 0x1p-40));

  // Without terms only the last rounding is left: η_T.
  for (const DType output : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    const double eta = limits_of(output).smallest_subnormal;
    CHECK(can_be_sum(half, output, {}, eta));
    CHECK(can_be_sum(half, output, {}, -eta));
    CHECK(can_be_sum(half, output, {}, 0));
    CHECK_FALSE(can_be_sum(half, output, {}, 2 * eta));
    CHECK_FALSE(can_be_sum(half, output, {}, -2 * eta));
  }
}

TEST_CASE("the error bound is met exactly, where both sides are representable", "[bound]") {
  // γ of n = 3 in bfloat16: 4·2^-8 / (1 - 2^-6) = 1/63. Terms 63, 63, -63 (M = 189, s = 63): γM = 3.
  // η = 2^-133: nη(1+γ) = 3·2^-133·64/63. u_T = 2^-24 (float32), η_T = 2^-149.
  // bound = E(1 + 2^-24) + 63·2^-24 + 2^-149, E = 3 + 3·2^-133·64/63: just above 3 + 66·2^-24.
  const Kernel bfloat{.accumulator = DType::bfloat16};
  const std::vector<std::pair<double, double>> terms{{63, 1}, {7, 9}, {-9, 7}};
  const double most = 66 + 66 * 0x1p-24;
  CHECK(can_be_sum(bfloat, DType::float32, terms, most));
  CHECK_FALSE(can_be_sum(bfloat, DType::float32, terms, std::nextafter(most, 100)));
  const double least = 60 - 66 * 0x1p-24;
  CHECK(can_be_sum(bfloat, DType::float32, terms, least));
  CHECK_FALSE(can_be_sum(bfloat, DType::float32, terms, std::nextafter(least, 0)));
  // Scaled by 2^-127 the η part is 3·2^-133·64/63 = 3.047…·2^-133, the linear part (3 + 66·2^-24)·2^-127, η_T 2^-149.
  const std::vector<std::pair<double, double>> small{{63, 0x1p-127}, {7, 9 * 0x1p-127}, {-9, 7 * 0x1p-127}};
  const double scaled = most * 0x1p-127 + 3 * 64.0 / 63 * (1 + 0x1p-24) * 0x1p-133 + 0x1p-149;
  CHECK(can_be_sum(bfloat, DType::float32, small, scaled * (1 - 0x1p-50)));
  CHECK_FALSE(can_be_sum(bfloat, DType::float32, small, scaled * (1 + 0x1p-50)));
  // Flushed: η and η_T are the smallest normal numbers, 2^-126 both, and no factor may be subnormal.
  const Kernel flushing{.accumulator = DType::bfloat16, .subnormals = kFlushed};
  const std::vector<std::pair<double, double>> tiny{{63, 0x1p-120}, {63, 0x1p-120}, {63, -0x1p-120}};
  const double flushed = most * 0x1p-120 + 3 * 64.0 / 63 * (1 + 0x1p-24) * 0x1p-126 + 0x1p-126;
  CHECK(can_be_sum(flushing, DType::float32, tiny, flushed * (1 - 0x1p-50)));
  CHECK_FALSE(can_be_sum(flushing, DType::float32, tiny, flushed * (1 + 0x1p-50)));
}

TEST_CASE("the error bound of a store that flushes", "[bound]") {
  // float32 to float16: η_T is 2^-14, beside which u_T·s and E are nothing but for 2^-11 of s.
  const Kernel kept, flushing{.accumulator = DType::float32, .subnormals = kFlushed};
  const std::vector<std::pair<double, double>> subnormal{{0x1p-13, 0.25}};
  CHECK(can_be_sum(flushing, DType::float16, subnormal, 0));
  CHECK_FALSE(can_be_sum(kept, DType::float16, subnormal, 0));
  // s = 2^-13: s·2^-11 + E, which is 2^-23·s and less than 2^-46·s more.
  const std::vector<std::pair<double, double>> normal{{0x1p-13, 1}};
  const double edge = 0x1p-13 - 0x1p-24 - 0x1p-14 - 0x1p-36 * (1 + 0x1p-11);
  CHECK(can_be_sum(flushing, DType::float16, normal, edge * (1 + 0x1p-60)));
  CHECK_FALSE(can_be_sum(flushing, DType::float16, normal, edge - 0x1p-50));
  CHECK_FALSE(can_be_sum(flushing, DType::float16, normal, 0));

  // The root of 2^-24, 2^-12·(1 ± 2^-11), and 2^-14 on both sides; what float64 loses is less than 2^-50 of it.
  const Kernel wide{.accumulator = DType::float64, .subnormals = kFlushed};
  const double high = 0x1p-12 * (1 + 0x1p-11) + 0x1p-14, low = 0x1p-12 * (1 - 0x1p-11) - 0x1p-14;
  CHECK(can_be_root(wide, DType::float16, {0x1p-12}, high));
  CHECK_FALSE(can_be_root(wide, DType::float16, {0x1p-12}, high * (1 + 0x1p-48)));
  CHECK(can_be_root(wide, DType::float16, {0x1p-12}, low));
  CHECK_FALSE(can_be_root(wide, DType::float16, {0x1p-12}, low * (1 - 0x1p-48)));
  for (const double sign : {1.0, -1.0}) {  // of nothing
    CHECK(can_be_root(wide, DType::float16, {}, sign * 0x1p-15));
    CHECK(can_be_root(wide, DType::float16, {}, sign * 0x1p-14));
    CHECK_FALSE(can_be_root(wide, DType::float16, {}, sign * (0x1p-14 + 0x1p-24)));
  }

  // Errors over their bounds.
  MagnitudeSum small = sum_of(subnormal), square = squares_of({0x1p-12});
  CHECK(ErrorBound(flushing, DType::float16).judge_sum(small, 0).ratio == Approx(0.5 / (1 + 0x1p-12)));
  for (const double a : {0x1p-12 + 0x1p-15, 0x1p-12 - 0x1p-15})
    CHECK(ErrorBound(wide, DType::float16).judge_root(square, a).ratio == Approx(0.5 / (1 + 0x1p-9)));
}

TEST_CASE("the error bound with rounded inputs", "[bound]") {
  // δ = 1/2: (1+δ)² = 9/4, 2δ+δ² = 5/4. n = 1, bfloat16: k = 2^-7, γ = 1/127.
  // s = M = 508: E = 4·9/4 + 635 + η… = 644; u_T(|s|+E) = 1152·2^-24.
  const Kernel kernel{.accumulator = DType::bfloat16, .subnormals = Kernel::Subnormals::kept, .input_error = 0.5};
  const double most = 508 + 644 + 1152 * 0x1p-24;
  CHECK(can_be_sum(kernel, DType::float32, {{508, 1}}, most));
  CHECK_FALSE(can_be_sum(kernel, DType::float32, {{508, 1}}, std::nextafter(most, 2e3)));
  CHECK(can_be_sum(kernel, DType::float32, {{-508, 1}}, -most));
  CHECK_FALSE(can_be_sum(kernel, DType::float32, {{-508, 1}}, std::nextafter(-most, -2e3)));
}

TEST_CASE("without an error bound", "[bound]") {
  const auto reason = [](const Kernel& kernel, DType output, MagnitudeSum terms) {
    return ErrorBound(kernel, output).no_bound(terms);
  };
  const auto many = [](int n) {
    return sum_of(std::vector<std::pair<double, double>>(static_cast<size_t>(n), {1, 1}));
  };
  const Kernel bfloat{.accumulator = DType::bfloat16}, half{.accumulator = DType::float16};
  // (n+1)·2^-8 >= 1/2 from n = 127 on, (n+1)·2^-11 from 1023.
  CHECK(reason(bfloat, DType::bfloat16, many(126)).empty());
  CHECK(reason(bfloat, DType::bfloat16, many(127)) ==
        "an element has 127 terms, and a sum of so many in bfloat16 has no error bound");
  CHECK(reason(half, DType::float32, many(1022)).empty());
  CHECK_FALSE(reason(half, DType::float32, many(1023)).empty());
  // Subnormal inputs matter only to what flushes them.
  const Kernel flushing{.accumulator = DType::float32, .subnormals = kFlushed};
  CHECK(reason(flushing, DType::float32, sum_of({{1, 0x1p-126}, {0, -0.0}})).empty());
  CHECK(reason(flushing, DType::float32, sum_of({{1, -0x1p-127}})) ==
        "an input is subnormal, and what flushes it to zero has no error bound");
  CHECK(reason({}, DType::float32, sum_of({{1, 0x1p-127}})).empty());
  CHECK_FALSE(reason(flushing, DType::float16, sum_of({{0x1p-15, 1}})).empty());
  CHECK_FALSE(reason(flushing, DType::float64, sum_of({{0x1p-127, 1}})).empty());
}

TEST_CASE("accumulators that may overflow", "[bound]") {
  const auto may_overflow = [](const Kernel& kernel, MagnitudeSum terms, int sign = 0) {
    return ErrorBound(kernel, DType::float32).may_overflow(terms, sign);
  };
  const Kernel half{.accumulator = DType::float16};
  // (1+γ)(M + η) against 65520, with 1+γ = 1/(1 - 2^-10): M = 65456.015625 - 2^-24 just reaches it.
  CHECK_FALSE(may_overflow(half, sum_of({{65456, 1}})));
  CHECK_FALSE(may_overflow(half, sum_of({{65456.015625 - 0x1p-23, 1}})));
  CHECK(may_overflow(half, sum_of({{65456.015625 - 0x1p-24, 1}})));
  CHECK(may_overflow(half, sum_of({{60000, 1}, {-60000, 1}})));
  CHECK_FALSE(may_overflow({}, sum_of({{60000, 1}, {-60000, 1}})));
  CHECK(may_overflow({}, sum_of({{1e200, 1e200}})));
  CHECK_FALSE(may_overflow({.accumulator = DType::float64}, sum_of({{1e30, 1e30}})));

  const auto passes = [](MagnitudeSum terms, double a, double rounded) {
    const auto judged = ErrorBound::judge_overflow(terms, a, rounded);
    CHECK(judged.ratio == (judged.passes ? 0 : kInfinity));
    return judged.passes;
  };
  // Only the rounded value, or an infinity of the sum's sign; an exact zero has none.
  const MagnitudeSum above = sum_of({{60000, 2}}), below = sum_of({{60000, 1}, {-60000, 2}}),
                     zero = sum_of({{60000, 1}, {-60000, 1}});
  CHECK(passes(above, 120000, 120000));
  CHECK_FALSE(passes(above, std::nextafter(120000, 0), 120000));
  CHECK(passes(above, kInfinity, 120000));
  CHECK_FALSE(passes(above, -kInfinity, 120000));
  CHECK_FALSE(passes(above, kNan, 120000));
  CHECK(passes(below, -60000, -60000));
  CHECK(passes(below, -kInfinity, -60000));
  CHECK_FALSE(passes(below, kInfinity, -60000));
  CHECK(passes(zero, 0, 0));
  CHECK(passes(zero, -0.0, 0));
  CHECK_FALSE(passes(zero, kInfinity, 0));
  CHECK_FALSE(passes(zero, -kInfinity, 0));
  // Beside an infinite term an overflow of the other sign makes NaN.
  const MagnitudeSum infinite = sum_of({{60000, 2}, {1, -kInfinity}}), both = sum_of({{1, kInfinity}, {1, -kInfinity}});
  CHECK(may_overflow(half, infinite, +1));
  CHECK_FALSE(may_overflow(half, infinite, -1));
  CHECK_FALSE(may_overflow(half, sum_of({{60000, 1}, {-60000, 1}, {1, -kInfinity}}), +1));
  CHECK(may_overflow(half, sum_of({{-60000, 1}, {65392.03125 - 3 * 0x1p-24, 1}, {1, -kInfinity}}), +1));
  CHECK_FALSE(may_overflow(half, sum_of({{-60000, 1}, {65392.03125 - 4 * 0x1p-24, 1}, {1, -kInfinity}}), +1));
  CHECK(passes(infinite, -kInfinity, -kInfinity));
  CHECK(passes(infinite, kNan, -kInfinity));
  CHECK_FALSE(passes(infinite, kInfinity, -kInfinity));
  CHECK_FALSE(passes(infinite, -120000, -kInfinity));
  CHECK_FALSE(passes(both, kInfinity, kNan));
}

TEST_CASE("the error bound and what is not finite", "[bound]") {
  const Kernel kernel;
  // NaN must meet NaN, an infinite sum the same infinity.
  CHECK(can_be_sum(kernel, DType::float32, {{kNan, 1}}, kNan));
  CHECK(can_be_sum(kernel, DType::float32, {{0, kInfinity}}, kNan));
  CHECK(can_be_sum(kernel, DType::float32, {{1, kInfinity}, {-1, kInfinity}}, kNan));
  CHECK_FALSE(can_be_sum(kernel, DType::float32, {{kNan, 1}}, 1));
  CHECK_FALSE(can_be_sum(kernel, DType::float32, {{kNan, 1}}, kInfinity));
  CHECK_FALSE(can_be_sum(kernel, DType::float32, {{1, 1}}, kNan));
  CHECK(can_be_sum(kernel, DType::float32, {{1, -kInfinity}, {5, 1}}, -kInfinity));
  CHECK_FALSE(can_be_sum(kernel, DType::float32, {{1, -kInfinity}}, kInfinity));
  CHECK_FALSE(can_be_sum(kernel, DType::float32, {{1, -kInfinity}}, -3e38));
  CHECK_FALSE(can_be_sum(kernel, DType::float32, {{1, -kInfinity}}, kNan));
  CHECK_FALSE(can_be_sum(kernel, DType::float32, {{1e38, 1}}, kInfinity));
  // |s| + E against 65520, the output being float16: n = 1, E = s·2^-23/(1 - 2^-23) + …, s = 65520(1 - 2^-23) reaches
  // it with η, but one place (of float32) less does not.
  const double least = 65520 * (1 - 0x1p-23);
  CHECK(can_be_sum(kernel, DType::float16, {{least, 1}}, kInfinity));
  CHECK_FALSE(can_be_sum(kernel, DType::float16, {{least - 0x1p-20, 1}}, kInfinity));
  CHECK(can_be_sum(kernel, DType::float16, {{-least, 1}}, -kInfinity));
  CHECK_FALSE(can_be_sum(kernel, DType::float16, {{-least, 1}}, kInfinity));
  CHECK_FALSE(can_be_sum(kernel, DType::float16, {{-least - 100, 1}}, kInfinity));
  CHECK(can_be_sum(kernel, DType::float16, {{least, 1}}, 65504));
  CHECK_FALSE(can_be_sum(kernel, DType::float16, {{70000, 1}}, 65504));
  // Cancelled terms whose rounding may go beyond the output's range, in both directions.
  CHECK(can_be_sum(kernel, DType::float16, {{0x1p40, 1}, {-0x1p40, 1}}, kInfinity));
  CHECK(can_be_sum(kernel, DType::float16, {{0x1p40, 1}, {-0x1p40, 1}}, -kInfinity));
  // A number of few bits that may round to Inf: an infinite error of an infinite bound has no quotient.
  const auto infinite = ErrorBound::judge_between(40000, 49152, kInfinity, kInfinity);
  CHECK(infinite.passes);
  CHECK(infinite.ratio == 1);
}

TEST_CASE("the error bound of a 2-norm: at it, below and above", "[bound]") {
  // n = 1 in float16: k = 2^-10; S = 1023·2^20: S ± E = (1023 ± 1)·2^20 but for η. u = 2^-11, u_T = 2^-53.
  const Kernel half{.accumulator = DType::float16};
  const std::vector<double> x{std::sqrt(1023.0)};  // its square is 1023(1 ± 2^-52)
  const double greatest = 32 * (1 + 0x1p-11), least = std::sqrt(1022.0) * (1 - 0x1p-11);
  CHECK(can_be_root(half, DType::float64, x, greatest));
  CHECK(can_be_root(half, DType::float64, x, greatest * (1 - 0x1p-40)));
  CHECK_FALSE(can_be_root(half, DType::float64, x, greatest * (1 + 0x1p-30)));
  CHECK(can_be_root(half, DType::float64, x, least * (1 + 0x1p-40)));
  CHECK_FALSE(can_be_root(half, DType::float64, x, least * (1 - 0x1p-30)));
  CHECK_FALSE(can_be_root(half, DType::float64, x, -32));
  CHECK_FALSE(can_be_root(half, DType::float64, x, kInfinity));
  CHECK_FALSE(can_be_root(half, DType::float64, x, kNan));
  CHECK(can_be_root({}, DType::float32, {kInfinity, 1}, kInfinity));
  CHECK(can_be_root({}, DType::float32, {kNan, kInfinity}, kNan));
  CHECK_FALSE(can_be_root({}, DType::float32, {kNan, kInfinity}, kInfinity));

  // An empty window: √0 ± η_T, and the upper one times nothing.
  CHECK(can_be_root({}, DType::float32, {}, 0x1p-149));
  CHECK(can_be_root({}, DType::float32, {}, -0x1p-149));
  CHECK_FALSE(can_be_root({}, DType::float32, {}, 0x1p-148));
  CHECK_FALSE(can_be_root({}, DType::float32, {}, -0x1p-148));
  // Tiny squares that underflow: S = 2^-160, E > S: from 0 to √(S + 2^-149·(1+γ)).
  CHECK(can_be_root({}, DType::float32, {0x1p-80}, 0));
  CHECK(can_be_root({}, DType::float32, {0x1p-80}, std::sqrt(0x1p-149 + 0x1p-160)));
  CHECK_FALSE(can_be_root({}, DType::float32, {0x1p-80}, std::sqrt(0x1p-149 + 0x1p-160) * 1.00001));
  // The threshold in float16.
  CHECK(can_be_root({}, DType::float16, {65520}, kInfinity));
  CHECK(can_be_root({}, DType::float16, {65520 * (1 - 0x1p-24)}, kInfinity));
  // √(S+E) is 1 + 2^-24 of √S, the root's rounding as much again.
  CHECK(can_be_root({}, DType::float16, {65520 * (1 - 0x1.fp-24)}, kInfinity));
  CHECK_FALSE(can_be_root({}, DType::float16, {65520 * (1 - 0x2.1p-24)}, kInfinity));
  // 1·(1 ± 2^-8) where only the output is narrow.
  const Kernel wide{.accumulator = DType::float64};
  CHECK(can_be_root(wide, DType::bfloat16, {1}, 1 + 0x1p-8));
  CHECK_FALSE(can_be_root(wide, DType::bfloat16, {1}, 1 + 0x1p-8 + 0x1p-30));
  CHECK(can_be_root(wide, DType::bfloat16, {1}, 1 - 0x1p-8));
  CHECK_FALSE(can_be_root(wide, DType::bfloat16, {1}, 1 - 0x1p-8 - 0x1p-30));
  // η_T, 2^-24 in float16, on both sides of 2^-20·(1 ± 2^-11).
  const double high = 0x1p-20 * (1 + 0x1p-11) + 0x1p-24, low = 0x1p-20 * (1 - 0x1p-11) - 0x1p-24;
  CHECK(can_be_root(wide, DType::float16, {0x1p-20}, high));
  CHECK_FALSE(can_be_root(wide, DType::float16, {0x1p-20}, high + 0x1p-65));
  CHECK(can_be_root(wide, DType::float16, {0x1p-20}, low));
  CHECK_FALSE(can_be_root(wide, DType::float16, {0x1p-20}, low - 0x1p-65));
  // The largest numbers of float64.
  CHECK(can_be_root(wide, DType::float64, {0x1p511}, 0x1p511));
  CHECK_FALSE(can_be_root(wide, DType::float64, {0x1p511}, std::numeric_limits<double>::max()));
}

namespace {

enum class Order { forward, backward, pairwise };

/// What a kernel gives that rounds every operation to A, and its result to T.
template <class A, class T>
double naive(const std::vector<std::pair<double, double>>& products, Order order, Fused fused) {
  std::vector<std::pair<double, double>> terms = products;
  if (order == Order::backward) std::ranges::reverse(terms);
  if (order != Order::pairwise) {
    NarrowSum<A> sum(fused);
    for (const auto& [a, b] : terms) sum.add(a, b);
    return NarrowSum<T>::rounded(sum.value());
  }
  std::vector<double> sums;
  for (const auto& [a, b] : terms) sums.push_back(NarrowSum<A>::rounded(a * b));
  while (sums.size() > 1) {
    std::vector<double> next;
    for (size_t i = 0; i < sums.size(); i += 2)
      next.push_back(i + 1 < sums.size() ? NarrowSum<A>::rounded(sums[i] + sums[i + 1]) : sums[i]);
    sums = next;
  }
  return sums.empty() ? 0 : NarrowSum<T>::rounded(sums[0]);
}

template <class A, class T>
void check_kernels(DType accumulator, DType output, int exponents) {
  std::mt19937_64 random(7);
  const Kernel kernel{.accumulator = accumulator};
  ErrorBound bound(kernel, output);
  int judged = 0;
  double worst = 0;
  for (int i = 0; i < 3000; ++i) {
    const int n = static_cast<int>(random() % 60);
    std::vector<std::pair<double, double>> products;
    for (int t = 0; t < n; ++t) {
      const auto element = [&] {
        const double significand = static_cast<double>(static_cast<std::int64_t>(random() % 4001) - 2000);
        const int exponent = static_cast<int>(random() % static_cast<unsigned>(exponents)) - exponents + 1;
        return NarrowSum<A>::rounded(NarrowSum<T>::rounded(std::ldexp(significand, exponent)));
      };
      products.emplace_back(element(), element());
      if (t % 3 == 2) products.back() = {-products[products.size() - 2].first, products[products.size() - 2].second};
    }
    MagnitudeSum sum = sum_of(products);
    if (!has_bound(bound, sum)) continue;
    for (const Order order : {Order::forward, Order::backward, Order::pairwise})
      for (const Fused fused : {Fused::no, Fused::yes}) {
        const double a = naive<A, T>(products, order, fused);
        const auto result = bound.judge_sum(sum, a);
        worst = std::max(worst, result.ratio);
        ++judged;
        CHECK(result.passes);
      }
    // An error beyond the bound does not pass: a term is lost that outweighs it.
    const double M = sum.magnitude().round<double>(), s = sum.sum().round<double>();
    const double beyond = 2 * (n + 3) * limits_of(accumulator).unit_roundoff * M +
                          2 * (n + 1) * limits_of(accumulator).smallest_subnormal +
                          4 * limits_of(output).unit_roundoff * (std::abs(s) + M) +
                          2 * limits_of(output).smallest_subnormal;
    if (std::isfinite(NarrowSum<T>::rounded(std::abs(s) + beyond)) && beyond < 0.1 * M)
      CHECK_FALSE(bound.judge_sum(sum, s + 2.5 * beyond).passes);
  }
  CHECK(judged > 5000);
  CHECK(worst > 0.01);  // the bound is of the errors' size
}

}  // namespace

TEST_CASE("kernels that round to their accumulator stay within its error bound", "[bound]") {
  check_kernels<float, float>(DType::float32, DType::float32, 20);
  check_kernels<float, float>(DType::float32, DType::float32, 70);  // products underflow
  check_kernels<float, Half>(DType::float32, DType::float16, 5);
  check_kernels<float, BFloat16>(DType::float32, DType::bfloat16, 20);
  check_kernels<Half, Half>(DType::float16, DType::float16, 16);
  check_kernels<Half, float>(DType::float16, DType::float32, 14);
  check_kernels<BFloat16, BFloat16>(DType::bfloat16, DType::bfloat16, 30);
  check_kernels<BFloat16, float>(DType::bfloat16, DType::float32, 75);
  check_kernels<double, double>(DType::float64, DType::float64, 40);
  check_kernels<double, float>(DType::float64, DType::float32, 10);
}

namespace {

double flushed(DType dtype, double x) { return std::abs(x) < limits_of(dtype).smallest_normal ? 0 : x; }

/// Kernels whose every operation and store flushes, on numbers around the smallest normal ones of both types.
template <class A, class T>
void check_flushing_kernels(DType accumulator, DType output) {
  std::mt19937_64 random(5);
  ErrorBound bound({.accumulator = accumulator, .subnormals = kFlushed}, output);
  const double least = std::max(limits_of(accumulator).smallest_normal, limits_of(output).smallest_normal);
  const int exponent = std::ilogb(least);
  int flushes = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::pair<double, double>> products;
    double a = 0;
    for (size_t n = random() % 8; products.size() < n;) {
      // Three significant bits: sums cancel to subnormal numbers.
      const double x = std::ldexp(static_cast<double>(4 + random() % 4), exponent + static_cast<int>(random() % 4) - 2);
      products.emplace_back(random() % 2 == 0 ? x : -x, std::ldexp(1.0, -static_cast<int>(random() % 4)));
      const double product =
          flushed(accumulator, NarrowSum<A>::rounded(products.back().first * products.back().second));
      a = flushed(accumulator, NarrowSum<A>::rounded(a + product));
    }
    const double stored = flushed(output, NarrowSum<T>::rounded(a));
    MagnitudeSum sum = sum_of(products);
    REQUIRE(has_bound(bound, sum));
    CHECK(bound.judge_sum(sum, stored).passes);
    flushes += stored == 0 && sum.sum().sign() != 0;
  }
  CHECK(flushes > 1000);
}

}  // namespace

TEST_CASE("kernels that flush stay within the error bound", "[bound]") {
  check_flushing_kernels<float, Half>(DType::float32, DType::float16);
  check_flushing_kernels<Half, Half>(DType::float16, DType::float16);
  check_flushing_kernels<Half, float>(DType::float16, DType::float32);
  check_flushing_kernels<float, BFloat16>(DType::float32, DType::bfloat16);
}

TEST_CASE("2-norms by kernels that round stay within the error bound", "[bound]") {
  std::mt19937_64 random(11);
  ErrorBound bound({.accumulator = DType::float32}, DType::float32);
  for (int i = 0; i < 5000; ++i) {
    std::vector<double> x(random() % 12);
    const int shift = i % 2 == 0 ? 0 : 70;  // squares underflow
    for (double& element : x)
      element = static_cast<float>(
          std::ldexp(static_cast<double>(random() % 2001) - 1000, static_cast<int>(random() % 20) - shift));
    MagnitudeSum sum = squares_of(x);
    REQUIRE(has_bound(bound, sum));
    float naive = 0;
    for (const double element : x) naive += static_cast<float>(element) * static_cast<float>(element);
    naive = std::sqrt(naive);
    CHECK(bound.judge_root(sum, naive).passes);
    const double root = std::sqrt(sum.sum().round<double>());
    const double slack = std::sqrt(static_cast<double>(x.size() + 1) * 0x1p-149) + 0x1p-148;
    CHECK_FALSE(bound.judge_root(sum, root * (1 + 0x1p-18) + 2 * slack).passes);
    if (root * (1 - 0x1p-18) > 2 * slack) CHECK_FALSE(bound.judge_root(sum, root * (1 - 0x1p-18) - 2 * slack).passes);
  }
}

}  // namespace opref::compare::error_bound_test
