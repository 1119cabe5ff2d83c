// SPDX-License-Identifier: Apache-2.0
// One element, told in full. Expected numbers are worked out by hand, or by exact decimal arithmetic.
#include "explain/element.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "exact/element_text.h"
#include "ops/operators.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace element_test {

using namespace opref::explain;

namespace {

/// A node of the command line.
class Said {
 public:
  Said(const std::string& node, const std::vector<std::string>& bindings,
       const std::vector<std::string>& attributes = {}, const ReadingChoices& readings = {})
      : bound_(bind_case(read_case(node), bindings,
                         {.attributes = attributes, .nodes = {}, .opset = {}, .readings = readings})) {
    bound_.options.max_bytes = 1 << 20;
    std::vector<std::string> warnings;
    environment_ = load_inputs(bound_, bound_.options, warnings);
    call_ = resolve_node(bound_.graph, bound_.graph.nodes.front(), environment_, bound_.options);
    types_ = call_->op().output_types(*call_);
  }
  ElementStory at(const Dims& at, Digits digits = Digits::decimal) const {
    return explain_element(*call_, types_, 0, at, digits);
  }
  WaysTo against(const Dims& at, const Tensor& other) const {
    return ways_to(*call_, types_, 0, at,
                   opref::io::element_text(other, opref::core::position(at, types_[0].tensor.shape)));
  }

 private:
  Bound bound_;
  Environment environment_;
  std::optional<Call> call_;
  std::vector<ValueType> types_;
};

std::string fact(const ElementStory& story, std::string_view name) {
  const auto found = std::ranges::find(story.facts, name, [](const auto& fact) { return fact.first; });
  return found == story.facts.end() ? "none" : found->second;
}

Tensor floats(const Dims& shape, const std::vector<float>& values) {
  return Tensor::copy_of({DType::float32, shape}, std::as_bytes(std::span(values)));
}

}  // namespace

TEST_CASE("explain: a sum, its terms in order, between its neighbours", "[explain]") {
  // 1·1 + 2^-24·1 + 2^-60·(-1): just below the midpoint of 1 and 1 + 2^-23.
  const Said said("ConvTranspose", {"X=[[[1],[0x33800000],[0x21800000]]]:float32", "W=[[[1]],[[1]],[[-1]]]:float32"});
  const ElementStory story = said.at({0, 0, 0});
  CHECK(story.value == "1");
  CHECK(story.bits == "0x3f800000");
  CHECK(story.made == "the sum of 3 products");
  REQUIRE(story.lines.size() == 3);
  CHECK(story.lines[1].what == "X[0,1,0]*W[1,0,0]");
  CHECK(story.lines[1].value == "5.9604645e-08*1 = 5.9604644775390625e-08");
  CHECK(said.at({0, 0, 0}, Digits::hexadecimal_too).lines[1].value ==
        "5.9604645e-08*1 = 5.9604644775390625e-08 (0x1p-24)");
  CHECK(story.lines[1].running == "1.000000059604644775390625");
  CHECK(story.lines[2].running == "1.00000005960464477452326326201…");  // 1 + 2^-24 - 2^-60
  CHECK(fact(story, "exact") == story.lines[2].running);
  CHECK(fact(story, "below") == "1 (0x3f800000), chosen");
  CHECK(fact(story, "above") == "1.00000011920928955078125 (0x3f800001)");
  CHECK(fact(story, "midpoint").starts_with("no tie: the exact value is 7.275…e-12 ULP from"));  // 2^-60 / 2^-23
  CHECK(fact(story, "naive") == "in float32, in order: the same");
}

TEST_CASE("explain: a tie, an exact result, and what float32 accumulation loses", "[explain]") {
  const Said tie("Add", {"A=[1]:float32", "B=[0x33800000]:float32"});
  CHECK(fact(tie.at({0}), "midpoint") ==
        "a tie: the exact value is the midpoint of below and above; the even one is chosen");
  const Said below("Add", {"A=[-1]:float32", "B=[0x33400000]:float32"});  // -1 + 1.5·2^-25
  CHECK(fact(below.at({0}), "below") == "-1 (0xbf800000)");
  CHECK(fact(below.at({0}), "above") == "-0.999999940395355224609375 (0xbf7fffff), chosen");
  const Said zero("ReduceSum", {"data=[1,1e30,-1e30]:float32"}, {"keepdims=0"});
  const ElementStory story = zero.at({});
  CHECK(story.value == "1");
  CHECK(fact(story, "rounding") == "none: the exact value is an element of the type");
  CHECK(fact(story, "naive") == "in float32, in order: 0 (0x00000000)");
}

