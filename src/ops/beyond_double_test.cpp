// SPDX-License-Identifier: Apache-2.0
// Whole numbers that no double holds, where formulas of real numbers take them: sizes, counts, exponents, masks,
// integer elements. They are drawn so that their results lie beside ties, and by both tiers compared with rational
// arithmetic, or with MPFR in 600 bits where a formula has more than quotients.
#include <catch2/catch.hpp>
#include <limits>

#include "exact/real/function_oracle_testing.h"
#include "ops/two_tiers_testing.h"

namespace opref::ops::beyond_double_test {
namespace {

using namespace two_tiers;
using oracle::kDType, oracle::Random, oracle::Rational, oracle::Wide;

Rational rational(std::int64_t n) { return Rational(mpz_class(static_cast<long>(n))); }
Rational rational(std::uint64_t n) { return Rational(mpz_class(static_cast<unsigned long>(n))); }
mpz_class floor_of(const Rational& q) {
  mpz_class floor;
  mpz_fdiv_q(floor.get_mpz_t(), q.get_num_mpz_t(), q.get_den_mpz_t());
  return floor;
}
mpz_class truncated(const Rational& q) { return q < 0 ? mpz_class(-floor_of(-q)) : floor_of(q); }
mpz_class rounded(const Rational& q) {
  const mpz_class floor = floor_of(q);
  const Rational rest = q - Rational(floor), half(1, 2);
  return rest > half || (rest == half && mpz_odd_p(floor.get_mpz_t()) != 0) ? mpz_class(floor + 1) : floor;
}
std::uint64_t low_bits(const mpz_class& n) {
  mpz_class low;
  mpz_fdiv_r_2exp(low.get_mpz_t(), n.get_mpz_t(), 64);
  return mpz_get_ui(low.get_mpz_t());
}

template <class N>
constexpr DType kInteger = std::is_signed_v<N> ? DType::int64 : DType::uint64;
template <class N>
Tensor integers(const Dims& shape, const std::vector<N>& numbers) {
  return Tensor::of<N>(kInteger<N>, shape, std::span(numbers));
}
/// ONNX's number of the type.
template <class T>
constexpr std::int64_t kNumber = std::is_same_v<T, float>    ? 1
                                 : std::is_same_v<T, Half>   ? 10
                                 : std::is_same_v<T, double> ? 11
                                                             : 16;
AttributeValue list(std::vector<std::int64_t> n) { return AttributeValue::of(std::move(n)); }

/// That both tiers give these bits.
void check(const Case& c, const std::vector<std::uint64_t>& expected, size_t output = 0) {
  for (const auto& outputs : results_of(c)) CHECK(outputs[output] == expected);
}

/// A number of 55 to 62 bits within 1 of the middle between two of T.
template <class T>
std::int64_t beside_tie(Random& random) {
  constexpr int kPrecision = Format<T>::precision;
  const auto bit = static_cast<int>(random.in(54, 61));
  const std::int64_t place = std::int64_t{1} << (bit - kPrecision + 1), places = std::int64_t{1} << (kPrecision - 1);
  return place * (places + random.in(0, places - 1)) + place / 2 + random.in(-1, 1);
}
/// One whose reciprocal is as near to a middle between two of T as it can be.
template <class T>
std::int64_t with_reciprocal_beside_tie(Random& random) {
  const std::uint64_t bits = oracle::nearest_bits<T>(Rational(1 / rational(beside_tie<T>(random))));
  const Rational middle = oracle::midpoint_after<T>(bits);
  return static_cast<std::int64_t>(low_bits(rounded(1 / middle))) + random.in(-1, 1);
}
/// Any.
template <class N>
N any_wide(Random& random) {
  const auto n = static_cast<N>(random.bits() >> random.in(std::is_signed_v<N> ? 1 : 0, 9));
  return std::is_signed_v<N> && random.one_in(2) ? static_cast<N>(0 - n) : n;
}

/// Masks that leave the weights of several keys alike.
template <class T, class N>
void check_mask(Random& random) {
  const std::int64_t keys = random.in(1, 3), first = beside_tie<T>(random);
  std::vector<N> mask;
  std::vector<double> K, V;
  const double q = static_cast<double>(random.in(-8, 8)) / 8;
  for (std::int64_t j = 0; j < keys; ++j) {
    const N near = static_cast<N>(first) - static_cast<N>(random.in(0, 9));
    mask.push_back(random.one_in(4) ? any_wide<N>(random) : std::is_signed_v<N> ? near : 2 * near);
    K.push_back(random.one_in(2) ? 0 : static_cast<double>(random.in(-8, 8)) / 8);
    V.push_back(static_cast<double>(random.in(1, 32)) / 4);
  }
  std::vector<Rational> scores;
  std::vector<std::uint64_t> score_bits;
  for (std::int64_t j = 0; j < keys; ++j) {
    const auto k = static_cast<size_t>(j);
    scores.push_back(Rational(q) * Rational(K[k]) + rational(mask[k]));
    score_bits.push_back(oracle::nearest_bits<T>(scores.back()));
  }
  const Rational most = *std::max_element(scores.begin(), scores.end());
  Wide sum(0.0), weights(0.0);
  for (size_t j = 0; j < scores.size(); ++j) {
    const Wide weight = Wide::of(mpfr_exp, Wide(Rational(scores[j] - most)));
    sum = sum + weight * V[j], weights = weights + weight;
  }
  const Case c{"",
               "Attention",
               random.in(23, 25),
               {{"scale", number(1)}, {"qk_matmul_output_mode", integer(2)}},
               {floats<T>({1, 1, 1, 1}, {q}), floats<T>({1, 1, keys, 1}, K), floats<T>({1, 1, keys, 1}, V),
                integers<N>({1, keys}, mask)},
               4};
  CAPTURE(c.opset, q, K, V, mask);
  check(c, score_bits, 3);
  check(c, {(sum / weights).bits<T>()});
}

}  // namespace

TEMPLATE_TEST_CASE("beyond double: masks of attention", "[Attention][release]", Half, BFloat16, float, double) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    check_mask<TestType, std::int64_t>(random);
    check_mask<TestType, std::uint64_t>(random);
  }
}

