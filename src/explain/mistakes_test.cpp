// SPDX-License-Identifier: Apache-2.0
// Each known mistake is recognised from what an independent kernel with that mistake gives.
#include "explain/mistakes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <random>

#include "core/nearly.h"
#include "exact/rounding.h"
#include "ops/operators.h"

namespace mistakes_test {

using namespace opref::explain;

namespace {

using Int64s = std::vector<std::int64_t>;
using Attributes = std::vector<std::pair<std::string, AttributeValue>>;

Tensor tensor_of(DType dtype, const Dims& shape, const std::vector<double>& values) {
  TensorBuilder tensor({dtype, shape});
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == DType::float16) tensor.values<Half>()[i] = nearest<Half>(values[i]);
    if (dtype == DType::bfloat16) tensor.values<BFloat16>()[i] = nearest<BFloat16>(values[i]);
    if (dtype == DType::float32) tensor.values<float>()[i] = static_cast<float>(values[i]);
    if (dtype == DType::float64) tensor.values<double>()[i] = values[i];
    if (dtype == DType::int32) tensor.values<std::int32_t>()[i] = static_cast<std::int32_t>(values[i]);
    if (dtype == DType::int64) tensor.values<std::int64_t>()[i] = static_cast<std::int64_t>(values[i]);
    if (dtype == DType::uint32) tensor.values<std::uint32_t>()[i] = static_cast<std::uint32_t>(values[i]);
  }
  return std::move(tensor).finish();
}

/// One node, evaluated.
class Evaluated {
 public:
  Evaluated(const std::string& op_type, const Attributes& attributes,
            const std::vector<std::pair<std::string, Tensor>>& inputs, std::int64_t opset = 22,
            const std::string& domain = "") {
    Node node{op_type, domain, "", {}, {}, {"Y"}};
    for (const auto& [name, value] : attributes) node.attributes.push_back({name, value});
    for (const auto& [name, tensor] : inputs) {
      node.inputs.push_back(name);
      environment_.insert_or_assign(name, Input{name, tensor.type(), tensor});
      graph_.inputs.push_back({name, "", tensor.dtype(), {}});
    }
    graph_.nodes.push_back(node);
    graph_.outputs.push_back({"Y", "", {}, {}});
    graph_.opset_import.emplace(domain, opset);
    steps_ = run_graph(graph_, environment_, {});
  }

  const Tensor& result() const { return environment_.find("Y")->second.tensor(); }
  /// The plainest; without the word "mistake".
  std::string explain(const Tensor& actual) const {
    const auto causes = all(actual).causes;
    if (causes.empty()) return "";
    const std::string& name = causes.front().name;
    return name.starts_with("mistake ") ? name.substr(8) : name;
  }
  const Call& call() const { return steps_.front().call; }
  Explanation all(const Tensor& actual, const std::vector<Tolerance>& rules = {}) const {
    return explain_step(steps_.front(), std::span(&actual, 1), rules);
  }

 private:
  Graph graph_;
  Environment environment_;
  std::vector<Step> steps_;
};

/// A transposed convolution of two spatial axes, N = 1, for kernels with mistakes.
struct Transposed {
  std::int64_t groups = 2, Cg = 2, Mg = 2;
  std::array<std::int64_t, 2> L{4, 3}, k{3, 3}, s{2, 3}, d{2, 1}, begin{0, 1}, end{2, 0}, output_padding{1, 0};
  std::vector<double> x, w, b;

  void fill(const std::function<double()>& next) {
    const auto filled = [&](std::vector<double>& values, std::int64_t count) {
      values.resize(static_cast<size_t>(count));
      std::ranges::generate(values, next);
    };
    filled(x, groups * Cg * L[0] * L[1]);
    filled(w, groups * Cg * Mg * k[0] * k[1]);
    filled(b, groups * Mg);
  }
  std::int64_t O(size_t axis) const {
    return s[axis] * (L[axis] - 1) + output_padding[axis] + (k[axis] - 1) * d[axis] + 1 - begin[axis] - end[axis];
  }
  Dims shape() const { return {1, groups * Mg, O(0), O(1)}; }
  double weight(std::int64_t c, std::int64_t m, std::int64_t i, std::int64_t j) const {
    return w[static_cast<size_t>(((c * Mg + m) * k[0] + i) * k[1] + j)];
  }

  /// Calls f(product's x, w) for each channel of the group and each tap that reaches the element, in that order.
  template <class F>
  void each_product(std::int64_t m, std::int64_t oi, std::int64_t oj, const F& f) const {
    const std::int64_t g = m / Mg;
    for (std::int64_t c = g * Cg; c < (g + 1) * Cg; ++c)
      for (std::int64_t i = 0; i < k[0]; ++i)
        for (std::int64_t j = 0; j < k[1]; ++j) {
          const std::int64_t yi = oi + begin[0] - i * d[0], yj = oj + begin[1] - j * d[1];
          if (yi < 0 || yj < 0 || yi % s[0] != 0 || yj % s[1] != 0 || yi / s[0] >= L[0] || yj / s[1] >= L[1]) continue;
          f(x[static_cast<size_t>((c * L[0] + yi / s[0]) * L[1] + yj / s[1])], weight(c, m % Mg, i, j));
        }
  }
  template <class F>
  std::vector<double> each_element(const F& f) const {
    std::vector<double> y;
    for (std::int64_t m = 0; m < groups * Mg; ++m)
      for (std::int64_t i = 0; i < O(0); ++i)
        for (std::int64_t j = 0; j < O(1); ++j) y.push_back(f(m, i, j));
    return y;
  }
  /// Exact for small integers.
  std::vector<double> output() const {
    return each_element([this](std::int64_t m, std::int64_t i, std::int64_t j) {
      double sum = b[static_cast<size_t>(m)];
      each_product(m, i, j, [&](double a, double v) { sum += a * v; });
      return sum;
    });
  }
  Evaluated evaluated(DType dtype = DType::float32, std::int64_t opset = 22) const {
    const auto list = [](const std::array<std::int64_t, 2>& a) { return AttributeValue::of(Int64s{a[0], a[1]}); };
    return Evaluated("ConvTranspose",
                     {{"group", AttributeValue::of(groups)},
                      {"strides", list(s)},
                      {"dilations", list(d)},
                      {"output_padding", list(output_padding)},
                      {"pads", AttributeValue::of(Int64s{begin[0], begin[1], end[0], end[1]})}},
                     {{"X", tensor_of(dtype, {1, groups * Cg, L[0], L[1]}, x)},
                      {"W", tensor_of(dtype, {groups * Cg, Mg, k[0], k[1]}, w)},
                      {"B", tensor_of(dtype, {groups * Mg}, b)}},
                     opset);
  }
};

Transposed of_integers() {
  Transposed t;
  std::mt19937 random(3);
  t.fill([&] { return static_cast<double>(random() % 19) - 9; });
  return t;
}
Transposed of_reals(std::int64_t channels = 5) {
  Transposed t;
  t.groups = 1;
  t.Cg = channels;
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  t.fill([&] { return normal(random); });
  return t;
}

}  // namespace

