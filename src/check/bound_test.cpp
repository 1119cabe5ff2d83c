// SPDX-License-Identifier: Apache-2.0
// The rule of comparison from nodes and tensors to comparisons.
#include "check/bound.h"
#include "compare/tolerance.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>
#include <limits>

#include "check/expected.h"
#include "check/judged_testing.h"
#include "core/error.h"
#include "report/record_json.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace bound_test {

using namespace opref::check;

namespace {

/// An evaluated graph, as `opref run NODE NAME=…` has it.
struct Evaluated {
  Bound bound;
  Environment environment;
  std::vector<Step> steps;

  Evaluated(const std::string& node, const NodeOptions& options, const std::vector<std::string>& bindings,
            const EvaluationOptions& evaluation = {})
      : bound(bind_case(read_case(node), bindings, options)) {
    std::vector<std::string> warnings;
    environment = load_inputs(bound, {}, warnings);
    steps = run_graph(bound.graph, environment, evaluation);
  }

  Comparison compared(const std::string& expected, const BoundedKernel& kernel = {}) const {
    const Tolerance rule{.rule = Tolerance::Rule::bound, .kernel = kernel};
    const std::vector<NamedSource> named{parse_binding(bound, expected, Names::outputs)};
    return compare_expected(*bound.read, named, environment, steps, {.rule = rule, .ignore_dtype = false}, INT64_MAX)
        .outputs.at(0)
        .comparison;
  }
};

Evaluated pool(const std::string& p, const std::string& x) {
  return {"LpPool", {.attributes = {"kernel_shape=2", "p=" + p}, .nodes = {}, .opset = {}}, {"X=" + x}};
}

std::string message(const auto& body) {
  try {
    body();
  } catch (const Error& error) {
    return format("{}: {}", name(error.fault()), error.message());
  }
  return "no error";
}

}  // namespace

TEST_CASE("bound: keys and values of the option", "[bound]") {
  CHECK(to_text(parse_kernel("")).empty());
  CHECK(to_text(parse_kernel("flush=0")).empty());
  CHECK(to_text(parse_kernel("flush=1,accumulator=bfloat16")) == "accumulator=bfloat16,flush=1");
  CHECK(to_text(parse_kernel("input-error=0.001")) == "input-error=0.001");
  CHECK(parse_kernel("input-error=1e-3").input_error == 1e-3);
  CHECK(to_text(parse_kernel("formula=accurate,functions=4")) == "functions=4,formula=accurate");
  CHECK(to_text(parse_kernel("functions=absolute,formula=page")) == "functions=absolute");
  CHECK(parse_kernel("functions=1").functions.pow == 1);
  CHECK(message([] { parse_kernel("functions=0"); }) == "usage: functions is 0 ULP, but must be from 0.5 to 1e6");
  CHECK(message([] { parse_kernel("functions=all"); }) ==
        "usage: functions is 'all', but must be a number of ULP or 'absolute'");
  CHECK(message([] { parse_kernel("formula=own"); }) == "usage: the formula is 'own', but must be page or accurate");
  CHECK(message([] { parse_kernel("acumulator=float32"); }) ==
        "usage: 'acumulator' is none of accumulator, flush, input-error, functions, formula, did you mean "
        "'accumulator'?");
  CHECK(message([] { parse_kernel("flush=1,"); }) ==
        "usage: '' is none of accumulator, flush, input-error, functions, formula");
  CHECK(message([] { parse_kernel("accumulator=float8"); }) ==
        "usage: the accumulator is 'float8', but must be float32, float16, bfloat16, float64, did you mean 'float32'?");
  CHECK(message([] { parse_kernel("flush=1,flush=1"); }) == "usage: 'flush' is given twice");
  CHECK(message([] { parse_kernel("flush"); }) == "usage: 'flush' has no value: it is written flush=1");
  CHECK(message([] { parse_kernel("float16"); }) == "usage: 'float16' has no key: it is written accumulator=float16");
  CHECK(message([] { parse_kernel("input-error=-1"); }) ==
        "usage: the input error is -1, but must be 0, or from 1e-30 to 1");
  CHECK(message([] { parse_kernel("input-error=nan"); }) ==
        "usage: the input error is nan, but must be 0, or from 1e-30 to 1");
  CHECK(message([] { parse_kernel("input-error=1x"); }) == "usage: input-error is '1x', but must be a number");
}

TEST_CASE("bound: p-norms of p = 1 and 2", "[bound]") {
  // p = 1 over [-1, 2]: n = 2, M = s = 3: γM = 3·3·2^-24/(1 - 3·2^-24), a bit above 9·2^-24; u_T·s = 3·2^-24 more:
  // 12·2^-24 = 3·2^-22, three places of float32 at 3.
  const Evaluated one = pool("1", "[[[-1,2,2]]]:float32");
  CHECK(one.compared("Y=[[[3,4]]]:float32").bound_ratio == 0);
  CHECK(one.compared("Y=[[[3.0000007152557373,4]]]:float32").equal());        // 3 + 3·2^-22
  CHECK_FALSE(one.compared("Y=[[[3.0000009536743164,4]]]:float32").equal());  // 3 + 4·2^-22
  CHECK(one.compared("Y=[[[2.9999992847442627,4]]]:float32").equal());        // 3 - 3·2^-22
  CHECK_FALSE(one.compared("Y=[[[2.9999990463256836,4]]]:float32").equal());  // 3 - 4·2^-22
  CHECK_FALSE(one.compared("Y=[[[NaN,4]]]:float32").equal());
  CHECK_FALSE(one.compared("Y=[[[Inf,4]]]:float32").equal());
  CHECK(one.compared("Y=[[[3.03,4]]]:float32", {.accumulator = DType::bfloat16}).equal());

  const Evaluated two = pool("2", "[[[3,-4,0]]]:float32");
  CHECK(two.compared("Y=[[[5.0000005,4]]]:float32").equal());
  const Comparison off = two.compared("Y=[[[5.0000005,4.0001]]]:float32");
  CHECK_FALSE(off.equal());
  CHECK(off.mismatches == 1);
  CHECK(off.count == 2);
  CHECK(off.bit_equal == 0);
  CHECK(off.first.value().index == Dims{0, 0, 1});
  CHECK(off.first.value().actual == "4");
  CHECK(off.first.value().expected == "4.0001");
  // n = 2, S = 16: √(16 + 48·2^-24…)·(1 + 2^-24)² is 14·2^-24 above 4, and 4.0001 is about 120 times that.
  CHECK(off.bound_ratio.value() == Approx(0.000100136 / (14 * 0x1p-24)).epsilon(1e-4));

  // The worst is the one whose bound is exceeded most, not the one with the greatest error.
  // 2^20 - 2^20 + 1: M = 2^21 + 1, the bound is 0.5 and little more; 1 + 0 + 0: 5·2^-24, and 16·2^-24 is off.
  const Evaluated sums("ConvTranspose", {},
                       {"X=[[[1048576,1],[-1048576,0],[1,0]]]:float32", "W=[[[1]],[[1]],[[1]]]:float32"});
  const Comparison worst = sums.compared("Y=[[[2,1.00000095367431640625]]]:float32");
  CHECK(worst.mismatches == 2);
  CHECK(worst.bound_ratio.value() == Approx(3.2).epsilon(1e-3));
  CHECK(worst.first.value().index == Dims{0, 0, 0});
  CHECK(worst.worst.value().index == Dims{0, 0, 1});

  const Evaluated rescaled{"LpPool",
                           {.attributes = {"kernel_shape=2", "p=1", "pads=1,0"}, .nodes = {}, .opset = {}},
                           {"X=[[[1,2]]]:float32"},
                           {.readings = {{"lp_pool.partial_window", "rescaled"}}}};
  // 1·2/1, which loses nothing, and 1 + 2.
  CHECK(rescaled.compared("Y=[[[2,3]]]:float32").equal());
  CHECK_FALSE(rescaled.compared("Y=[[[2.0000002,3]]]:float32").equal());
}

