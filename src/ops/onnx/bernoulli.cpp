// SPDX-License-Identifier: Apache-2.0
// ai.onnx Bernoulli, versions 15, 22
// https://onnx.ai/onnx/operators/onnx__Bernoulli.html
#include "ops/operator_file.h"
#include "ops/shared/random.h"
namespace opref::ops::onnx {
namespace {
/// "All values in input have to be in the range:[0, 1]."
void require_probabilities(const Tensor& input) {
  const Elements p(input);
  for (std::int64_t i = 0; i < input.count(); ++i)
    if (!(p.number(i) >= 0 && p.number(i) <= 1))
      fail(Fault::invalid, "input{} is {}, but a probability must be from 0 to 1", coordinates(i, input.shape()),
           p.number(i));
}

// output = 1 with the probability input, else 0
std::vector<ValueType> output_types(const Call& call) {
  if (call.has_value("input")) require_probabilities(call.input("input"));
  return {TensorType{drawn_dtype(call, "input"), call.type("input").shape}};
}

// what was drawn: 0 or 1, and of ones about Σ input; these where input says, so that Σ (output - input)·(2·input - 1)
// is about 0
std::vector<Value> drawn(const Call& call, std::span<const Output>, std::span<const Tensor* const> given) {
  if (given[0] == nullptr) return {Value{}};
  const Tensor& output = *given[0];
  const Elements input(call.input("input")), y(output);
  const auto is = [&](std::int64_t i, int bit) { return y.is_floating() ? y.number(i) == bit : y.integer(i) == bit; };
  Deviations where;
  for (std::int64_t i = 0; i < output.count(); ++i) {
    require(is(i, 0) || is(i, 1), "output{} is neither 0 nor 1", coordinates(i, output.shape()));
    const double p = input.number(i), weight = 2 * p - 1;
    where.add((is(i, 1) - p) * weight, p * (1 - p) * weight * weight, 1);
  }
  require_likely_share(
      "output", "ones", output.count(), [&](std::int64_t i) { return is(i, 1); },
      [&](std::int64_t i) { return input.number(i); });
  require(where.are_likely(), "output has too few or too many ones where input is high: {}", kSeldom);
  return {output};
}

void version_15(OpSchema& s) {
  s.input("input", "T1").output("output", "T2").types("T1", types::floats);
  s.types("T2", types::numbers | Types{DType::bfloat16, DType::boolean});
  s.attribute(optional(INT, "dtype", element_types())).attribute(optional(FLOAT, "seed"));
}
}  // namespace
Operator bernoulli() {
  return Operator("ai.onnx", "Bernoulli")
      .summary("0 or 1, with the probability of 1 given")
      .version(15, version_15)
      .version(22, adds("T1", DType::bfloat16))
      .output_types(output_types)
      .undetermined(kUndetermined)
      .drawn(drawn);
}
}  // namespace opref::ops::onnx