TEST_CASE("mistakes of geometry and of the bias are recognised", "[explain][mistakes]") {
  const Transposed right = of_integers();
  const Evaluated node = right.evaluated();
  REQUIRE(node.result().type() == TensorType{DType::float32, right.shape()});
  const auto explained = [&](const Transposed& wrong) {
    return node.explain(tensor_of(DType::float32, wrong.shape(), wrong.output()));
  };
  CHECK(explained(right).empty());

  Transposed wrong = right;
  for (std::int64_t f = 0; f < 8; ++f) std::reverse(wrong.w.begin() + f * 9, wrong.w.begin() + f * 9 + 9);
  CHECK(explained(wrong) == "kernel flipped");

  wrong = right;
  for (std::int64_t f = 0; f < 8; ++f)
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t j = 0; j < 3; ++j)
        wrong.w[static_cast<size_t>(f * 9 + i * 3 + j)] = right.w[static_cast<size_t>(f * 9 + j * 3 + i)];
  CHECK(explained(wrong) == "kernel's axes exchanged");

  wrong = right;
  std::swap(wrong.begin, wrong.end);
  CHECK(explained(wrong) == "pads swapped");
  wrong = right;  // [0,1,2,0] read as (0,1), (2,0)
  wrong.begin = {0, 2};
  wrong.end = {1, 0};
  CHECK(explained(wrong) == "pads read axis by axis");
  wrong = right;
  wrong.begin = wrong.end = {0, 0};
  CHECK(explained(wrong) == "pads ignored");
  wrong = right;
  wrong.d = {1, 1};
  CHECK(explained(wrong) == "dilations ignored");
  wrong.d = {1, 2};
  CHECK(explained(wrong) == "dilations in reverse order of axes");
  wrong = right;
  wrong.s = {3, 2};
  CHECK(explained(wrong) == "strides in reverse order of axes");
  wrong.s = {1, 1};
  CHECK(explained(wrong) == "strides ignored");
  wrong = right;
  wrong.output_padding = {0, 0};
  CHECK(explained(wrong) == "output_padding ignored");

  wrong = right;
  wrong.b = {0, 0, 0, 0};
  CHECK(explained(wrong) == "B ignored");
  wrong.b = {right.b[0], right.b[0], right.b[1], right.b[1]};
  CHECK(explained(wrong) == "bias per group");
  wrong.b = {right.b[0], right.b[1], right.b[0], right.b[1]};
  CHECK(explained(wrong) == "bias of the first group for all");

  wrong = right;
  wrong.b[2] += 1;  // nothing that is known
  CHECK(explained(wrong).empty());

  // The mistakes differ here from each other: each was found under its own name. With a rounding kernel too:
  Transposed real = of_reals();
  const Evaluated real_node = real.evaluated();
  std::reverse(real.w.begin(), real.w.begin() + 9);
  for (std::int64_t f = 1; f < 10; ++f) std::reverse(real.w.begin() + f * 9, real.w.begin() + f * 9 + 9);
  const auto y = real.each_element([&](std::int64_t m, std::int64_t i, std::int64_t j) {
    auto sum = static_cast<float>(real.b[static_cast<size_t>(m)]);
    real.each_product(m, i, j, [&](double a, double v) { sum += static_cast<float>(a) * static_cast<float>(v); });
    return double{sum};
  });
  CHECK(real_node.explain(tensor_of(DType::float32, real.shape(), y)) ==
        "kernel flipped; float32 accumulation in order");
}

TEST_CASE("mistakes of the bias where groups and their outputs differ in number", "[explain][mistakes]") {
  Transposed right;
  right.Mg = 3;
  std::mt19937 random(13);
  right.fill([&] { return static_cast<double>(random() % 19) - 9; });
  const Evaluated node = right.evaluated();
  const auto explained = [&](std::vector<double> b) {
    Transposed wrong = right;
    wrong.b = std::move(b);
    return node.explain(tensor_of(DType::float32, wrong.shape(), wrong.output()));
  };
  const auto& b = right.b;
  CHECK(explained({b[0], b[0], b[0], b[1], b[1], b[1]}) == "bias per group");
  CHECK(explained({b[0], b[1], b[2], b[0], b[1], b[2]}) == "bias of the first group for all");
  CHECK(explained({b[0], b[0], b[1], b[1], b[2], b[2]}) == "");
}

TEST_CASE("exchanged channels of the kernel are recognised", "[explain][mistakes]") {
  Transposed right = of_integers();
  right.groups = 1;
  right.x.resize(2 * 12);
  right.w.resize(4 * 9);
  right.b.resize(2);
  Transposed wrong = right;
  std::swap_ranges(wrong.w.begin() + 9, wrong.w.begin() + 18, wrong.w.begin() + 18);
  CHECK(right.evaluated().explain(tensor_of(DType::float32, wrong.shape(), wrong.output())) ==
        "kernel's input and output channels exchanged");
}

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

}  // namespace

