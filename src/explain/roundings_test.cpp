// SPDX-License-Identifier: Apache-2.0
// Kernels that round, add or carry numbers otherwise are recognised from what such a kernel gives.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "core/nearly.h"
#include "explain/explained_testing.h"

namespace roundings_test {

using namespace opref::explain;
using namespace opref::explain::testing;

namespace {

/// What a kernel gives that works in float: in order, the bias first or last, fused or not, inputs through `input`.
template <class F>
std::vector<double> in_float(const Transposed& t, bool bias_first, bool fused, const F& input) {
  return t.each_element([&](std::int64_t m, std::int64_t i, std::int64_t j) {
    const auto bias = static_cast<float>(input(t.b[static_cast<size_t>(m)]));
    float sum = bias_first ? bias : 0.0F;
    t.each_product(m, i, j, [&](double a, double v) {
      const auto x = static_cast<float>(input(a)), w = static_cast<float>(input(v));
      if (fused) {
        sum = std::fma(x, w, sum);
      } else {
        const float product = x * w;
        sum += product;
      }
    });
    return double{bias_first ? sum : sum + bias};
  });
}
double same(double x) { return x; }
double in_bfloat(double x) { return widen(nearest<BFloat16>(x)); }
double in_half(double x) { return widen(nearest<Half>(x)); }

/// The nearest number with `bits` bits of significand, ties to even; of normal ones.
double cut(double x, int bits) {
  int exponent = 0;
  const double significand = std::ldexp(std::frexp(x, &exponent), bits);
  return std::ldexp(std::nearbyint(significand), exponent - bits);
}

/// Σ x·w as the transposed convolution of one element per channel.
EvaluatedNode dot(DType dtype, const std::vector<double>& x, const std::vector<double>& w) {
  const auto channels = static_cast<std::int64_t>(x.size() / 2);
  return EvaluatedNode("ConvTranspose", {},
                       {{"X", tensor_of(dtype, {2, channels, 1}, x)}, {"W", tensor_of(dtype, {channels, 1, 1}, w)}});
}

}  // namespace

TEST_CASE("float32 kernels are recognised by order, bias and fused operations", "[explain][mistakes]") {
  const Transposed t = of_reals();
  const EvaluatedNode node = t.evaluated();
  const auto explained = [&](const std::vector<double>& y) {
    return node.explain(tensor_of(DType::float32, t.shape(), y));
  };
  CHECK(explained(in_float(t, true, false, same)) == "float32 accumulation in order");
  CHECK(explained(in_float(t, true, true, same)) == "float32 accumulation in order with FMA");
  CHECK(explained(in_float(t, false, false, same)) == "float32 accumulation in order, bias last");
  CHECK(explained(in_float(t, false, true, same)) == "float32 accumulation in order with FMA, bias last");
  CHECK(explained(in_float(t, true, false, in_bfloat)) == "inputs rounded to bfloat16, float32 accumulation in order");
  CHECK(explained(in_float(t, false, true, in_half)) ==
        "inputs rounded to float16, float32 accumulation in order, bias last");  // their products are exact
  auto y = in_float(t, true, false, in_bfloat);
  std::ranges::transform(y, y.begin(), in_bfloat);
  CHECK(explained(y) == "inputs rounded to bfloat16, result rounded to bfloat16");

  // A matrix product over the channels for each tap; its columns are added up; then the bias.
  y = t.each_element([&](std::int64_t m, std::int64_t i, std::int64_t j) {
    std::vector<float> products;
    t.each_product(m, i, j,
                   [&](double a, double v) { products.push_back(static_cast<float>(a) * static_cast<float>(v)); });
    const size_t taps = products.size() / 5;
    float sum = 0;
    for (size_t tap = 0; tap < taps; ++tap) {
      float column = 0;
      for (size_t c = 0; c < 5; ++c) column += products[c * taps + tap];
      sum += column;
    }
    return double{sum + static_cast<float>(t.b[static_cast<size_t>(m)])};
  });
  CHECK(explained(y) == "float32 accumulation over channels, then taps");

  // The same where each column is rounded to float16 first, and float16 adds them and the bias.
  Transposed halves = t;
  for (std::vector<double>* values : {&halves.x, &halves.w, &halves.b})
    std::ranges::transform(*values, values->begin(), in_half);
  y = halves.each_element([&](std::int64_t m, std::int64_t i, std::int64_t j) {
    std::vector<float> products;
    halves.each_product(m, i, j, [&](double a, double v) { products.push_back(static_cast<float>(a * v)); });
    const size_t taps = products.size() / 5;
    double sum = 0;
    for (size_t tap = 0; tap < taps; ++tap) {
      float column = 0;
      for (size_t c = 0; c < 5; ++c) column += products[c * taps + tap];
      sum = in_half(sum + in_half(column));
    }
    return in_half(sum + halves.b[static_cast<size_t>(m)]);
  });
  CHECK(halves.evaluated(DType::float16).explain(tensor_of(DType::float16, halves.shape(), y)) ==
        "float32 accumulation over channels, then float16 over taps");

  // Sums of two roundings in no known order.
  y = in_float(t, true, false, same);
  y[y.size() / 2] = std::nextafter(static_cast<float>(y[y.size() / 2]), 1e9F);
  CHECK(explained(y) == "float32 accumulation in any order");
  CHECK(node.all(tensor_of(DType::float32, t.shape(), y)).doubt.starts_with("weak evidence"));
  y[y.size() / 2] *= 1.001;  // no order
  CHECK(explained(y).empty());
}

TEST_CASE("sums that a backend keeps in 16 bits, of float32 inputs as they are", "[explain][mistakes]") {
  struct Way {
    std::string_view name;
    double (*step)(double sum, double a, double b, int bits);
  };
  const Way way = GENERATE(
      Way{"", [](double sum, double a, double b,
                 int bits) { return cut(sum + cut(cut(a, bits) * cut(b, bits), bits), bits); }},
      Way{", inputs not rounded",  // a bias comes with b = 1
          [](double sum, double a, double b, int bits) { return cut(sum + (b == 1 ? a : cut(a * b, bits)), bits); }},
      Way{" with FMA, inputs not rounded",  // products and sums of these numbers are exact in double
          [](double sum, double a, double b, int bits) { return cut(sum + a * b, bits); }},
      Way{", each step in float32", [](double sum, double a, double b, int bits) {
            return cut(static_cast<float>(static_cast<float>(sum) + static_cast<float>(a * b)), bits);
          }});
  const bool is_half = GENERATE(false, true);
  const int bits = is_half ? 11 : 8;
  const std::string name = format("{} accumulation in order{}", is_half ? "float16" : "bfloat16", way.name);
  CAPTURE(name);
  std::mt19937 random(11);
  std::uniform_real_distribution<float> number(1, 2);
  const auto numbers = [&](size_t count) {
    std::vector<double> values(count);
    std::ranges::generate(values, [&] { return (random() % 2 == 0 ? 1.0 : -1.0) * double{number(random)}; });
    return values;
  };
  const auto names = [](const EvaluatedNode& node, const Dims& shape, const std::vector<double>& y) {
    std::vector<std::string> all;
    for (const Cause& cause : node.all(tensor_of(DType::float32, shape, y)).causes) all.push_back(cause.name);
    return all;
  };
  const size_t rows = 4, depth = 16, columns = 5;
  const std::vector<double> a = numbers(rows * depth), b = numbers(depth * columns), c = numbers(columns);
  const auto product = [&](bool bias) {
    std::vector<double> y;
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (size_t k = 0; k < depth; ++k) sum = way.step(sum, a[i * depth + k], b[k * columns + j], bits);
        y.push_back(bias ? way.step(sum, c[j], 1, bits) : sum);
      }
    return y;
  };
  const Tensor A = tensor_of(DType::float32, {4, 16}, a), B = tensor_of(DType::float32, {16, 5}, b),
               C = tensor_of(DType::float32, {5}, c);
  CHECK_THAT(names({"MatMul", {}, {{"A", A}, {"B", B}}}, {4, 5}, product(false)), Catch::VectorContains(name));
  CHECK_THAT(names({"Gemm", {}, {{"A", A}, {"B", B}, {"C", C}}}, {4, 5}, product(true)),
             Catch::VectorContains(name + ", bias last"));