TEST_CASE("explain: sums of integers that no double holds", "[explain]") {
  const Said sum("ReduceSum", {"data=[9007199254740993,-1,9007199254740993]:int64"}, {"keepdims=0"});
  CHECK(sum.at({}).lines.at(2).running == "18014398509481985");
  CHECK(fact(sum.at({}), "exact") == "18014398509481985");
  CHECK(fact(sum.at({}), "rounding") == "none");  // an integer that is as it should be
  const Said product("MatMul", {"A=[18446744073709551615]:uint64", "B=[2]:uint64"});
  CHECK(fact(product.at({}), "exact") == "36893488147419103230");
  CHECK(fact(product.at({}), "rounding") == "wrapped: 18446744073709551614 is left modulo 2^64");
}

TEST_CASE("explain: how a number becomes a power of two", "[explain]") {
  // 3 is 1.5·2, halfway; the greater neighbour is the odd one, 0x81.
  const ElementStory nearest = Said("Cast", {"input=[3]:float32"}, {"to=24", "round_mode=nearest"}).at({0});
  CHECK(nearest.value == "4");
  CHECK(nearest.made == "converted: the nearest power of two, of two the greater one, by saturate beyond the range");
  CHECK(fact(nearest, "above") == "4 (0x81), chosen");
  CHECK(fact(nearest, "midpoint") == "none");
  const ElementStory up = Said("Cast", {"input=[2.125]:float32"}, {"to=24"}).at({0});
  CHECK(up.made == "converted: the next power of two upwards, by saturate beyond the range");
  CHECK(fact(up, "below") == "2 (0x80)");
  CHECK(fact(up, "midpoint") == "none");  // 4 is not the nearest
  const ElementStory down = Said("Cast", {"input=[\"3.5\"]:string"}, {"to=24", "round_mode=down"}).at({0});
  CHECK(down.made == "converted: a decimal, the next power of two downwards, by saturate beyond the range");
  CHECK(down.value == "2");
}

TEST_CASE("explain: NaN where the type has no greater number, and what NaN becomes", "[explain]") {
  const std::string beyond = "the exact value lies beyond the type's range";
  const ElementStory cast = Said("Cast", {"input=[465]:float32"}, {"to=17", "saturate=0"}).at({0});
  CHECK(cast.value == "NaN");
  CHECK(fact(cast, "exact") == "465");
  CHECK(fact(cast, "rounding") == beyond);
  const std::vector<std::string> scaled = {"x=[1000]:float32", "y_scale=2:float32"};
  const ElementStory quantized = Said("QuantizeLinear", scaled, {"output_dtype=17", "saturate=0"}).at({0});
  CHECK(quantized.value == "NaN");
  CHECK(fact(quantized, "exact") == "500");
  CHECK(fact(quantized, "rounding") == beyond);
  const Said nan("QuantizeLinear", {"x=[NaN]:float32", "y_scale=2:float32"});
  CHECK(fact(nan.at({0}), "rounding") == "NaN becomes 0");
}

TEST_CASE("explain: the exact value of a quantized element has the zero point in it", "[explain]") {
  // 1000/3 is 333 1/3, and 333 + 5 = 338.
  const Said said("QuantizeLinear", {"x=[1000]:float32", "y_scale=3:float32", "y_zero_point=5:uint8"});
  CHECK(fact(said.at({0}), "exact") == "338");
  CHECK(fact(said.at({0}), "rounding") == "saturated: 255 is the type's greatest");
}

