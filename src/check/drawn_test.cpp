// SPDX-License-Identifier: Apache-2.0
// Outputs of operators that draw: right ones pass, and each kind of wrong ones is told.
#include "check/drawn.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "run/load_case.h"

namespace drawn_test {

using namespace opref::check;
using Catch::Contains;
using opref::core::format;

namespace {

constexpr std::int64_t kCount = 4096;

/// A node whose outputs somebody gives.
class DrawingNode {
 public:
  DrawingNode(const std::string& op, const std::vector<std::string>& attributes,
              const std::vector<std::string>& inputs = {})
      : ready_{bind_case(read_case(op), inputs, {.attributes = attributes, .nodes = {}, .opset = {}})} {}

  CaseReport operator()(const std::vector<GivenValue>& given) const {
    REQUIRE(draws(ready_));
    return check_drawn(ready_, given, {.rule = {}, .ignore_dtype = false, .judged = ToleranceChoice::Judged::backend});
  }
  bool takes(const std::string& output, const Tensor& tensor) const {
    const CaseReport report = (*this)({{output, tensor}});
    INFO(report.reason);
    CHECK((report.verdict == Verdict::pass) == (report.reason == kCheckedNotComputed));
    return report.verdict == Verdict::pass;
  }

 private:
  ReadyCase ready_;
};

template <class T>
Tensor made(DType dtype, const std::function<T(std::int64_t)>& element, std::int64_t count = kCount) {
  std::vector<T> elements;
  for (std::int64_t i = 0; i < count; ++i) elements.push_back(element(i));
  return Tensor::of<T>(dtype, {count}, elements);
}

std::string list(const std::function<std::string(std::int64_t)>& element) {
  std::string text;
  for (std::int64_t i = 0; i < kCount; ++i) text += (i == 0 ? "[" : ",") + element(i);
  return text + "]:float32";
}

const std::string kShape = format("shape={}", kCount);

}  // namespace

TEST_CASE("numbers of a uniform distribution are checked, not computed", "[check][RandomUniform]") {
  const DrawingNode node("RandomUniform", {kShape, "low=-1", "high=3"});
  std::mt19937_64 random(1);
  std::uniform_real_distribution<float> any(-1, 3);
  const auto numbers = [&](const std::function<float(float, std::int64_t)>& change) {
    return made<float>(DType::float32, [&](std::int64_t i) { return change(any(random), i); });
  };
  for (int k = 0; k < 20; ++k) CHECK(node.takes("output", numbers([](float x, std::int64_t) { return x; })));
  CHECK_FALSE(node.takes("output", made<double>(DType::float64, [&](std::int64_t) { return any(random); })));
  CHECK_FALSE(node.takes("output", made<float>(
                                       DType::float32, [&](std::int64_t) { return any(random); }, 100)));
  for (const float out : {3.0F, -1.0001F, NAN, INFINITY})
    CHECK_FALSE(node.takes("output", numbers([&](float x, std::int64_t i) { return i == 7 ? out : x; })));
  CHECK(node.takes("output", numbers([&](float x, std::int64_t i) { return i == 7 ? -1 : x; })));
  CHECK_FALSE(node.takes("output", numbers([](float, std::int64_t) { return 1; })));
  CHECK_FALSE(node.takes("output", numbers([](float x, std::int64_t) { return x * 0.9F + 0.3F; })));  // 1 + 0.2
  CHECK_FALSE(node.takes("output", numbers([](float x, std::int64_t) { return (x - 1) * 0.8F + 1; })));
  CHECK_FALSE(DrawingNode("RandomUniform", {"shape=4"})
                  .takes("output", made<float>(
                                       DType::float32, [](std::int64_t) { return 0.25F; }, 4)));
}

TEST_CASE("numbers of a normal distribution are checked, not computed", "[check][RandomNormal]") {
  const DrawingNode node("RandomNormal", {kShape, "mean=5", "scale=2"});
  std::mt19937_64 random(1);
  std::normal_distribution<float> any(5, 2);
  const auto numbers = [&](const std::function<float(float, std::int64_t)>& change) {
    return made<float>(DType::float32, [&](std::int64_t i) { return change(any(random), i); });
  };
  for (int k = 0; k < 20; ++k) CHECK(node.takes("output", numbers([](float x, std::int64_t) { return x; })));
  for (const float out : {25.0F, -15.0F, NAN, INFINITY})
    CHECK_FALSE(node.takes("output", numbers([&](float x, std::int64_t i) { return i == 7 ? out : x; })));
  CHECK_FALSE(node.takes("output", numbers([](float, std::int64_t) { return 5; })));
  CHECK_FALSE(node.takes("output", numbers([](float x, std::int64_t) { return x + 0.5F; })));
  CHECK_FALSE(node.takes("output", numbers([](float x, std::int64_t) { return (x - 5) / 2 + 5; })));
}

TEST_CASE("what Bernoulli draws is checked, not computed", "[check][Bernoulli]") {
  const auto chance = [](std::int64_t i) { return static_cast<double>(i % 8) / 8; };
  const DrawingNode node("Bernoulli", {"dtype=int32"},
                         {"input=" + list([&](std::int64_t i) { return format("{}", chance(i)); })});
  std::mt19937_64 random(1);
  const auto bits = [&](const std::function<double(double)>& p) {
    return made<std::int32_t>(
        DType::int32, [&](std::int64_t i) { return std::bernoulli_distribution(p(chance(i)))(random) ? 1 : 0; });
  };
  for (int k = 0; k < 20; ++k) CHECK(node.takes("output", bits([](double p) { return p; })));
  CHECK_FALSE(node.takes("output", bits([](double p) { return p * 0.8; })));
  CHECK_FALSE(node.takes("output", bits([](double p) { return p == 0 ? 0 : 7.0 / 8 + 1.0 / 8 - p; })));  // exchanged
  CHECK_FALSE(node.takes("output", bits([](double) { return 0; })));
  // ONNX's function of 2026 compares a uniform number the wrong way round; here no chance is 0.
  const DrawingNode likely("Bernoulli", {"dtype=int32"},
                           {"input=" + list([&](std::int64_t i) { return format("{}", chance(i) / 2 + 0.25); })});
  const auto exchanged = bits([](double p) { return 0.75 - p / 2; });
  CHECK_THAT(likely({{"output", exchanged}}).reason, Contains("has ones where 1 - input is their probability"));
  CHECK_FALSE(node.takes("output", made<std::int32_t>(DType::int32, [](std::int64_t i) { return i == 1 ? 2 : 0; })));
  CHECK_FALSE(node.takes("output", made<std::int32_t>(DType::int32, [](std::int64_t i) { return i == 0 ? 1 : 0; })));
}

TEST_CASE("classes that Multinomial draws are checked, not computed", "[check][Multinomial]") {
  const DrawingNode node("Multinomial", {format("sample_size={}", kCount)}, {"input=[[0,0.6931472,-Inf]]:float32"});
  std::mt19937_64 random(1);
  const auto classes = [&](const std::vector<double>& weights) {
    std::discrete_distribution<int> any(weights.begin(), weights.end());
    const Tensor drawn = made<std::int32_t>(DType::int32, [&](std::int64_t) { return any(random); });
    return drawn.reshaped({1, kCount});
  };
  for (int k = 0; k < 20; ++k) CHECK(node.takes("output", classes({1, 2, 0})));
  CHECK_FALSE(node.takes("output", classes({2, 1, 0})));
  CHECK_FALSE(node.takes("output", classes({1, 0, 0})));
  CHECK_FALSE(node.takes("output", classes({100, 200, 1})));     // a class that has no chance
  CHECK_FALSE(node.takes("output", classes({100, 200, 0, 1})));  // no class
}

TEST_CASE("classes that OpenVINO's Multinomial draws are checked, not computed", "[check][Multinomial]") {
  std::mt19937_64 random(1);
  const auto node = [](bool again, bool logarithms, const std::string& probs, std::int64_t samples) {
    return DrawingNode(
        "openvino.Multinomial",
        {"convert_type=i64", format("with_replacement={}", again ? 1 : 0), format("log_probs={}", logarithms ? 1 : 0)},
        {"probs=" + probs, format("num_samples={}:int64", samples)});
  };
  const auto repeated = [](const std::string& row) {
    std::string text = "[";
    for (std::int64_t i = 0; i < kCount; ++i) text += (i == 0 ? "" : ",") + row;
    return text + "]:float32";
  };
  const auto again = [&](const std::vector<double>& weights) {
    std::discrete_distribution<int> any(weights.begin(), weights.end());
    return made<std::int64_t>(DType::int64, [&](std::int64_t) { return any(random); }).reshaped({1, kCount});
  };
  const DrawingNode plain = node(true, false, "[[0.5,1,0]]:float32", kCount);
  const DrawingNode logarithms = node(true, true, "[[0.5,1,0]]:float32", kCount);
  for (int k = 0; k < 20; ++k) {
    CHECK(plain.takes("output", again({1, 2, 0})));
    CHECK(logarithms.takes("output", again({std::exp(0.5), std::exp(1.0), 1})));
  }
  CHECK_FALSE(plain.takes("output", again({2, 1, 0})));
  CHECK_FALSE(plain.takes("output", again({100, 200, 1})));
  CHECK_FALSE(plain.takes("output", again({100, 200, 0, 1})));
  CHECK_FALSE(logarithms.takes("output", again({1, 2, 0})));
  // Weights that are no probabilities: only the classes' numbers are known.
  CHECK(node(true, false, "[[-1,1,0]]:float32", kCount).takes("output", again({2, 1, 1})));

  // Two of three classes, in each row once: drawn one after the other by what is left.
  const DrawingNode once = node(false, false, repeated("[1,2,5]"), 2);
  const auto pairs = [&](const std::vector<double>& first, const std::vector<double>& second) {
    std::vector<std::int64_t> classes;
    for (std::int64_t i = 0; i < kCount; ++i) {
      const int c = std::discrete_distribution<int>(first.begin(), first.end())(random);
      std::vector<double> rest = second;
      rest[static_cast<size_t>(c)] = 0;
      classes.push_back(c);
      classes.push_back(std::discrete_distribution<int>(rest.begin(), rest.end())(random));
    }
    return Tensor::of<std::int64_t>(DType::int64, {kCount, 2}, classes);
  };
  for (int k = 0; k < 20; ++k) CHECK(once.takes("output", pairs({1, 2, 5}, {1, 2, 5})));
  CHECK_FALSE(once.takes("output", pairs({1, 1, 1}, {1, 2, 5})));
  CHECK_FALSE(once.takes("output", pairs({1, 2, 5}, {2, 1, 5})));
  CHECK_FALSE(once.takes("output", again({1, 2, 5}).reshaped({kCount / 2, 2})));
  const DrawingNode one = node(false, false, "[[1,2,5,0]]:float32", 3);
  CHECK(one.takes("output", Tensor::of<std::int64_t>(DType::int64, {1, 3}, std::vector<std::int64_t>{2, 0, 1})));
  CHECK_FALSE(one.takes("output", Tensor::of<std::int64_t>(DType::int64, {1, 3}, std::vector<std::int64_t>{2, 0, 2})));
  CHECK_FALSE(one.takes("output", Tensor::of<std::int64_t>(DType::int64, {1, 3}, std::vector<std::int64_t>{2, 0, 3})));
  // Where no class with a chance is left, any other one may come.
  CHECK(node(false, false, "[[1,0,0]]:float32", 3)
            .takes("output", Tensor::of<std::int64_t>(DType::int64, {1, 3}, std::vector<std::int64_t>{0, 2, 1})));
  CHECK_FALSE(node(false, false, "[[1,0,0]]:float32", 3)
                  .takes("output", Tensor::of<std::int64_t>(DType::int64, {1, 3}, std::vector<std::int64_t>{0, 1, 1})));
}

TEST_CASE("what Dropout drops in training is checked, not computed", "[check][Dropout]") {
  const auto data = [](std::int64_t i) { return static_cast<float>(i % 5) - 1.0F; };
  const DrawingNode node("Dropout", {},
                         {"data=" + list([&](std::int64_t i) { return format("{}", data(i)); }), "ratio=0.25:float32",
                          "training_mode=true:bool"});
  std::mt19937_64 random(1);
  const auto report = [&](double kept, float factor, bool inverted, bool has_mask) {
    std::vector<std::uint8_t> mask;
    std::vector<float> output;
    for (std::int64_t i = 0; i < kCount; ++i) {
      const bool keeps = std::bernoulli_distribution(kept)(random);
      mask.push_back(keeps != inverted ? 1 : 0);
      output.push_back(keeps ? data(i) * factor : 0);
    }
    std::vector<GivenValue> given{{"output", Tensor::of<float>(DType::float32, {kCount}, output)}};
    if (has_mask) given.push_back({"mask", Tensor::of<std::uint8_t>(DType::boolean, {kCount}, mask)});
    return node(given);
  };
  constexpr float kFactor = 1 / 0.75F;
  for (const bool has_mask : {false, true}) {
    for (int k = 0; k < 20; ++k) CHECK(report(0.75, kFactor, false, has_mask).verdict == Verdict::pass);
    CHECK(report(0.65, kFactor, false, has_mask).verdict == Verdict::fail);
    CHECK(report(1, kFactor, false, has_mask).verdict == Verdict::fail);
    CHECK(report(0.75, 1, false, has_mask).verdict == Verdict::fail);
  }
  CHECK(report(0.75, kFactor, true, true).verdict == Verdict::fail);
}

TEST_CASE("of a dropped Inf or NaN, Dropout may make 0 or NaN", "[check][Dropout]") {
  const DrawingNode node("Dropout", {}, {"data=[Inf,NaN,1,Inf]:float32", "training_mode=true:bool"});
  const auto verdict = [&](const std::vector<float>& output, const std::vector<std::uint8_t>& mask) {
    std::vector<GivenValue> given{{"output", Tensor::of<float>(DType::float32, {4}, output)}};
    if (!mask.empty()) given.push_back({"mask", Tensor::of<std::uint8_t>(DType::boolean, {4}, mask)});
    return node(given).verdict;
  };
  for (const std::vector<std::uint8_t>& mask : {std::vector<std::uint8_t>{0, 0, 1, 1}, {}}) {
    CHECK(verdict({0, 0, 2, INFINITY}, mask) == Verdict::pass);
    CHECK(verdict({NAN, NAN, 2, INFINITY}, mask) == Verdict::pass);
  }
  CHECK(verdict({0, 0, 2, NAN}, {0, 0, 1, 1}) == Verdict::fail);
  CHECK(verdict({0, 0, NAN, INFINITY}, {0, 0, 0, 1}) == Verdict::fail);
  CHECK(verdict({INFINITY, 0, 2, INFINITY}, {0, 0, 1, 1}) == Verdict::fail);
}

TEST_CASE("of numbers that nobody gives, each element is one of two values", "[check]") {
  const std::string text =
      "<ir_version: 8, opset_import: [\"\" : 15]> g (float[4] x) => (float[4] y, float[4] s) {"
      " r = RandomUniformLike (x) c = Less (r, x) y = Cast <to = 1> (c) s = Neg (r) }";
  const ReadyCase ready{bind_case(read_case(text), std::vector<std::string>{"x=[0.5,0.5,0.5,0.5]:float32"})};
  REQUIRE(draws(ready));
  const auto report = [&](const std::string& name, const std::vector<float>& values) {
    return check_drawn(ready, {{name, Tensor::of<float>(DType::float32, {4}, values)}}, {});
  };
  CHECK(report("y", {0, 1, 1, 0}).verdict == Verdict::pass);
  CHECK(report("y", {0, 1, 0.5, 0}).reason == "output 'y' is neither of the two values that [2] may have");
  CHECK_THROWS_AS(report("s", {0, 0, 0, 0}), Error);
  CHECK_FALSE(draws(ReadyCase{bind_case(read_case("Dropout"), std::vector<std::string>{"data=[1,2]:float32"})}));
}

}  // namespace drawn_test