TEST_CASE("bound: p-norms of other p", "[bound]") {
  // (1 + 8)^(1/3) = 2.080083823 (mpmath). Of each power 16 ULP: about 80u of it in all, 1e-5.
  const Evaluated three = pool("3", "[[[1,-2]]]:float32");
  CHECK(three.compared("Y=[[[2.0800838]]]:float32").equal());
  CHECK(three.compared("Y=[[[2.080086]]]:float32").equal());
  CHECK_FALSE(three.compared("Y=[[[2.0801838]]]:float32").equal());
  CHECK_FALSE(three.compared("Y=[[[2.236068]]]:float32").equal());  // p = 2
  CHECK(pool("3", "[[[0,0]]]:float32").compared("Y=[[[0]]]:float32").equal());
}

TEST_CASE("bound: of means, that of their sums and the quotient", "[bound]") {
  const auto mean = [](const char* x, const char* y, const BoundedKernel& kernel = {}) {
    return Evaluated{"GlobalAveragePool", {}, {format("X={}", x)}}.compared(format("Y={}", y), kernel);
  };
  const BoundedKernel half{.accumulator = DType::float16};
  // n = 3, Σ|x| = 7.5: (6u/(1 - 6u) + u + …)·7.5/3 with u = 2^-11 is 0.00857; off by 5·2^-9 and 2^-9.
  const char* x = "[[[1,2,4.5]]]:float16";
  CHECK(mean(x, "[[[2.509765625]]]:float16", half).bound_ratio.value() == Approx(1.139).epsilon(1e-3));
  CHECK(mean(x, "[[[2.501953125]]]:float16", half).bound_ratio.value() == Approx(0.2279).epsilon(1e-3));
  CHECK(mean(x, "[[[2.509765625]]]:float16", half).mismatches == 1);
  // The sum overflows float16, the mean does not.
  CHECK(mean("[[[65000,65000,65000]]]:float16", "[[[Inf]]]:float16").mismatches == 1);
  CHECK(mean("[[[65000,65000,65000]]]:float16", "[[[64992]]]:float16").mismatches == 0);
  CHECK(mean("[[[65000,65000,65000]]]:float16", "[[[Inf]]]:float16", half).mismatches == 0);
  // A subnormal result may be off by its last place, though the sum's own bound is less.
  CHECK(mean("[[[1e-7,0,1e-7]]]:float16", "[[[6e-8]]]:float16").mismatches == 0);
  CHECK(mean("[[[1e-7,0,1e-7]]]:float16", "[[[2.4e-7]]]:float16").mismatches == 1);
  // 0/0 is NaN alone.
  CHECK(mean("float32[1,1,0]:normal", "[[[NaN]]]:float32").mismatches == 0);
  CHECK(mean("float32[1,1,0]:normal", "[[[0]]]:float32").mismatches == 1);
}

TEST_CASE("bound: an accumulator that may overflow has none, and costs no other element's", "[bound]") {
  const BoundedKernel half{.accumulator = DType::float16};
  const Evaluated sums = pool("1", "[[[60000,60000,1]]]:float32");
  // 60001 has a bound of 3·60001·2^-11 and more, 88; 120000 passes as an infinity of its sign too.
  for (const char* good :
       {"Y=[[[120000,60001]]]:float32", "Y=[[[120000,60080]]]:float32", "Y=[[[Inf,60001]]]:float32"}) {
    CAPTURE(good);
    const Comparison passing = sums.compared(good, half);
    CHECK(passing.equal());
    CHECK(passing.without_bound == 1);
    CHECK(passing.first_without_bound == std::vector<Dims>{{0, 0, 0}});
    CHECK(passing.bound_ratio.value() <= 1);
  }
  CHECK(sums.compared("Y=[[[Inf,60080]]]:float32", half).bound_ratio.value() > 0.1);
  const Comparison near = sums.compared("Y=[[[121000,60080]]]:float32", half);
  CHECK(near.mismatches == 1);
  CHECK(near.bound_ratio.value() > 5);
  CHECK(near.first.value().index == Dims{0, 0, 0});
  CHECK(near.worst.value().index == Dims{0, 0, 0});
  const Comparison other = sums.compared("Y=[[[120000,70000]]]:float32", half);
  CHECK(other.mismatches == 1);
  CHECK(other.first.value().index == Dims{0, 0, 1});
  CHECK(other.without_bound == 1);
  CHECK(sums.compared("Y=[[[-Inf,60001]]]:float32", half).mismatches == 1);
  CHECK(sums.compared("Y=[[[NaN,60001]]]:float32", half).mismatches == 1);
  CHECK(sums.compared("Y=[[[120000,Inf]]]:float32", half).mismatches == 1);
  // In float32 nothing may overflow, and nothing is said.
  CHECK(sums.compared("Y=[[[120000,60001]]]:float32").without_bound == 0);

  // Squares: 300² = 90000. What is not finite has its value without any bound.
  const Evaluated norms = pool("2", "[[[300,0,1,Inf,300,NaN]]]:float32");
  const Comparison norm = norms.compared("Y=[[[Inf,1,Inf,Inf,NaN]]]:float32", half);
  CHECK(norm.equal());
  CHECK(norm.without_bound == 1);
  CHECK_FALSE(norms.compared("Y=[[[303,1,Inf,Inf,NaN]]]:float32", half).equal());

  // 6e38 overflows float32, and Inf - Inf is NaN; -6e38 - Inf is not. Magnitudes have one sign.
  const Evaluated product("MatMul", {}, {"A=[[3e38,1],[1,1],[-3e38,1]]:float32", "B=[[2],[-Inf]]:float32"});
  const Comparison meeting = product.compared("Y=[[NaN],[-Inf],[-Inf]]:float32");
  CHECK(meeting.equal());
  CHECK(meeting.without_bound == 1);
  CHECK(product.compared("Y=[[-Inf],[NaN],[-Inf]]:float32").mismatches == 1);
  CHECK(product.compared("Y=[[-Inf],[-Inf],[NaN]]:float32").mismatches == 1);
  CHECK(product.compared("Y=[[Inf],[-Inf],[-Inf]]:float32").mismatches == 1);
  CHECK(product.compared("Y=[[NaN],[-Inf],[-Inf]]:float32", {.accumulator = DType::float64}).mismatches == 1);
  CHECK(pool("1", "[[[70000,Inf]]]:float32").compared("Y=[[[NaN]]]:float32", half).mismatches == 1);

  // The first ones in C order, also where blocks of positions come channel after channel: here 65457 to 139999.
  const Evaluated many("LpPool", {.attributes = {"kernel_shape=1", "p=1"}, .nodes = {}, .opset = {}},
                       {"X=float32[1,2,70000]:iota:0"});
  const Tensor y = std::get<Tensor>(*many.environment.find("Y")->second.value);
  const Tolerance rule{.rule = Tolerance::Rule::bound, .kernel = half};
  const Comparison all = compare_bound(many.steps, "Y", y, y, Foreign::actual, rule);
  CHECK(all.equal());
  CHECK(all.without_bound == 74543);
  REQUIRE(all.first_without_bound.size() == 16);
  CHECK(all.first_without_bound.front() == Dims{0, 0, 65457});
  CHECK(all.first_without_bound.back() == Dims{0, 0, 65472});
}

