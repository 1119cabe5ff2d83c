// SPDX-License-Identifier: Apache-2.0
// Each known mistake is recognised from what an independent kernel with that mistake gives.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "explain/explained_testing.h"

namespace mistakes_test {

using namespace opref::explain;
using namespace opref::explain::testing;

TEST_CASE("mistakes of geometry and of the bias are recognised", "[explain][mistakes]") {
  const Transposed right = of_integers();
  const EvaluatedNode node = right.evaluated();
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
  const EvaluatedNode real_node = real.evaluated();
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
  const EvaluatedNode node = right.evaluated();
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

TEST_CASE("mistakes of norms are recognised", "[explain][mistakes]") {
  const auto pool = [](std::int64_t p, const std::vector<double>& x, DType dtype = DType::float32) {
    return EvaluatedNode("LpPool",
                         {{"kernel_shape", AttributeValue::of(Int64s{2})},
                          {"pads", AttributeValue::of(Int64s{1, 0})},
                          {"p", AttributeValue::of(p)}},
                         {{"X", tensor_of(dtype, {1, 1, static_cast<std::int64_t>(x.size())}, x)}});
  };
  // Windows [3], [3,-4], [-4,0].
  const EvaluatedNode two = pool(2, {3, -4, 0});
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

TEST_CASE("mistakes of unpooling are recognised", "[explain][mistakes]") {
  const std::vector<double> x{2, 4, 7, 9};
  const auto unpool = [&](const std::vector<double>& indices) {
    return EvaluatedNode(
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
    return EvaluatedNode("ConvolutionBackpropData",
                         {{"strides", AttributeValue::of(Int64s{2})},
                          {"pads_begin", AttributeValue::of(Int64s{1})},
                          {"pads_end", AttributeValue::of(Int64s{0})}},
                         {{"data", tensor_of(dtype, {1, 1, 2}, x)}, {"kernel", tensor_of(dtype, {1, 1, 3}, w)}}, 1,
                         "openvino");
  };
  // Full: [1, 10, 102, 20, 200].
  const EvaluatedNode node = deconvolve(DType::float32, {1, 2}, {1, 10, 100});
  CHECK(explained(node, {10, 102, 20, 200}).empty());
  CHECK(explained(node, {1, 10, 102, 20}) == "pads swapped");
  CHECK(explained(node, {10, 201, 20, 2}) == "kernel flipped");
  // 2^24 + 1 in float32 is 2^24; 2^31 is clamped.
  const EvaluatedNode integers = deconvolve(DType::int32, {16777217, 1073741824}, {2, 1, 0});
  CHECK(explained(integers, {16777217, -2147483648.0, 1073741824, 0}).empty());
  CHECK(explained(integers, {16777216, 2147483647, 1073741824, 0}) == "integers added as float32");
}

TEST_CASE("the other side's odd pad, and a reading with a rounding kernel", "[explain][mistakes]") {
  const auto node = [](const std::vector<double>& w, std::int64_t opset) {
    return EvaluatedNode("ConvTranspose",
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
  const EvaluatedNode node(
      "ConvTranspose", {{"strides", AttributeValue::of(Int64s{2})}},
      {{"X", tensor_of(DType::float32, {1, 1, 2}, {1, 2})}, {"W", tensor_of(DType::float32, {1, 1, 3}, {1, 10, 100})}});
  CHECK(explained(node, {1, 10, 102, 20, 200}).empty());
  const std::vector<Mistake> known = known_mistakes(node.call());
  const auto odd = std::ranges::find(known, "odd pad on the other side", &Mistake::name);
  REQUIRE(odd != known.end());
  CHECK_FALSE(in_play(*odd, node.call()));
}

TEST_CASE("an axis that is left at its default may be taken as another one, in float32 arithmetic too",
          "[explain][mistakes]") {
  const std::vector<double> x{1, 2, 4, 0, 3, -1, 2, -2, 1, 1, 0.5, 3};
  const EvaluatedNode softmax("LogSoftmax", {}, {{"input", tensor_of(DType::float32, {2, 2, 3}, x)}});
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
    return EvaluatedNode("OneHot", {}, {{"indices", indices}, {"depth", depth}, {"values", values}})
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
