// SPDX-License-Identifier: Apache-2.0
#include "evaluators/elementwise.h"
#include "kernels/formulas.h"
#include "kernels/tables.h"

namespace opref::kernels {
namespace {

using evaluators::OperandElement;
using evaluators::Sign;
enum class Greatest { any, one };

/// f(x, call) of each element x of the first input.
template <Faithful (*f)(const Faithful& x, const Call& call), Sign sign = Sign::unknown,
          Greatest greatest = Greatest::any>
std::vector<Value> told(const Call& call, std::span<const Output> outs) {
  const evaluators::ElementFormula formula{
      .formula = &call,
      .faithful = [](const void* node,
                     const OperandElement* x) { return f(x[0].faithful(), *static_cast<const Call*>(node)); },
      .sign = sign,
      .greatest = greatest == Greatest::one ? 1.0 : std::numeric_limits<double>::infinity()};
  return {evaluators::elementwise(outs[0], std::array{call.input(call.schema().inputs()[0].name)}, formula)};
}
/// The same of one that takes nothing else.
template <Faithful (*f)(const Faithful& x)>
Faithful alone(const Faithful& x, const Call&) {
  return f(x);
}

Faithful attribute(const Call& call, std::string_view name) { return Faithful::input(call.number(name)); }
Faithful elu_of(const Faithful& x, const Call& call) { return elu(x, attribute(call, "alpha")); }
Faithful celu_of(const Faithful& x, const Call& call) { return celu(x, attribute(call, "alpha")); }
Faithful selu_of(const Faithful& x, const Call& call) {
  return selu(x, attribute(call, "alpha"), attribute(call, "gamma"));
}
Faithful swish_of(const Faithful& x, const Call& call) { return swish(x, attribute(call, "alpha")); }
/// By 1/6 as the accumulator has it.
Faithful hard_swish(const Faithful& x) { return x * ops::hard_sigmoid(x, Faithful(1.0 / 6), Faithful(0.5)); }
Faithful gelu_of(const Faithful& x, const Call& call) {
  return call.string("approximate") == "tanh" ? gelu_by_tanh(x, Faithful(0x1.9884533d43651p-1), Faithful(0.044715))
                                              : gelu(x);
}

}  // namespace

const Table& elements() {
  static const Table table = {
      {"Elu", "alpha·(e^x - 1)", told<elu_of>},
      {"Celu", "max(0, x) + min(0, alpha·(e^(x/alpha) - 1))", told<celu_of>},
      {"Selu", "gamma·(alpha·e^x - alpha)", told<selu_of>},
      {"Softplus", "ln(e^x + 1)", told<alone<softplus>, Sign::positive>},
      {"Softplus", "log1p(e^x)", told<alone<softplus_by_log1p>, Sign::positive>},
      {"Mish", "x·tanh(ln(1 + e^x))", told<alone<mish>, Sign::as_input>},
      {"Mish", "x·tanh(softplus(x))", told<alone<mish_by_softplus>, Sign::as_input>},
      {"Tanh", "(e^x - e^-x)/(e^x + e^-x)", told<alone<tanh_by_powers>, Sign::as_input, Greatest::one>},
      {"Tanh", "(e^2x - 1)/(e^2x + 1)", told<alone<tanh_of_twice>, Sign::as_input, Greatest::one>},
      {"Sigmoid", "1/(1 + e^-x)", told<alone<sigmoid>, Sign::positive, Greatest::one>},
      {"Swish", "x/(1 + e^(-alpha·x))", told<swish_of, Sign::as_input>},
      {"HardSwish", "x·max(0, min(1, x·(1/6) + 0.5))", told<alone<hard_swish>, Sign::as_input>},
      {"Gelu", "x/2·(1 + erf(x/√2)); x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))", told<gelu_of, Sign::as_input>},
  };
  return table;
}

}  // namespace opref::kernels