TEST_CASE("explain: the scale and the zero point that a range gives", "[explain]") {
  // From -1 to 254 the scale is 1 and the zero point 1; 2.5 is rounded to the even 2.
  const ElementStory story = Said("DynamicQuantizeLinear", {"x=[-1,254,2.5]:float32"}).at({2});
  CHECK(story.value == "3");
  CHECK(fact(story, "y_scale") == "1");
  CHECK(fact(story, "x / y_scale") == "2.5");
  CHECK(fact(story, "rounded to an integer") == "2");
  CHECK(fact(story, "y_zero_point") == "1");
  CHECK(fact(story, "exact") == "3");
}

TEST_CASE("explain: what has no part in an element", "[explain]") {
  const Said pool("MaxPool", {"X=[[[3,3,1,2]]]:float32"}, {"kernel_shape=3", "pads=1,1"});
  const ElementStory first = pool.at({0, 0, 0});
  CHECK(first.left_out ==
        std::vector<std::string>{"along spatial axis 0, kernel position 0 (of 3) lies before the first element"});
  REQUIRE(first.lines.size() == 2);
  CHECK(first.lines[0].running == "chosen");  // of equals the first
  CHECK(first.lines[1].what == "X[0,0,1]");
  CHECK(first.lines[1].running.empty());
  CHECK(pool.at({0, 0, 3}).left_out ==
        std::vector<std::string>{"along spatial axis 0, kernel position 2 (of 3) lies behind the last "
                                 "element"});
  const Said sparse("ConvTranspose", {"X=[[[1,2]]]:float32", "W=[[[1,2,3]]]:float32"}, {"strides=2"});
  CHECK(sparse.at({0, 0, 1}).left_out ==
        std::vector<std::string>{"along spatial axis 0, kernel positions 0, 2 (of 3) are skipped by stride 2"});
}

TEST_CASE("explain: data that moved, was written over, or came from nowhere", "[explain]") {
  const Said moved("Transpose", {"data=[[1,2,3],[4,5,6]]:int4"});
  CHECK(moved.at({2, 1}).lines.at(0).what == "data[1,2]");
  CHECK(moved.at({2, 1}).bits == "0x6");
  const Said written("MaxUnpool", {"X=[[[5,6]]]:float32", "I=[[[1,1]]]"}, {"kernel_shape=2", "strides=2"});
  const ElementStory twice = written.at({0, 0, 1});
  REQUIRE(twice.lines.size() == 2);
  CHECK(twice.lines[0].running == "written over");
  CHECK(twice.lines[1].what == "X[0,0,1]");
  CHECK(twice.value == "6");
  CHECK(written.at({0, 0, 0}).made == "the fill: it comes from no input");
  const Said text("Concat", {"inputs=[\"a\"]:string", "inputs=[\"b\"]:string"}, {"axis=0"});
  CHECK(text.at({1}).lines.at(0).what == "inputs_1[0]");
  CHECK(text.at({1}).value == "b");
}

TEST_CASE("explain: norms, integers with a zero point, real functions", "[explain]") {
  const Said norm("LpPool", {"X=[[[3,4]]]:float32"}, {"kernel_shape=2"});
  CHECK(norm.at({0, 0, 0}).lines.at(1).running == "25");
  CHECK(fact(norm.at({0, 0, 0}), "exact") == "5");
  const Said cubes("LpPool", {"X=[[[3,4,5]]]:float32"}, {"kernel_shape=3", "p=3"});
  CHECK(fact(cubes.at({0, 0, 0}), "exact") == "6");
  const Said quantized("QLinearConv", {"x=[[[130]]]:uint8", "x_scale=[0.5]:float32", "x_zero_point=[128]:uint8",
                                       "w=[[[3]]]:uint8", "w_scale=[1]:float32", "w_zero_point=[1]:uint8",
                                       "y_scale=[1]:float32", "y_zero_point=[10]:uint8"});
  const ElementStory story = quantized.at({0, 0, 0});
  CHECK(story.lines.at(0).value == "(130-128)*(3-1) = 4");
  CHECK(fact(story, "exact") == "2");
  CHECK(story.value == "12");
  CHECK(fact(story, "rounding") == "to the nearest integer 2, ties to the even one, and the zero point 10");
  const Said softmax("Softmax", {"input=[[0,0,0,0],[1,2,0,0]]:float64"});
  const ElementStory quarter = softmax.at({0, 1});
  CHECK(fact(quarter, "exact") == "0.25");
  CHECK(quarter.lines.size() == 4);
  // e^1 / (1 + e^-1 + 2·e^-2)/e^2: Σ e^(x-2) = 1 + 0.36787944117144232159… + 2·0.13533528323661269189…
  CHECK(fact(softmax.at({1, 0}), "the sum of e^(x - greatest)").starts_with("1.638550007644667705"));
}

