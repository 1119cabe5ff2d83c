// SPDX-License-Identifier: Apache-2.0
// ai.onnx.preview.training Adagrad, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adagrad.html
#include "ops/operator_file.h"
#include "ops/shared/optimizers.h"
namespace opref::ops::onnx_training::file_adagrad {
namespace {
//   G_regularized = norm_coefficient * X + G
//   H_new = H + G_regularized * G_regularized
//   X_new = X - R/(1 + T·decay_factor) * G_regularized / (Sqrt(H_new) + epsilon)
struct Adagrad {
  explicit Adagrad(const Call& call)
      : decay_factor(call.number("decay_factor")),
        epsilon(call.number("epsilon")),
        norm_coefficient(call.number("norm_coefficient")),
        T(call.integer("T")) {}
  double decay_factor, epsilon, norm_coefficient;
  std::int64_t T;

  template <class R>
  R operator()(size_t kind, const R& rate, const std::vector<R>& v) const {
    const R &X = v[0], &G = v[1], &H = v[2];
    const R regularized = R(norm_coefficient) * X + G;
    const R H_new = H + regularized * regularized;
    if (kind == 1) return H_new;
    const R adjusted = rate / (R(1.0) + R::whole(T) * R(decay_factor));
    return X - adjusted * regularized / (sqrt(H_new) + R(epsilon));
  }
};

std::vector<ValueType> output_types(const Call& call) { return optimizer_types(call, 3); }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return optimized<3>(call, outs, Adagrad(call));
}

void version_1(OpSchema& s) {
  optimizer_version_1(s);
  s.attribute(with_default("decay_factor", 0.0F))
      .attribute(with_default("epsilon", 1e-6F))
      .attribute(with_default("norm_coefficient", 0.0F));
}
}  // namespace
Operator adagrad() {
  return Operator("ai.onnx.preview.training", "Adagrad")
      .summary("one step down the gradient, the shorter the more an element has moved")
      .version(1, version_1)
      .reading(broadcast_reading())
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_training::file_adagrad