TEMPLATE_TEST_CASE("attention of one key: of a score that is no number, nothing is", "[Attention][release]", Half,
                   BFloat16, float, double) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = HUGE_VAL;
  const std::uint64_t nan = to_bits(quiet_nan<TestType>());
  for (const std::int64_t opset : {23, 24, 25})
    for (const std::int64_t mode : {0, 1, 2, 3})
      for (const double softcap : {0.0, 1.0, 30.0})
        for (const auto& [q, k] :
             {std::pair{kNaN, 1.0}, {1.0, kNaN}, {kInfinity, 0.0}, {-kInfinity, 0.0}, {0.0, kInfinity}, {2.0, 3.0}}) {
          const Case c{"",
                       "Attention",
                       opset,
                       {{"softcap", number(softcap)}, {"qk_matmul_output_mode", integer(mode)}},
                       {floats<TestType>({1, 1, 1, 1}, {q}), floats<TestType>({1, 1, 1, 1}, {k}),
                        floats<TestType>({1, 1, 1, 1}, {5})},
                       4};
          CAPTURE(opset, mode, softcap, q, k);
          const bool is_number = q == 2;
          check(c, {is_number ? to_bits(nearest<TestType>(5)) : nan});
          if (!is_number) check(c, {nan}, 3);
          if (is_number && mode == 3) check(c, {to_bits(nearest<TestType>(1))}, 3);
        }
}

TEMPLATE_TEST_CASE("beyond double: the size of LRN", "[LRN][release]", Half, BFloat16, float, double) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t size = random.one_in(2) ? beside_tie<TestType>(random) : any_wide<std::int64_t>(random) | 1;
    const auto channels = random.in(1, 2);
    const double alpha = random.of(std::vector<double>{1, 3, 0.25, 0x1p40, 0x1.8p62}),
                 bias = random.of(std::vector<double>{0, 0, 1});
    const double beta = random.of(std::vector<double>{1, 1, 2, 0.75});
    std::vector<double> x;
    Rational squares = 0;
    for (std::int64_t c = 0; c < channels; ++c) {
      x.push_back(random.of(std::vector<double>{1, -2, 0.5, 3, 0.875}));
      squares += Rational(x.back()) * Rational(x.back());
    }
    const Rational base = Rational(bias) + Rational(alpha) / rational(std::abs(size)) * squares;
    std::vector<std::uint64_t> expected;
    for (const double y : x)
      expected.push_back(
          beta == 0.75
              ? (Wide(y) / Wide::of(mpfr_exp, Wide(0.75) * Wide::of(mpfr_log, Wide(base)))).template bits<TestType>()
              : oracle::nearest_bits<TestType>(Rational(Rational(y) / (beta == 2 ? Rational(base * base) : base))));
    CAPTURE(size, alpha, beta, bias, x);
    check(
        {"",
         "LRN",
         13,
         {{"size", integer(std::abs(size))}, {"alpha", number(alpha)}, {"beta", number(beta)}, {"bias", number(bias)}},
         {floats<TestType>({1, channels}, x)}},
        expected);
  }
}

