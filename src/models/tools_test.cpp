// SPDX-License-Identifier: Apache-2.0
// What tools make of a model: folded, fused, rescaled and quantised forms are right; what spoils them is found.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>

#include "models/models_testing.h"

namespace tools_test {

using namespace opref::models;

namespace {

/// The numbers of numbers_text.
std::vector<double> numbers(int count, unsigned seed, double size = 1) {
  std::vector<double> list;
  std::string text = numbers_text(count, seed, size);
  for (const char* at = text.c_str(); *at != '}';) {
    char* end = nullptr;
    list.push_back(std::strtof(at + 1, &end));
    at = end;
  }
  return list;
}

std::string listed(const std::vector<double>& values) {
  std::string text = "{";
  for (const double x : values) text += format("{}{}", text.size() == 1 ? "" : ", ", static_cast<float>(x));
  return text + "}";
}

void check_right(const std::string& fresh, const std::string& reference) {
  const Compared both(fresh, reference);
  INFO(fresh);
  for (const std::string& sentence : both.sentences()) UNSCOPED_INFO(sentence);
  CHECK(both.differing() == 0);
  CHECK(both.found.outputs.front().passes);
  CHECK(both.found.pairs.size() >= 2);
}

const std::string kImage = "float[1,1,6,6] x", kMaps = "float[1,3,4,4] y";

/// Conv and BatchNormalization, whose variances lie above a tenth.
std::vector<double> variances(unsigned seed) {
  std::vector<double> v = numbers(3, seed + 40);
  for (double& x : v) x = static_cast<float>(std::abs(x) + 0.1);
  return v;
}

std::string unfolded(unsigned seed) {
  return graph_text(kImage, kMaps,
                    "float[3,1,3,3] w = " + numbers_text(27, seed) + ", float[3] s = " + numbers_text(3, seed + 10) +
                        ", float[3] b = " + numbers_text(3, seed + 20) +
                        ", float[3] m = " + numbers_text(3, seed + 30) + ", float[3] v = " + listed(variances(seed)),
                    "c = Conv (x, w) n = BatchNormalization <epsilon = 1e-5> (c, s, b, m, v) y = Tanh (n)");
}

/// As one Conv, with w·s/√(v + ε) and b - m·s/√(v + ε); the first weight times `fault`.
std::string folded(unsigned seed, double fault) {
  std::vector<double> w = numbers(27, seed), b = numbers(3, seed + 20);
  const std::vector<double> s = numbers(3, seed + 10), m = numbers(3, seed + 30), v = variances(seed);
  for (size_t c = 0; c < 3; ++c) {
    const double factor = s[c] / std::sqrt(v[c] + 1e-5);
    for (size_t k = 0; k < 9; ++k) w[9 * c + k] *= factor;
    b[c] -= m[c] * factor;
  }
  w[0] *= fault;
  return graph_text(kImage, kMaps, "float[3,1,3,3] w = " + listed(w) + ", float[3] b = " + listed(b),
                    "f = Conv (x, w, b) y = Tanh (f)");
}

}  // namespace

TEST_CASE("what right tools make raises no alarm, whatever the numbers are", "[models]") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    check_right(folded(seed, 1), unfolded(seed));
    // Conv and Relu fused.
    const std::string kernel =
        "float[3,1,3,3] w = " + numbers_text(27, seed) + ", float[3] b = " + numbers_text(3, seed + 20);
    check_right(
        graph_text(kImage, kMaps, kernel, "f = com.microsoft.FusedConv <activation = \"Relu\"> (x, w, b) y = Tanh (f)"),
        graph_text(kImage, kMaps, kernel, "c = Conv (x, w, b) r = Relu (c) y = Tanh (r)"));
    // MatMul and Add as Gemm, and Gelu.
    const std::string rows = "float[4,8] x", to = "float[4,8] y",
                      layer = "float[8,8] w = " + numbers_text(64, seed + 50) +
                              ", float[8] b = " + numbers_text(8, seed + 60);
    check_right(graph_text(rows, to, layer, "h = Gemm (x, w, b) g = com.microsoft.Gelu (h) y = Tanh (g)"),
                graph_text(rows, to, layer + ", float root = {1.4142135}, float one = {1}, float half = {0.5}",
                           "a = MatMul (x, w) h = Add (a, b) q = Div (h, root) e = Erf (q) o = Add (e, one) "
                           "p = Mul (h, o) g = Mul (p, half) y = Tanh (g)"));
    // LayerNormalization.
    const std::string scale =
        "float[8] g = " + numbers_text(8, seed + 70) + ", float[8] b = " + numbers_text(8, seed + 80);
    check_right(graph_text(rows, to, scale, "n = LayerNormalization <epsilon = 1e-5> (x, g, b) y = Tanh (n)"),
                graph_text(rows, to, scale + ", int64[1] axes = {1}, float eps = {0.00001}, float two = {2}",
                           "m = ReduceMean (x, axes) d = Sub (x, m) q = Pow (d, two) v = ReduceMean (q, axes) "
                           "e = Add (v, eps) r = Sqrt (e) o = Div (d, r) k = Mul (o, g) n = Add (k, b) y = Tanh (n)"));
  }
}