TEST_CASE("explain: a real function's formula, and the attributes in force", "[explain]") {
  const Said gelu("Gelu", {"X=[1]:float32"}, {"approximate=tanh"});
  CHECK(fact(gelu.at({0}), "formula") ==
        "x/2·(1 + erf(x/√2)); approximate by tanh: x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))); approximate = tanh");
  const Said elu("Elu", {"X=[-1]:float32"});
  CHECK(fact(elu.at({0}), "formula") == "x, but alpha·(e^x - 1) where that is below 0; alpha = 1");
  const Said mod("Mod", {"A=[7]:int32", "B=[3]:int32"});
  CHECK(fact(mod.at({0}), "formula").starts_with(find_operator("", "Mod")->summary()));
  const Said sum("ReduceSum", {"data=[1,2]:float32"});
  CHECK(fact(sum.at({0}), "formula") == "none");  // its terms are told
}

TEST_CASE("explain: attributes at their defaults that the formula does not name are left out", "[explain]") {
  const Said resize("Resize", {"X=[0,1]:float32", "scales=[2]:float32"}, {"mode=linear"});
  CHECK(fact(resize.at({1}), "formula") == std::string(find_operator("", "Resize")->summary()) + "; mode = linear");
}

TEST_CASE("explain: narrow factors are written so that they multiply to the product", "[explain]") {
  // 0.1 is 205/2048 in bfloat16, 3.3 is 211/64: 0.10009765625·3.296875 = 0.3300094604…
  const ElementStory product = Said("MatMul", {"A=[[0.1]]:bfloat16", "B=[[3.3]]:bfloat16"}).at({0, 0});
  CHECK(product.lines.at(0).value == "0.10009765625*3.296875 = 0.33000946044921875");
  CHECK(product.has_sums);
  const ElementStory sum = Said("Add", {"A=[0.1]:float16", "B=[2]:float16"}).at({0});
  CHECK(sum.lines.at(0).value == "0.0999755859375");  // 1638/2^14
  const ElementStory function = Said("Tanh", {"input=[0.1]:float16"}).at({0});
  CHECK(function.lines.at(0).value == "0.0999755859375");
  CHECK_FALSE(function.has_sums);
  const ElementStory moved = Said("Identity", {"input=[0.1]:float16"}).at({0});
  CHECK(moved.lines.at(0).value == "0.1");  // as the output
  const ElementStory norm = Said("LpPool", {"X=[[[0.1]]]:float16"}, {"kernel_shape=1"}).at({0, 0, 0});
  CHECK(norm.lines.at(0).value.starts_with("|0.0999755859375|^2 = "));
}

TEST_CASE("explain: integers are not written in hexadecimal", "[explain]") {
  const Said said("ReduceSum", {"data=[3,-20000]:int32"}, {"keepdims=0"});
  CHECK(said.at({}, Digits::hexadecimal_too).lines.at(1).value == "-20000");
}

