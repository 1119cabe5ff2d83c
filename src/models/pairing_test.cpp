// SPDX-License-Identifier: Apache-2.0
// What keeps wrong pairs away, and what finds a pair that nothing else finds.
#include <catch2/catch.hpp>

#include "models/models_testing.h"

namespace opref::models::pairing_test {
namespace {

const std::string kIn = "float[64] x", kOut = "float[64] y";

}  // namespace

TEST_CASE("no pair crosses another one", "[models]") {
  const std::string chain = graph_text(kIn, kOut, "", "a = Sin (x) b = Exp (a) c = Tanh (b) y = Neg (c)");
  const Compared both(chain, chain);
  const auto mine = [&](const char* name) { return both.fresh_model->find_entity(name); };
  const auto theirs = [&](const char* name) { return both.reference_model->find_entity(name); };
  Pairing pairing(*both.fresh_model, *both.reference_model);
  REQUIRE(pairing.add(mine("a"), theirs("c"), Found::name));
  CHECK_FALSE(pairing.add(mine("b"), theirs("b"), Found::name));  // behind a, but before c
  pairing.remove(mine("a"));
  REQUIRE(pairing.add(mine("c"), theirs("a"), Found::name));
  CHECK_FALSE(pairing.add(mine("b"), theirs("b"), Found::name));  // before c, but behind a
  pairing.remove(mine("c"));
  CHECK(pairing.add(mine("b"), theirs("b"), Found::name));
}

TEST_CASE("a half model's tensor with the name of another one is not believed", "[models]") {
  // BatchNormalization is folded: NEW's c is the reference's n, whose channels have other signs than c's.
  const std::string image = "float[1,2,4,4] x", end = "float[1,2,4,4] y";
  const Compared both(
      graph_text(image, end, "float[2,2,1,1] w = {1, 0.5, 2, -1}, float[2] b = {1.5, -2}",
                 "h = Cast <to = 10> (x) u = Cast <to = 10> (w) v = Cast <to = 10> (b) c = Conv (h, u, v) r = Tanh (c) "
                 "s = Exp (r) y = Cast <to = 1> (s)"),
      graph_text(
          image, end,
          "float[2,2,1,1] w = {1, 0.5, -2, 1}, float[2] s = {1, -1}, float[2] b = {1.5, -2}, float[2] m = {0, 0}, "
          "float[2] v = {1, 1}",
          "c = Conv (x, w) n = BatchNormalization <epsilon = 0.0> (c, s, b, m, v) r = Sigmoid (n) q = Exp (r) "
          "y = Abs (q)"));
  CHECK(both.found.arithmetic == Arithmetic::half);
  CHECK(both.paired("c") != "c");
}

TEST_CASE("an output whose right kernels are far apart has no verdict of itself", "[models]") {
  // Beside 10^7 a float32 has steps of 1.
  const std::string constants = "float half = {5000000}, float all = {10000000}";
  const Compared both(graph_text(kIn, kOut, constants, "a = Add (x, half) b = Add (a, half) y = Sub (b, all)"),
                      graph_text(kIn, kOut, constants, "b = Add (x, all) y = Sub (b, all)"));
  REQUIRE(both.found.outputs.front().figures.differ > 0);
  CHECK(both.found.outputs.front().state == JudgedOutput::State::no_verdict);
}

TEST_CASE("what is quantised counts where it is made, and not again behind it", "[models]") {
  // a is stored in steps of 0.25; its product with the identity, in the same steps, adds nothing.
  const std::string in = "float[4,2] x", out = "float[4,2] y";
  const Compared both(graph_text(in, out, "int8[2,2] w = {1, 0, 0, 1}, float one = {1}, float s = {0.25}, int8 z = {0}",
                                 "q = QuantizeLinear (x, s, z) a = QLinearMatMul (q, s, z, w, one, z, s, z) "
                                 "b = QLinearMatMul (a, s, z, w, one, z, s, z) y = DequantizeLinear (b, s, z)"),
                      graph_text(in, out, "float[2,2] w = {1, 0, 0, 1}", "a = MatMul (x, w) y = MatMul (a, w)"));
  REQUIRE(both.found.pairs.size() == 2);
  CHECK(both.found.pairs.front().figures.error_squares > 0);
  CHECK(both.found.pairs.back().figures.error_squares == 0);
}

TEST_CASE("a product of integers by two dynamic scales stands for the product", "[models]") {
  // h is read by two operators whose results are alike up to a factor and an offset.
  const std::string in = "float[4,2] x", out = "float[4,2] y", after = " two = Constant <value_float = 2.0> () ";
  const Compared both(
      graph_text(in, out, "int8[2,2] w = {3, -1, 2, 1}, float s = {0.5}",
                 "q, t, z = DynamicQuantizeLinear (x) i = MatMulInteger (q, w, z) f = Cast <to = 1> (i) "
                 "p = Mul (t, s) a = Mul (f, p)" +
                     after + "b = Mul (a, two) c = Div (b, two) y = Sin (c)"),
      graph_text(in, out, "float[2,2] w = {1.5, -0.5, 1, 0.5}",
                 "h = MatMul (x, w)" + after + "m = Mul (h, two) d = Div (m, two) y = Sin (d)"));
  CHECK(both.found.arithmetic == Arithmetic::quantized);
  CHECK(both.paired("a") == "h");
  CHECK(both.paired("b") == "m");
  CHECK(both.paired("c") == "d");
  CHECK(both.found.unpaired.empty());
}

TEST_CASE("ends of blocks are paired where BatchNormalization is folded in a half model", "[models]") {
  const std::string image = "float[1,1,4,4] x", end = "float[1,1,4,4] y";
  const Compared both(
      graph_text(image, end, "float[1,1,1,1] w = {-0.7}, float[1] b = {0.3}",
                 "h = Cast <to = 10> (x) u = Cast <to = 10> (w) v = Cast <to = 10> (b) f = Conv (h, u, v) g = Relu (f) "
                 "k = Conv (g, u, v) l = Relu (k) "
                 "y = Cast <to = 1> (l)"),
      graph_text(image, end,
                 "float[1,1,1,1] w = {1}, float[1] s = {-0.7}, float[1] b = {0.3}, float[1] m = {0}, float[1] v = {1}",
                 "c = Conv (x, w) n = BatchNormalization <epsilon = 0.0> (c, s, b, m, v) r = Relu (n) "
                 "d = Conv (r, w) o = BatchNormalization <epsilon = 0.0> (d, s, b, m, v) y = Relu (o)"));
  CHECK(both.paired("g") == "r");
  CHECK(both.paired("f") == "n");
}

TEST_CASE("one reader of a paired tensor stands for one of its operator", "[models]") {
  // The other operand differs, and so does what is made of the sum.
  const std::string in = "float[64] x, float[64] z";
  const Compared both(graph_text(in, kOut, "", "a = Sin (x) b = Mul (a, z) y = Cos (b)"),
                      graph_text(in, kOut, "", "c = Exp (x) d = Mul (c, z) y = Tanh (d)"));
  CHECK(both.paired("b") == "d");
  CHECK(both.paired("a") == "c");
}

TEST_CASE("tensors of one size that are not alike are no pair", "[models]") {
  const Compared both(graph_text(kIn, kOut, "", "a = Cos (x) y = Sigmoid (a)"),
                      graph_text(kIn, kOut, "", "b = Atan (x) y = Neg (b)"));
  CHECK(both.paired("a").empty());
  CHECK(both.found.is_one_region);
}

TEST_CASE("what agrees on the reference's values is paired, whoever reads it", "[models]") {
  const Compared both(
      graph_text(kIn, kOut, "float two = {2}", "a = Relu (x) b = Mul (a, two) c = Neg (b) y = Sigmoid (c)"),
      graph_text(kIn, kOut, "", "a = Sin (x) d = Add (a, a) e = Tanh (d) y = Atan (e)"));
  CHECK(both.paired("b") == "d");
  CHECK(both.found_by("b") == Found::in_step);
}

}  // namespace opref::models::pairing_test