TEST_CASE("a fault in a folded BatchNormalization names its region", "[models]") {
  const Compared both(folded(1, 1.1), unfolded(1));
  CHECK(both.first() == "n");
  CHECK(both.differing() == 1);
  CHECK(both.paired("f") == "n");
}

TEST_CASE("channels that one layer scales and the next one scales back are rewritten", "[models]") {
  // Powers of two: the values are exact.
  const std::vector<double> w = numbers(32, 21), v = numbers(32, 22);
  std::vector<double> scaled = w, back = v;
  for (size_t i = 0; i < 8; ++i)
    for (size_t c = 0; c < 4; ++c) {
      scaled[4 * i + c] *= static_cast<double>(1 << c);
      back[8 * c + i] /= static_cast<double>(1 << c);
    }
  const auto model = [](const std::vector<double>& first, const std::vector<double>& second) {
    return graph_text("float[4,8] x", "float[4,8] y",
                      "float[8,4] w = " + listed(first) + ", float[4,8] v = " + listed(second),
                      "h = MatMul (x, w) r = Relu (h) y = MatMul (r, v)");
  };
  const Compared both(model(scaled, back), model(w, v));
  CHECK(both.differing() == 0);
  CHECK(both.found.rewritten.size() == 2);
  CHECK(both.found.outputs.front().passes);
  CHECK(Compared(model(scaled, v), model(w, v)).differing() > 0);
}

TEST_CASE("each step finds what the steps before it do not", "[models]") {
  const std::string in = "float[32] x", out = "float[32] y";
  const Compared same(graph_text(in, out, "", "a = Sin (x) y = Exp (a)"),
                      graph_text(in, out, "", "b = Sin (x) y = Exp (b)"));
  CHECK(same.found_by("x") == Found::end);
  CHECK(same.found_by("a") == Found::forward);
  // The same values from other operators.
  const std::string two = "float two = {2}";
  const Compared values(graph_text(in, out, "", "a = Add (x, x) y = Exp (a)"),
                        graph_text(in, out, two, "b = Mul (x, two) y = Exp (b)"));
  CHECK(values.found_by("a") == Found::values);
  // A fault ends forward hashes and values; its name remains, and behind it what is read tells.
  const Compared behind(graph_text(in, out, "", "a = Sin (x) b = Tanh (a) y = Exp (b)"),
                        graph_text(in, out, "", "a = Cos (x) d = Tanh (a) y = Exp (d)"));
  CHECK(behind.found_by("a") == Found::name);
  CHECK(behind.found_by("b") == Found::structure);
  CHECK(behind.first() == "a");
  // Neither names, values nor nodes: only on the reference's value of a.
  const Compared step(graph_text(in, out, "", "a = Sin (x) b = Add (a, a) c = Atan (b) y = Exp (c)"),
                      graph_text(in, out, two,
                                 "a = Relu (x) d = Mul (a, two) e = Atan (d) f = Neg (e) g = Neg (f) "
                                 "y = Exp (g)"));
  CHECK(step.paired("b") == "d");
  CHECK(step.found_by("b") == Found::in_step);
  CHECK(step.differing() == 1);
  // Nearly the same values, of other nodes with other names.
  const Compared alike(graph_text(in, out, "float almost = {2.002}", "a = Mul (x, almost) b = Cos (a) y = Exp (b)"),
                       graph_text(in, out, "", "c = Add (x, x) d = Cos (c) e = Neg (d) f = Neg (e) y = Exp (f)"));
  CHECK(alike.found_by("a") == Found::likeness);
  CHECK(alike.first() == "c");
}