TEST_CASE("explain: how an integer came about", "[explain]") {
  const auto rounding = [](const std::string& x, const std::string& y_scale) {
    const Said said("QLinearConv", {"x=[[[" + x + "]]]:uint8", "x_scale=[1]:float32", "x_zero_point=[5]:uint8",
                                    "w=[[[-2]]]:int8", "w_scale=[1]:float32", "w_zero_point=[-1]:int8",
                                    "y_scale=[" + y_scale + "]:float32", "y_zero_point=[0]:uint8"});
    const ElementStory story = said.at({0, 0, 0});
    return story.lines.at(0).value + "; " + fact(story, "rounding");
  };
  CHECK(rounding("5", "1") == "(5-5)*(-2+1) = 0; none");
  CHECK(rounding("0", "2") == "(0-5)*(-2+1) = 5; to the nearest integer, ties to the even one");
  CHECK(rounding("9", "1") == "(9-5)*(-2+1) = -4; saturated: 0 is the type's least");
  CHECK(rounding("0", "0.01") == "(0-5)*(-2+1) = 5; saturated: 255 is the type's greatest");
  const Said shifted("QLinearConv", {"x=[[[9]]]:uint8", "x_scale=[1]:float32", "x_zero_point=[5]:uint8",
                                     "w=[[[-2]]]:int8", "w_scale=[1]:float32", "w_zero_point=[-1]:int8",
                                     "y_scale=[1]:float32", "y_zero_point=[3]:uint8"});
  CHECK(fact(shifted.at({0, 0, 0}), "rounding") ==
        "saturated: with the zero point 3 it is -1, and 0 is the type's least");
  const Said sum("Add", {"A=200:uint8", "B=100:uint8"});
  CHECK(fact(sum.at({}), "rounding") == "wrapped: 44 is left modulo 2^8");
  const auto half = [](const std::string& alternative) {  // 5·1·0.5 = 2.5
    const Said said("QLinearConv",
                    {"x=[[[5]]]:uint8", "x_scale=[0.5]:float32", "x_zero_point=[0]:uint8", "w=[[[1]]]:int8",
                     "w_scale=[1]:float32", "w_zero_point=[0]:int8", "y_scale=[1]:float32", "y_zero_point=[1]:uint8"},
                    {}, {{"q_linear_conv.round", alternative}});
    const ElementStory story = said.at({0, 0, 0});
    return story.value + ": " + fact(story, "rounding");
  };
  CHECK(half("before_zero_point") == "3: to the nearest integer 2, ties to the even one, and the zero point 1");
  CHECK(half("after_zero_point") == "4: the zero point 1 added, then to the nearest integer, ties to the even one");
  // 2^32·√2 = 2^32·(1 + 0.41421…), truncated: the first 32 bits of √2's fraction, 0x6a09e667, are left.
  const Said power("Pow", {"X=[2]:int32", "Y=[32.5]:float64"});
  CHECK(power.at({0}).value == "1779033703");
  CHECK(fact(power.at({0}), "rounding") == "wrapped: 1779033703 is left modulo 2^32");
}

TEST_CASE("explain: what operators tell nothing of", "[explain]") {
  const Said same("Identity", {"input=[1,2]:float32"});
  CHECK(same.at({1}).lines.at(0).what == "input[1]");
  CHECK(same.at({1}).made == "an element of an input, its bits unchanged");
  const Said constant("Constant", {}, {"value=[1,2]:int64"});
  CHECK(constant.at({1}).made == "the node's attributes say it");
}

TEST_CASE("explain: only the element that is asked for is computed", "[explain]") {
  // Element 0 is refused, since index 9 lies outside: a choice of another one does not look at it.
  const Said pool("MaxPool", {"X=float32[1,1,100000]:normal"}, {"kernel_shape=50000"});
  const ElementStory story = pool.at({0, 0, 7});
  CHECK(story.lines.size() == ElementStory::kMostLines);
  CHECK(story.more_lines == 49000);
}

TEST_CASE("explain: the readings that touch an element, and only those", "[explain]") {
  const Said said("Softmax", {"input=[[0,0],[0,Inf]]:float32"});
  CHECK(said.at({0, 0}).readings.empty());
  CHECK(said.at({1, 0}).readings == std::vector<std::string>{"softmax.plus_infinity = per_element: nan_row gives NaN"});
}

