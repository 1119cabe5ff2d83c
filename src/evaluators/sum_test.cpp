// SPDX-License-Identifier: Apache-2.0
#include "evaluators/sum.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "core/error.h"
#include "exact/oracle_testing.h"

namespace opref::evaluators::sum_test {
namespace {

using oracle::Products, oracle::Random, oracle::Rational;
using Rounding = Integers::Rounding;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Call call_of(const Numerics& numerics) {
  Call call;
  call.set_numerics(numerics);
  return call;
}

Tensor doubles(const std::vector<double>& x) {
  return Tensor::of<double>(DType::float64, {std::ssize(x)}, std::span(x));
}
template <class T>
Tensor tensor_of(DType dtype, const std::vector<T>& x) {
  return Tensor::of<T>(dtype, {std::ssize(x)}, std::span(x));
}

/// The sum of products of two tensors' elements times a/b, term by term or as a run, by both tiers: the bits of the one
/// element, which must not depend on it.
std::uint64_t sum_bits(DType dtype, const Tensor& a, const Tensor& b, const Ratio& ratio = {},
                       const Integers& integers = {}) {
  const Elements x(a), w(b);
  const Run all{0, a.count()};
  const auto single = [&](std::int64_t, auto& sum) {
    for (std::int64_t i = 0; i < a.count(); ++i) sum.add(x[i], w[i]);
    sum.scale(ratio);
  };
  const auto run = [&](std::int64_t, auto& sum) {
    sum.add(x[all], w[all]);
    sum.scale(ratio);
  };
  const auto bits = [&](const auto& definition, bool exact_only) {
    const Call call = call_of({.exact_only = exact_only});
    return element_bits(sum(Output(call, TensorType{dtype, {}}), a.dtype(), definition, integers), 0);
  };
  const std::uint64_t wanted = bits(single, true);
  CHECK(bits(single, false) == wanted);
  CHECK(bits(run, false) == wanted);
  CHECK(bits(run, true) == wanted);
  return wanted;
}
std::uint64_t sum_bits(DType dtype, const std::vector<double>& x, double a = 1, double b = 1) {
  return sum_bits(dtype, doubles(x), doubles(std::vector<double>(x.size(), 1)), {a, b});
}

template <class T>
std::uint64_t rational_bits(const Products& products, double a, double b) {
  Rational sum = 0;
  for (const auto& [x, w] : products) sum += Rational(x) * Rational(w);
  return oracle::nearest_bits<T>(Rational(sum * Rational(a) / Rational(b)));
}

}  // namespace

TEST_CASE("sums times a ratio: the least inputs that an estimate or a guess gets wrong", "[evaluators][sum]") {
  CHECK(sum_bits(DType::float64, {-0x1p-1074, 0, 0}, 1, 3) == 0x8000000000000000);
  CHECK(sum_bits(DType::float32, {1, 0x1.0002p-24}, 0x1p-1060, 0x1p-1060) == 0x3f800001);
  CHECK(sum_bits(DType::float32, {1, 0x1.0002p-24}, 0x1p-1060, 0x1p-1059) == 0x3f000001);
  CHECK(sum_bits(DType::float32, {1}, kInfinity, 1) == 0x7f800000);
  CHECK(sum_bits(DType::float32, {0x1p-140}, 0x1p1000, 0x1p-30) == 0x7f800000);
  CHECK(sum_bits(DType::float32, doubles({1, 0x1p-24, 0x1p-600}), doubles({1, 1, 0x1p-600})) == 0x3f800001);
  std::vector<double> x(40, 0.0), w(40, 1.0);  // as a run, in lanes
  x[0] = 1, x[9] = 0x1p-24, x[17] = w[17] = 0x1p-600;
  CHECK(sum_bits(DType::float32, doubles(x), doubles(w)) == 0x3f800001);
  CHECK(sum_bits(DType::float64, {1.7e308, 1.7e308}, 1, 2) == 0x7fee42d130773b76);
  CHECK(sum_bits(DType::float16, {32760}, 2, 1) == 0x7c00);
  CHECK(sum_bits(DType::float16, {65504}, 64, 1) == 0x7c00);
  CHECK(sum_bits(DType::float64, {0x1.12fe3620a697cp-1018}, 0x1.25ba6c7e2d28p-14, 0x1.dfcafp-9) == 0x542cd3ce9bf7d);
  // A sum that is 0 ± e; a product of value and a, or of what was lost and a, below all doubles.
  CHECK(sum_bits(DType::float32, {1, 0x1p-60, 0x1p-120, -1, -0x1p-60}, 1, 2) == 0x03000000);
  CHECK(sum_bits(DType::float64, {0x1.8000000000001p-700}, 0x1p-390, 0x1p-391) == 0x1448000000000001);
  CHECK(sum_bits(DType::float32, {1 + 0x1p-24, 0x1p-700}, 0x1p-390, 0x1p-391) == 0x40000001);
  // A zero is +0 whatever it is scaled by, and nothing divided by nothing is NaN (a mean of no elements).
  CHECK(sum_bits(DType::float32, {1, -1}, -1, 3) == 0);
  CHECK(sum_bits(DType::float32, std::vector<double>{}, 1, 0) == 0x7fc00000);
  CHECK(sum_bits(DType::float32, {kInfinity, 1}, 1, 2) == 0x7f800000);
}

TEST_CASE("sums of products that lose bits, one by one and in runs", "[evaluators][sum]") {
  // float64·float32: 1 + 2^-22 + 2^-52 + 2^-74, the last of which no double holds; 2^-74 beyond a midpoint of float32.
  const auto padded = [](std::vector<double> x, size_t size) {
    x.resize(size);
    return doubles(x);
  };
  for (const size_t size : {3, 40}) {
    std::vector<float> floats = {1 + 0x1p-22F, 1, 1};
    floats.resize(size);
    const Tensor wide = padded({1 + 0x1p-52, -0x1p-52, 0x1p-24}, size), narrow = tensor_of(DType::float32, floats);
    CHECK(sum_bits(DType::float32, wide, narrow) == 0x3f800003);
    CHECK(sum_bits(DType::float32, narrow, wide) == 0x3f800003);
    // -(1 + 2^-52)²·2^-1000 + (1 + 2^-51)·2^-1000 = -2^-1104: what the product loses is no double, large as it is.
    const double x = (1 + 0x1p-52) * 0x1p-500;
    CHECK(sum_bits(DType::float64, padded({-x, (1 + 0x1p-51) * 0x1p-500}, size), padded({x, 0x1p-500}, size)) ==
          0x8000000000000000);
  }
}

TEMPLATE_TEST_CASE("sums times a ratio equal the rational one, rounded once, by both tiers",
                   "[evaluators][sum][oracle]", Half, BFloat16, float, double) {
  Random random(5);
  for (int i = 0; i < 400; ++i) {
    const auto range = random.of(std::vector<std::int64_t>{3, 30, 300});
    const auto number = [&] {
      if (random.one_in(3)) return static_cast<double>(random.in(-20, 20));
      return std::ldexp(random.normal(), static_cast<int>(random.in(-range, range)));
    };
    const auto factor = [&] {
      if (random.one_in(2)) return static_cast<double>(random.in(1, 9));
      return std::ldexp(1 + std::abs(random.normal()), static_cast<int>(random.in(-range, range)));
    };
    Products products;
    std::vector<double> x, w;
    for (std::int64_t n = random.of(std::vector<std::int64_t>{1, 2, 4, 40}); n > 0; --n) {
      // Of numbers of the type, so that means are often ties.
      x.push_back(random.one_in(2) ? oracle::rounded<TestType>(number()) : number());
      w.push_back(random.one_in(2) ? 1 : number());
      if (!std::isfinite(x.back())) x.back() = 1;
      products.emplace_back(x.back(), w.back());
    }
    const double a = factor(), b = factor();
    CAPTURE(i, oracle::described(products), a, b);
    CHECK(sum_bits(oracle::kDType<TestType>, doubles(x), doubles(w), {a, b}) ==
          rational_bits<TestType>(products, a, b));
  }
}

TEST_CASE("means of two and four numbers need no exact element", "[evaluators][sum]") {
  Random random(6);
  std::vector<float> x(4000);
  for (float& number : x) number = static_cast<float>(random.normal());
  const Tensor tensor = tensor_of(DType::float32, x);
  const Elements elements(tensor);
  for (const std::int64_t n : {2, 4})
    for (const DType dtype : {DType::float16, DType::float32, DType::float64}) {
      Stats stats;
      sum(Output(call_of({.stats = &stats}), TensorType{dtype, {4000 / n}}), DType::float32,
          [&](std::int64_t i, auto& sum) {
            sum.add(elements[Run{i * n, n}]);
            sum.scale({1, n});
          });
      CHECK(stats.exact == 0);
      CHECK(stats.estimated == 4000 / n);
    }
}

TEST_CASE("sums of three and of a million random floats need no exact element", "[evaluators][sum]") {
  Random random(8);
  std::vector<float> x(1000000);
  for (float& number : x) number = static_cast<float>(random.normal());
  const Tensor tensor = tensor_of(DType::float32, x);
  const Elements elements(tensor);
  for (const std::int64_t n : {3, 1000, 1000000}) {
    Stats stats;
    sum(Output(call_of({.stats = &stats}), TensorType{DType::float32, {1000000 / n}}), DType::float32,
        [&](std::int64_t i, auto& sum) {
          sum.add(elements[Run{i * n, n}]);
        });
    CHECK(stats.exact == 0);
    CHECK(stats.estimated == 1000000 / n);
  }
}

TEST_CASE("factors of different types, and results of another one", "[evaluators][sum]") {
  // 3·0.5 + 5·0.25 = 2.75
  const Tensor half = tensor_of<std::uint16_t>(DType::float16, {0x4200, 0x4500});
  const Tensor single = tensor_of<float>(DType::float32, {0.5F, 0.25F}), wide = doubles({0.5, 0.25});
  const Tensor small = tensor_of<std::uint8_t>(DType::float8_e4m3fn, {0x44, 0x4a});  // 3, 5
  const Tensor integers = tensor_of<std::int8_t>(DType::int8, {3, 5});
  for (const Tensor& x : {half, small})
    for (const Tensor& w : {single, wide}) {
      CHECK(sum_bits(DType::float32, x, w) == 0x40300000);
      CHECK(sum_bits(DType::bfloat16, x, w) == 0x4030);
      CHECK(sum_bits(DType::float64, x, w) == 0x4006000000000000);
    }
  CHECK(sum_bits(DType::float32, wide, integers) == 0x40300000);  // the first one's type says that it is no integer sum
}

TEST_CASE("8-bit results are rounded once, and saturate or overflow as their format does", "[evaluators][sum]") {
  // https://onnx.ai/onnx/technical/float8.html: E4M3FN has steps of 2 from 16 to 32 and ends at 448, E5M2 at 57344.
  CHECK(sum_bits(DType::float8_e4m3fn, {16, 1}) == 0x58);            // a tie: 16
  CHECK(sum_bits(DType::float8_e4m3fn, {18, 1}) == 0x5a);            // a tie: 20
  CHECK(sum_bits(DType::float8_e4m3fn, {16, 1, 0x1p-200}) == 0x59);  // beyond it: 18
  CHECK(sum_bits(DType::float8_e4m3fn, {16, 1, -0x1p-200}) == 0x58);
  // 17 + 2^-113, whose losses are too great for an estimate to tell it from 17.
  CHECK(sum_bits(DType::float8_e4m3fn, {16, 1, 0x1p-60, -0x1.fffffffffffffp-61}) == 0x59);
  CHECK(sum_bits(DType::float8_e4m3fn, {33}, 1, 2) == 0x58);  // 16.5
  CHECK(sum_bits(DType::float8_e4m3fn, {400, 400}) == 0x7e);
  CHECK(sum_bits(DType::float8_e4m3fn, {kInfinity}) == 0x7e);
  CHECK(sum_bits(DType::float8_e5m2, {57344, 8192}) == 0x7c);
  CHECK(sum_bits(DType::float8_e5m2, {-57344, 0x1p-300}) == 0xfb);
  CHECK(sum_bits(DType::float8_e5m2, {kInfinity, -kInfinity}) == 0x7e);
  CHECK(sum_bits(DType::float8_e4m3fn, {-0x1p-20}) == 0x80);
  CHECK(sum_bits(DType::float8_e4m3fnuz, {-0x1p-20}) == 0);  // has no -0
  CHECK(sum_bits(DType::float8_e4m3fn, {-0.0}) == 0);
}

TEST_CASE("integers: zero points, bias and a requantization", "[evaluators][sum]") {
  // (3-5)·(100-2) + (250-5)·(-100-2) + 70 = -196 - 24990 + 70 = -25116; times 0.5/64: -196.21875; plus 200: 4
  const Tensor x = tensor_of<std::uint8_t>(DType::uint8, {3, 250}),
               w = tensor_of<std::int8_t>(DType::int8, {100, -100});
  const Tensor b = tensor_of<std::int32_t>(DType::int32, {70});
  const Elements X(x, 5), W = Elements(w).less(2), B(b);
  CHECK(X.number(0) == -2);
  for (const bool runs : {false, true}) {
    const auto bits = [&](DType dtype, const Integers& how, double scale_a, double scale_b) {
      const Tensor y = sum(
          Output(Call{}, TensorType{dtype, {1}}), DType::uint8,
          [&](std::int64_t, auto& sum) {
            sum.add(B[0]);
            if (runs)
              sum.add(X[Run{0, 2}], W[Run{0, 2}]);
            else
              for (int i = 0; i < 2; ++i) sum.add(X[i], W[i]);
            sum.scale({scale_a, scale_b});
          },
          how);
      return element_bits(y, 0);
    };
    CHECK(bits(DType::uint8, {Rounding::nearest, 200}, 0.5, 64) == 4);
    CHECK(bits(DType::uint8, {Rounding::nearest, 100}, 0.5, 64) == 0);
    CHECK(bits(DType::int8, {Rounding::nearest, 0}, 0.5, 64) == 0x80);
    CHECK(bits(DType::int32, {Rounding::truncate}, 1, 1000) == static_cast<std::uint32_t>(-25));
    CHECK(bits(DType::int32, {}, 1, 1) == static_cast<std::uint32_t>(-25116));
    CHECK(bits(DType::int16, {Rounding::saturate}, 1, 1) == static_cast<std::uint16_t>(-25116));
  }
}

TEST_CASE("integers: sums of runs of every type, and of products of unsigned and signed ones", "[evaluators][sum]") {
  const Tensor big = tensor_of<std::uint64_t>(DType::uint64, {~std::uint64_t{0}, 1, 2});
  const Tensor negative = tensor_of<std::int64_t>(DType::int64, {-3, 7, -1});
  // -3·(2^64 - 1) + 7 - 2 = 8 - 3·2^64
  CHECK(sum_bits(DType::int64, big, negative) == 8);
  CHECK(sum_bits(DType::int64, negative, big, {}, {Rounding::saturate}) == 0x8000000000000000);
  CHECK(sum_bits(DType::int64, negative, big, {1, 0x1p65}, {Rounding::truncate}) == static_cast<std::uint64_t>(-1));
  const auto run_sum = [](const Tensor& x, DType dtype) {
    const Elements elements(x);
    return element_bits(sum(Output(Call{}, TensorType{dtype, {}}), x.dtype(),
                            [&](std::int64_t, auto& sum) {
                              sum.add(elements[Run{0, x.count()}]);
                            },
                            {Rounding::saturate}),
                        0);
  };
  CHECK(run_sum(big, DType::uint64) == ~std::uint64_t{0});
  CHECK(run_sum(tensor_of<std::uint32_t>(DType::uint32, {0xffffffff, 2}), DType::int64) == 0x100000001);
  CHECK(run_sum(tensor_of<std::int16_t>(DType::int16, {-5, 2}), DType::int16) == 0xfffd);
}

TEST_CASE("elements one by one, whatever cuts them: order, threads, shapes", "[evaluators][sum]") {
  std::vector<float> x(3000);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) / 3;
  const Tensor tensor = tensor_of(DType::float32, x);
  const Elements elements(tensor);
  const auto definition = [&](std::int64_t i, auto& sum) {
    for (std::int64_t k = 0; k < 3; ++k) sum.add(elements[i + k * 1000]);
  };
  const Tensor y = sum(Output(Call{}, TensorType{DType::float32, {10, 100}}), DType::float32, definition);
  for (std::int64_t i = 0; i < 1000; ++i) {
    const auto at = static_cast<size_t>(i);
    // Three numbers of 24 bits and near exponents: exact in double.
    CHECK(y.values<float>()[at] == static_cast<float>(double{x[at]} + double{x[at + 1000]} + double{x[at + 2000]}));
  }
  for (const int threads : {2, 3}) {
    Stats stats;
    const Tensor z = sum(Output(call_of({.stats = &stats, .threads = threads}), TensorType{DType::float32, {10, 100}}),
                         DType::float32, definition);
    CHECK(std::ranges::equal(y.bytes(), z.bytes()));
    CHECK(stats.estimated + stats.exact == 1000);
  }
  CHECK(sum(Output(Call{}, TensorType{DType::float32, {}}), DType::float32, definition).count() == 1);
  CHECK(sum(Output(Call{}, TensorType{DType::float32, {3, 0}}), DType::float32, definition, {},
            [](const RowTarget&) -> bool { throw std::logic_error("rows of nothing"); })
            .count() == 0);
  const auto nothing = [](std::int64_t, auto&) {};
  CHECK(floating_element(sum(Output(Call{}, TensorType{DType::float32, {}}), DType::float32, nothing), 0) == 0);
}

