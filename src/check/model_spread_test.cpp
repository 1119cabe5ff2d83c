// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <cmath>

#include "check/expected.h"
#include "check/model_spread.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace model_spread_test {

using namespace opref::check;

namespace {

constexpr std::int64_t kSize = 64;
const std::string kHead = R"(<ir_version: 8, opset_import: ["" : 18]> g )";

/// A graph of several nodes, and an output of it that a backend gave.
struct Judged {
  Bound bound;
  Environment values;
  std::vector<Step> steps;

  Judged(const std::string& graph, const std::vector<std::string>& arguments)
      : bound(bind_case(read_case(graph), arguments)) {
    std::vector<std::string> warnings;
    values = load_inputs(bound, bound.options, warnings);
    steps = run_graph(bound.graph, values, bound.options);
  }
  const Tensor& value(const std::string& name) const { return *values.at(name).value->tensor(); }
  OutputReport report(const std::string& name, Tensor given) const {
    ModelSpread spread(bound, 60);
    const ToleranceChoice choice{{}, false, ToleranceChoice::Judged::backend};
    return compare_output(*bound.read, name, std::move(given), *values.at(name).value, Foreign::actual, steps, choice,
                          &spread);
  }
};

/// The tensor with some of its float32 elements made anew.
template <class F>
Tensor changed(const Tensor& tensor, const F& element) {
  TensorBuilder builder(tensor.type());
  for (std::int64_t i = 0; i < tensor.count(); ++i)
    builder.values<float>()[static_cast<size_t>(i)] = element(i, tensor.values<float>()[static_cast<size_t>(i)]);
  return std::move(builder).finish();
}

/// x·w·x in float32, each sum in order: what a right kernel gives.
Tensor products(const Judged& judged) {
  const auto x = judged.value("x").values<float>(), w = judged.value("w").values<float>();
  const auto product = [](std::span<const float> a, std::span<const float> b) {
    std::vector<float> c(static_cast<size_t>(kSize * kSize));
    for (size_t i = 0; i < kSize; ++i)
      for (size_t j = 0; j < kSize; ++j)
        for (size_t k = 0; k < kSize; ++k) c[i * kSize + j] += a[i * kSize + k] * b[k * kSize + j];
    return c;
  };
  const std::vector<float> y = product(product(x, w), x);
  return changed(judged.value("y"), [&](std::int64_t i, float) { return y[static_cast<size_t>(i)]; });
}

}  // namespace

TEST_CASE("a model's output: the spread of rounding decides", "[check]") {
  const Judged judged(
      kHead + "(float[64,64] x, float[64,64] w) => (float[64,64] y) { h = MatMul (x, w) y = MatMul (h, x) }",
      {"x=float32[64,64]:normal", "w=float32[64,64]:normal"});
  const Tensor right = products(judged);
  const OutputReport fits = judged.report("y", right);
  CHECK(fits.comparison.equal());
  CHECK(fits.comparison.bit_equal < fits.comparison.count);
  CHECK(fits.comparison.is_estimate);
  CHECK(fits.comparison.bound_ratio > 0.01);
  CHECK(fits.comparison.bound_ratio < 1);
  CHECK(describe(fits.comparison, fits.tolerance).starts_with("  within the spread of float32 kernels (share 0."));
  // Numpy's rule of 1e-3 passes both of these.
  const OutputReport larger = judged.report("y", changed(right, [](auto, float y) { return y * (1 + 0x1p-16F); }));
  CHECK(larger.comparison.mismatches > 0);
  CHECK(larger.comparison.bound_ratio > 2);
  // Of one element in 4,096 the rms tells nothing.
  const OutputReport one =
      judged.report("y", changed(right, [](std::int64_t i, float y) { return i == 1000 ? y + 8e-3F : y; }));
  CHECK(one.comparison.mismatches == 1);
  CHECK(one.comparison.worst->index == Dims{15, 40});
  CHECK(one.comparison.bound_ratio > 1);
  const OutputReport nan = judged.report("y", changed(right, [](std::int64_t i, float y) { return i == 3 ? NAN : y; }));
  CHECK(nan.comparison.mismatches == 1);
}

TEST_CASE("a model's output: no verdict where rounding alone changes it much, integers exactly", "[check]") {
  const Judged wild(kHead + "(float[100] x, float[1] c) => (float[100] y) { h = Mul (x, c) y = Sin (h) }",
                    {"x=float32[100]:uniform", "c=[3e7]:float32"});
  const OutputReport none = wild.report("y", changed(wild.value("y"), [](auto, float y) { return y / 2; }));
  CHECK(!none.comparison.equal());
  CHECK(none.comparison.has_no_verdict());
  CHECK(none.comparison.reason.starts_with("there is no verdict: rounding in the nodes before alone moves it by "));
  CHECK(difference_text(none.comparison).starts_with("differs, but there is no verdict: "));

  // Nor where the spread is not known; nobody asks for it where the values are equal.
  Bound small = wild.bound;
  small.options.max_bytes = 8;
  ModelSpread lacking(small, 60);
  const Tensor& y = wild.value("y");
  const Comparison unknown = lacking.compare("y", changed(y, [](auto, float x) { return x / 2; }), y, Foreign::actual);
  CHECK(unknown.has_no_verdict());
  CHECK(unknown.reason.starts_with("there is no verdict: how far rounding moves it is not known: "));
  CHECK(lacking.compare("y", y, y, Foreign::actual).equal());

  const Judged labels(
      kHead + "(float[2,3] x, float[1] c) => (int64[2] y) { h = Mul (x, c) y = ArgMax <axis = 1, keepdims = 0> (h) }",
      {"x=[[1,2,3],[3,2,1]]", "c=[2]"});
  CHECK(labels.report("y", labels.value("y")).comparison.equal());
  TensorBuilder other(labels.value("y").type());
  other.values<std::int64_t>()[0] = 1;
  other.values<std::int64_t>()[1] = 0;
  const OutputReport wrong = labels.report("y", std::move(other).finish());
  CHECK(wrong.comparison.mismatches == 1);
  CHECK(!wrong.comparison.has_no_verdict());

  // Of other types there is no rtol where one of them is an integer.
  const ToleranceChoice any{{}, true, ToleranceChoice::Judged::backend};
  const auto equal = [&](const Tensor& actual, const Tensor& expected) {
    return compare_output(*labels.bound.read, "y", actual, expected, Foreign::actual, {}, any).comparison.equal();
  };
  const Tensor thousand = labels.value("c");
  CHECK(equal(changed(thousand, [](auto, float) { return 1000.5F; }),
              changed(thousand, [](auto, float) { return 1000.0F; })));
  TensorBuilder whole({DType::int64, Dims{1}});
  whole.values<std::int64_t>()[0] = 1000;
  const Tensor integer = std::move(whole).finish();
  CHECK(equal(changed(thousand, [](auto, float) { return 1000.0F; }), integer));
  CHECK_FALSE(equal(changed(thousand, [](auto, float) { return 1000.5F; }), integer));
}

}  // namespace model_spread_test