  // Three channels of eight, two output channels, a kernel of four: each element from its channels and taps in order.
  const std::vector<double> x = numbers(24), w = numbers(24);
  std::vector<double> y;
  for (size_t m = 0; m < 2; ++m)
    for (size_t at = 0; at < 5; ++at) {
      double sum = 0;
      for (size_t channel = 0; channel < 3; ++channel)
        for (size_t tap = 0; tap < 4; ++tap)
          sum = way.step(sum, x[channel * 8 + at + tap], w[(m * 3 + channel) * 4 + tap], bits);
      y.push_back(sum);
    }
  const Tensor X = tensor_of(DType::float32, {1, 3, 8}, x), W = tensor_of(DType::float32, {2, 3, 4}, w);
  CHECK_THAT(names({"Conv", {}, {{"X", X}, {"W", W}}}, {1, 2, 5}, y), Catch::VectorContains(name));
}

TEST_CASE("numbers of fewer digits are recognised in any operator", "[explain][mistakes]") {
  const auto root = [](double x) { return double{std::sqrt(static_cast<float>(x))}; };
  const std::vector<double> x{0.3F, 1.7F, 2.9F, 0.77F, 5.1F, 11.3F};
  const auto of_each = [&](const auto& f) {
    std::vector<double> y(x.size());
    std::ranges::transform(x, y.begin(), f);
    return tensor_of(DType::float32, {6}, y);
  };
  const EvaluatedNode roots("Sqrt", {}, {{"X", tensor_of(DType::float32, {6}, x)}});
  CHECK(roots.explain(of_each([&](double v) { return root(in_bfloat(v)); })) == "inputs rounded to bfloat16");
  CHECK(roots.explain(of_each([&](double v) { return root(cut(v, 11)); })) == "inputs rounded to TF32");
  CHECK(roots.explain(of_each([&](double v) { return in_half(root(v)); })) == "result rounded to float16");
  CHECK(roots.explain(of_each([&](double v) { return in_bfloat(root(in_bfloat(v))); })) ==
        "inputs and result rounded to bfloat16");
  // x / (1 + |x|), both operations rounded.
  const EvaluatedNode soft("Softsign", {}, {{"input", tensor_of(DType::float32, {6}, x)}});
  CHECK(soft.explain(of_each([&](double v) { return in_bfloat(v / in_bfloat(1 + v)); })) ==
        "each step rounded to bfloat16");
  // A product of matrices in float32: weights of bfloat16, then both factors of TF32.
  std::mt19937 random(17);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<double> a(24), b(24);
  for (auto* values : {&a, &b}) std::ranges::generate(*values, [&] { return double{number(random)}; });
  const auto product = [&](const auto& of_a, const auto& of_b) {
    std::vector<double> y;
    for (size_t i = 0; i < 4; ++i)
      for (size_t j = 0; j < 4; ++j) {
        float sum = 0;
        for (size_t k = 0; k < 6; ++k) {
          const float p = static_cast<float>(of_a(a[i * 6 + k])) * static_cast<float>(of_b(b[k * 4 + j]));
          sum += p;
        }
        y.push_back(sum);
      }
    return tensor_of(DType::float32, {4, 4}, y);
  };
  const auto tf32 = [](double v) { return cut(v, 11); };
  const EvaluatedNode matrices(
      "MatMul", {}, {{"A", tensor_of(DType::float32, {4, 6}, a)}, {"B", tensor_of(DType::float32, {6, 4}, b)}});
  CHECK(matrices.explain(product(same, in_bfloat)) == "B rounded to bfloat16, float32 accumulation in order");
  std::vector<std::string> names;  // within float16's range it has the same numbers
  for (const Cause& cause : matrices.all(product(tf32, tf32)).causes) names.push_back(cause.name);
  CHECK(names == std::vector<std::string>{"inputs rounded to float16, float32 accumulation in order",
                                          "inputs rounded to TF32, float32 accumulation in order"});
}