TEST_CASE("bound: without one the verdict is fail, whatever the values", "[bound]") {
  const Comparison subnormal = pool("1", "[[[1,1e-40,1]]]:float32")
                                   .compared("Y=[[[1,1]]]:float32", {.subnormals = BoundedKernel::Subnormals::flushed});
  CHECK(subnormal.reason == "an input is subnormal, and what flushes it to zero has no error bound");
  CHECK_FALSE(subnormal.equal());
  // What has no bound of its own is not counted beside that.
  const Comparison both =
      pool("1", "[[[60000,60000,1e-6]]]:float16")
          .compared("Y=[[[Inf,60000]]]:float16",
                    {.accumulator = DType::float16, .subnormals = BoundedKernel::Subnormals::flushed});
  CHECK(both.reason == subnormal.reason);
  CHECK(both.without_bound == 0);
  CHECK(both.first_without_bound.empty());
  const Evaluated ones("LpPool", {.attributes = {"kernel_shape=127", "p=1"}, .nodes = {}, .opset = {}},
                       {"X=bfloat16[1,1,127]:iota:0"});
  const Comparison many = ones.compared("Y=[[[8000]]]:bfloat16", {.accumulator = DType::bfloat16});
  CHECK(many.reason == "an element has 127 terms, and a sum of so many in bfloat16 has no error bound");
  CHECK_FALSE(many.equal());
}

TEST_CASE("bound: a store that flushes", "[bound]") {
  const Evaluated node("ConvTranspose", {}, {"X=[[[0.0001220703125]]]:float16", "W=[[[0.25]]]:float16"});
  const BoundedKernel flushing{.subnormals = BoundedKernel::Subnormals::flushed};
  CHECK(node.compared("Y=[[[0]]]:float16", flushing).equal());
  CHECK_FALSE(node.compared("Y=[[[0]]]:float16").equal());
  CHECK(node.compared("Y=[[[0.000030517578125]]]:float16", flushing).equal());
  CHECK_FALSE(node.compared("Y=[[[0.0001220703125]]]:float16", flushing).equal());
}

TEST_CASE("bound: transposed convolutions, integers and data movement", "[bound]") {
  const Evaluated node("ConvTranspose", {}, {"X=[[[1,2]]]:float32", "W=[[[1,10]]]:float32", "B=[0.5]:float32"});
  // Terms of the middle: 0.5, 10, 2. n = 3: 12.5·(4 + 1)·2^-24 and little more: 3.9 places of 2^-20.
  CHECK(node.compared("Y=[[[1.5,12.5,20.5]]]:float32").equal());
  CHECK(node.compared("Y=[[[1.5,12.500002861022949,20.5]]]:float32").equal());        // 3 places
  CHECK_FALSE(node.compared("Y=[[[1.5,12.500003814697266,20.5]]]:float32").equal());  // 4 places
  CHECK(node.compared("Y=[[[1.5,12.5]]]:float32").reason == "shape [1,1,3], but [1,1,2] is expected");
  CHECK(node.compared("Y=[[[1.5,12.5,20.5]]]:float64").reason == "dtype float32, but float64 is expected");

  const Evaluated integers("openvino:ConvolutionBackpropData", {}, {"data=[[[1,2]]]:int8", "kernel=[[[1,10]]]:int8"});
  CHECK(integers.compared("output=[[[1,12,20]]]:int8").equal());
  CHECK_FALSE(integers.compared("output=[[[1,12,21]]]:int8").equal());

  const Evaluated unpool("MaxUnpool", {.attributes = {"kernel_shape=2"}, .nodes = {}, .opset = {}},
                         {"X=[[[5]]]:float32", "I=[[[1]]]"});
  CHECK(unpool.compared("output=[[[0,5]]]:float32").equal());
  CHECK_FALSE(unpool.compared("output=[[[0,5.0000005]]]:float32").equal());
  CHECK_FALSE(unpool.compared("output=[[[0,5.0000005]]]:float32", {.accumulator = DType::bfloat16}).equal());
}

TEST_CASE("bound: one addition is a sum of two terms, and a real formula is none", "[bound]") {
  const Evaluated add("Add", {}, {"A=[1,2]:float16", "B=[3,4]:float16"});
  // An accumulator of float32 leaves half a place of 2^-8, one of float16 2 places.
  CHECK_FALSE(add.compared("C=[4.00390625,6]:float16").equal());
  CHECK(add.compared("C=[4.0078125,6]:float16", {.accumulator = DType::float16}).equal());
  CHECK_FALSE(add.compared("C=[4.01171875,6]:float16", {.accumulator = DType::float16}).equal());
}