TEST_CASE("rows: what they leave is computed by the definition, and all is counted once", "[evaluators][sum]") {
  const Tensor x = doubles({1, 2, 3, 4});
  const Elements elements(x);
  const auto definition = [&](std::int64_t i, auto& sum) { sum.add(elements[i]); };
  const auto rows = [](const RowTarget& y) {
    auto* out = reinterpret_cast<float*>(y.y.data());
    out[0] = out[3] = 7;
    y.numerics.stats->estimated += 2;
    y.by_definition(std::vector<std::int64_t>{1, 2});
    return true;
  };
  Stats stats;
  const auto values = [&](const Numerics& numerics, const Rows& by) {
    const Tensor y =
        sum(Output(call_of(numerics), TensorType{DType::float32, {4}}), DType::float64, definition, {}, by);
    return std::vector<float>(y.values<float>().begin(), y.values<float>().end());
  };
  CHECK(values({.stats = &stats}, rows) == std::vector<float>{7, 2, 3, 7});
  CHECK(stats.estimated == 4);
  CHECK(values({.exact_only = true, .stats = &stats}, rows) == std::vector<float>{1, 2, 3, 4});
  CHECK(stats.exact == 4);
  CHECK(values({}, [](const RowTarget&) { return false; }) == std::vector<float>{1, 2, 3, 4});
}