TEST_CASE("narrow and wide accumulators are recognised", "[explain][mistakes]") {
  Transposed t = of_reals(3);
  for (auto* values : {&t.x, &t.w, &t.b}) std::ranges::transform(*values, values->begin(), in_half);
  const auto rounding = [&](const auto& round) {
    return t.each_element([&](std::int64_t m, std::int64_t i, std::int64_t j) {
      double sum = t.b[static_cast<size_t>(m)];
      t.each_product(m, i, j, [&](double a, double v) { sum = round(sum + round(a * v)); });
      return sum;
    });
  };
  const auto through_float = [](double x) { return double{static_cast<float>(x)}; };
  const EvaluatedNode half = t.evaluated(DType::float16);
  CHECK(half.explain(tensor_of(DType::float16, t.shape(), rounding(in_half))) == "float16 accumulation in order");
  const auto bias_apart = t.each_element([&](std::int64_t m, std::int64_t i, std::int64_t j) {
    double sum = 0;
    t.each_product(m, i, j, [&](double a, double v) { sum += a * v; });
    return in_half(in_half(sum) + t.b[static_cast<size_t>(m)]);
  });
  CHECK(half.explain(tensor_of(DType::float16, t.shape(), bias_apart)) ==
        "rounded to float16 before the bias is added");
  for (auto* values : {&t.x, &t.w, &t.b})
    std::ranges::transform(*values, values->begin(), [](double x) { return x / 3; });
  const EvaluatedNode wide = t.evaluated(DType::float64);
  const auto narrow = [&](const auto& round) {
    const Transposed own = t;
    for (auto* values : {&t.x, &t.w, &t.b}) std::ranges::transform(*values, values->begin(), round);
    const auto y = rounding(round);
    t = own;
    return tensor_of(DType::float64, t.shape(), y);
  };
  CHECK(wide.explain(narrow(through_float)) == "float32 accumulation in order");
  CHECK(wide.explain(narrow(same)) == "float64 accumulation in order");
  CHECK(wide.explain(narrow(in_half)) == "float16 accumulation in order");
  CHECK(wide.explain(narrow(in_bfloat)) == "bfloat16 accumulation in order");
}

