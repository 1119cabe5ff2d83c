// SPDX-License-Identifier: Apache-2.0
// Operators that once took much longer than their arithmetic: processor time, or what the exact tier was asked for.
#include <catch2/catch.hpp>
#include <ctime>

#include "run/bind.h"
#include "run/evaluate.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace times_test {

using namespace opref::run;

namespace {

using Texts = std::vector<std::string>;

struct Cost {
  double seconds;  ///< of the processor
  TierCounts decided;
};
enum class Tiers : std::uint8_t { all, exact };
/// Of a node by its version of opset 17, of another domain its newest one.
Cost cost(const std::string& op_type, const Texts& attributes, const Texts& bindings, Tiers tiers = Tiers::all) {
  const auto opset = op_type.find('.') == std::string::npos ? std::optional<std::int64_t>(17) : std::nullopt;
  Bound bound = bind_case(read_case(op_type), bindings, {attributes, {}, opset});
  bound.options.exact_only = tiers == Tiers::exact;
  Texts warnings;
  Environment environment = load_inputs(bound, bound.options, warnings);
  const std::clock_t begin = std::clock();
  const std::vector<Step> steps = run_graph(bound.graph, environment, bound.options);
  return {static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, steps[0].all_decided()};
}

}  // namespace

TEST_CASE("the time that windows take does not grow with the square of their size", "[HannWindow]") {
  const std::string window = GENERATE("HannWindow", "HammingWindow", "BlackmanWindow");
  const std::string type = GENERATE("output_datatype=11", "output_datatype=6");
  CAPTURE(window, type);
  const double few = cost(window, {type}, {"size=1500:int64"}).seconds,
               many = cost(window, {type}, {"size=12000:int64"}).seconds;
  CHECK(many < 24 * few + 0.05);  // 8 times as long; 64 times by the square
}

TEST_CASE("Det takes no longer than 100 exact products of its matrix", "[Det]") {
  const Texts factors{"A=float32[64,64]:normal", "B=float32[64,64]:normal"};
  const double product = cost("MatMul", {}, factors, Tiers::exact).seconds;
  CHECK(cost("Det", {}, {"X=float32[64,64]:normal"}).seconds < 100 * product + 0.05);
}

TEST_CASE("the time that MelWeightMatrix takes does not grow with the square of its bins", "[MelWeightMatrix]") {
  const auto seconds = [](const std::string& bins) {
    return cost("MelWeightMatrix", {},
                {"num_mel_bins=" + bins, "dft_length=4096:int64", "sample_rate=16000:int64",
                 "lower_edge_hertz=20:float32", "upper_edge_hertz=7600:float32"})
        .seconds;
  };
  CHECK(seconds("1000:int64") < 30 * seconds("100:int64") + 0.05);  // 10 times as long; 100 times by the square
}

TEST_CASE("Softmax and LogSoftmax ask the exact tier for nothing that NaN and infinities decide", "[Softmax]") {
  const std::string op_type = GENERATE("Softmax", "LogSoftmax");
  CAPTURE(op_type);
  const TierCounts decided =
      cost(op_type, {}, {"input=[[1,NaN,2],[-Inf,Inf,3],[-Inf,-Inf,-Inf],[-Inf,0.5,1]]:float32"}).decided;
  CHECK(decided.exact == 0);
  CHECK(decided.estimated == 12);
}

TEST_CASE("QLinearAdd and QLinearMul take no longer than 100 sums of float32", "[QLinearAdd]") {
  const std::string op_type = GENERATE("com.microsoft.QLinearAdd", "com.microsoft.QLinearMul");
  CAPTURE(op_type);
  const Texts numbers{"A=uint8[1000,1000]:uniform:1", "A_scale=0.0373:float32", "A_zero_point=117:uint8",
                      "B=uint8[1000,1000]:uniform:2", "B_scale=0.0291:float32", "B_zero_point=131:uint8",
                      "C_scale=0.0519:float32",       "C_zero_point=120:uint8"};
  const double sums = cost("Add", {}, {"A=float32[1000,1000]:normal:1", "B=float32[1000,1000]:normal:2"}).seconds;
  const double quantized = cost(op_type, {}, numbers).seconds;
  CHECK(quantized < 100 * sums + 0.01);
}

}  // namespace times_test