namespace {

/// "0: 1 2*3 /4;": what a sink sees.
class Text : public TermSink {
 public:
  void norms(double p) override { text += format("norms {};", p); }
  void begin(std::int64_t index) override { text += format(" {}:", index); }
  void add(double x) override { text += format(" {}", x); }
  void add(double a, double b) override { text += format(" {}*{}", a, b); }
  void scale(const Ratio& ratio) override { text += format(" times {}/{}", ratio.a, ratio.b); }
  void end() override { text += ";"; }
  std::string text;
};

}  // namespace

TEST_CASE("a sink sees the terms in order, and the results are zeros", "[evaluators][sum]") {
  const Tensor x = tensor_of<float>(DType::float32, {1, 2, 3, 4});
  const Elements elements(x);
  const auto definition = [&](std::int64_t i, auto& sum) {
    sum.add(elements[i]);
    sum.add(elements[i], elements[i + 1]);
    sum.add(elements[Run{3, 3, -1}], elements[Run{0, 3}]);
    sum.add(elements[Run{i, 2, 2}]);
    sum.scale({1, 1 + i});
  };
  Text sink;
  const Tensor y = sum(Output(call_of({.sink = &sink}), TensorType{DType::float32, {2}}), DType::float32, definition);
  CHECK(sink.text == " 0: 1 1*2 4*1 3*2 2*3 1 3; 1: 2 2*3 4*1 3*2 2*3 2 4 times 1/2;");
  CHECK(floating_element(y, 1) == 0);
  Text norm_sink;
  norm(Output(call_of({.sink = &norm_sink}), TensorType{DType::float32, {1}}), 3, [&](std::int64_t i, auto& sum) {
    sum.add(elements[i]);
    sum.add(elements[Run{1, 2}]);
    sum.scale({4, 3});
  });
  CHECK(norm_sink.text == "norms 3; 0: 1 2 3 times 4/3;");
}

TEST_CASE("types without sums or norms are refused", "[evaluators][sum]") {
  const auto nothing = [](std::int64_t, auto&) {};
  const auto fault = [&](DType dtype, DType factors) {
    try {
      sum(Output(Call{}, TensorType{dtype, {1}}), factors, nothing);
    } catch (const Error& error) {
      return error.text();
    }
    return std::string();
  };
  CHECK(fault(DType::boolean, DType::boolean) == "arithmetic on bool is not supported");
  CHECK(fault(DType::float4_e2m1fn, DType::float32) == "arithmetic on float4_e2m1fn is not supported");
  CHECK(fault(DType::int4, DType::int8) == "arithmetic on int4 is not supported");
  CHECK(fault(DType::float32, DType::int8) == "arithmetic on float32 is not supported");
  CHECK(fault(DType::complex64, DType::complex64) == "arithmetic on complex64 is not supported");
  CHECK_THROWS_AS(norm(Output(Call{}, TensorType{DType::float8_e5m2, {1}}), 2, nothing), Error);
  CHECK_THROWS_AS(norm(Output(Call{}, TensorType{DType::float32, {1}}), 0, nothing), Error);
}

}  // namespace opref::evaluators::sum_test