TEST_CASE("roundings of the result are recognised", "[explain][mistakes]") {
  // 1 + 2^-11 + 2^-26: 1 + 2^-10 in float16, but 1 through float32; 1 + 2^-10 + 2^-11 + 2^-26 is 1 + 2^-9 both ways.
  const std::vector<double> w{1, 0x1p-11, 0x1p-13};
  const EvaluatedNode ties = dot(DType::float16, {1, 1, 0x1p-13, 1 + 0x1p-10, 1, 0x1p-13}, w);
  CHECK(explained(ties, {1 + 0x1p-10, 1 + 0x1p-9}).empty());
  CHECK(explained(ties, {1, 1 + 0x1p-9}) == "double rounding through float32");
  CHECK(explained(ties, {1, 1 + 0x1p-10}) == "truncated instead of rounded");
  // A tie: 1 + 2^-11 goes to 1, away from zero to 1 + 2^-10.
  const EvaluatedNode tie = dot(DType::float16, {1, 1, -1, -1}, {1, 0x1p-11});
  CHECK(explained(tie, {1, -1}).empty());
  CHECK(explained(tie, {1 + 0x1p-10, -1 - 0x1p-10}) == "ties rounded away from zero");
  // bfloat16 by cutting a float32 accumulator in half: -1 - 2^-7 - 2^-8 - 2^-24 … is cut to -1 - 2^-7.
  const EvaluatedNode cut = dot(DType::bfloat16, {1, 1.5, -1, -1.5}, {1, 0x1p-7});
  CHECK(explained(cut, {1 + 0x1p-7, -1 - 0x1p-7}) == "truncated instead of rounded");
  // Subnormal: 2^-20 in float16 is one; 2^-7·2^-10 is too. An input 2^-16 flushed loses 2^-6 of the second sum.
  const EvaluatedNode small = dot(DType::float16, {0x1p-7, 0, 0x1p-7, 0x1p-16}, {0x1p-13, 1024});
  CHECK(explained(small, {0, 0x1p-6}) == "subnormal results flushed to zero");
  CHECK(explained(small, {0x1p-20, 0x1p-20}) == "subnormal inputs flushed to zero");
  CHECK(explained(small, {0, 0}) == "subnormal numbers flushed to zero");
  // NaN.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const EvaluatedNode bad = dot(DType::float32, {1, nan, 3, 4}, {10, 1});
  CHECK(explained(bad, {nan, 34}).empty());
  CHECK(explained(bad, {10, 34}) == "NaN dropped");
}

TEST_CASE("the arithmetic of cubes and their roots is recognised", "[explain][mistakes]") {
  const auto pool = [](DType dtype, const std::vector<double>& x) {
    return EvaluatedNode("LpPool",
                         {{"kernel_shape", AttributeValue::of(Int64s{2})},
                          {"pads", AttributeValue::of(Int64s{1, 0})},
                          {"p", AttributeValue::of(std::int64_t{3})}},
                         {{"X", tensor_of(dtype, {1, 1, static_cast<std::int64_t>(x.size())}, x)}});
  };
  CHECK(explained(pool(DType::float32, {4097, 3001, -5003, 777, 6007, 8191, 12345, -9999}),
                  {4097, 4575.62451171875, 5339.75244140625, 5009.2392578125, 6011.330078125, 9150.9970703125,
                   13445.912109375, 14229.328125}) == "float32 accumulation");  // one differs: of no known order
  // s^(1/3) with the float32 or float64 nearest to 1/3, as pow(s, 1.0f / p) and pow(s, 1.0 / p) have it.
  const std::vector<double> small{3, -4, 8, 11, -15, 20, 31};
  CHECK(explained(pool(DType::float32, small), {3, 4.497941493988037, 8.320335388183594, 12.26050853729248, 16.7578125,
                                                22.489709854125977, 33.558006286621094}) ==
        "float32 accumulation in order, the root as a power of 1/p");
  CHECK(explained(pool(DType::float64, small), {3, 4.497941445275415, 8.320335292207616, 12.260507436149455,
                                                16.75781175684581, 22.48970722637707, 33.55800450592127}) ==
        "float64 accumulation in order, the root as a power of 1/p");
}

TEST_CASE("integers in floating point: in any order, and step by step", "[explain][mistakes]") {
  std::vector<double> x;
  std::mt19937_64 random(5);
  for (int i = 0; i < 40; ++i) x.push_back(std::ldexp(nearly(static_cast<std::int64_t>(random() >> 11)), i % 6));
  const auto reduced = [&](const std::string& op_type) {
    return EvaluatedNode(op_type, {{"keepdims", AttributeValue::of(std::int64_t{0})}},
                         {{"data", tensor_of(DType::int64, {40}, x)}}, 13);
  };
  double sum = 0;  // in steps of seven places
  for (size_t i = 0; i < x.size(); ++i) sum += x[i * 7 % x.size()];
  const auto explained = [](const EvaluatedNode& node, std::int64_t y) {
    TensorBuilder tensor({DType::int64, {}});
    tensor.values<std::int64_t>()[0] = y;
    return node.explain(std::move(tensor).finish());
  };
  const auto whole = static_cast<std::int64_t>(sum), mean = static_cast<std::int64_t>(sum / 40);
  const std::string any_order = "integers added as float64 in any order";
  CHECK(explained(reduced("ReduceSum"), whole) == any_order);
  CHECK(explained(reduced("ReduceSum"), whole + 1).empty());
  CHECK(explained(reduced("ReduceSum"), whole + (std::int64_t{1} << 20)).empty());
  CHECK(explained(reduced("ReduceMean"), mean) == any_order);

  std::vector<double> whole_ones, stepped;
  for (int i = 0; i < 40; ++i) {
    const auto number = static_cast<std::int32_t>(random() >> 33);
    whole_ones.push_back(number);
    stepped.push_back(double{static_cast<float>(number) - 1.5F});
  }
  const EvaluatedNode shrink("Shrink", {{"bias", AttributeValue::of(1.5F)}, {"lambd", AttributeValue::of(2.25F)}},
                             {{"input", tensor_of(DType::int32, {40}, whole_ones)}}, 9);
  CHECK(shrink.explain(tensor_of(DType::int32, {40}, stepped)) == "integers and each step rounded to float32");
}