// Exact values by mpmath. An ULP of float32 is at most 2^-23 of the value.
TEST_CASE("bound: of a function some ULP of its result", "[bound]") {
  const Evaluated exp("Exp", {},
                      {"input=[1,0]:float32"});  // 2.71828182845905; 3 ULP are 7.2e-7, or 9.8e-7 with the last
  CHECK(exp.compared("output=[2.718281,1]:float32").equal());
  CHECK_FALSE(exp.compared("output=[2.71828,1]:float32").equal());
  CHECK_FALSE(exp.compared("output=[2.718281,1.0000001]:float32").equal());  // e^0 is 1
  const Evaluated root("Sqrt", {}, {"X=[2,0]:float16"});  // of float32, rounded to float16: 1.41421356
  CHECK(root.compared("Y=[1.4140625,0]:float16").equal());
  CHECK_FALSE(root.compared("Y=[1.4150390625,0]:float16").equal());
  CHECK(root.compared("Y=[1.4150390625,0]:float16", {.accumulator = DType::float16}).equal());
}

TEST_CASE("bound: what rounds nothing, or a given number once, has one right result", "[bound]") {
  for (const char* op_type : {"Abs", "Neg", "Floor", "Relu", "Round"}) {
    INFO(op_type);
    const Evaluated one(op_type, {}, {"X=[2]:float16"});
    const std::string right = op_type == std::string("Neg") ? "-2" : "2";
    CHECK(one.compared("Y=[" + right + "]:float16").equal());
    CHECK_FALSE(one.compared("Y=[" + right + ".002]:float16").equal());
  }
  const Evaluated cast("Cast", {.attributes = {"to=float16"}, .nodes = {}, .opset = {}}, {"input=[1.0004]:float32"});
  CHECK(cast.compared("output=[1]:float16").equal());
  CHECK_FALSE(cast.compared("output=[1.001]:float16").equal());
}

TEST_CASE("bound: of a number that the accumulator and the output have, nothing is lost", "[bound]") {
  const Evaluated twice("Mul", {}, {"A=[1.5]:float16", "B=[2]:float16"});
  CHECK(twice.compared("C=[3]:float16").equal());
  CHECK_FALSE(twice.compared("C=[3.002]:float16").equal());
}

TEST_CASE("bound: a formula's results have its signs", "[bound]") {
  const Evaluated softplus("Softplus", {}, {"X=[-17.7]:float32"});  // 2.0558322e-8
  CHECK(softplus.compared("Y=[2.0558325e-8]:float32").equal());
  CHECK_FALSE(softplus.compared("Y=[-1.9e-6]:float32").equal());
  // ln(e^x + 1) in float32 may be 0 there, or an ULP of 1; ln(1 + e^-|x|) by log1p is not.
  const Comparison page = softplus.compared("Y=[2.07e-8]:float32");
  CHECK(page.equal());
  CHECK(page.bound_class == BoundClass::page);
  CHECK(page.accurate_ratio.value() > 1000);
  CHECK_FALSE(softplus.compared("Y=[2.07e-8]:float32", {.formula = BoundedKernel::Formula::accurate}).equal());
  CHECK_FALSE(Evaluated("Exp", {}, {"input=[-103.9]:float32"}).compared("output=[-1e-45]:float32").equal());
}

TEST_CASE("bound: results of limited formulas are within their limits", "[bound]") {
  // 1 + 2^-23 is one ULP above the right 1 (Softmax: 1 - 2^-24 and 2^-24).
  const auto passes = [](const std::string& op, const std::string& input, const std::string& output) {
    return opref::check::testing::NodeUnderTest(op, {}, {input}).compared(output).mismatches == 0;
  };
  CHECK_FALSE(passes("Sigmoid", "X=[30]:float32", "Y=[1.0000001]:float32"));
  CHECK(passes("Sigmoid", "X=[30]:float32", "Y=[0.99999994]:float32"));
  CHECK_FALSE(passes("Tanh", "input=[-20]:float32", "output=[-1.0000001]:float32"));
  CHECK(passes("Tanh", "input=[-20]:float32", "output=[-0.99999994]:float32"));
  CHECK_FALSE(passes("Erf", "input=[9]:float32", "output=[1.0000001]:float32"));
  CHECK_FALSE(passes("Sin", "input=[1.5707964]:float32", "output=[1.0000001]:float32"));
  CHECK_FALSE(passes("Cos", "input=[1e-6]:float32", "output=[1.0000001]:float32"));
  CHECK_FALSE(passes("Softmax", "input=[20,0]:float32", "output=[1.0000001,2.0611537e-9]:float32"));
  CHECK(passes("Softmax", "input=[20,0]:float32", "output=[0.99999994,2.0611537e-9]:float32"));
  CHECK(passes("Exp", "input=[1e-9]:float32", "output=[1.0000001]:float32"));
}

TEST_CASE("bound: weaker kernels, by what they leave out", "[bound]") {
  // e^-90 is subnormal; the logarithm of the number next to 1 is an ULP of 1, and not 0.
  CHECK(Evaluated("Exp", {}, {"input=[-90]:float32"}).compared("output=[0]:float32").bound_class == BoundClass::flush);
  const Evaluated log("Log", {}, {"input=[1.0000001]:float32"});
  CHECK(log.compared("output=[0]:float32").bound_class == BoundClass::absolute);
}

TEST_CASE("bound: HardSwish by its factor 1/6", "[bound]") {
  // -1.192093e-7; by x·(1/6) + 0.5 in float32 -8.940696e-8, which the formula of one quotient does not give.
  const Evaluated swish("HardSwish", {}, {"X=[-2.9999998]:float32"});
  CHECK(swish.compared("Y=[-8.940696e-8]:float32").bound_class == BoundClass::page);
  CHECK_FALSE(swish.compared("Y=[-4e-7]:float32").equal());
}

TEST_CASE("bound: places that are quotients by powers of two are exact", "[bound]") {
  // By scale 2, place 1 of the output is 1/2: a tie, which round_prefer_floor takes to 0.
  const Evaluated nearest(
      "Resize", {.attributes = {"mode=nearest", "coordinate_transformation_mode=asymmetric"}, .nodes = {}, .opset = {}},
      {"X=[1,2]:float32", "roi=[]:float32", "scales=[2]:float32"});
  CHECK_FALSE(nearest.compared("Y=[1,2,2,2]:float32").equal());
}