TEST_CASE("float32 kernels are recognised by order, bias and fused operations", "[explain][mistakes]") {
  const Transposed t = of_reals();
  const Evaluated node = t.evaluated();
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

namespace {

/// The nearest number with `bits` bits of significand, ties to even; of normal ones.
double cut(double x, int bits) {
  int exponent = 0;
  const double significand = std::ldexp(std::frexp(x, &exponent), bits);
  return std::ldexp(std::nearbyint(significand), exponent - bits);
}

}  // namespace

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
  const auto names = [](const Evaluated& node, const Dims& shape, const std::vector<double>& y) {
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
  const Evaluated roots("Sqrt", {}, {{"X", tensor_of(DType::float32, {6}, x)}});
  CHECK(roots.explain(of_each([&](double v) { return root(in_bfloat(v)); })) == "inputs rounded to bfloat16");
  CHECK(roots.explain(of_each([&](double v) { return root(cut(v, 11)); })) == "inputs rounded to TF32");
  CHECK(roots.explain(of_each([&](double v) { return in_half(root(v)); })) == "result rounded to float16");
  CHECK(roots.explain(of_each([&](double v) { return in_bfloat(root(in_bfloat(v))); })) ==
        "inputs and result rounded to bfloat16");
  // x / (1 + |x|), both operations rounded.
  const Evaluated soft("Softsign", {}, {{"input", tensor_of(DType::float32, {6}, x)}});
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
  const Evaluated matrices("MatMul", {},
                           {{"A", tensor_of(DType::float32, {4, 6}, a)}, {"B", tensor_of(DType::float32, {6, 4}, b)}});
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
  const Evaluated half = t.evaluated(DType::float16);
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
  const Evaluated wide = t.evaluated(DType::float64);
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

namespace {

/// Σ x·w as the transposed convolution of one element per channel.
Evaluated dot(DType dtype, const std::vector<double>& x, const std::vector<double>& w) {
  const auto channels = static_cast<std::int64_t>(x.size() / 2);
  return Evaluated("ConvTranspose", {},
                   {{"X", tensor_of(dtype, {2, channels, 1}, x)}, {"W", tensor_of(dtype, {channels, 1, 1}, w)}});
}
std::string explained(const Evaluated& node, const std::vector<double>& y) {
  return node.explain(tensor_of(node.result().dtype(), node.result().shape(), y));
}

}  // namespace

TEST_CASE("roundings of the result are recognised", "[explain][mistakes]") {
  // 1 + 2^-11 + 2^-26: 1 + 2^-10 in float16, but 1 through float32; 1 + 2^-10 + 2^-11 + 2^-26 is 1 + 2^-9 both ways.
  const std::vector<double> w{1, 0x1p-11, 0x1p-13};
  const Evaluated ties = dot(DType::float16, {1, 1, 0x1p-13, 1 + 0x1p-10, 1, 0x1p-13}, w);
  CHECK(explained(ties, {1 + 0x1p-10, 1 + 0x1p-9}).empty());
  CHECK(explained(ties, {1, 1 + 0x1p-9}) == "double rounding through float32");
  CHECK(explained(ties, {1, 1 + 0x1p-10}) == "truncated instead of rounded");
  // A tie: 1 + 2^-11 goes to 1, away from zero to 1 + 2^-10.
  const Evaluated tie = dot(DType::float16, {1, 1, -1, -1}, {1, 0x1p-11});
  CHECK(explained(tie, {1, -1}).empty());
  CHECK(explained(tie, {1 + 0x1p-10, -1 - 0x1p-10}) == "ties rounded away from zero");
  // bfloat16 by cutting a float32 accumulator in half: -1 - 2^-7 - 2^-8 - 2^-24 … is cut to -1 - 2^-7.
  const Evaluated cut = dot(DType::bfloat16, {1, 1.5, -1, -1.5}, {1, 0x1p-7});
  CHECK(explained(cut, {1 + 0x1p-7, -1 - 0x1p-7}) == "truncated instead of rounded");
  // Subnormal: 2^-20 in float16 is one; 2^-7·2^-10 is too. An input 2^-16 flushed loses 2^-6 of the second sum.
  const Evaluated small = dot(DType::float16, {0x1p-7, 0, 0x1p-7, 0x1p-16}, {0x1p-13, 1024});
  CHECK(explained(small, {0, 0x1p-6}) == "subnormal results flushed to zero");
  CHECK(explained(small, {0x1p-20, 0x1p-20}) == "subnormal inputs flushed to zero");
  CHECK(explained(small, {0, 0}) == "subnormal numbers flushed to zero");
  // NaN.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Evaluated bad = dot(DType::float32, {1, nan, 3, 4}, {10, 1});
  CHECK(explained(bad, {nan, 34}).empty());
  CHECK(explained(bad, {10, 34}) == "NaN dropped");
}

TEST_CASE("mistakes of norms are recognised", "[explain][mistakes]") {
  const auto pool = [](std::int64_t p, const std::vector<double>& x, DType dtype = DType::float32) {
    return Evaluated("LpPool",
                     {{"kernel_shape", AttributeValue::of(Int64s{2})},
                      {"pads", AttributeValue::of(Int64s{1, 0})},
                      {"p", AttributeValue::of(p)}},
                     {{"X", tensor_of(dtype, {1, 1, static_cast<std::int64_t>(x.size())}, x)}});
  };
  // Windows [3], [3,-4], [-4,0].
  const Evaluated two = pool(2, {3, -4, 0});
  CHECK(explained(two, {3, 5, 4}).empty());
  CHECK(explained(two, {9, 25, 16}) == "without the root");
  // Squares of 1e30 overflow in float32: infinities alone do not show that a root is missing.
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(explained(pool(2, {1e30, 1e30, 1e30}), {inf, inf, inf}) == "float32 accumulation in order");
  CHECK(explained(two, {3, std::sqrt(12.5), std::sqrt(8.0)}) == "divided by the window's number of elements");
  CHECK(explained(two, {std::sqrt(4.5), std::sqrt(12.5), std::sqrt(8.0)}) == "divided by the kernel's size");
  // No absolute values at an odd power: 27 + (-64) < 0 has no root.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(explained(pool(3, {3, -4, 8}), {3, nan, 7.651724815368652}) == "without absolute values");
  CHECK(explained(pool(1, {3, -4, 8}), {3, -1, 4}) == "without absolute values");
  CHECK(explained(pool(1, {3, -4, 8}), {3, 5, std::sqrt(80.0)}) == "p ignored");

  // Squares and their sum rounded to float32, then the root.
  std::mt19937 random(9);
  std::vector<double> x(60);
  for (double& element : x) element = std::ldexp(static_cast<double>(random() % 16777216), -20);
  const auto y = [&](const auto& square_sum) {
    std::vector<double> result;
    for (size_t i = 0; i < x.size(); ++i)
      result.push_back(std::sqrt(square_sum(i == 0 ? 0.0F : static_cast<float>(x[i - 1]), static_cast<float>(x[i]))));
    return result;
  };
  CHECK(explained(pool(2, x), y([](float a, float b) {
                    const float first = a * a, second = b * b;
                    return first + second;
                  })) == "float32 accumulation in order");
  CHECK(explained(pool(2, x), y([](float a, float b) { return std::fma(b, b, a * a); })) ==
        "float32 accumulation in order with FMA");
}

// Python 3.11: decimal of 50 digits, rounded to float32 or float64 after each operation.
TEST_CASE("the arithmetic of cubes and their roots is recognised", "[explain][mistakes]") {
  const auto pool = [](DType dtype, const std::vector<double>& x) {
    return Evaluated("LpPool",
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

TEST_CASE("mistakes of unpooling are recognised", "[explain][mistakes]") {
  const std::vector<double> x{2, 4, 7, 9};
  const auto unpool = [&](const std::vector<double>& indices) {
    return Evaluated(
        "MaxUnpool", {{"kernel_shape", AttributeValue::of(Int64s{2})}, {"strides", AttributeValue::of(Int64s{2})}},
        {{"X", tensor_of(DType::float32, {1, 2, 2}, x)}, {"I", tensor_of(DType::int64, {1, 2, 2}, indices)}});
  };
  CHECK(explained(unpool({0, 5, 4, 7}), {2, 0, 0, 0, 7, 4, 0, 9}).empty());
  CHECK(explained(unpool({0, 5, 4, 7}), {2, 4, 0, 0, 7, 0, 0, 9}) == "indices counted within each plane");
  CHECK(explained(unpool({1, 1, 6, 6}), {0, 4, 0, 0, 0, 0, 9, 0}).empty());
  CHECK(explained(unpool({1, 1, 6, 6}), {0, 2, 0, 0, 0, 0, 7, 0}) == "the first of several writes wins");
}

TEST_CASE("mistakes of OpenVINO's operators are recognised", "[explain][mistakes]") {
  const auto deconvolve = [](DType dtype, const std::vector<double>& x, const std::vector<double>& w) {
    return Evaluated("ConvolutionBackpropData",
                     {{"strides", AttributeValue::of(Int64s{2})},
                      {"pads_begin", AttributeValue::of(Int64s{1})},
                      {"pads_end", AttributeValue::of(Int64s{0})}},
                     {{"data", tensor_of(dtype, {1, 1, 2}, x)}, {"kernel", tensor_of(dtype, {1, 1, 3}, w)}}, 1,
                     "openvino");
  };
  // Full: [1, 10, 102, 20, 200].
  const Evaluated node = deconvolve(DType::float32, {1, 2}, {1, 10, 100});
  CHECK(explained(node, {10, 102, 20, 200}).empty());
  CHECK(explained(node, {1, 10, 102, 20}) == "pads swapped");
  CHECK(explained(node, {10, 201, 20, 2}) == "kernel flipped");
  // 2^24 + 1 in float32 is 2^24; 2^31 is clamped.
  const Evaluated integers = deconvolve(DType::int32, {16777217, 1073741824}, {2, 1, 0});
  CHECK(explained(integers, {16777217, -2147483648.0, 1073741824, 0}).empty());
  CHECK(explained(integers, {16777216, 2147483647, 1073741824, 0}) == "integers added as float32");
}

TEST_CASE("integers in floating point: in any order, and step by step", "[explain][mistakes]") {
  std::vector<double> x;
  std::mt19937_64 random(5);
  for (int i = 0; i < 40; ++i) x.push_back(std::ldexp(nearly(static_cast<std::int64_t>(random() >> 11)), i % 6));
  const auto reduced = [&](const std::string& op_type) {
    return Evaluated(op_type, {{"keepdims", AttributeValue::of(std::int64_t{0})}},
                     {{"data", tensor_of(DType::int64, {40}, x)}}, 13);
  };
  double sum = 0;  // in steps of seven places
  for (size_t i = 0; i < x.size(); ++i) sum += x[i * 7 % x.size()];
  const auto explained = [](const Evaluated& node, std::int64_t y) {
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
  const Evaluated shrink("Shrink", {{"bias", AttributeValue::of(1.5F)}, {"lambd", AttributeValue::of(2.25F)}},
                         {{"input", tensor_of(DType::int32, {40}, whole_ones)}}, 9);
  CHECK(shrink.explain(tensor_of(DType::int32, {40}, stepped)) == "integers and each step rounded to float32");
}

TEST_CASE("the other side's odd pad, and a reading with a rounding kernel", "[explain][mistakes]") {
  const auto node = [](const std::vector<double>& w, std::int64_t opset) {
    return Evaluated("ConvTranspose",
                     {{"strides", AttributeValue::of(Int64s{2})}, {"output_shape", AttributeValue::of(Int64s{6})}},
                     {{"X", tensor_of(DType::float32, {1, 1, 3}, {1, 2, 3})},
                      {"W", tensor_of(DType::float32, {1, 1, static_cast<std::int64_t>(w.size())}, w)}},
                     opset);
  };
  // Full: [1, 10, 102, 20, 203, 30, 300].
  CHECK(explained(node({1, 10, 100}, 11), {10, 102, 20, 203, 30, 300}).empty());
  CHECK(explained(node({1, 10, 100}, 11), {1, 10, 102, 20, 203, 30}) == "odd pad on the other side");
  // 0.1f + 0.7f·2 rounds twice in float32: the other crop, in that arithmetic.
  const float a = 0.1F, b = 0.3F, c = 0.7F;
  const float p1 = 2 * a, p2 = 1 * c, p3 = 3 * a, p4 = 2 * c;
  const std::string found = explained(node({a, b, c}, 11), {a, b, p1 + p2, 2 * b, p3 + p4, 3 * b});
  CHECK(found == "reading conv_transpose.split=rule-1, float32 accumulation");
}

TEST_CASE("nothing is split without pads: the odd pad is not in play", "[explain][mistakes]") {
  // By hand: [1, 10, 102, 20, 200] in full; SAME_LOWER of it, 4 elements, leaves out the last.
  const Evaluated node(
      "ConvTranspose", {{"strides", AttributeValue::of(Int64s{2})}},
      {{"X", tensor_of(DType::float32, {1, 1, 2}, {1, 2})}, {"W", tensor_of(DType::float32, {1, 1, 3}, {1, 10, 100})}});
  CHECK(explained(node, {1, 10, 102, 20, 200}).empty());
  const std::vector<Mistake> known = known_mistakes(node.call());
  const auto odd = std::ranges::find(known, "odd pad on the other side", &Mistake::name);
  REQUIRE(odd != known.end());
  CHECK_FALSE(in_play(*odd, node.call()));
}

TEST_CASE("all that fit equally are listed; mistakes fit by the rule if nothing fits to the bit",
          "[explain][mistakes]") {
  const auto names = [](const Explanation& explanation) {
    std::vector<std::string> list;
    for (const Cause& cause : explanation.causes) list.push_back(cause.name);
    return list;
  };
  // A window as large as the kernel: 86 is 258 / 3 by either count.
  const Evaluated pool("LpPool",
                       {{"kernel_shape", AttributeValue::of(Int64s{3})}, {"p", AttributeValue::of(std::int64_t{1})}},
                       {{"X", tensor_of(DType::float32, {1, 1, 3}, {256, 1, 1})}});
  CHECK(names(pool.all(tensor_of(DType::float32, {1, 1, 1}, {86}))) ==
        std::vector<std::string>{"mistake divided by the window's number of elements",
                                 "mistake divided by the kernel's size"});
  CHECK(pool.all(tensor_of(DType::float32, {1, 1, 1}, {86})).causes[0].kind == Cause::Kind::mistake);
  CHECK(pool.all(tensor_of(DType::float32, {1, 1, 1}, {256})).causes[0].kind == Cause::Kind::arithmetic);
  const Explanation nothing = pool.all(tensor_of(DType::float32, {1, 1, 1}, {77}));
  CHECK((nothing.causes.empty() && nothing.complete));
  // Kernel flipped, and 1 % off.
  const Evaluated conv(
      "ConvTranspose", {},
      {{"X", tensor_of(DType::float32, {1, 1, 1}, {1})}, {"W", tensor_of(DType::float32, {1, 1, 3}, {1, 10, 100})}});
  const Tensor off = tensor_of(DType::float32, {1, 1, 3}, {101, 10.1, 1.01});
  const Tolerance two_percent{.rule = Tolerance::Rule::relative, .rtol = 0.02, .atol = 0};
  CHECK(names(conv.all(off)).empty());
  const Explanation by_rule = conv.all(off, {two_percent});
  CHECK(names(by_rule) == std::vector<std::string>{"mistake kernel flipped"});
  CHECK(by_rule.within == "rtol 0.02, atol 0");
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
  const Evaluated softmax("Softmax", {}, {{"input", tensor_of(DType::float32, {1, 3}, {1, 2, 3})}});
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
  const Explanation other = Evaluated("Softmax", {}, six, 11).all(moved(Evaluated("Softmax", {}, six, 13).result(), 2));
  REQUIRE(other.causes.size() == 1);
  CHECK(other.causes[0].name == "mistake computed as Softmax-13; float32 arithmetic");
  CHECK(other.causes[0].meaning == "the node as another version of the operator computes it");
  CHECK(other.within == "within 2 ULP of that value");
  const Explanation by_bound =
      Evaluated("Softmax", {}, six, 11)
          .all(moved(Evaluated("Softmax", {}, six, 13).result(), 3), {{.rule = Tolerance::Rule::bound}});
  CHECK(by_bound.causes == other.causes);
  const Evaluated sum("Add", {},
                      {{"A", tensor_of(DType::float32, {3}, {1, 2, 3})}, {"B", tensor_of(DType::float32, {3}, {1})}});
  CHECK(sum.all(moved(sum.result(), 3)).causes.empty());
}

TEST_CASE("each step rounded, truncated results and errors that are small beside the greatest value alone",
          "[explain][mistakes]") {
  std::vector<double> x;
  for (int i = 0; i < 40; ++i) x.push_back(-3.9 + 0.2 * i);
  const Evaluated tanh("Tanh", {}, {{"input", tensor_of(DType::float32, {40}, x)}});
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
  const Evaluated near_zero("Tanh", {}, {{"input", tensor_of(DType::float32, {40}, x)}});
  std::vector<double> y;
  for (size_t i = 0; i < 40; ++i)
    y.push_back(near_zero.result().values<float>()[i] + (i % 2 == 0 ? 0x1p-24F : -0x1p-23F));
  const Explanation absolute = near_zero.all(tensor_of(DType::float32, {40}, y));
  REQUIRE(absolute.causes.size() == 1);
  CHECK(absolute.causes[0].name == "a float32 function of absolute accuracy");
  CHECK(absolute.within == "within 2 ULP of the greatest value");
  CHECK(!absolute.doubt.empty());
  // Nothing is small beside zeros.
  const Evaluated zeros("Tanh", {}, {{"input", tensor_of(DType::float32, {4}, {0, 0, 0, 0})}});
  CHECK(zeros.all(tensor_of(DType::float32, {4}, {3.4749827, 1.25, -0.7, 2.2356167})).causes.empty());
}

TEST_CASE("float32 numbers are cut to the upper half of their bits", "[explain][mistakes]") {
  const auto cut = [](double v) {
    return double{std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(v)) & 0xffff0000)};
  };
  std::vector<double> x, results, products;
  for (int i = 0; i < 40; ++i) x.push_back(0.7 + 0.0371 * i);
  const Evaluated product("Mul", {},
                          {{"A", tensor_of(DType::float32, {40}, x)}, {"B", tensor_of(DType::float32, {1}, {1.3})}});
  for (std::size_t i = 0; i < 40; ++i) {
    results.push_back(cut(product.result().values<float>()[i]));
    products.push_back(static_cast<float>(cut(x[i]) * cut(1.3)));
  }
  CHECK(product.explain(tensor_of(DType::float32, {40}, results)) == "result truncated to bfloat16");
  CHECK(product.explain(tensor_of(DType::float32, {40}, products)) == "inputs truncated to bfloat16");
}

TEST_CASE("a cause that some element disproves, or that no element tells of, is none", "[explain][mistakes]") {
  // Results beyond float16's range are infinite, but 1.1752012 is no float16.
  const Evaluated sinh("Sinh", {}, {{"input", tensor_of(DType::float32, {3}, {12.5, -13, 1})}});
  const double infinity = std::numeric_limits<double>::infinity();
  const Tolerance rule{.rule = Tolerance::Rule::relative, .rtol = 1e-3, .atol = 1e-7};
  const Tensor y = tensor_of(DType::float32, {3}, {infinity, -infinity, 1.1752012});
  for (const Cause& cause : sinh.all(y, {rule}).causes) CHECK(cause.name.find("float16") == std::string::npos);

  const Evaluated slice("Slice", {},
                        {{"data", tensor_of(DType::float32, {3}, {1, 2, 3})},
                         {"starts", tensor_of(DType::int64, {1}, {1})},
                         {"ends", tensor_of(DType::int64, {1}, {3})}});
  CHECK(slice.all(tensor_of(DType::float32, {0}, {})).causes.empty());
}

TEST_CASE("a mistake with sums in another order, and one that a cancelling element does not fit",
          "[explain][mistakes]") {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  constexpr std::int64_t n = 16;
  std::vector<double> a, b;
  for (std::int64_t i = 0; i < n * n; ++i) a.push_back(normal(random)), b.push_back(normal(random));
  const Evaluated product("MatMul", {},
                          {{"A", tensor_of(DType::float32, {n, n}, a)}, {"B", tensor_of(DType::float32, {n, n}, b)}});
  // B transposed, in four sums that are added in the end.
  std::vector<double> y;
  for (std::int64_t i = 0; i < n * n; ++i) {
    float sums[4] = {};
    for (std::int64_t k = 0; k < n; ++k)
      sums[k % 4] += static_cast<float>(a[static_cast<size_t>(i / n * n + k)]) *
                     static_cast<float>(b[static_cast<size_t>(i % n * n + k)]);
    y.push_back((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }
  const Explanation orders = product.all(tensor_of(DType::float32, {n, n}, y));
  REQUIRE(orders.causes.size() == 1);
  CHECK(orders.causes[0].name == "mistake B transposed; float32 accumulation in any order");
  CHECK(orders.causes[0].kind == Cause::Kind::mistake);
  // Beyond that bound, and one of the 256 elements beyond the rule too.
  for (double& element : y) element *= 1 + 1e-4;
  y[5] += 0.01;
  const Tolerance rule{.rule = Tolerance::Rule::relative, .rtol = 1e-3, .atol = 1e-7};
  const Explanation left = product.all(tensor_of(DType::float32, {n, n}, y), {rule});
  REQUIRE(left.causes.size() == 1);
  CHECK(left.causes[0].name == "mistake B transposed");
  CHECK(left.within == "rtol 0.001, atol 1e-07; 1 of 256 elements left");
}

TEST_CASE("sums in float16, in an order that is not tried, alone and with a mistake", "[explain][mistakes]") {
  std::mt19937 random(13);
  std::normal_distribution<float> normal;
  constexpr std::int64_t n = 16;
  std::vector<double> a, b;
  for (std::int64_t i = 0; i < n * n; ++i) a.push_back(normal(random)), b.push_back(normal(random));
  const Evaluated product("MatMul", {},
                          {{"A", tensor_of(DType::float32, {n, n}, a)}, {"B", tensor_of(DType::float32, {n, n}, b)}});
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
        Evaluated(op_type, kernel, {{"X", X}}).all(tensor_of(DType::float32, {1, 1, 10}, y), {rule});
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
  const Evaluated node("Exp", {}, {{"input", tensor_of(DType::float32, {40}, x)}});
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
  const Evaluated sigmoid("Sigmoid", {}, {{"X", tensor_of(DType::float32, {40}, far)}});
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
  const Evaluated node("LayerNormalization", {},
                       {{"X", tensor_of(DType::float32, shape, x)},
                        {"Scale", tensor_of(DType::float32, {n}, std::vector<double>(n, 1))}});
  const Tolerance rule{.rule = Tolerance::Rule::relative, .rtol = 1e-3, .atol = 1e-7};
  const Explanation found = node.all(tensor_of(DType::float32, shape, y), {rule});
  REQUIRE(found.causes.size() == 1);
  CHECK(found.causes[0].name == "mistake variance as E[x^2] - E[x]^2 in float32");
  CHECK(found.within == "its errors but for a factor of each row");
}

TEST_CASE("a mistake in steps of float16", "[explain][mistakes]") {
  // max(0, min(1, alpha·x + beta)) with alpha 0.2, which is the default.
  const auto half = [](double v) { return widen(nearest<Half>(v)); };
  std::vector<double> x, y;
  for (int i = 0; i < 40; ++i) x.push_back(half(-2.4 + 0.119 * i));
  const Evaluated node("HardSigmoid", {{"alpha", AttributeValue::of(0.3F)}},
                       {{"X", tensor_of(DType::float16, {40}, x)}});
  const double alpha = 0.2F, beta = 0.5;
  for (const double v : x) y.push_back(std::min(1.0, half(half(alpha * v) + beta)));
  CHECK(node.explain(tensor_of(DType::float16, {40}, y)) == "alpha ignored; each step rounded to float16");
}

TEST_CASE("two changes together, and one that gives a part", "[explain][mistakes]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x{5, 1, nan, 3, 9, 2, 7, 4, 6, 8, nan, 1, 3, 2};
  const Evaluated node("MaxPool",
                       {{"kernel_shape", AttributeValue::of(Int64s{2})}, {"pads", AttributeValue::of(Int64s{1, 0})}},
                       {{"X", tensor_of(DType::float32, {1, 1, 14}, x)}});
  // Pads at the end instead of the begin, and NaN passed over: the larger of x[i] and x[i + 1].
  std::vector<double> y;
  for (size_t i = 0; i < x.size(); ++i) y.push_back(std::fmax(x[i], i + 1 < x.size() ? x[i + 1] : nan));
  CHECK(explained(node, y) == "pads swapped, mistake NaN passed over");

  // Pads swapped alone, but for a number that nothing gives; then but for a NaN that nothing gives.
  for (size_t i = 0; i + 1 < x.size(); ++i) y[i] = std::isnan(x[i]) || std::isnan(x[i + 1]) ? nan : y[i];
  const auto part = [&](double other) {
    y[5] = other;
    const Explanation found = node.all(tensor_of(DType::float32, {1, 1, 14}, y));
    CHECK(found.doubt ==
          (std::isnan(other) || found.causes.empty() ? "" : "weak evidence: it does not give the others"));
    return found.causes.size() != 1 ? "" : format("{} ({})", found.causes[0].name, found.within);
  };
  CHECK(part(77) == "mistake pads swapped for a part (7 of 8 differing elements; 1 left)");
  CHECK(part(nan) == "mistake pads swapped for all that is no NaN (7 of 8 differing elements; 1 left by NaN)");
  y[1] = y[3] = 77;
  CHECK(part(77).empty());  // 5 of 8 may be luck
  // Where NaN alone make the difference: of six, five are passed over.
  const std::vector<double> mostly{nan, 1, nan, 3, nan, 2, 7, 4};
  const Evaluated nans("MaxPool", {{"kernel_shape", AttributeValue::of(Int64s{2})}},
                       {{"X", tensor_of(DType::float32, {1, 1, 8}, mostly)}});
  CHECK(explained(nans, {1, 1, 3, 3, 2, 7, 7}) == "NaN passed over");
  CHECK(explained(nans, {1, 1, 3, 3, nan, 7, 7}).empty());
}

TEST_CASE("what a few elements show is weighed", "[explain][mistakes]") {
  // 256 + 1 + 1 is 256 in bfloat16, and by other rules.
  const auto sum = [](const std::vector<double>& x, const Dims& shape) {
    return Evaluated("ReduceSum", {{"axes", AttributeValue::of(Int64s{1})}},
                     {{"data", tensor_of(DType::float32, shape, x)}}, 11);
  };
  const Explanation one = sum({256, 1, 1}, {1, 3}).all(tensor_of(DType::float32, {1, 1}, {256}));
  REQUIRE(!one.causes.empty());
  CHECK(one.causes[0].name == "bfloat16 accumulation");
  CHECK(one.doubt.starts_with("weak evidence: 1 in "));
  // numpy adds five at a time in float32 and their sums in float16. Inputs rounded to bfloat16, added in float32 and
  // truncated are the same by luck, and three changes at once.
  const Evaluated half(
      "ReduceSum", {{"axes", AttributeValue::of(Int64s{1})}},
      {{"data", tensor_of(DType::float16, {2, 15},
                          {-0x1p-24, -0.35913, -0.10846, -1.4883,  0.1626,   0.37085, 0.91064, -0.047119,
                           -0.98291, -0.62109, -1.4141,  0.42334,  0.44629,  2.2969,  1.1562,  //
                           1.5557,   0.046478, 0.95215,  -0.46143, -0.8252,  0.72021, 1.4531,  -1.2959,
                           -0.67383, -1.6885,  0.39014,  -65504,   -0.56689, 0.25562, 0.50049})}},
      11);
  CHECK(half.result().values<Half>()[0].bits == 0x39f7);
  CHECK(explained(half, {0.74658203125, -65504}).empty());
  // Of eight sums there is no doubt, and their order shows.
  std::vector<double> x, y;
  std::mt19937 random(4);
  for (size_t i = 0; i < 8; ++i) {
    float all = 0;
    for (size_t k = 0; k < 8; ++k) {
      x.push_back(std::ldexp(static_cast<double>(random() % 16777216), -20));
      all += static_cast<float>(x.back());
    }
    y.push_back(all);
  }
  const Explanation eight = sum(x, {8, 8}).all(tensor_of(DType::float32, {8, 1}, y));
  REQUIRE(!eight.causes.empty());
  CHECK(eight.causes[0].name == "float32 accumulation in order");
  CHECK((eight.within.empty() && eight.doubt.empty()));
}

TEST_CASE("a cause within a tolerance carries its doubt, and an output of one value says one thing",
          "[explain][mistakes]") {
  // max(0, min(1, alpha·X + beta)), beta 0.5 by default.
  const auto hard = [](const std::vector<double>& x) {
    return Evaluated("HardSigmoid", {{"alpha", AttributeValue::of(0.2F)}, {"beta", AttributeValue::of(1.3F)}},
                     {{"X", tensor_of(DType::float32, {static_cast<std::int64_t>(x.size())}, x)}});
  };
  const std::vector<Tolerance> rules{{.rule = Tolerance::Rule::relative, .rtol = 1e-3, .atol = 0}};
  const auto near = [&](const std::vector<double>& x) {
    std::vector<double> y;
    for (const double number : x) y.push_back((0.2 * number + 0.5) * 1.0001);
    const Explanation found = hard(x).all(tensor_of(DType::float32, {static_cast<std::int64_t>(x.size())}, y), rules);
    REQUIRE(!found.causes.empty());
    CHECK(found.causes[0].name == "mistake beta ignored");
    CHECK(found.within == "rtol 0.001, atol 0");
    return found.doubt;
  };
  CHECK(near({-2}).starts_with("weak evidence: "));
  CHECK(near({-2, -1.75, -1.5, -1.25, -1, -0.5, 0.25, 0.5}).empty());
  const Explanation zeros = hard({-3, -4, -5, -6}).all(tensor_of(DType::float32, {4}, {0, 0, 0, 0}));
  REQUIRE(!zeros.causes.empty());
  CHECK(zeros.causes[0].name == "mistake beta ignored");
  CHECK(zeros.doubt.starts_with("weak evidence: "));
}

TEST_CASE("steps that overflow in the output's own type, or in float32, are believed before mistakes",
          "[explain][mistakes]") {
  // The variance overflows, so that each element is B.
  const double b = -1.0269013800658642;
  const Evaluated node("InstanceNormalization", {{"epsilon", AttributeValue::of(0.5F)}},
                       {{"input", tensor_of(DType::float64, {1, 1, 4}, {1.797e308, 0.8, -0.3, 0.7})},
                        {"scale", tensor_of(DType::float64, {1}, {1.022})},
                        {"B", tensor_of(DType::float64, {1}, {b})}});
  CHECK(explained(node, {b, b, b, b}) == "each step rounded to float64");
  const double single = static_cast<float>(b);
  CHECK(explained(node, {single, single, single, single}) ==
        "float64 carried as float32, each step rounded to float32");
}

TEST_CASE("several operators that fit are weak evidence; a version that gives nothing is not named",
          "[explain][mistakes]") {
  // A row with one number that is not 0: its sum, its greatest element and its norms.
  std::vector<double> x, y;
  for (const double number : {2, 3, 5, 7, 11, 13, 17, 19}) {
    x.insert(x.end(), {0, number, 0});
    y.push_back(number);
  }
  const Evaluated product("ReduceProd", {{"axes", AttributeValue::of(Int64s{1})}},
                          {{"data", tensor_of(DType::float32, {8, 3}, x)}}, 11);
  const Explanation several = product.all(tensor_of(DType::float32, {8, 1}, y));
  CHECK(several.causes.size() > 1);
  CHECK(several.doubt.find(" operators give these elements") != std::string::npos);

  // Padding counted is a mistake of the versions that have count_include_pad; the means are the same in all.
  std::vector<double> means;
  for (const double number : y) means.insert(means.end(), {number / 2, number / 2});
  const Evaluated pool("AveragePool",
                       {{"kernel_shape", AttributeValue::of(Int64s{2})}, {"pads", AttributeValue::of(Int64s{1, 1})}},
                       {{"X", tensor_of(DType::float32, {1, 8, 1}, y)}}, 1);
  CHECK(pool.explain(tensor_of(DType::float32, {1, 8, 2}, means)) == "padding counted");
}

TEST_CASE("the greatest number says one thing, however often; infinite differences are explained first",
          "[explain][mistakes]") {
  std::vector<double> large(8, 3e38), ten(8, 10), greatest(8, std::numeric_limits<float>::max());
  large[0] = 1;  // else the output is one value throughout
  greatest[0] = 10;
  const Evaluated product("Mul", {},
                          {{"A", tensor_of(DType::float32, {8}, large)}, {"B", tensor_of(DType::float32, {8}, ten)}});
  CHECK(product.all(tensor_of(DType::float32, {8}, greatest)).doubt.starts_with("weak evidence"));

  // The logarithm of e^-200, which is 0 in float32; the other elements are some ULP off.
  const Evaluated softmax("LogSoftmax", {}, {{"input", tensor_of(DType::float32, {1, 4}, {0, -200, -3, -5})}}, 13);
  std::vector<double> y;
  for (const float right : softmax.result().values<float>()) y.push_back(right * 1.00001F);
  y[1] = -std::numeric_limits<double>::infinity();
  const std::vector<Tolerance> rules{{.rule = Tolerance::Rule::relative, .rtol = 1e-3, .atol = 1e-7}};
  const Explanation found = softmax.all(tensor_of(DType::float32, {1, 4}, y), rules);
  REQUIRE(!found.causes.empty());
  CHECK(found.causes[0].name == "mistake the logarithm of a rounded Softmax");
}

TEST_CASE("of results of one sign no mistake of the sign is named", "[explain][mistakes]") {
  const auto product = [](const std::vector<double>& b, const std::vector<double>& y) {
    const Evaluated node("Mul", {},
                         {{"A", tensor_of(DType::float32, {3}, {1, 2, 3})}, {"B", tensor_of(DType::float32, {3}, b)}});
    return explained(node, y);
  };
  CHECK(product({-5, 7, -11}, {5, -14, 33}) == "the sign of results changed");
  CHECK(product({-5, -7, -11}, {5, 14, 33}).find("sign") == std::string::npos);
}

TEST_CASE("equal saturated elements say one thing", "[explain][mistakes]") {
  const auto sum = [](const std::vector<double>& x) {
    return Evaluated("ReduceSum", {{"axes", AttributeValue::of(Int64s{1})}},
                     {{"data", tensor_of(DType::int64, {4, 2}, x)}}, 11);
  };
  // Sums beyond 32 bits, which a backend carries in 32 bits: -2^31 four times, as of any such sums.
  const double top = 0x7fffffff;
  const Tensor least = tensor_of(DType::int64, {4, 1}, std::vector<double>(4, -0x1p31));
  const Explanation two = sum({top, 1e9, top, 7e8, 1.5e9, 1.2e9, top, top}).all(least);
  REQUIRE(!two.causes.empty());
  CHECK(two.causes[0].name == "integers added as float32, carried as int32, -2^31 for too large sums");
  CHECK(two.doubt.starts_with("weak evidence: "));
  // Of squares beyond 32 bits, where the sums are within: another operator and that arithmetic are three changes.
  CHECK(sum({65536, 3, 70001, 5, 80002, 7, 90003, 11}).all(least).causes.empty());
}

TEST_CASE("integers that a backend computes as another type", "[explain][mistakes]") {
  const auto binary = [](const std::string& op_type, DType dtype, const std::vector<double>& a,
                         const std::vector<double>& b, double (*each)(double, double)) {
    const Dims shape{std::ssize(a)};
    std::vector<double> y;
    for (size_t i = 0; i < a.size(); ++i) y.push_back(each(a[i], b[i]));
    return Evaluated(op_type, {}, {{"A", tensor_of(dtype, shape, a)}, {"B", tensor_of(dtype, shape, b)}})
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
  const Evaluated division("Div", {},
                           {{"A", tensor_of(DType::float64, {5}, {1, -2, 3, 0.1, 5})},
                            {"B", tensor_of(DType::float64, {5}, {0, 0, 7, 3, 1e-60})}});
  CHECK(explained(division, {kGreatest, -kGreatest, quotient(3, 7), quotient(0.1, 3), kGreatest}) ==
        "float64 carried as float32, its greatest number for Inf");
  // with a mistake: NaN taken for a number less than min
  const Evaluated clip("Clip", {},
                       {{"input", tensor_of(DType::float64, {4}, {NAN, 0.1, 0.7, -0.3})},
                        {"min", tensor_of(DType::float64, {}, {-0.2})}});
  CHECK(explained(clip, {static_cast<float>(-0.2), static_cast<float>(0.1), static_cast<float>(0.7),
                         static_cast<float>(-0.2)}) == "NaN passed over; float64 carried as float32");
  // no numbers of float32
  CHECK(explained(division, {kGreatest, -kGreatest, 3.0 / 7, 0.1 / 3, kGreatest}).empty());
}

TEST_CASE("an axis that is left at its default may be taken as another one, in float32 arithmetic too",
          "[explain][mistakes]") {
  const std::vector<double> x{1, 2, 4, 0, 3, -1, 2, -2, 1, 1, 0.5, 3};
  const Evaluated softmax("LogSoftmax", {}, {{"input", tensor_of(DType::float32, {2, 2, 3}, x)}});
  std::vector<double> y(12);
  for (size_t page = 0; page < 2; ++page)
    for (size_t k = 0; k < 3; ++k) {
      const size_t upper = page * 6 + k, lower = upper + 3;
      const double sum = std::exp(x[upper]) + std::exp(x[lower]);
      for (const size_t at : {upper, lower}) y[at] = (x[at] - std::log(sum)) * (at % 2 == 0 ? 1.0001 : 0.9999);
    }
  const Explanation found = softmax.all(tensor_of(DType::float32, {2, 2, 3}, y),
                                        {{.rule = Tolerance::Rule::relative, .rtol = 1e-3, .atol = 1e-7}});
  REQUIRE(found.causes.size() == 1);
  CHECK(found.causes[0].name == "mistake axis taken as 1");
  CHECK(found.within == "rtol 0.001, atol 1e-07");
}

TEST_CASE("the first of a list of strings or complex numbers taken for all", "[explain][mistakes]") {
  const Tensor indices = tensor_of(DType::int64, {2}, {0, 1}), depth = tensor_of(DType::int64, {1}, {2});
  const auto explained = [&](const Tensor& values, const Tensor& off_everywhere) {
    return Evaluated("OneHot", {}, {{"indices", indices}, {"depth", depth}, {"values", values}})
        .explain(off_everywhere);
  };
  CHECK(explained(Tensor({2}, {"off", "on"}), Tensor({2, 2}, {"off", "off", "off", "off"})) ==
        "the first of values taken for all");
  TensorBuilder values({DType::complex128, {2}}), everywhere({DType::complex128, {2, 2}});
  values.values<std::complex<double>>()[0] = {1, -2};
  values.values<std::complex<double>>()[1] = {3, 0.5};
  for (size_t i = 0; i < 4; ++i) everywhere.values<std::complex<double>>()[i] = {1, -2};
  CHECK(explained(std::move(values).finish(), std::move(everywhere).finish()) == "the first of values taken for all");
}

TEST_CASE("a mistake and a reading together are named where they fit within the rules", "[explain][mistakes]") {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  std::vector<double> x(24), y(24);
  std::ranges::generate(x, [&] { return normal(random); });
  x[2] = HUGE_VAL;
  // Along axis 1 alone, as version 13 has it; with an infinity NaN, else with errors that no arithmetic makes.
  for (size_t n = 0; n < 2; ++n)
    for (size_t k = 0; k < 4; ++k) {
      double sum = 0;
      for (size_t c = 0; c < 3; ++c) sum += std::exp(x[(n * 3 + c) * 4 + k]);
      for (size_t c = 0; c < 3; ++c) {
        const size_t at = (n * 3 + c) * 4 + k;
        y[at] = std::isinf(sum) ? NAN : std::exp(x[at]) / sum * (1 + 1e-5 * static_cast<double>(at % 5 + 1));
      }
    }
  const Evaluated node("Softmax", {{"axis", AttributeValue::of(std::int64_t{1})}},
                       {{"input", tensor_of(DType::float32, {2, 3, 4}, x)}}, 11);
  const Tolerance rule{.rule = Tolerance::Rule::relative, .rtol = 1e-3, .atol = 1e-7};
  const Explanation found = node.all(tensor_of(DType::float32, {2, 3, 4}, y), {rule});
  REQUIRE_FALSE(found.causes.empty());
  CHECK(found.causes[0].name == "reading softmax.plus_infinity=nan_row, mistake computed as Softmax-13");
  CHECK(found.within == "rtol 0.001, atol 1e-07");
  CHECK(found.doubt.empty());
}

TEST_CASE("the catalogue: left out first, then the operator's own, then reversed lists; only what is in play",
          "[explain][mistakes]") {
  const auto names = [](const std::vector<Mistake>& mistakes) {
    std::vector<std::string> list;
    for (const Mistake& mistake : mistakes) list.push_back(mistake.name);
    return list;
  };
  Graph graph;
  Node node{"MaxUnpool", "", "", {{"strides", AttributeValue::of(Int64s{1, 1})}}, {"X", "I", "S"}, {"Y"}};
  node.attributes.push_back({"kernel_shape", AttributeValue::of(Int64s{2, 3})});
  const std::vector<Input> inputs = {{"X", {DType::float32, {1, 1, 1, 1}}},
                                     {"I", {DType::int64, {1, 1, 1, 1}}},
                                     {"S", {DType::int64, {4}}, tensor_of(DType::int64, {4}, {1, 1, 2, 3})}};
  const Call call = resolve(get_operator("", "MaxUnpool").at(11), node, inputs, {});
  const std::vector<Mistake> known = known_mistakes(call);
  CHECK(names(known) == std::vector<std::string>{
                            "kernel_shape ignored", "strides ignored", "output_shape ignored", "pads read axis by axis",
                            "indices counted within each plane", "the first of several writes wins",
                            "kernel_shape in reverse order of axes", "strides in reverse order of axes"});
  CHECK_THROWS_WITH(in_play(known[0], call), "attribute 'kernel_shape' is missing; MaxUnpool-11 requires it");
  CHECK(in_play(known[1], call));  // it has no default that is a value
  CHECK_FALSE(in_play(known[2], call)->has("output_shape"));
  CHECK_FALSE(in_play(known[3], call));  // there are no pads
  CHECK(in_play(known[6], call)->integers("kernel_shape") == Int64s{3, 2});
  CHECK_FALSE(in_play(known[7], call));  // reversed they are the same
}

}  // namespace mistakes_test