TEST_CASE("a real function's last digits are told as such, a sum's are not", "[explain][mistakes]") {
  const auto moved = [](const Tensor& tensor, int steps) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
      float value = tensor.values<float>()[static_cast<size_t>(i)];
      for (int step = 0; i == 1 && step < steps; ++step) value = std::nextafter(value, 2.0F);
      values.push_back(value);
    }
    return tensor_of(DType::float32, tensor.shape(), values);
  };
  const EvaluatedNode softmax("Softmax", {}, {{"input", tensor_of(DType::float32, {1, 3}, {1, 2, 3})}});
  const Explanation three = softmax.all(moved(softmax.result(), 3));
  REQUIRE(three.causes.size() == 1);
  CHECK(three.causes[0].name == "float32 arithmetic");
  CHECK(three.within == "within 3 ULP of the right value");
  CHECK(three.doubt == "weak evidence: any error of this size would fit");
  CHECK(softmax.all(moved(softmax.result(), 2)).doubt.empty());
  CHECK(softmax.all(moved(softmax.result(), 17)).causes.empty());
  // Version 11 takes the softmax of all six numbers together, 13 of three.
  const std::vector<std::pair<std::string, Tensor>> six{
      {"input", tensor_of(DType::float32, {1, 2, 3}, {1, 2, 3, 5, 4, 0})}};
  const Explanation other =
      EvaluatedNode("Softmax", {}, six, 11).all(moved(EvaluatedNode("Softmax", {}, six, 13).result(), 2));
  REQUIRE(other.causes.size() == 1);
  CHECK(other.causes[0].name == "mistake computed as Softmax-13; float32 arithmetic");
  CHECK(other.causes[0].meaning == "the node as another version of the operator computes it");
  CHECK(other.within == "within 2 ULP of that value");
  const Explanation by_bound =
      EvaluatedNode("Softmax", {}, six, 11)
          .all(moved(EvaluatedNode("Softmax", {}, six, 13).result(), 3), {{.rule = Tolerance::Rule::bound}});
  CHECK(by_bound.causes == other.causes);
  const EvaluatedNode sum(
      "Add", {}, {{"A", tensor_of(DType::float32, {3}, {1, 2, 3})}, {"B", tensor_of(DType::float32, {3}, {1})}});
  CHECK(sum.all(moved(sum.result(), 3)).causes.empty());
}

TEST_CASE("each step rounded, truncated results and errors that are small beside the greatest value alone",
          "[explain][mistakes]") {
  std::vector<double> x;
  for (int i = 0; i < 40; ++i) x.push_back(-3.9 + 0.2 * i);
  const EvaluatedNode tanh("Tanh", {}, {{"input", tensor_of(DType::float32, {40}, x)}});
  const auto of = [&](const auto& f) {
    std::vector<double> y;
    for (size_t i = 0; i < x.size(); ++i) y.push_back(f(i, tanh.result().values<float>()[i]));
    return tanh.all(tensor_of(DType::float32, {40}, y));
  };
  // One of the formula's steps in float32, the others by double: not to the bit, but for a few elements near 0.
  const Explanation formula = of([&](size_t i, float) {
    const float twice = 2 * static_cast<float>(x[i]), power = static_cast<float>(std::exp(-double{twice}));
    return 2 / (1 + power) - 1;
  });
  REQUIRE(!formula.causes.empty());
  CHECK(formula.causes[0].name == "mistake 2/(1 + e^-2x) - 1, each step rounded");
  const Explanation truncated = of([](size_t i, float y) { return i % 3 == 0 ? std::nextafter(y, 0.0F) : y; });
  REQUIRE(truncated.causes.size() == 1);
  CHECK(truncated.causes[0].name == "results truncated instead of rounded");
  // One element that is far away disproves all of them.
  CHECK(of([](size_t i, float y) { return i == 20 ? y + 1e-3F : std::nextafter(y, 0.0F); }).causes.empty());
  for (size_t i = 0; i < 20; ++i) x[i] *= 1e-4;
  const EvaluatedNode near_zero("Tanh", {}, {{"input", tensor_of(DType::float32, {40}, x)}});
  std::vector<double> y;
  for (size_t i = 0; i < 40; ++i)
    y.push_back(near_zero.result().values<float>()[i] + (i % 2 == 0 ? 0x1p-24F : -0x1p-23F));
  const Explanation absolute = near_zero.all(tensor_of(DType::float32, {40}, y));
  REQUIRE(absolute.causes.size() == 1);
  CHECK(absolute.causes[0].name == "a float32 function of absolute accuracy");
  CHECK(absolute.within == "within 2 ULP of the greatest value");
  CHECK(!absolute.doubt.empty());
  // Nothing is small beside zeros.
  const EvaluatedNode zeros("Tanh", {}, {{"input", tensor_of(DType::float32, {4}, {0, 0, 0, 0})}});
  CHECK(zeros.all(tensor_of(DType::float32, {4}, {3.4749827, 1.25, -0.7, 2.2356167})).causes.empty());
}

