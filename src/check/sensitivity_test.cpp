// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <cmath>

#include "check/bisect.h"
#include "check/sensitivity.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace sensitivity_test {

using namespace opref::check;

namespace {

Sensitivity sensitivity(const std::string& graph, const std::vector<std::string>& arguments, int runs = 4,
                        int threads = 1) {
  Bound bound = bind_case(read_case(graph), arguments);
  bound.options.threads = threads;
  std::vector<std::string> warnings;
  const Environment given = load_inputs(bound, bound.options, warnings);
  return sensitivity_of(bound.graph, given, bound.options, {.runs = runs});
}

const std::string kHead = R"(<ir_version: 8, opset_import: ["" : 18]> g )";

}  // namespace

TEST_CASE("spread: a product's is about u, a difference of near numbers' what is left of it", "[check]") {
  // a = 1.5·s and b = s are each off by u, rms; a - b = s/2 is off by √(1.5² + 1)·u·s, 3.6·u of it. Rounding up or down
  // to a neighbour adds to that of one product, at most by the factor √2 for 1.5 and √2.6 beside 1.
  const auto found = sensitivity(kHead + R"((float[4000] x, float[1] c, float[1] d) => (float[4000] a, float[4000] y)
      { a = Mul (x, c) b = Mul (x, d) y = Sub (a, b) })",
                                 {"x=float32[4000]:uniform", "c=[1.3]:float32", "d=[1.2]:float32"});
  REQUIRE(found.outputs.size() == 2);
  const OutputSpread &a = found.outputs[0], &y = found.outputs[1];
  CHECK(a.relative() > 0x1p-24);
  CHECK(a.relative() < 0x1p-23);
  CHECK(y.relative() > 12 * 0x1p-24);  // √(1.3² + 1.2²)/0.1 = 17.7
  CHECK(y.relative() < 12 * 0x1p-22);
  CHECK(!y.amplifies());
  CHECK(a.amplifiers.empty());
  REQUIRE(y.amplifiers.size() == 1);
  CHECK(y.amplifiers[0].op_type == "Sub");
  CHECK(y.amplifiers[0].factor > 9);  // 17.7/√2
  CHECK(y.amplifiers[0].factor < 18);
  CHECK(!found.non_finite);
}

TEST_CASE("spread: the same for any number of threads, another for each seed, none of moves", "[check]") {
  const std::string graph = kHead + "(float[64,64] x) => (float[64,64] y) { h = MatMul (x, x) y = Softmax (h) }";
  const auto of = [&](int threads) { return sensitivity(graph, {"x=float32[64,64]:normal"}, 4, threads); };
  const double one = of(1).outputs[0].spread;
  CHECK(one > 0);
  CHECK(of(2).outputs[0].spread == one);
  const auto moved = sensitivity(kHead + "(float[3] x) => (float[3] y) { h = Neg (x) y = Relu (h) }", {"x=[-1,2,-3]"});
  CHECK(moved.outputs[0].spread == 0);
  CHECK(moved.outputs[0].changed == 0);
}

TEST_CASE("spread: graphs inside nodes have noise, too, and integers that it changes are counted", "[check]") {
  const auto inside = sensitivity(
      kHead + R"((bool c, float[50] x) => (float[50] y) { y = If (c) <then_branch = t () => (a) { h = Mul (x, x)
      a = ReduceSum <keepdims = 1> (h) }, else_branch = e () => (b) { b = Identity (x) }> })",
      {"c=true", "x=float32[50]:uniform"});
  CHECK(inside.outputs[0].spread > 0);
  // Every product lies on a step of 1: halves that rounding moves across.
  const auto steps = sensitivity(kHead + R"((float[9] x, float[1] c, float[1] s, uint8 z) => (uint8[9] q)
      { h = Mul (x, c) q = QuantizeLinear (h, s, z) })",
                                 {"x=[0.5,1.5,2.5,3.5,4.5,5.5,6.5,7.5,8.5]", "c=[0.1]", "s=[0.1]", "z=0"}, 16);
  CHECK(steps.outputs[0].changed > 0);
  CHECK(steps.outputs[0].count == 9);
}

TEST_CASE("a model that amplifies rounding", "[check]") {
  // sin of numbers about 1e7: rounding to float32 moves them by half a unit.
  const auto found = sensitivity(kHead + "(float[100] x, float[1] c) => (float[100] y) { h = Mul (x, c) y = Sin (h) }",
                                 {"x=float32[100]:uniform", "c=[3e7]:float32"});
  CHECK(found.outputs[0].amplifies());
  REQUIRE(!found.outputs[0].amplifiers.empty());
  CHECK(found.outputs[0].amplifiers[0].op_type == "Sin");
}

TEST_CASE("the first Inf or NaN, and no Inf that is only moved", "[check]") {
  const auto found = sensitivity(
      R"(<ir_version: 8, opset_import: ["" : 18]> g (float16[3] x) => (float16[3] y) { h = Neg (x) k = Exp (h) y = Neg (k) })",
      {"x=[1,-12,2]:float16"});
  REQUIRE(found.non_finite);
  CHECK(found.non_finite->output == "k");
  CHECK(found.non_finite->op_type == "Exp");
  CHECK(found.non_finite->place == 1);
  CHECK(found.non_finite->index == Dims{1});
  CHECK(std::isinf(found.non_finite->value));
  REQUIRE(found.non_finite->inputs.size() == 1);
  CHECK(found.non_finite->inputs[0].name == "h");
  CHECK(found.non_finite->inputs[0].greatest == 12);
  CHECK(to_text(*found.non_finite) ==
        "the first Inf or NaN: k (Exp) gives k[1] = Inf in float16, though none is in its inputs: h up to 12");
  CHECK(!sensitivity(kHead + "(float[2] x) => (float[2] y) { y = Neg (x) }", {"x=[1,Inf]"}).non_finite);
  CHECK(!sensitivity(kHead + R"((bool[2] c, float[2] x) => (float[2] y)
      { m = Constant <value = float[1] {-inf}> () y = Where (c, x, m) })",
                     {"c=[true,false]", "x=[1,2]"})
             .non_finite);
  const auto cast = sensitivity(kHead + "(float[2] x) => (float16[2] y) { y = Cast <to = 10> (x) }", {"x=[1,70000]"});
  REQUIRE(cast.non_finite);
  CHECK(cast.non_finite->inputs[0].greatest == 70000);
}

TEST_CASE("a difference is one of rounding up to 4 times the spread", "[check]") {
  ChangedOutput changed;
  CHECK(!changed.is_rounding());
  changed.spread = OutputSpread{};
  changed.spread->is_numeric = true;
  changed.spread->spread = 0.25;
  changed.error = 1;
  CHECK(changed.is_rounding());
  changed.error = 1.01;
  CHECK(!changed.is_rounding());
}

}  // namespace sensitivity_test