TEST_CASE("bound: a sine beyond pi has not the sign of its input, nor a tangent beyond pi/2", "[bound]") {
  // sin 5.25 = -0.8589344934, tan 2 = -2.1850398633; each the number next to the right one.
  CHECK(Evaluated("Sin", {}, {"input=[5.25]:float32"}).compared("output=[-0.85893446]:float32").equal());
  CHECK(Evaluated("Tan", {}, {"input=[2]:float32"}).compared("output=[-2.1850396]:float32").equal());
}

TEST_CASE("bound: of a slice what its formula loses step by step", "[bound]") {
  const Evaluated softmax("Softmax", {}, {"input=[1,1,1]:float32"});
  CHECK(softmax.compared("output=[0.33333337,0.3333333,0.33333337]:float32").equal());
  const Comparison far = softmax.compared("output=[0.33334,0.33333334,0.33333334]:float32");
  CHECK(far.mismatches == 1);
  CHECK(far.first.value().index == Dims{0});
  // X of mean 2 and variance 2/3: ±1.2247356859 with an epsilon of 1e-5, ±1.2247448714 without. In bfloat16, whose
  // unit roundoff is 2^-8, both are right.
  const Evaluated norm("LayerNormalization", {}, {"X=[1,2,3]:float32", "Scale=[1,1,1]:float32"});
  CHECK(norm.compared("Y=[-1.2247357,0,1.2247356]:float32").equal());
  CHECK_FALSE(norm.compared("Y=[-1.2247449,0,1.2247449]:float32").equal());
  CHECK(norm.compared("Y=[-1.2247449,0,1.2247449]:float32", {.accumulator = DType::bfloat16}).equal());
}

TEST_CASE("bound: the greatest of numbers that are rounded first counts once", "[bound]") {
  // log(e^-0.455 + e^-0.802 + e^-0.568) = 0.50049452; the first results are those of each step in float32.
  const Evaluated softmax("LogSoftmax", {}, {"input=[-0.455,-0.802,-0.568]:float64"});
  const BoundedKernel in_float32{.accumulator = DType::float32};
  CHECK(softmax.compared("output=[-0.9554945230484009,-1.3024945259094238,-1.0684945583343506]:float64", in_float32)
            .equal());
  CHECK_FALSE(softmax.compared("output=[-0.9555,-1.3025,-1.0685]:float64", in_float32).equal());
}

TEST_CASE("bound: an integer is one that a number within the error becomes", "[bound]") {
  // 0.35/0.1 of float32 is 3.49999988820; float32 has 3.49999976 and 3.5, of which the one becomes 3, the other 4.
  const Evaluated quantized("QuantizeLinear", {}, {"x=[0.35,0.36]:float32", "y_scale=0.1:float32"});
  CHECK(quantized.compared("y=[4,4]:uint8").equal());
  CHECK(quantized.compared("y=[3,4]:uint8").equal());
  CHECK_FALSE(quantized.compared("y=[2,4]:uint8").equal());
  CHECK_FALSE(quantized.compared("y=[3,3]:uint8").equal());
  CHECK_FALSE(quantized.compared("y=[5,4]:uint8").equal());
}

TEST_CASE("bound: integers of integers are exact", "[bound]") {
  const Evaluated power("Pow", {}, {"X=[13]:int64", "Y=[8]:int64"});  // 815730752 is nearest in float32
  CHECK(power.compared("Z=[815730721]:int64").equal());
  CHECK_FALSE(power.compared("Z=[815730752]:int64").equal());
  for (const char* op_type : {"Mul", "Div", "Add", "Sub"}) {
    INFO(op_type);
    const bool is_sum = op_type == std::string("Add") || op_type == std::string("Sub");
    const Evaluated one(op_type, {}, {"A=[815730721]:int64", is_sum ? "B=[0]:int64" : "B=[1]:int64"});
    CHECK_FALSE(one.compared("C=[815730722]:int64").equal());
  }
}

TEST_CASE("bound: of a p-norm of a slice", "[bound]") {
  const Evaluated norm("LpNormalization", {.attributes = {"p=1"}, .nodes = {}, .opset = {}}, {"input=[1,1]:float32"});
  CHECK(norm.compared("output=[0.5,0.5000001]:float32").equal());
  CHECK_FALSE(norm.compared("output=[0.5,0.500001]:float32").equal());
}

TEST_CASE("bound: between pixels, of places that a kernel computes", "[bound]") {
  // Places (o + 1/2)/1.5 - 1/2 = -1/6, 1/2, 7/6. The quotient of 1.5 and 1.5 is 2.5 ULP off, or 6u: 1/2 is off by that
  // and a rounding, the element by as much of the difference of 1. Weights and the sum add about 2u: 5e-7 in all.
  const auto resize = [](const char* mode, const char* x, const char* scale) {
    return Evaluated{"Resize",
                     {.attributes = {format("mode={}", mode)}, .nodes = {}, .opset = {}},
                     {format("X={}:float32", x), format("scales=[{}]:float32", scale)}};
  };
  const Evaluated linear = resize("linear", "[0,1]", "1.5");
  CHECK(linear.compared("Y=[0,0.5,1]:float32").equal());
  CHECK(linear.compared("Y=[0,0.50000036,1]:float32").equal());
  CHECK_FALSE(linear.compared("Y=[0,0.500001,1]:float32").equal());
  // Beside equal pixels places do not matter, only roundings of 100.
  const Evaluated even = resize("linear", "[100,100]", "1.5");
  CHECK(even.compared("Y=[100,100.00001,100]:float32").equal());
  CHECK_FALSE(even.compared("Y=[100,100.0001,100]:float32").equal());
  // 1/2 is a tie, beside which a kernel may be on either side; by 2 places are exact.
  const Evaluated nearest = resize("nearest", "[3,8]", "1.5");
  CHECK(nearest.compared("Y=[3,3,8]:float32").equal());
  CHECK(nearest.compared("Y=[3,8,8]:float32").equal());
  CHECK_FALSE(nearest.compared("Y=[8,3,8]:float32").equal());
  CHECK_FALSE(resize("nearest", "[3,8]", "2").compared("Y=[3,8,8,8]:float32").equal());

  // ((0.1 + 1)·2 - 1)/2 = 0.6 of float32's 0.1, off by 1.7u.
  const Evaluated sample("GridSample", {}, {"X=[[[[0,1]]]]:float32", "grid=[[[[0.1,0]]]]:float32"});
  CHECK(sample.compared("Y=[[[[0.60000001]]]]:float32").equal());
  CHECK(sample.compared("Y=[[[[0.6000001]]]]:float32").equal());
  CHECK_FALSE(sample.compared("Y=[[[[0.6000011]]]]:float32").equal());
}