TEST_CASE("float32 numbers are cut to the upper half of their bits", "[explain][mistakes]") {
  const auto cut = [](double v) {
    return double{std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(v)) & 0xffff0000)};
  };
  std::vector<double> x, results, products;
  for (int i = 0; i < 40; ++i) x.push_back(0.7 + 0.0371 * i);
  const EvaluatedNode product(
      "Mul", {}, {{"A", tensor_of(DType::float32, {40}, x)}, {"B", tensor_of(DType::float32, {1}, {1.3})}});
  for (std::size_t i = 0; i < 40; ++i) {
    results.push_back(cut(product.result().values<float>()[i]));
    products.push_back(static_cast<float>(cut(x[i]) * cut(1.3)));
  }
  CHECK(product.explain(tensor_of(DType::float32, {40}, results)) == "result truncated to bfloat16");
  CHECK(product.explain(tensor_of(DType::float32, {40}, products)) == "inputs truncated to bfloat16");
}

TEST_CASE("sums in float16, in an order that is not tried, alone and with a mistake", "[explain][mistakes]") {
  constexpr std::int64_t n = RandomProduct::n;
  const RandomProduct made = random_product(13);
  const std::vector<double>&a = made.a, &b = made.b;
  const EvaluatedNode& product = made.node;
  const auto half = [](double v) { return widen(nearest<Half>(v)); };
  // Four sums, which are added in the end.
  const auto halves = [&](bool is_transposed) {
    std::vector<double> y;
    for (std::int64_t i = 0; i < n * n; ++i) {
      double sums[4] = {};
      for (std::int64_t k = 0; k < n; ++k) {
        const std::int64_t from = is_transposed ? i % n * n + k : k * n + i % n;
        double& sum = sums[k % 4];
        sum = half(sum + half(half(a[static_cast<size_t>(i / n * n + k)]) * half(b[static_cast<size_t>(from)])));
      }
      y.push_back(half(half(sums[0] + sums[1]) + half(sums[2] + sums[3])));
    }
    return y;
  };
  const Tolerance rule{.rule = Tolerance::Rule::relative, .rtol = 1e-3, .atol = 1e-7};
  const auto explained = [&](const std::vector<double>& y) {
    return product.all(tensor_of(DType::float32, {n, n}, y), {rule});
  };
  const Explanation both = explained(halves(true));
  REQUIRE(both.causes.size() == 1);
  CHECK(both.causes[0].name == "mistake B transposed; float16 accumulation in any order");
  CHECK(both.within == "its errors are of that size");
  CHECK(both.doubt.empty());
  const std::vector<double> alone = halves(false);
  const Explanation sums = explained(alone);
  REQUIRE(sums.causes.size() == 1);
  CHECK(sums.causes[0].name == "float16 accumulation in any order");
  CHECK(sums.doubt == "weak evidence: any error of this size would fit");

  // Errors of that size that are a part of the result, of one sign, or the same beside each other, are something else.
  std::vector<double> right;
  for (std::int64_t i = 0; i < n * n; ++i) {
    double sum = 0;
    for (std::int64_t k = 0; k < n; ++k)
      sum += a[static_cast<size_t>(i / n * n + k)] * b[static_cast<size_t>(k * n + i % n)];
    right.push_back(sum);
  }
  const auto erring = [&](const std::function<double(size_t i, double y)>& error) {
    std::vector<double> y = right;
    for (size_t i = 0; i < y.size(); ++i) y[i] += error(i, y[i]);
    const Explanation found = explained(y);
    return found.causes.empty() ? "" : found.causes[0].name;
  };
  CHECK(erring([](size_t, double y) { return 2e-3 * y; }) == "mistake results times 1.002");
  CHECK(erring([](size_t, double) { return 3e-3; }) == "mistake 0.003 added to results");
  CHECK(erring([](size_t i, double) { return i / n % 2 == 0 ? 3e-3 : -3e-3; }).empty());
  CHECK(erring([](size_t i, double) { return i % n % 3 == 0 ? 3e-3 : -2e-3; }).empty());
}

