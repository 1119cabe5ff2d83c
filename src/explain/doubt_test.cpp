// SPDX-License-Identifier: Apache-2.0
// Which of several causes is believed, and how far.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "explain/explained_testing.h"

namespace doubt_test {

using namespace opref::explain;
using namespace opref::explain::testing;

TEST_CASE("all that fit equally are listed; mistakes fit by the rule if nothing fits to the bit",
          "[explain][mistakes]") {
  const auto names = [](const Explanation& explanation) {
    std::vector<std::string> list;
    for (const Cause& cause : explanation.causes) list.push_back(cause.name);
    return list;
  };
  // A window as large as the kernel: 86 is 258 / 3 by either count.
  const EvaluatedNode pool(
      "LpPool", {{"kernel_shape", AttributeValue::of(Int64s{3})}, {"p", AttributeValue::of(std::int64_t{1})}},
      {{"X", tensor_of(DType::float32, {1, 1, 3}, {256, 1, 1})}});
  CHECK(names(pool.all(tensor_of(DType::float32, {1, 1, 1}, {86}))) ==
        std::vector<std::string>{"mistake divided by the window's number of elements",
                                 "mistake divided by the kernel's size"});
  CHECK(pool.all(tensor_of(DType::float32, {1, 1, 1}, {86})).causes[0].kind == Cause::Kind::mistake);
  CHECK(pool.all(tensor_of(DType::float32, {1, 1, 1}, {256})).causes[0].kind == Cause::Kind::arithmetic);
  const Explanation nothing = pool.all(tensor_of(DType::float32, {1, 1, 1}, {77}));
  CHECK((nothing.causes.empty() && nothing.complete));
  // Kernel flipped, and 1 % off.
  const EvaluatedNode conv(
      "ConvTranspose", {},
      {{"X", tensor_of(DType::float32, {1, 1, 1}, {1})}, {"W", tensor_of(DType::float32, {1, 1, 3}, {1, 10, 100})}});
  const Tensor off = tensor_of(DType::float32, {1, 1, 3}, {101, 10.1, 1.01});
  const Tolerance two_percent{.rule = Tolerance::Rule::relative, .rtol = 0.02, .atol = 0};
  CHECK(names(conv.all(off)).empty());
  const Explanation by_rule = conv.all(off, {two_percent});
  CHECK(names(by_rule) == std::vector<std::string>{"mistake kernel flipped"});
  CHECK(by_rule.within == "rtol 0.02, atol 0");
}

TEST_CASE("a cause that some element disproves, or that no element tells of, is none", "[explain][mistakes]") {
  // Results beyond float16's range are infinite, but 1.1752012 is no float16.
  const EvaluatedNode sinh("Sinh", {}, {{"input", tensor_of(DType::float32, {3}, {12.5, -13, 1})}});
  const double infinity = std::numeric_limits<double>::infinity();
  const Tolerance rule{.rule = Tolerance::Rule::relative, .rtol = 1e-3, .atol = 1e-7};
  const Tensor y = tensor_of(DType::float32, {3}, {infinity, -infinity, 1.1752012});
  for (const Cause& cause : sinh.all(y, {rule}).causes) CHECK(cause.name.find("float16") == std::string::npos);

  const EvaluatedNode slice("Slice", {},
                            {{"data", tensor_of(DType::float32, {3}, {1, 2, 3})},
                             {"starts", tensor_of(DType::int64, {1}, {1})},
                             {"ends", tensor_of(DType::int64, {1}, {3})}});
  CHECK(slice.all(tensor_of(DType::float32, {0}, {})).causes.empty());
}

TEST_CASE("a mistake with sums in another order, and one that a cancelling element does not fit",
          "[explain][mistakes]") {
  constexpr std::int64_t n = RandomProduct::n;
  const RandomProduct made = random_product(11);
  const std::vector<double>&a = made.a, &b = made.b;
  const EvaluatedNode& product = made.node;
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

TEST_CASE("a mistake in steps of float16", "[explain][mistakes]") {
  // max(0, min(1, alpha·x + beta)) with alpha 0.2, which is the default.
  const auto half = [](double v) { return widen(nearest<Half>(v)); };
  std::vector<double> x, y;
  for (int i = 0; i < 40; ++i) x.push_back(half(-2.4 + 0.119 * i));
  const EvaluatedNode node("HardSigmoid", {{"alpha", AttributeValue::of(0.3F)}},
                           {{"X", tensor_of(DType::float16, {40}, x)}});
  const double alpha = 0.2F, beta = 0.5;
  for (const double v : x) y.push_back(std::min(1.0, half(half(alpha * v) + beta)));
  CHECK(node.explain(tensor_of(DType::float16, {40}, y)) == "alpha ignored; each step rounded to float16");
}

TEST_CASE("two changes together, and one that gives a part", "[explain][mistakes]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x{5, 1, nan, 3, 9, 2, 7, 4, 6, 8, nan, 1, 3, 2};
  const EvaluatedNode node(
      "MaxPool", {{"kernel_shape", AttributeValue::of(Int64s{2})}, {"pads", AttributeValue::of(Int64s{1, 0})}},
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
  const EvaluatedNode nans("MaxPool", {{"kernel_shape", AttributeValue::of(Int64s{2})}},
                           {{"X", tensor_of(DType::float32, {1, 1, 8}, mostly)}});
  CHECK(explained(nans, {1, 1, 3, 3, 2, 7, 7}) == "NaN passed over");
  CHECK(explained(nans, {1, 1, 3, 3, nan, 7, 7}).empty());
}

TEST_CASE("what a few elements show is weighed", "[explain][mistakes]") {
  // 256 + 1 + 1 is 256 in bfloat16, and by other rules.
  const auto sum = [](const std::vector<double>& x, const Dims& shape) {
    return EvaluatedNode("ReduceSum", {{"axes", AttributeValue::of(Int64s{1})}},
                         {{"data", tensor_of(DType::float32, shape, x)}}, 11);
  };
  const Explanation one = sum({256, 1, 1}, {1, 3}).all(tensor_of(DType::float32, {1, 1}, {256}));
  REQUIRE(!one.causes.empty());
  CHECK(one.causes[0].name == "bfloat16 accumulation");
  CHECK(one.doubt.starts_with("weak evidence: 1 in "));
  // numpy adds five at a time in float32 and their sums in float16. Inputs rounded to bfloat16, added in float32 and
  // truncated are the same by luck, and three changes at once.
  const EvaluatedNode half(
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
    return EvaluatedNode("HardSigmoid", {{"alpha", AttributeValue::of(0.2F)}, {"beta", AttributeValue::of(1.3F)}},
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

TEST_CASE("several operators that fit are weak evidence; a version that gives nothing is not named",
          "[explain][mistakes]") {
  // A row with one number that is not 0: its sum, its greatest element and its norms.
  std::vector<double> x, y;
  for (const double number : {2, 3, 5, 7, 11, 13, 17, 19}) {
    x.insert(x.end(), {0, number, 0});
    y.push_back(number);
  }
  const EvaluatedNode product("ReduceProd", {{"axes", AttributeValue::of(Int64s{1})}},
                              {{"data", tensor_of(DType::float32, {8, 3}, x)}}, 11);
  const Explanation several = product.all(tensor_of(DType::float32, {8, 1}, y));
  CHECK(several.causes.size() > 1);
  CHECK(several.doubt.find(" operators give these elements") != std::string::npos);

  // Padding counted is a mistake of the versions that have count_include_pad; the means are the same in all.
  std::vector<double> means;
  for (const double number : y) means.insert(means.end(), {number / 2, number / 2});
  const EvaluatedNode pool(
      "AveragePool", {{"kernel_shape", AttributeValue::of(Int64s{2})}, {"pads", AttributeValue::of(Int64s{1, 1})}},
      {{"X", tensor_of(DType::float32, {1, 8, 1}, y)}}, 1);
  CHECK(pool.explain(tensor_of(DType::float32, {1, 8, 2}, means)) == "padding counted");
}

TEST_CASE("the greatest number says one thing, however often; infinite differences are explained first",
          "[explain][mistakes]") {
  std::vector<double> large(8, 3e38), ten(8, 10), greatest(8, std::numeric_limits<float>::max());
  large[0] = 1;  // else the output is one value throughout
  greatest[0] = 10;
  const EvaluatedNode product(
      "Mul", {}, {{"A", tensor_of(DType::float32, {8}, large)}, {"B", tensor_of(DType::float32, {8}, ten)}});
  CHECK(product.all(tensor_of(DType::float32, {8}, greatest)).doubt.starts_with("weak evidence"));

  // The logarithm of e^-200, which is 0 in float32; the other elements are some ULP off.
  const EvaluatedNode softmax("LogSoftmax", {}, {{"input", tensor_of(DType::float32, {1, 4}, {0, -200, -3, -5})}}, 13);
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
    const EvaluatedNode node(
        "Mul", {}, {{"A", tensor_of(DType::float32, {3}, {1, 2, 3})}, {"B", tensor_of(DType::float32, {3}, b)}});
    return explained(node, y);
  };
  CHECK(product({-5, 7, -11}, {5, -14, 33}) == "the sign of results changed");
  CHECK(product({-5, -7, -11}, {5, 14, 33}).find("sign") == std::string::npos);
}

TEST_CASE("equal saturated elements say one thing", "[explain][mistakes]") {
  const auto sum = [](const std::vector<double>& x) {
    return EvaluatedNode("ReduceSum", {{"axes", AttributeValue::of(Int64s{1})}},
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
  const EvaluatedNode node("Softmax", {{"axis", AttributeValue::of(std::int64_t{1})}},
                           {{"input", tensor_of(DType::float32, {2, 3, 4}, x)}}, 11);
  const Tolerance rule{.rule = Tolerance::Rule::relative, .rtol = 1e-3, .atol = 1e-7};
  const Explanation found = node.all(tensor_of(DType::float32, {2, 3, 4}, y), {rule});
  REQUIRE_FALSE(found.causes.empty());
  CHECK(found.causes[0].name == "reading softmax.plus_infinity=nan_row, mistake computed as Softmax-13");
  CHECK(found.within == "rtol 0.001, atol 1e-07");
  CHECK(found.doubt.empty());
}

}  // namespace doubt_test
