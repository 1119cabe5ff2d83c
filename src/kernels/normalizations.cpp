// SPDX-License-Identifier: Apache-2.0
// Deviations from a mean, and softmaxes.
#include "evaluators/nothing.h"
#include "evaluators/slices.h"
#include "kernels/tables.h"
#include "ops/shared/normalization.h"

namespace opref::kernels {
namespace {

using evaluators::Slices;

/// f(slices) of Faithful alone.
template <class F>
std::vector<Value> tell(std::span<const Output> outs, const evaluators::Slicing& slicing, const F& f) {
  return evaluators::slices_of(outs, slicing,
                               {.formula = &f, .faithful = [](const void* formula, const Slices<Faithful>& s) {
                                  (*static_cast<const F*>(formula))(s);
                                }});
}

// x·a + b, a = scale/√(variance + epsilon), b = B - mean·a: worked out once for each channel. In training the page's
// formula stands alone.
std::vector<Value> batch_normalization(const Call& call, std::span<const Output> outs) {
  const ops::Normalization d = ops::onnx::batch_normalization_of(call);
  if (ops::onnx::is_training(call)) return evaluators::nothing(outs);
  return tell(outs, d.slices, [&](const Slices<Faithful>& s) {
    const Faithful root = sqrt(s.number(*d.variance) + Faithful(d.epsilon)), a = s.number(*d.scale) / root;
    const Faithful b = s.number(*d.bias) - s.number(*d.mean) * a;
    s.put(0, s.row(d.X) * a + b);
  });
}

// ln(e^(x - greatest)/Σ e^(x - greatest))
std::vector<Value> log_softmax(const Call& call, std::span<const Output> outs) {
  const evaluators::Slicing lines = ops::softmax_slices(call);
  const evaluators::SliceOperand input = lines.operand(call.input("input"));
  return tell(outs, lines, [&](const Slices<Faithful>& s) {
    const auto x = s.row(input);
    const auto powers = keep(exp(x - greatest(x)));
    s.put(0, map([](const Faithful& a) { return log(a); }, powers / sum(powers)));
  });
}

}  // namespace

const Table& normalizations() {
  static const Table table = {
      {"BatchNormalization", "x·a + b, a = scale/√(variance + epsilon), b = B - mean·a", batch_normalization},
      {"LogSoftmax", "ln(softmax(x))", log_softmax},
  };
  return table;
}

}  // namespace opref::kernels