TEMPLATE_TEST_CASE("beyond double: padding that AveragePool counts", "[AveragePool][release]", Half, BFloat16, float,
                   double) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t L = random.in(1, 2), n = random.one_in(4) ? beside_tie<TestType>(random)
                                                                 : with_reciprocal_beside_tie<TestType>(random);
    std::vector<double> x{random.of(std::vector<double>{1, -1, 2, 3})};
    if (L == 2) x.push_back(random.of(std::vector<double>{1, -1, 0.5}));
    std::vector<std::uint64_t> expected;
    Rational sum = 0;
    for (const double element : x) {
      sum += Rational(element);
      expected.push_back(oracle::nearest_bits<TestType>(Rational(sum / rational(n))));
    }
    CAPTURE(n, x);
    check({"",
           "AveragePool",
           22,
           {{"kernel_shape", list({n})}, {"pads", list({n - 1, 0})}, {"count_include_pad", integer(1)}},
           {floats<TestType>({1, 1, L}, x)}},
          expected);
  }
}

TEMPLATE_TEST_CASE("beyond double: padding that OpenVINO's AvgPool counts, of integers", "[AvgPool][release]",
                   std::int64_t, std::uint64_t) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t n = (std::int64_t{1} << 53) + (random.in(0, std::int64_t{1} << random.in(1, 60)) | 1);
    const std::int64_t wholes = random.in(0, std::numeric_limits<std::int64_t>::max() / n - 1);
    auto x = static_cast<TestType>(wholes * n + random.in(-1, 1));
    if (std::is_signed_v<TestType> ? random.one_in(2) : wholes == 0) x = static_cast<TestType>(0 - x);
    CAPTURE(n, x);
    check({"openvino",
           "AvgPool",
           14,
           {{"kernel", list({n})},
            {"strides", list({1})},
            {"pads_begin", list({n - 1})},
            {"pads_end", list({0})},
            {"exclude-pad", AttributeValue::of(std::string("false"))}},
           {integers<TestType>({1, 1, 1}, {x})}},
          {low_bits(truncated(rational(x) / rational(n)))});
  }
}

TEMPLATE_TEST_CASE("beyond double: exponents", "[Pow][release]", std::int64_t, std::uint64_t) {
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    const auto y = any_wide<TestType>(random);
    const double x = 1 + 0x1p-52 * static_cast<double>(random.in(1, 9));
    CAPTURE(x, y);
    const Tensor Y = integers<TestType>({1}, {y});
    check({"", "Pow", 15, {}, {floats<double>({1}, {x}), Y}},
          {Wide::of(mpfr_exp, Wide(rational(y)) * Wide::of(mpfr_log, x)).bits<double>()});
    const double sign = (y & 1) != 0 ? -1 : 1;
    check({"", "Pow", 15, {}, {floats<float>({1}, {-1}), Y}}, {to_bits(nearest<float>(sign))});
    check({"", "Pow", 15, {}, {floats<double>({1}, {-1}), Y}}, {to_bits(sign)});
  }
}

TEMPLATE_TEST_CASE("beyond double: the count of steps of Adagrad", "[Adagrad][release]", float, double) {
  Random random(6);
  for (int i = 0; i < 100; ++i) {
    // H_new = 1, so X_new = -R/(1 + T·decay_factor).
    const std::int64_t T = with_reciprocal_beside_tie<TestType>(random) - 1;
    const double decay = random.of(std::vector<double>{1, 1, 0.5, 3});
    CAPTURE(T, decay);
    const auto one = [](double x) { return floats<TestType>({1}, {x}); };
    check({"ai.onnx.preview.training",
           "Adagrad",
           1,
           {{"decay_factor", number(decay)}, {"epsilon", number(0)}},
           {floats<TestType>({}, {1}), integers<std::int64_t>({}, {T}), one(0), one(1), one(0)},
           2},
          {oracle::nearest_bits<TestType>(Rational(-1 / (1 + rational(T) * Rational(decay))))});
  }
}

