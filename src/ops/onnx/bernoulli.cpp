// SPDX-License-Identifier: Apache-2.0
// ai.onnx Bernoulli, versions 15, 22
// https://onnx.ai/onnx/operators/onnx__Bernoulli.html
#include "ops/operator_file.h"
#include "ops/shared/random.h"
namespace opref::ops::onnx::file_bernoulli {
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

/// Of Σ (output - chance)·(2·chance - 1) what its likelihood is judged by: whether the ones are where chance says.
template <class IsOne, class Chance>
Deviations places_of_ones(std::int64_t n, const IsOne& is_one, const Chance& chance) {
  Deviations where;
  for (std::int64_t i = 0; i < n; ++i) {
    const double p = chance(i), weight = 2 * p - 1;
    where.add(((is_one(i) ? 1 : 0) - p) * weight, p * (1 - p) * weight * weight, 1);
  }
  return where;
}

// what was drawn: 0 or 1, and of ones about Σ input, where input says
std::vector<Value> drawn(const Call& call, std::span<const Output>, std::span<const Tensor* const> given) {
  if (given[0] == nullptr) return {Value{}};
  const Tensor& output = *given[0];
  const Elements input(call.input("input")), y(output);
  const auto is = [&](std::int64_t i, int bit) { return y.is_floating() ? y.number(i) == bit : y.integer(i) == bit; };
  const auto is_one = [&](std::int64_t i) { return is(i, 1); };
  const auto chance = [&](std::int64_t i) { return input.number(i); };
  const std::int64_t n = output.count();
  for (std::int64_t i = 0; i < n; ++i)
    require(is(i, 0) || is(i, 1), "output{} is neither 0 nor 1", coordinates(i, output.shape()));
  const bool are_placed = places_of_ones(n, is_one, chance).are_likely();
  const bool are_exchanged =
      !are_placed && places_of_ones(n, is_one, [&](std::int64_t i) { return 1 - chance(i); }).are_likely();
  require(!are_exchanged,
          "output has ones where 1 - input is their probability, as the function body of ONNX "
          "has it, but the page says that input is");
  require_likely_share("output", "ones", n, is_one, chance);
  require(are_placed, "output has too few or too many ones where input is high: {}", kSeldom);
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
}  // namespace opref::ops::onnx::file_bernoulli