TEST_CASE("bound: an ULP of the greatest element is within it, a thousandth of large ones is not", "[bound]") {
  struct Node {
    std::string op_type;
    std::vector<std::string> attributes, inputs;
  };
  const std::string resized = "X=float32[1,1,7,5]:normal";
  const std::vector<Node> nodes = {
      {"Resize", {"mode=linear"}, {resized, "scales=[1,1,1.3,2.7]:float32"}},
      {"Resize", {"mode=cubic"}, {resized, "scales=[1,1,1.3,2.7]:float32"}},
      {"Resize", {"mode=linear", "antialias=1"}, {resized, "scales=[1,1,0.6,0.7]:float32"}},
      {"Resize", {"mode=cubic", "exclude_outside=1"}, {resized, "scales=[1,1,1.3,2.7]:float32"}},
      {"Resize", {"mode=linear", "coordinate_transformation_mode=align_corners"}, {resized, "sizes=[1,1,11,8]"}},
      {"GridSample", {}, {"X=float32[1,2,5,6]:normal", "grid=float32[1,3,4,2]:uniform"}},
      {"GridSample",
       {"mode=cubic", "padding_mode=reflection"},
       {"X=float32[1,2,5,6]:normal", "grid=float32[1,3,4,2]:normal"}},
      {"RoiAlign",
       {"output_height=3", "output_width=2", "sampling_ratio=2"},
       {"X=float32[1,2,9,9]:normal", "rois=[[1.3,2.1,6.7,7.9]]:float32", "batch_indices=[0]"}},
      {"RoiAlign",
       {"output_height=3", "output_width=2", "mode=max"},
       {"X=float32[1,2,9,9]:normal", "rois=[[1.3,2.1,6.7,7.9]]:float32", "batch_indices=[0]"}},
      {"DeformConv", {}, {"X=float32[1,2,5,5]:normal", "W=float32[3,2,2,2]:normal", "offset=float32[1,8,4,4]:normal"}},
      {"AffineGrid", {}, {"theta=float32[1,2,3]:normal", "size=[1,1,3,7]"}},
      {"RotaryEmbedding",
       {},
       {"X=float32[1,2,3,4]:normal", "cos_cache=float32[1,3,2]:normal", "sin_cache=float32[1,3,2]:normal"}},
      {"Range", {}, {"start=0.1:float32", "limit=3:float32", "delta=0.3:float32"}},
      {"HannWindow", {}, {"size=10"}},
      {"HammingWindow", {}, {"size=10"}},
      {"BlackmanWindow", {}, {"size=10"}},
      {"Gemm", {"alpha=0.3", "beta=0.7"}, {"A=float32[2,5]:normal", "B=float32[5,3]:normal", "C=float32[3]:normal"}},
      {"DFT", {}, {"input=float32[1,6,1]:normal"}},
      {"STFT", {}, {"signal=float32[1,16]:normal", "frame_step=4", "window=float32[6]:uniform"}},
      {"Attention", {}, {"Q=float32[1,2,3,4]:normal", "K=float32[1,2,5,4]:normal", "V=float32[1,2,5,4]:normal"}},
      {"Attention",
       {"is_causal=1", "softcap=2.0"},
       {"Q=float32[1,2,3,4]:normal", "K=float32[1,2,3,4]:normal", "V=float32[1,2,3,4]:normal"}},
      {"CausalConvWithState", {"activation=silu"}, {"input=float32[1,2,6]:normal", "weight=float32[2,1,3]:normal"}},
      {"Det", {}, {"X=float32[2,3,3]:normal"}},
      {"Det", {}, {"X=float32[2,6,6]:normal"}},
      {"CumProd", {}, {"x=float32[2,6]:normal", "axis=1"}},
      {"Y = Einsum <equation = \"ij,jk,kl->il\"> (A, B, C)",
       {},
       {"A=float32[2,3]:normal", "B=float32[3,4]:normal", "C=float32[4,2]:normal"}},
      {"openvino:NormalizeL2", {"eps=0.1", "eps_mode=add"}, {"data=float32[2,5]:normal", "axes=[1]"}},
  };
  for (const Node& node : nodes) {
    INFO(node.op_type << " " << (node.attributes.empty() ? "" : node.attributes.front()));
    const Evaluated evaluated(node.op_type, {.attributes = node.attributes, .nodes = {}, .opset = {}}, node.inputs);
    const std::string output = evaluated.steps.front().node->outputs.front();
    const Tensor ours = evaluated.environment.find(output)->second.tensor();
    std::vector<float> near(ours.values<float>().begin(), ours.values<float>().end()), far = near;
    float greatest = 0;
    for (const float y : near) greatest = std::max(greatest, std::abs(y));
    std::int64_t others = 0;
    for (std::size_t i = 0; i < near.size(); ++i) {
      others += std::abs(near[i]) > greatest / 10 ? 1 : 0;
      far[i] *= 1.001F;
      // One that has the greatest size, by as much as float32 may round it.
      if (std::abs(near[i]) == greatest) near[i] = std::nextafter(near[i], 0.0F);
    }
    const Tolerance rule{.rule = Tolerance::Rule::bound};
    const auto of = [&](const std::vector<float>& numbers) {
      const Tensor theirs = Tensor::of<float>(DType::float32, ours.shape(), numbers);
      return compare_bound(evaluated.steps, output, theirs, ours, Foreign::actual, rule);
    };
    CHECK(of(near).mismatches == 0);
    CHECK(of(far).mismatches >= others);
  }
}

TEST_CASE("bound: a convolution with an activation has that of its sum", "[bound]") {
  // Three products of 1: two additions of 3 in all lose 6·2^-24, of 4·2^-24 a place of float32.
  const auto of = [](const std::string& x) {
    return Evaluated(
        "com.microsoft.FusedConv", {.attributes = {"activation=Relu"}, .nodes = {}, .opset = {}},
        {"X=[[[" + x + "," + x + "," + x + "]]]:float32", "W=[[[" + x + "," + x + "," + x + "]]]:float32"});
  };
  const Evaluated ones = of("1");
  CHECK(ones.compared("Y=[[[3.0000002384185791]]]:float32").equal());        // 3 + 2^-22
  CHECK_FALSE(ones.compared("Y=[[[3.0000004768371582]]]:float32").equal());  // 3 + 2·2^-22
  // Three of (1 + 2^-23)², which is no float32: each product loses 2^-24 more, all together 9·2^-24.
  const Evaluated products = of("1.00000011920928955");
  CHECK(products.compared("Y=[[[3.000001192092896]]]:float32").equal());         // 3 + 5·2^-22, and 3·2^-22 is right
  CHECK_FALSE(products.compared("Y=[[[3.0000014305114746]]]:float32").equal());  // 3 + 6·2^-22
}

