// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <map>

#include "check/rounding_noise.h"
#include "exact/rounding.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace rounding_noise_test {

using namespace opref::check;

namespace {

/// Of the first output of a graph's last node.
std::int64_t roundings(const std::string& graph, const std::vector<std::string>& arguments) {
  Bound bound = bind_case(read_case(graph), arguments);
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, bound.options, warnings);
  const std::vector<Step> steps = run_graph(bound.graph, environment, bound.options);
  return roundings_of(steps.back(), 0, *value_of(environment, steps.back().node->outputs[0]).tensor());
}

}  // namespace

TEST_CASE("a node's roundings: terms of sums, operations of formulas, none of what right kernels agree on", "[check]") {
  const std::vector<std::string> x = {"x=[0.1,0.2,0.3,0.7]:float32"};
  CHECK(roundings("y = ReduceSum (x)", x) == 4);
  CHECK(roundings("y = MatMul (x, w)", {"x=float32[3,7]:uniform", "w=float32[7,5]:uniform"}) == 7);
  CHECK(roundings("y = Conv <pads = [1, 1, 1, 1]> (x, w)",
                  {"x=float32[1,2,5,5]:uniform", "w=float32[4,2,3,3]:uniform"}) ==
        18);  // 2 channels of 3x3; at the border fewer
  CHECK(roundings("y = Add (x, x)", x) == 2);
  CHECK(roundings("y = Mul (x, x)", x) == 1);
  CHECK(roundings("y = Softmax (x)", x) == 4);
  for (const char* exact : {"Neg", "Abs", "Relu", "Identity", "Floor", "Transpose", "Sign", "Round", "Flatten"})
    CHECK(roundings("y = " + std::string(exact) + " (x)", x) == 0);
  CHECK(roundings("y = Max (x, z)", {x[0], "z=[0.2]:float32"}) == 0);
  CHECK(roundings("y = Clip (x, z, w)", {x[0], "z=0.15:float32", "w=0.6:float32"}) == 0);
  CHECK(roundings("y = ReduceMax (x)", x) == 0);
  CHECK(roundings("y = Sqrt (x)", x) > 0);
  CHECK(roundings("y = Div (x, z)", {x[0], "z=[0.7]:float32"}) > 0);
  CHECK(roundings("y = Exp (x)", x) > 0);
  CHECK(roundings("y = Cast <to = 10> (x)", x) == 0);
  CHECK(roundings("y = Cast <to = 7> (x)", x) == 0);
  CHECK(roundings("y = Mul (x, x)", {"x=[0,0,0]:float32"}) == 0);
  CHECK(roundings("y = Mul (x, x)", {"x=[0,0,0.1]:float32"}) == 1);
}

TEST_CASE("noise has the mean 0 and the rms u·√n, and knows the limits of its type", "[check]") {
  constexpr std::int64_t kCount = 20000;
  constexpr double kValue = 1.5, kRoundings = 9;
  const auto check = [&](auto zero, DType dtype, double u, double gap) {
    using T = decltype(zero);
    const std::vector<T> values(kCount, nearest<T>(kValue));
    const Tensor y = Tensor::of<T>(dtype, Dims{kCount}, values);
    const Tensor moved = with_noise(y, static_cast<std::int64_t>(kRoundings), Random(7), 3);
    CHECK(std::ranges::equal(moved.bytes(), with_noise(y, 9, Random(7), 3).bytes()));
    CHECK(!std::ranges::equal(moved.bytes(), with_noise(y, 9, Random(8), 3).bytes()));
    CHECK(!std::ranges::equal(moved.bytes(), with_noise(y, 9, Random(7), 4).bytes()));
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < kCount; ++i) {
      const double d = floating_element(moved, i) - kValue;
      sum += d, squares += d * d;
    }
    // d is uniform of variance s². Rounding up or down, with the chance p, adds p(1 - p)·gap² to it: at most a quarter
    // of gap², and at most E|d|·gap, which is s·gap·√3/2.
    const double s = u * std::sqrt(kRoundings) * kValue, rms = std::sqrt(squares / kCount);
    const double most = std::sqrt(s * s + std::min(gap * gap / 4, s * gap * 0.8661));
    CHECK(rms > 0.95 * s);
    CHECK(rms < 1.05 * most);
    CHECK(std::abs(sum / kCount) < 4 * most / std::sqrt(kCount));
  };
  check(0.0F, DType::float32, 0x1p-24, 0x1p-23);
  check(0.0, DType::float64, 0x1p-53, 0x1p-52);

  const float inf = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
  const std::vector<float> odd = {0.0F,
                                  -0.0F,
                                  inf,
                                  -inf,
                                  most,
                                  -most,
                                  std::numeric_limits<float>::denorm_min(),
                                  std::numeric_limits<float>::quiet_NaN()};
  const Tensor y = Tensor::of<float>(DType::float32, Dims{8}, odd);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Tensor moved = with_noise(y, 1000000, Random(seed), 0);
    CHECK(std::ranges::equal(moved.bytes(), y.bytes()));  // the least number is less than half a gap off
  }
}

TEST_CASE("of float16 few elements change: kernels add in float32", "[check]") {
  // d is uniform within √3·2^-24·√n·1.5, the gap of float16 there 2^-10: the chance is E|d| / gap.
  constexpr std::int64_t kCount = 400000, kRoundings = 100;
  const std::vector<std::uint16_t> values(kCount, 0x3e00);
  const Tensor y = Tensor::of<std::uint16_t>(DType::float16, Dims{kCount}, values);
  const Tensor moved = with_noise(y, kRoundings, Random(1), 0);
  double changed = 0;
  for (std::int64_t i = 0; i < kCount; ++i) changed += element_bits(moved, i) != 0x3e00 ? 1 : 0;
  const double expected = kCount * std::sqrt(3.0) / 2 * 0x1p-24 * 10 * 1.5 / 0x1p-10;
  CHECK(std::abs(changed - expected) < 4 * std::sqrt(expected));
}

}  // namespace rounding_noise_test