TEST_CASE("copies of paired tensors are no loss, and equal names of other tensors no pair", "[models]") {
  const std::string in = "float[2,32] x", out = "float[2,32] y";
  const Compared copies(graph_text(in, out, "int64[1] s = {64}, int64[2] t = {2,32}",
                                   "a = Sin (x) f = Reshape (a, s) g = Reshape (f, t) y = Exp (g)"),
                        graph_text(in, out, "", "a = Sin (x) y = Exp (a)"));
  CHECK(copies.found.unpaired.empty());
  CHECK(copies.pairing->copies().size() == 2);
  // NEW's m is another tensor than the reference's: their values have nothing in common, nor have their readers.
  const Compared lie(graph_text(in, out, "", "m = Sin (x) n = Atan (m) p = Cos (x) y = Add (n, p)"),
                     graph_text(in, out, "", "m = Cos (x) q = Sin (x) r = Atan (q) y = Add (r, m)"));
  CHECK(lie.paired("m") == "q");
  CHECK(lie.paired("p") == "m");
  CHECK(lie.differing() == 0);
}

TEST_CASE("a mistake is closest if it explains all but an eighth of the error", "[models]") {
  const auto model = [](const std::string& epsilon) {
    return graph_text("float[1,2,4,4] x", "float[1,2,4,4] y",
                      "float[2] s = {1, 2}, float[2] b = {0, 1}, float[2] m = {0.5, 0}, float[2] v = {1, 2}",
                      "n = BatchNormalization <epsilon = " + epsilon + "> (x, s, b, m, v) y = Relu (n)");
  };
  CHECK(Compared(model("0.0011"), model("1e-5")).found.closest ==
        "BatchNormalization 'n': mistake epsilon taken as 0.001");
  CHECK(Compared(model("0.0012"), model("1e-5")).found.closest.empty());
}

namespace {

/// Whole numbers of 8 bits, and these times a hundredth.
struct Weights {
  std::string whole = "{", real = "{";

  Weights(int count, unsigned seed) {
    for (const double x : numbers(count, seed)) {
      const long number = std::lround(100 * x);
      const bool is_first = whole.size() == 1;
      whole += format("{}{}", is_first ? "" : ", ", number);
      real += format("{}{}", is_first ? "" : ", ", static_cast<float>(static_cast<double>(number) * 0.01));
    }
    whole += "}", real += "}";
  }
};

const std::string kRows = "float[4,8] x", kResult = "float[4,8] y";

std::string plain_layer() {
  return graph_text(kRows, kResult, "float[8,8] w = " + Weights(64, 31).real, "a = MatMul (x, w) y = Relu (a)");
}

std::string whole_layer(const std::string& weight_scale, const std::string& constants, const std::string& nodes) {
  return graph_text(
      kRows, kResult,
      "int8[8,8] w = " + Weights(64, 31).whole + ", float ws = {" + weight_scale + "}, int8 wz = {0}" + constants,
      nodes + " y = Relu (a)");
}

std::string integer_operators(const std::string& weight_scale) {
  return whole_layer(weight_scale, ", float xs = {0.03}, int8 xz = {0}, float as = {0.08}, int8 az = {0}",
                     "q = QuantizeLinear (x, xs, xz) p = QLinearMatMul (q, xs, xz, w, ws, wz, as, az) "
                     "a = DequantizeLinear (p, as, az)");
}

std::string dynamic(const std::string& weight_scale) {
  return whole_layer(weight_scale, "",
                     "q, s, z = DynamicQuantizeLinear (x) i = MatMulInteger (q, w, z, wz) f = Cast <to = 1> (i) "
                     "k = Mul (s, ws) a = Mul (f, k)");
}

}  // namespace

TEST_CASE("quantised operators and dynamically quantised ones are paired, and judged by their outputs", "[models]") {
  for (const auto& [form, result] : {std::pair(&integer_operators, "p"), std::pair(&dynamic, "a")}) {
    const Compared good(form("0.01"), plain_layer());
    CHECK(good.found.arithmetic == Arithmetic::quantized);
    CHECK(good.paired(result) == "a");
    CHECK(good.found.outputs[0].passes);
    CHECK(good.found.outputs[0].figures.sqnr() > 25);
    const Compared spoilt(form("0.02"), plain_layer());
    CHECK_FALSE(spoilt.found.outputs[0].passes);
    CHECK(spoilt.found.outputs[0].figures.sqnr() < 3);
    REQUIRE(!spoilt.found.ranked.empty());
    const JudgedPair& worst = spoilt.found.pairs[spoilt.found.ranked.front()];
    CHECK(spoilt.reference_model->entities()[worst.pair.reference].name == "a");
    CHECK(Compared(plain_layer(), form("0.01")).found.is_reversed);
  }
}

}  // namespace tools_test