TEST_CASE("another formula of the same terms, nearly", "[explain][mistakes]") {
  std::vector<double> x, sums, roots, means;
  for (int i = 0; i < 12; ++i) x.push_back(0.37 * i + 0.011 * i * i - 1.9);
  for (size_t i = 0; i + 2 < x.size(); ++i) {
    const double a = static_cast<float>(x[i]), b = static_cast<float>(x[i + 1]), c = static_cast<float>(x[i + 2]);
    constexpr double kNearly = 1 + 1e-6;
    sums.push_back((a + b + c) * kNearly);
    roots.push_back((a * a + b * b + c * c) * kNearly);
    means.push_back(std::sqrt((a * a + b * b + c * c) / 3) * kNearly);
  }
  const Attributes kernel{{"kernel_shape", AttributeValue::of(Int64s{3})}};
  const Tensor X = tensor_of(DType::float32, {1, 1, 12}, x);
  const Tolerance rule{.rule = Tolerance::Rule::relative, .rtol = 1e-3, .atol = 1e-7};
  const auto explained = [&](const char* op_type, const std::vector<double>& y) {
    const Explanation found =
        EvaluatedNode(op_type, kernel, {{"X", X}}).all(tensor_of(DType::float32, {1, 1, 10}, y), {rule});
    return found.causes.empty() ? "" : found.causes.front().name + "; " + found.within;
  };
  CHECK(explained("AveragePool", sums) == "mistake the sum not divided or scaled; rtol 0.001, atol 1e-07");
  CHECK(explained("LpPool", roots) == "mistake without the root; rtol 0.001, atol 1e-07");
  CHECK(explained("LpPool", means) == "mistake divided by the window's number of elements; rtol 0.001, atol 1e-07");
}

TEST_CASE("results times a number, with one added, and an approximation of few bits", "[explain][mistakes]") {
  std::vector<double> x, times, added, few;
  for (int i = 0; i < 40; ++i) {
    x.push_back(static_cast<float>(0.13 * i - 2.1));
    const double y = std::exp(x.back());
    times.push_back(y * 0.3), added.push_back(y + 0.25), few.push_back(y * (1 + 0x1p-12 * std::sin(7.0 * i + 1)));
  }
  const EvaluatedNode node("Exp", {}, {{"input", tensor_of(DType::float32, {40}, x)}});
  const Tolerance rule{.rule = Tolerance::Rule::relative, .rtol = 1e-5, .atol = 1e-9};
  const auto explained = [&](const std::vector<double>& y) {
    const Explanation found = node.all(tensor_of(DType::float32, {40}, y), {rule});
    return found.causes.empty() ? "" : found.causes.front().name + "; " + found.within;
  };
  CHECK(explained(times) == "mistake results times 0.3; rtol 1e-05, atol 1e-09");
  std::vector<double> nearly;
  for (const double one : x) nearly.push_back(std::exp(one) * 1.0001234);
  CHECK(explained(nearly).starts_with("mistake results times 1.000123"));
  CHECK(explained(added) == "mistake 0.25 added to results; rtol 1e-05, atol 1e-09");
  CHECK(explained(few) == "an approximation of 12 bits; each element within 2^-12");
  few[20] = 0;  // it lacks all bits
  CHECK(explained(few).empty());
  // 1/(1 + e^-x) is at most 3e-7 here; 2^-23 beside it is 40 %.
  std::vector<double> far, off;
  for (int i = 0; i < 40; ++i) far.push_back(-15 - i), off.push_back(i % 2 == 0 ? 0 : 0x1p-23);
  const EvaluatedNode sigmoid("Sigmoid", {}, {{"X", tensor_of(DType::float32, {40}, far)}});
  const Explanation absolute = sigmoid.all(tensor_of(DType::float32, {40}, off), {rule});
  REQUIRE(absolute.causes.size() == 1);
  CHECK(absolute.causes[0].name == "a float32 function of absolute accuracy");
  CHECK(absolute.within == "within 3 ULP of 1");
}

TEST_CASE("a variance of one pass, in sums that are not those tried", "[explain][mistakes]") {
  std::mt19937 random(17);
  std::normal_distribution<float> normal;
  constexpr size_t n = 16, rows = 24;
  std::vector<double> x, y;
  for (size_t row = 0; row < rows; ++row) {
    float sums[4] = {}, squares[4] = {};
    for (size_t i = 0; i < n; ++i) {
      const float v = 30 + normal(random);
      x.push_back(v);
      sums[i % 4] += v, squares[i % 4] += v * v;
    }
    const float mean = (sums[0] + sums[1] + (sums[2] + sums[3])) / n,
                square = (squares[0] + squares[1] + (squares[2] + squares[3])) / n,
                root = std::sqrt(square - mean * mean + 1e-5F);
    for (size_t i = 0; i < n; ++i) y.push_back((static_cast<float>(x[row * n + i]) - mean) / root);
  }
  const Dims shape{rows, n};
  const EvaluatedNode node("LayerNormalization", {},
                           {{"X", tensor_of(DType::float32, shape, x)},
                            {"Scale", tensor_of(DType::float32, {n}, std::vector<double>(n, 1))}});
  const Tolerance rule{.rule = Tolerance::Rule::relative, .rtol = 1e-3, .atol = 1e-7};
  const Explanation found = node.all(tensor_of(DType::float32, shape, y), {rule});
  REQUIRE(found.causes.size() == 1);
  CHECK(found.causes[0].name == "mistake variance as E[x^2] - E[x]^2 in float32");
  CHECK(found.within == "its errors but for a factor of each row");
}

