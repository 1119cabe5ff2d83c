// SPDX-License-Identifier: Apache-2.0
// ai.onnx.preview.training Momentum, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Momentum.html
#include "ops/operator_file.h"
#include "ops/shared/optimizers.h"
namespace opref::ops::onnx_training::file_momentum {
namespace {
//   G_regularized = norm_coefficient * X + G
//   V_new = alpha * V + (T > 0 ? beta : 1) * G_regularized
//   X_new = X - R * V_new, of mode nesterov X - R * (G_regularized + alpha * V_new)
struct Momentum {
  explicit Momentum(const Call& call)
      : alpha(call.number("alpha")),
        beta(call.integer("T") > 0 ? call.number("beta") : 1),
        norm_coefficient(call.number("norm_coefficient")),
        is_nesterov(call.string("mode") == "nesterov") {}
  double alpha, beta, norm_coefficient;
  bool is_nesterov;

  template <class R>
  R operator()(size_t kind, const R& rate, const std::vector<R>& v) const {
    const R &X = v[0], &G = v[1], &V = v[2];
    const R regularized = R(norm_coefficient) * X + G;
    const R V_new = R(alpha) * V + R(beta) * regularized;
    if (kind == 1) return V_new;
    return X - rate * (is_nesterov ? regularized + R(alpha) * V_new : V_new);
  }
};

std::vector<ValueType> output_types(const Call& call) { return optimizer_types(call, 3); }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return optimized<3>(call, outs, Momentum(call));
}

void version_1(OpSchema& s) {
  optimizer_version_1(s);
  s.attribute(required(FLOAT, "alpha"))
      .attribute(required(FLOAT, "beta"))
      .attribute(required(STRING, "mode", one_of({"standard", "nesterov"})))
      .attribute(required(FLOAT, "norm_coefficient"));
}
}  // namespace
Operator momentum() {
  return Operator("ai.onnx.preview.training", "Momentum")
      .summary("one step along a gradient that keeps a part of the ones before")
      .version(1, version_1)
      .reading(broadcast_reading())
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_training::file_momentum