TEST_CASE("bound: sums of products that are a part of a formula cost about as much as sums alone", "[bound]") {
  using Texts = std::vector<std::string>;
  const auto seconds = [](const std::string& op_type, const Texts& attributes, const Texts& inputs) {
    const Evaluated node(op_type, {.attributes = attributes, .nodes = {}, .opset = {}}, inputs);
    const Tensor ours = node.environment.find("Y")->second.tensor();
    std::vector<float> near(ours.values<float>().begin(), ours.values<float>().end());
    for (float& y : near) y = y > 0 ? std::nextafter(y, 0.0F) : y;
    const Tensor theirs = Tensor::of<float>(DType::float32, ours.shape(), near);
    const Tolerance rule{.rule = Tolerance::Rule::bound};
    const std::clock_t begin = std::clock();
    CHECK(compare_bound(node.steps, "Y", theirs, ours, Foreign::actual, rule).equal());
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const Texts images{"X=float32[1,64,20,20]:uniform:1", "W=float32[32,64,3,3]:uniform:2"},
      matrices{"A=float32[100,1000]:uniform:1", "B=float32[1000,100]:uniform:2"};
  const double conv = seconds("Conv", {}, images), product = seconds("MatMul", {}, matrices);
  CAPTURE(conv, product);
  CHECK(seconds("com.microsoft.FusedConv", {"activation=Relu"}, images) < 2 * conv + 0.02);
  CHECK(seconds("com.microsoft.FusedGemm", {"activation=Relu"}, matrices) < 2 * product + 0.02);
  CHECK(seconds("com.microsoft.FusedMatMul", {"alpha=0.7"}, matrices) < 2 * product + 0.02);
}

TEST_CASE("bound: integers of a sum that is scaled", "[bound]") {
  // 3·(0.1/0.2) = 1.5 of float32's numbers, whose quotient is 2.5 ULP off: 1 or 2. 4·0.5 = 2 with nothing beside it.
  const Evaluated product("QLinearMatMul", {},
                          {"a=[[1,4]]:uint8", "a_scale=0.1:float32", "a_zero_point=0:uint8", "b=[[3,0],[0,1]]:uint8",
                           "b_scale=1:float32", "b_zero_point=0:uint8", "y_scale=0.2:float32", "y_zero_point=0:uint8"});
  CHECK(product.compared("y=[[1,2]]:uint8").equal());
  CHECK(product.compared("y=[[2,2]]:uint8").equal());
  CHECK_FALSE(product.compared("y=[[3,2]]:uint8").equal());
  CHECK_FALSE(product.compared("y=[[2,1]]:uint8").equal());
}

TEST_CASE("bound: what is foreign may be either of the two", "[bound]") {
  const Evaluated node = pool("1", "[[[1,1e-3]]]:float32");
  const Tensor ours = node.environment.find("Y")->second.tensor();
  const std::vector<float> other{1.0F};
  const Tensor theirs = Tensor::of<float>(DType::float32, {1, 1, 1}, other);
  const Tolerance rule{.rule = Tolerance::Rule::bound};
  const Comparison actual = compare_bound(node.steps, "Y", theirs, ours, Foreign::actual, rule);
  const Comparison expected = compare_bound(node.steps, "Y", ours, theirs, Foreign::expected, rule);
  CHECK(actual.bound_ratio == expected.bound_ratio);
  CHECK(actual.first.value().actual == "1");
  CHECK(actual.first.value().expected == "1.001");
  CHECK(expected.first.value().actual == "1.001");
  CHECK(expected.first.value().expected == "1");
}

TEST_CASE("bound: refused where it is not known or has no meaning", "[bound]") {
  const Evaluated graph("A = LpPool <kernel_shape = [1], p = 1> (X)\nB = LpPool <kernel_shape = [1], p = 1> (A)", {},
                        {"X=[[[1,2]]]:float32"});
  CHECK(message([&] { graph.compared("B=[[[1,2]]]:float32"); }) ==
        "usage: no rigorous bound of 'B' is known: the input 'A' of its node is itself computed");
  const Tensor x = graph.environment.find("X")->second.tensor();
  const Tolerance rule{.rule = Tolerance::Rule::bound};
  CHECK(message([&] { compare_values(x, x, rule); }) == "usage: the rule bound needs the node");
  Tolerance any = rule;
  any.ignore_dtype = true;
  CHECK(message([&] { compare_bound(graph.steps, "A", x, x, Foreign::actual, any); }) ==
        "usage: the rule bound needs values of the node's own type: it cannot ignore dtypes");
}

TEST_CASE("bound: reports", "[bound]") {
  const Tolerance rule{.rule = Tolerance::Rule::bound};
  CHECK(to_text(rule) == "bound");
  const Comparison good = pool("1", "[[[1,2]]]:float32").compared("Y=[[[3]]]:float32");
  CHECK(describe(good, rule) ==
        "  within the bound of float32 (share 0, accurate)\n"
        "  the greatest error is 0 of what a right float32 kernel may lose, the median 0\n"
        "  1 element");
  const Tolerance half{.rule = Tolerance::Rule::bound, .kernel = {.accumulator = DType::float16}};
  const Evaluated large = pool("1", "[[[60000,60000,1,-60000]]]:float32");
  CHECK(describe(large.compared("Y=[[[120000,60001,60001]]]:float32", half.kernel), half) ==
        "  within the bound of float16 (share 0, accurate)\n"
        "  the greatest error is 0 of what a right float16 kernel may lose, the median 0\n"
        "  share 0: 3\n"
        "  3 elements\n"
        "  1 element has no bound of its own, because such a kernel may meet Inf or NaN\n"
        "    there: [0,0,0]");
  // 3u = 0.001465 of 60001 is 88.03. Inf beside a number is no number of ULP apart; an element without a bound has no
  // part of it.
  CHECK(describe(large.compared("Y=[[[Inf,60001,60002]]]:float32", half.kernel), half) ==
        "  within the bound of float16 (share 0.01136, accurate)\n"
        "  the greatest error is 0.01136 of what a right float16 kernel may lose, the\n"
        "    median 0\n"
        "  share 0: 2, to 0.1: 1\n"
        "  3 elements: 1 bit-equal, 1 within 1 ULP, 1 without a distance, the others at\n"
        "    most 256 ULP\n"
        "  1 element has no bound of its own, because such a kernel may meet Inf or NaN\n"
        "    there: [0,0,0]");
  CHECK(describe(pool("1", "[[[60000,60000]]]:float32").compared("Y=[[[Inf]]]:float32", half.kernel), half) ==
        "  within the bound of float16, as no element has one of its own\n"
        "  1 element: 0 bit-equal, 0 within 1 ULP, 1 without a distance\n"
        "  1 element has no bound of its own, because such a kernel may meet Inf or NaN\n"
        "    there: [0,0,0]");
  // A kernel that does not overflow is at most some 3u·120000 = 176 off.
  CHECK(pool("1", "[[[60000,60000]]]:float32").compared("Y=[[[120001]]]:float32", half.kernel).equal());
  CHECK_FALSE(pool("1", "[[[60000,60000]]]:float32").compared("Y=[[[121000]]]:float32", half.kernel).equal());
  // An error where none is allowed has no ratio.
  const Comparison infinite = large.compared("Y=[[[-Inf,60001,60001]]]:float32", half.kernel);
  CHECK(bound_verdict(infinite) ==
        "beyond the bound of float16: 1 of 3 elements, no error is allowed at [0,0,0]: actual 120000, expected -Inf "
        "(0x47ea6000, 0xff800000)");
  CHECK(difference_text(infinite) ==
        "is beyond the bound of float16 in 1 of 3 elements: [0,0,0] is 120000 instead of -Inf, where no error is "
        "allowed");
  // 3 against 4: 2^22 times 2^-22, of which the bound has three (see above).
  CHECK(difference_text(pool("1", "[[[1,2]]]:float32").compared("Y=[[[4]]]:float32")) ==
        "is beyond the bound of float32 in 1 of 1 element: [0,0,0] is 3 instead of 4, share 1.398e+06");
  Comparison several;
  CHECK(without_bound_text(several).empty());
  several.without_bound = 9;
  several.first_without_bound = {{0, 1}, {2, 3}};
  CHECK(without_bound_text(several) ==
        "9 elements have no bound of their own, because such a kernel may meet Inf or NaN there: [0,1], [2,3] and 7 "
        "more");
  const std::string json = comparison_json(several, half).text();
  CHECK(json.find("\"without_bound\": 9") != std::string::npos);
  CHECK(json.find("\"first_without_bound\": [\n") != std::string::npos);
  CHECK(comparison_json(good, rule).text().find("without_bound") == std::string::npos);
}

TEST_CASE("bound: shares, their median, and the worst elements by them", "[bound]") {
  // Sums 2^20 - 2^20 + 1, whose bound is 0.5 and little more, and 1 + 0 + 0 and 2 + 0 + 0: 5·2^-24 and 10·2^-24.
  const Evaluated sums("ConvTranspose", {},
                       {"X=[[[1048576,1,2],[-1048576,0,0],[1,0,0]]]:float32", "W=[[[1]],[[1]],[[1]]]:float32"});
  const Comparison far = sums.compared("Y=[[[2,1.00000095367431640625,2]]]:float32");  // 16·2^-24 off
  CHECK(far.bound_accumulator == DType::float32);
  CHECK(far.bound_histogram.bins == std::array<std::int64_t, 5>{1, 0, 0, 2, 0});
  CHECK(far.bound_median == Approx(2).epsilon(1e-3));
  REQUIRE(far.worst_mismatches.size() == 2);
  CHECK(far.worst_mismatches[0].index == Dims{0, 0, 1});
  CHECK(far.worst_mismatches[0].share.value() == Approx(3.2).epsilon(1e-3));
  CHECK(far.worst_mismatches[0].allowed.value() == Approx(5 * 0x1p-24).epsilon(1e-3));
  CHECK(far.worst_mismatches[1].allowed.value() == Approx(0.5).epsilon(1e-3));
  CHECK(far.first->share.value() == far.worst_mismatches[1].share.value());
  CHECK(
      bound_verdict(far).starts_with("beyond the bound of float32: 2 of 3 elements, largest share 3.2 at [0,0,1]: "
                                     "actual 1, expected 1.000001, allowed ±2.98e-07 ("));
  const Comparison near = sums.compared("Y=[[[1.25,1,2]]]:float32");
  CHECK(near.equal());
  CHECK(near.bound_class == BoundClass::accurate);
  CHECK(near.bound_histogram.bins == std::array<std::int64_t, 5>{2, 0, 1, 0, 0});
  CHECK(near.bound_median == 0);
  CHECK(bound_verdict(near) == "within the bound of float32 (share 0.5, accurate)");
  // What a formula of the page alone passes has its share by that formula.
  const Evaluated softplus("Softplus", {}, {"X=[-17.7,0]:float32"});
  const Comparison page = softplus.compared("Y=[2.07e-8,0.6931472]:float32");
  CHECK(page.bound_histogram.bins == std::array<std::int64_t, 5>{1, 1, 0, 0, 0});
  CHECK(bound_verdict(page).starts_with("within the bound of the page's formula in float32 (share 0."));
}

TEST_CASE("bound: what is not rounded may be either zero", "[bound]") {
  const Evaluated relu("Relu", {}, {"X=[-0,-1,2]:float32"});
  CHECK(relu.compared("Y=[-0,-0,2]:float32").equal());
  CHECK(relu.compared("Y=[0,0,2]:float32").equal());
  const Comparison off = relu.compared("Y=[0,0,2.0000002]:float32");
  CHECK(off.mismatches == 1);
  CHECK(rule_text(off, {.rule = Tolerance::Rule::bound}) == "0 ULP: nothing is rounded");
}

TEST_CASE("bound: what is allowed of a mean is so of the mean", "[bound]") {
  // n = 4, M = 10, k = 7u: (7u·10 + 3η)/4 + u·2.5: 20u.
  const Evaluated mean("GlobalAveragePool", {}, {"X=[[[1,2,3,4]]]:float32"});
  const Comparison off = mean.compared("Y=[[[2.5001]]]:float32");
  CHECK(off.worst->allowed.value() == Approx(20 * 0x1p-24).epsilon(1e-3));
  CHECK(off.worst->share.value() == Approx(0.0001 / (20 * 0x1p-24)).epsilon(1e-2));
}

}  // namespace bound_test
