// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <algorithm>

#include "models/models_testing.h"

namespace comparison_test {

using namespace opref::models;

namespace {

bool says(const std::vector<std::string>& sentences, std::string_view part) {
  return std::ranges::any_of(sentences, [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

const std::string kImage = "float[1,2,6,6] x";

/// Conv, BatchNormalization, Relu; a second branch; both added.
std::string block(const std::string& epsilon, const std::string& relu = "Relu", const std::string& prefix = "") {
  const auto n = [&](const char* name) { return prefix + name; };
  const std::string constants = "float[3,2,3,3] w = " + numbers_text(54, 1) + ", float[3] s = " + numbers_text(3, 2) +
                                ", float[3] b = " + numbers_text(3, 3) + ", float[3] m = " + numbers_text(3, 4) +
                                ", float[3] v = {0.002, 0.5, 1}, float[3,2,1,1] k = " + numbers_text(6, 5);
  return graph_text(kImage, "float[1,3,6,6] y", constants,
                    n("c") + " = Conv <pads = [1,1,1,1]> (x, w) " + n("n") + " = BatchNormalization <epsilon = " +
                        epsilon + "> (" + n("c") + ", s, b, m, v) " + n("r") + " = " + relu + " (" + n("n") + ") " +
                        n("d") + " = Conv (x, k) y = Add (" + n("r") + ", " + n("d") + ")");
}

}  // namespace

TEST_CASE("a model agrees with itself, whatever its tensors are called", "[models]") {
  for (const std::string prefix : {"", "other_"}) {
    const Compared both(block("1e-5", "Relu", prefix), block("1e-5"));
    CHECK(both.found.arithmetic == Arithmetic::same);
    CHECK(both.differing() == 0);
    CHECK(both.found.count(Agreement::equal) == 5);
    CHECK(both.found.unpaired.empty());
    CHECK(both.paired(prefix + "n") == "n");
    CHECK(both.found.outputs.front().passes);
  }
}

TEST_CASE("an epsilon that differs is told at its node, with the mistake that comes closest", "[models]") {
  const Compared both(block("0.001", "Relu", "other_"), block("1e-5"));
  CHECK(both.first() == "n");
  CHECK(both.differing() == 1);
  CHECK(says(both.sentences(), "epsilon 0.001"));
  CHECK(both.found.closest == "BatchNormalization 'n': mistake epsilon taken as 0.001");
  CHECK_FALSE(both.found.outputs.front().passes);
}

TEST_CASE("an operator that differs is told", "[models]") {
  const Compared both(block("1e-5", "LeakyRelu"), block("1e-5"));
  CHECK(both.first() == "r");
  CHECK(says(both.sentences(), "LeakyRelu, not Relu"));
}

TEST_CASE("versions and attributes that only one domain has are no difference", "[models]") {
  const Compared both(graph_text("float[8] x", "float[8] y", "", "y = com.microsoft.Gelu (x)"),
                      graph_text("float[8] x", "float[8] y", "", "y = Gelu <approximate = \"tanh\"> (x)", 20));
  CHECK(both.first() == "y");
  CHECK_FALSE(says(both.sentences(), "by the rules of version"));
  CHECK_FALSE(says(both.sentences(), "approximate"));
}

TEST_CASE("a weight that differs is told, with how many elements do", "[models]") {
  const auto model = [](const std::string& weights) {
    return graph_text("float[2,3] x", "float[2,4] y", "float[3,4] w = " + weights, "h = MatMul (x, w) y = Sigmoid (h)");
  };
  std::string weights = numbers_text(12, 9), changed = weights;
  const size_t comma = changed.find(',');
  changed.replace(1, comma - 1, "0.77");
  const Compared both(model(changed), model(weights));
  CHECK(both.first() == "h");
  CHECK(says(both.sentences(), "input 1 (w): 1 of 12 elements differ"));
}

TEST_CASE("inputs in another order, and another tensor read, are told", "[models]") {
  const auto model = [](const std::string& last) {
    return graph_text("float[8] x", "float[8] y", "", "a = Tanh (x) b = Exp (x) y = " + last);
  };
  const Compared swapped(model("Sub (b, a)"), model("Sub (a, b)"));
  CHECK(swapped.first() == "y");
  CHECK(says(swapped.sentences(), "inputs in another order"));
  const Compared other(model("Sub (a, a)"), model("Sub (a, b)"));
  CHECK(other.first() == "y");
  CHECK(says(other.sentences(), "reads a, a, not a, b"));
}

TEST_CASE("a folded BatchNormalization is one region within rounding", "[models]") {
  // y = (x·w)·s + b with s, b of BatchNormalization: the folded weights are rounded.
  const std::string image = "float[1,1,4,4] x", end = "float[1,1,4,4] y";
  const Compared both(
      graph_text(image, end, "float[1,1,1,1] w = {0.57735026}, float[1] b = {-0.19245009}",
                 "f = Conv (x, w, b) y = Relu (f)"),
      graph_text(image, end,
                 "float[1,1,1,1] w = {1}, float[1] s = {1}, float[1] b = {0}, float[1] m = {0.33333334}, "
                 "float[1] v = {2.99999}",
                 "c = Conv (x, w) n = BatchNormalization <epsilon = 1e-5> (c, s, b, m, v) y = Relu (n)"));
  CHECK(both.paired("f") == "n");
  CHECK(both.differing() == 0);
  CHECK(both.found.count(Agreement::rounding) == 1);
}

TEST_CASE("a tensor is found in another order of axes", "[models]") {
  const std::string in = "float[1,2,3,4] x", out = "float[1,2,3,4] y";
  const Compared both(graph_text(in, out, "",
                                 "t = Transpose <perm = [0,2,3,1]> (x) u = Exp (t) v = Sqrt (u) "
                                 "y = Transpose <perm = [0,3,1,2]> (v)"),
                      graph_text(in, out, "", "e = Exp (x) y = Sqrt (e)"));
  CHECK(both.paired("u") == "e");
  CHECK_FALSE(both.pairing->layout(both.fresh_model->find_entity("u")).is_flat());
  CHECK(both.differing() == 0);
}

TEST_CASE("names that lie are not believed", "[models]") {
  const auto model = [](const std::string& a, const std::string& b) {
    return graph_text("float[64] x", "float[64] y", "",
                      a + " = Sin (x) " + b + " = Exp (x) y = Mul (" + a + ", " + b + ")");
  };
  const Compared both(model("b", "a"), model("a", "b"));
  CHECK(both.paired("b") == "a");
  CHECK(both.differing() == 0);
}

TEST_CASE("k equal branches are paired in order", "[models]") {
  const auto model = [](const std::string& p) {
    return graph_text(
        "float[4] x", "float[4] y", "",
        p + "a = Relu (x) " + p + "b = Relu (x) " + p + "c = Relu (x) y = Sum (" + p + "a, " + p + "b, " + p + "c)");
  };
  const Compared both(model("n"), model("r"));
  CHECK(both.differing() == 0);
  CHECK(both.found.unpaired.empty());
}

TEST_CASE("what is computed in another way with the same result is rewritten, not wrong", "[models]") {
  // (m - x)² for (x - m)²
  const auto model = [](const std::string& difference) {
    return graph_text("float[2,16] x", "float[2,16] y", "int64[1] axes = {1}",
                      "m = ReduceMean (x, axes) d = " + difference + " q = Mul (d, d) y = Sqrt (q)");
  };
  const Compared both(model("Sub (m, x)"), model("Sub (x, m)"));
  CHECK(both.differing() == 0);
  CHECK(both.found.rewritten.size() == 1);
  CHECK(both.found.outputs.front().passes);
}

TEST_CASE("a fault before a saturated function is one, though nothing shows behind it here", "[models]") {
  const auto model = [](const std::string& alpha) {
    return graph_text("float[1,4] x", "float[1,4] y", "float big = {30}",
                      "l = LeakyRelu <alpha = " + alpha + "> (x) b = Mul (l, big) y = Softmax (b)");
  };
  const Compared both(model("0.2"), model("0.1"), {"x=[[-1,2,-3,9]]:float32"});
  CHECK(both.found.outputs.front().state == JudgedOutput::State::equal);
  CHECK(both.first() == "l");
}

TEST_CASE("the error of a region counts once: behind it NEW goes on from the right value", "[models]") {
  const auto model = [](const std::string& first) {
    return graph_text("float[16] x", "float[16] y", "float two = {2}",
                      "a = " + first + " (x) b = Mul (a, two) c = Tanh (b) y = Exp (c)");
  };
  const Compared both(model("Sin"), model("Cos"));
  CHECK(both.first() == "a");
  CHECK(both.differing() == 1);
  CHECK(both.found.count(Agreement::equal) == 3);
}

TEST_CASE("swapped models give the same pairs where all regions agree", "[models]") {
  const Compared both(block("1e-5", "Relu", "other_"), block("1e-5")),
      back(block("1e-5"), block("1e-5", "Relu", "other_"));
  for (const std::string name : {"c", "n", "r", "d"}) {
    CHECK(both.paired("other_" + name) == name);
    CHECK(back.paired(name) == "other_" + name);
  }
}

TEST_CASE("any number of threads, and a small memory, give the same figures", "[models]") {
  const Compared one(block("0.001"), block("1e-5")), many(block("0.001"), block("1e-5"), {}, {}, 4),
      little(block("0.001"), block("1e-5"), {}, {}, 1, 8000);
  for (const Compared* other : {&many, &little}) {
    REQUIRE(other->found.pairs.size() == one.found.pairs.size());
    for (size_t k = 0; k < one.found.pairs.size(); ++k) {
      CHECK(other->found.pairs[k].figures.error_squares == one.found.pairs[k].figures.error_squares);
      CHECK(other->found.pairs[k].ratio == one.found.pairs[k].ratio);
    }
  }
}

TEST_CASE("a chain of 2,000 nodes needs no more memory than one of 4", "[models]") {
  const auto chain = [](int nodes) {
    std::string text;
    for (int k = 0; k < nodes; ++k)
      text += format("{} = Neg ({}) ", k + 1 == nodes ? "y" : format("t{}", k), k == 0 ? "x" : format("t{}", k - 1));
    return graph_text("float[64] x", "float[64] y", "", text);
  };
  constexpr std::int64_t kBytes = 64 * sizeof(float);
  const std::string short_one = chain(4), long_one = chain(2000);
  CHECK_THROWS_AS(Compared(short_one, short_one, {}, {}, 1, 4 * kBytes), Error);
  CHECK(Compared(short_one, short_one, {}, {}, 1, 8 * kBytes).found.count(Agreement::equal) == 4);
  CHECK(Compared(long_one, long_one, {}, {}, 1, 8 * kBytes).found.count(Agreement::equal) == 2000);
}

TEST_CASE("outputs that are missing, extra, or of another type fail", "[models]") {
  using State = JudgedOutput::State;
  const std::string one = graph_text("float[4] x", "float[4] y", "", "y = Exp (x)"),
                    two = graph_text("float[4] x", "float[4] y, float[4] z", "", "y = Exp (x) z = Sin (x)"),
                    wide = graph_text("float[4] x", "float[2,2] y", "int64[2] s = {2,2}",
                                      "e = Exp (x) y = Reshape (e, s)");
  CHECK(Compared(one, two).found.outputs[1].state == State::missing);
  CHECK(Compared(two, one).found.outputs[1].state == State::extra);
  const Compared other(wide, one);
  CHECK(other.found.outputs[0].state == State::other_type);
  CHECK_FALSE(other.found.outputs[0].passes);
  CHECK(other.differing() == 0);
}

TEST_CASE("outputs on several inputs are judged by the sums of their figures", "[models]") {
  const std::string fresh = "y = Relu (x)", reference = "y = LeakyRelu (x)";
  ComparisonOptions options;
  options.min_sqnr = 47;
  const Compared good(fresh, reference, {"x=[3,4]:float32"}, options),
      bad(fresh, reference, {"x=[-2,1]:float32"}, options);
  CHECK(good.found.outputs[0].passes);
  CHECK_FALSE(bad.found.outputs[0].passes);
  // 3² + 4² + 1² over 0.02²: 48.1 dB.
  for (const auto& [first, second] : {std::pair(&good, &bad), std::pair(&bad, &good)}) {
    ModelComparison both = first->found;
    add_outputs(both, second->found, options);
    CHECK(both.outputs[0].figures.count == 4);
    CHECK(both.outputs[0].figures.sqnr() == Approx(48.129).margin(0.01));
    CHECK(both.outputs[0].passes);
    CHECK(both.outputs[0].state == JudgedOutput::State::differs);
  }
  ComparisonOptions by_rounding, by_rule = options;
  by_rule.rule = Tolerance{};
  for (const ComparisonOptions& other : {by_rounding, by_rule}) {
    ModelComparison both = Compared(fresh, reference, {"x=[3,4]:float32"}, other).found;
    add_outputs(both, Compared(fresh, reference, {"x=[-2,1]:float32"}, other).found, other);
    CHECK_FALSE(both.outputs[0].passes);
  }
}

namespace {

/// Two layers, each quantised to 8 bits with this scale.
std::string quantized(const std::string& first_scale, const std::string& second_scale) {
  return graph_text("float[4,8] x", "float[4,8] y",
                    "float[8,8] w = " + numbers_text(64, 11, 0.5) + ", float[8,8] v = " + numbers_text(64, 12, 0.5) +
                        ", float s = {" + first_scale + "}, float t = {" + second_scale + "}, int8 z = {0}",
                    "a = MatMul (x, w) q = QuantizeLinear (a, s, z) b = DequantizeLinear (q, s, z) "
                    "c = MatMul (b, v) p = QuantizeLinear (c, t, z) y = DequantizeLinear (p, t, z)");
}

std::string plain() {
  return graph_text("float[4,8] x", "float[4,8] y",
                    "float[8,8] w = " + numbers_text(64, 11, 0.5) + ", float[8,8] v = " + numbers_text(64, 12, 0.5),
                    "a = MatMul (x, w) y = MatMul (a, v)");
}

}  // namespace

TEST_CASE("a quantised model is judged by the SQNR of its outputs; shares add up on a linear model", "[models]") {
  const Compared good(quantized("0.03", "0.03"), plain());
  CHECK(good.found.arithmetic == Arithmetic::quantized);
  CHECK(good.found.outputs[0].passes);
  CHECK(good.found.outputs[0].figures.sqnr() > 30);
  REQUIRE(good.found.together.has_value());
  CHECK(*good.found.together == Approx(1).margin(0.15));
  const Compared reversed(plain(), quantized("0.03", "0.03"));
  CHECK(reversed.found.is_reversed);
}

TEST_CASE("a result alone has the error of what it reads as that is stored, its share has not", "[models]") {
  // The first layer is stored in steps of 1.5, the second one exactly: only what it reads is wrong.
  const Compared both(
      graph_text("float[4,8] x", "float[4,8] y",
                 "float[8,8] w = " + numbers_text(64, 11, 0.5) + ", float[8,8] v = " + numbers_text(64, 12, 0.5) +
                     ", float s = {1.5}, float t = {0.001}, int8 z = {0}, "
                     "int16 o = {0}",
                 "a = MatMul (x, w) q = QuantizeLinear (a, s, z) b = DequantizeLinear (q, s, z) "
                 "c = MatMul (b, v) p = QuantizeLinear (c, t, o) y = DequantizeLinear (p, t, o)",
                 21),
      plain());
  const auto of = [&](const std::string& name) {
    return *std::ranges::find_if(both.found.pairs, [&](const JudgedPair& judged) {
      return both.reference_model->entities()[judged.pair.reference].name == name;
    });
  };
  CHECK(*of("a").share == Approx(1).margin(0.05));
  CHECK(*of("y").share < 0.01);
  CHECK(*of("y").alone == Approx(*of("a").alone).margin(0.5));
  CHECK(*of("a").alone < 20);
}

TEST_CASE("the one scale that is spoilt comes first", "[models]") {
  const Compared first(quantized("1.5", "0.03"), plain()), second(quantized("0.03", "1.5"), plain());
  const auto worst = [](const Compared& both) {
    const opref::models::Pair& pair = both.found.pairs[both.found.ranked.front()].pair;
    return both.reference_model->entities()[pair.reference].name;
  };
  CHECK(worst(first) == "a");
  CHECK(worst(second) == "y");
  CHECK(*first.found.pairs[first.found.ranked.front()].share > 0.9);
}

TEST_CASE("half precision is recognised, and judged by 30 dB", "[models]") {
  const Compared both(
      graph_text("float[64] x", "float[64] y", "", "h = Cast <to = 10> (x) e = Tanh (h) y = Cast <to = 1> (e)"),
      graph_text("float[64] x", "float[64] y", "", "y = Tanh (x)"));
  CHECK(both.found.arithmetic == Arithmetic::half);
  CHECK(both.found.least_sqnr == 30.0);
  CHECK(both.found.outputs[0].passes);
  CHECK(both.found.outputs[0].figures.sqnr() > 50);
}

TEST_CASE("an operator that is not known ends a region, and all before it is judged", "[models]") {
  const auto model = [](const std::string& first) {
    return graph_text("float[4] x", "float[4] y, float[4] e", "",
                      "e = " + first + " (x) y = com.microsoft.Nonesuch (e)");
  };
  const Compared both(model("Exp"), model("Exp"));
  CHECK(both.fresh_model->unknown().has_value());
  CHECK(both.paired("e") == "e");
  CHECK(both.differing() == 0);
  CHECK(Compared(model("Sin"), model("Exp")).first() == "e");
}

TEST_CASE("shapes that tools fold cost nothing: what depends on them alone is a constant", "[models]") {
  const Compared both(
      graph_text("float[2,3,4] x", "float[2,12] y", "int64[2] s = {2,12}", "e = Exp (x) y = Reshape (e, s)"),
      graph_text("float[2,3,4] x", "float[2,12] y", "int64 zero = {0}, int64[1] minus = {-1}, int64[1] axis = {0}",
                 "e = Exp (x) d = Shape (e) n = Gather (d, zero) u = Unsqueeze (n, axis) "
                 "s = Concat <axis = 0> (u, minus) y = Reshape (e, s)"));
  CHECK(both.differing() == 0);
  CHECK(both.found.pairs.size() == 2);
  CHECK(both.reference_model->entities().size() == 3);
}

}  // namespace comparison_test