TEMPLATE_TEST_CASE("beyond double: integers that become real numbers and integers again", "[ops][release]",
                   std::int64_t, std::uint64_t) {
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    const TestType a = any_wide<TestType>(random) / 4, b = any_wide<TestType>(random) / 4;
    const Rational of_a = rational(a), of_b = rational(b);
    CAPTURE(a, b);
    const auto one = [](TestType x) { return integers<TestType>({1}, {x}); };
    const double alpha = random.of(std::vector<double>{1.5, 0.25, 3, 0.75}),
                 beta = random.of(std::vector<double>{0.5, 1, 2.25});
    check({"",
           "Gemm",
           13,
           {{"alpha", number(alpha)}, {"beta", number(beta)}},
           {integers<TestType>({1, 1}, {a}), integers<TestType>({1, 1}, {1}), integers<TestType>({1, 1}, {b})}},
          {low_bits(truncated(Rational(alpha) * of_a + Rational(beta) * of_b))});
    const double bias = static_cast<double>(random.in(0, 9)) / 4;
    const Rational shrunk = of_a > 1    ? Rational(of_a - Rational(bias))
                            : of_a < -1 ? Rational(of_a + Rational(bias))
                                        : Rational(0);
    check({"", "Shrink", 9, {{"lambd", number(1)}, {"bias", number(bias)}}, {one(a)}}, {low_bits(truncated(shrunk))});
    const Rational slope = of_a < 0 ? of_b : Rational(1);
    check({"", "PRelu", 16, {}, {one(a), one(b)}}, {low_bits(truncated(of_a * slope))});
    const Tensor pair = integers<TestType>({1, 1, 2}, {a, b}), image = integers<TestType>({1, 1, 1, 2}, {a, b});
    // The places -1/4, 1/4, 3/4 and 5/4, those outside at the edges.
    check({"",
           "Resize",
           19,
           {{"mode", AttributeValue::of(std::string("linear"))}},
           {pair, std::nullopt, floats<float>({3}, {1, 1, 2})}},
          {static_cast<std::uint64_t>(a), low_bits(rounded((3 * of_a + of_b) / 4)),
           low_bits(rounded((of_a + 3 * of_b) / 4)), static_cast<std::uint64_t>(b)});
    check({"", "GridSample", 20, {}, {image, floats<float>({1, 1, 1, 2}, {0, 0})}},
          {low_bits(truncated((of_a + of_b) / 2))});
    check({"", "ReduceMean", 18, {}, {pair}}, {low_bits(truncated((of_a + of_b) / 2))});
    mpz_class root;
    mpz_sqrt(root.get_mpz_t(), mpz_class(truncated(of_a * of_a + of_b * of_b)).get_mpz_t());
    check({"", "ReduceL2", 18, {}, {pair}}, {low_bits(root)});
    // Of two equal numbers n + ln 2.
    const mpz_class n = truncated(of_a);
    check({"", "ReduceLogSumExp", 18, {}, {integers<TestType>({2}, {a, a})}}, {low_bits(n < 0 ? mpz_class(n + 1) : n)});
  }
}

TEMPLATE_TEST_CASE("beyond double: integers cast to floats", "[Cast][release]", Half, BFloat16, float, double) {
  Random random(8);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t n = beside_tie<TestType>(random);
    const auto twice = static_cast<std::uint64_t>(n) * 2 + 1;
    const std::vector<Attribute> to{{"to", integer(kNumber<TestType>)}};
    CAPTURE(n);
    check({"", "Cast", 13, to, {integers<std::int64_t>({1}, {n})}}, {oracle::nearest_bits<TestType>(rational(n))});
    check({"", "Cast", 13, to, {integers<std::uint64_t>({1}, {twice})}},
          {oracle::nearest_bits<TestType>(rational(twice))});
  }
}

}  // namespace opref::ops::beyond_double_test