TEST_CASE("explain: what gives another value", "[explain]") {
  const Said sum("ReduceSum", {"data=[1,1e30,-1e30]:float32"}, {"keepdims=0"});
  const WaysTo zero = sum.against({}, floats({}, {0}));
  CHECK_THAT(zero.ways, Catch::VectorContains(std::string("float32 accumulation")));  // one element shows no order
  CHECK(zero.doubt.starts_with("weak evidence: "));
  const Said softmax("Softmax", {"input=[[0,Inf]]:float32"});
  CHECK(softmax.against({0, 0}, floats({1, 2}, {NAN, NAN})).ways ==
        std::vector<std::string>{"reading softmax.plus_infinity=nan_row"});
  const Said pool("MaxPool", {"X=[[[1,2,3,4]]]:float32"}, {"kernel_shape=2", "strides=2"});
  CHECK(pool.against({0, 0, 1}, floats({1, 1, 2}, {2, 3})).ways == std::vector<std::string>{"mistake strides ignored"});
  // Another version, as check tries it: 11 takes the greatest of all, 13 that of each row.
  const Said hardmax("Hardmax-11", {"input=[[[1,2],[3,5]]]:float32"});
  CHECK_THAT(hardmax.against({0, 0, 1}, floats({1, 2, 2}, {0, 1, 0, 1})).ways,
             Catch::VectorContains(std::string("mistake computed as Hardmax-13")));
  const Said relu("Relu", {"X=[NaN]:float32"});
  CHECK_THAT(relu.against({0}, floats({1}, {0})).ways,
             Catch::VectorContains(std::string("mistake NaN in inputs taken for 0")));
  const WaysTo nothing = pool.against({0, 0, 1}, floats({1, 1, 2}, {2, 99}));
  CHECK((nothing.ways.empty() && nothing.doubt.empty()));
}

TEST_CASE("explain: an element that there is not", "[explain]") {
  const Said said("Add", {"A=[1]:float32", "B=[2]:float32"});
  for (const Dims& at : {Dims{1}, Dims{-1}, Dims{}, Dims{0, 0}}) CHECK_THROWS_AS(said.at(at), Error);
}

TEST_CASE("explain: how far a right kernel may be off, and by which steps", "[explain][bound]") {
  // exp is 3 ULP off, each 2u = 2^-23 of e: 9.7213e-7.
  const Said exp("Exp", {"input=[1,0]:float32"});
  CHECK(fact(exp.at({0}), "bound") == "±9.721e-07 by a right float32 kernel; 3.576e-07 of the value");
  CHECK(fact(exp.at({0}), "lost by") == "100 % exp");
  CHECK(fact(exp.at({1}), "bound") == "0: every right float32 kernel gives this");
  CHECK(fact(exp.at({1}), "lost by") == "none");
  // In float16 the last rounding takes 2^-11 of e and 2^-24 more: 1.3273e-3.
  const Said half("Exp", {"input=[1]:float16"});
  CHECK(fact(half.at({0}), "bound").starts_with("±0.001328 by "));
  CHECK(fact(half.at({0}), "lost by") == "100 % rounding to float16");
  // 1 + 2 + 4: 4u/(1 - 4u)·7 for the additions, u·7 for the last rounding, u = 2^-24: 35u is 2.0862e-6.
  const Said sum("ReduceSum", {"data=[1,2,4]:float32"}, {"keepdims=0"});
  CHECK(fact(sum.at({}), "bound") == "±2.086e-06 by a right float32 kernel; 2.98e-07 of the value");
  CHECK(fact(sum.at({}), "lost by") ==
        "80 % adding 3 terms, whose magnitudes add up to 7; the largest is 57 % of that");
  // 1/(1 + e^-x) loses little; its tail by the page's formula nothing more. Elu by e^x - 1 loses an ULP of 1.
  const Said elu("Elu", {"X=[-1e-6]:float32"});
  CHECK(fact(elu.at({0}), "page").ends_with(" by alpha·(e^x - 1)"));
  CHECK(fact(elu.at({0}), "lost by") == "100 % expm1");
  // What is only moved, and integers of integers, have no bound.
  CHECK(fact(Said("Relu", {"X=[1]:float32"}).at({0}), "bound") == "none");
  CHECK(fact(Said("Add", {"A=[1]:int32", "B=[2]:int32"}).at({0}), "bound") == "none");
}

TEST_CASE("explain: the parts of a bound are all of it", "[explain][bound]") {
  // A row: x - mean, its square, their mean, the root, the quotient, scaled; parts are rounded to whole percents.
  const Said norm("LayerNormalization", {"X=[1,2,4]:float32", "Scale=[1,2,3]:float32"});
  std::istringstream parts(fact(norm.at({1}), "lost by"));
  int all = 0;
  for (std::string part; std::getline(parts, part, ',');) all += std::stoi(part);
  CHECK(all >= 90);
  CHECK(all <= 102);
}

}  // namespace element_test