TEST_CASE("steps that overflow in the output's own type, or in float32, are believed before mistakes",
          "[explain][mistakes]") {
  // The variance overflows, so that each element is B.
  const double b = -1.0269013800658642;
  const EvaluatedNode node("InstanceNormalization", {{"epsilon", AttributeValue::of(0.5F)}},
                           {{"input", tensor_of(DType::float64, {1, 1, 4}, {1.797e308, 0.8, -0.3, 0.7})},
                            {"scale", tensor_of(DType::float64, {1}, {1.022})},
                            {"B", tensor_of(DType::float64, {1}, {b})}});
  CHECK(explained(node, {b, b, b, b}) == "each step rounded to float64");
  const double single = static_cast<float>(b);
  CHECK(explained(node, {single, single, single, single}) ==
        "float64 carried as float32, each step rounded to float32");
}

TEST_CASE("integers that a backend computes as another type", "[explain][mistakes]") {
  const auto binary = [](const std::string& op_type, DType dtype, const std::vector<double>& a,
                         const std::vector<double>& b, double (*each)(double, double)) {
    const Dims shape{std::ssize(a)};
    std::vector<double> y;
    for (size_t i = 0; i < a.size(); ++i) y.push_back(each(a[i], b[i]));
    return EvaluatedNode(op_type, {}, {{"A", tensor_of(dtype, shape, a)}, {"B", tensor_of(dtype, shape, b)}})
        .explain(tensor_of(dtype, shape, y));
  };
  // -2091691110 / -678574243, and so on
  CHECK(binary("Div", DType::uint32, {2203276186, 4059141255, 4294967000, 77}, {3616393053, 2, 7, 5},
               [](double a, double b) {
                 const auto as_word = [](double x) { return x < 0x1p31 ? x : x - 0x1p32; };
                 const double quotient = std::trunc(as_word(a) / as_word(b));
                 return quotient < 0 ? quotient + 0x1p32 : quotient;
               }) == "uint32 carried as int32");
  const auto in_float32 = [](double a, double b) {
    return static_cast<double>(std::trunc(static_cast<float>(a) * static_cast<float>(b)));
  };
  CHECK(binary("Mul", DType::int32, {4099, 5003, -7001, 12345}, {4099, 5003, 7001, 6789}, in_float32) ==
        "int32 computed in float32");
  CHECK(binary("Mul", DType::int64, {0x1p32 + 4099, 5003, -0x1p32 - 7001, 12345}, {4099, 5003, 7001, 6789},
               [](double a, double b) {
                 const double low = std::remainder(a, 0x1p32);
                 return static_cast<double>(std::trunc(static_cast<float>(low) * static_cast<float>(b)));
               }) == "int64 carried as int32, computed in float32");
  // beyond 32 bits: the largest numbers of int32
  CHECK(binary("Mul", DType::int32, {65537, -65539, 4099, 5003}, {65539, 65541, 4099, 5003}, [](double a, double b) {
          const double product = static_cast<float>(a) * static_cast<float>(b);
          return std::clamp(product, -0x1p31, 0x1p31 - 1);
        }) == "int32 computed in float32");
}

TEST_CASE("a node of float64 that a backend computes in float32, whose greatest number stands for infinities",
          "[explain][mistakes]") {
  constexpr double kGreatest = std::numeric_limits<float>::max();
  const auto quotient = [](double a, double b) { return double{static_cast<float>(a) / static_cast<float>(b)}; };
  const EvaluatedNode division("Div", {},
                               {{"A", tensor_of(DType::float64, {5}, {1, -2, 3, 0.1, 5})},
                                {"B", tensor_of(DType::float64, {5}, {0, 0, 7, 3, 1e-60})}});
  CHECK(explained(division, {kGreatest, -kGreatest, quotient(3, 7), quotient(0.1, 3), kGreatest}) ==
        "float64 carried as float32, its greatest number for Inf");
  // with a mistake: NaN taken for a number less than min
  const EvaluatedNode clip("Clip", {},
                           {{"input", tensor_of(DType::float64, {4}, {NAN, 0.1, 0.7, -0.3})},
                            {"min", tensor_of(DType::float64, {}, {-0.2})}});
  CHECK(explained(clip, {static_cast<float>(-0.2), static_cast<float>(0.1), static_cast<float>(0.7),
                         static_cast<float>(-0.2)}) == "NaN passed over; float64 carried as float32");
  // no numbers of float32
  CHECK(explained(division, {kGreatest, -kGreatest, 3.0 / 7, 0.1 / 3, kGreatest}).empty());
}

}  // namespace roundings_test
