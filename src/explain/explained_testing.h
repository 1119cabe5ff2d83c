// SPDX-License-Identifier: Apache-2.0
// A node whose other outputs are explained, and kernels of a transposed convolution to make them.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "exact/rounding.h"
#include "explain/mistakes.h"
#include "ops/operators.h"

namespace opref::explain::testing {

using Int64s = std::vector<std::int64_t>;
using Attributes = std::vector<std::pair<std::string, AttributeValue>>;

inline Tensor tensor_of(DType dtype, const Dims& shape, const std::vector<double>& values) {
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
class EvaluatedNode {
 public:
  EvaluatedNode(const std::string& op_type, const Attributes& attributes,
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

/// What explains an output of these numbers.
inline std::string explained(const EvaluatedNode& node, const std::vector<double>& y) {
  return node.explain(tensor_of(node.result().dtype(), node.result().shape(), y));
}

/// Two float32 matrices of n·n random numbers, and their product.
struct RandomProduct {
  static constexpr std::int64_t n = 16;
  std::vector<double> a, b;
  EvaluatedNode node;
};
inline RandomProduct random_product(unsigned seed) {
  constexpr std::int64_t n = RandomProduct::n;
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<double> a, b;
  for (std::int64_t i = 0; i < n * n; ++i) a.push_back(normal(random)), b.push_back(normal(random));
  EvaluatedNode node("MatMul", {},
                     {{"A", tensor_of(DType::float32, {n, n}, a)}, {"B", tensor_of(DType::float32, {n, n}, b)}});
  return {std::move(a), std::move(b), std::move(node)};
}

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
  EvaluatedNode evaluated(DType dtype = DType::float32, std::int64_t opset = 22) const {
    const auto list = [](const std::array<std::int64_t, 2>& a) { return AttributeValue::of(Int64s{a[0], a[1]}); };
    return EvaluatedNode("ConvTranspose",
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

inline Transposed of_integers() {
  Transposed t;
  std::mt19937 random(3);
  t.fill([&] { return static_cast<double>(random() % 19) - 9; });
  return t;
}
inline Transposed of_reals(std::int64_t channels = 5) {
  Transposed t;
  t.groups = 1;
  t.Cg = channels;
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  t.fill([&] { return normal(random); });
  return t;
}

}  // namespace opref::explain::testing
