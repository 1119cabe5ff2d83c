// SPDX-License-Identifier: Apache-2.0
// ai.onnx.preview.training Adam, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adam.html
#include "ops/operator_file.h"
#include "ops/shared/optimizers.h"
namespace opref::ops::onnx_training::file_adam {
namespace {
//   G_regularized = norm_coefficient * X + G
//   V_new = alpha * V + (1 - alpha) * G_regularized
//   H_new = beta * H + (1 - beta) * G_regularized * G_regularized
//   R_adjusted = T > 0 ? R * Sqrt(1 - beta**T) / (1 - alpha**T) : R
//   X_new = X - R_adjusted * V_new / (Sqrt(H_new) + epsilon)
//   X_final = (1 - norm_coefficient_post) * X_new
struct Adam {
  explicit Adam(const Call& call)
      : alpha(call.number("alpha")),
        beta(call.number("beta")),
        epsilon(call.number("epsilon")),
        norm_coefficient(call.number("norm_coefficient")),
        norm_coefficient_post(call.number("norm_coefficient_post")),
        T(call.integer("T")) {}
  double alpha, beta, epsilon, norm_coefficient, norm_coefficient_post;
  std::int64_t T;

  template <class R>
  R operator()(size_t kind, const R& rate, const std::vector<R>& v) const {
    const R &X = v[0], &G = v[1], &V = v[2], &H = v[3], one(1.0), a(alpha), b(beta);
    const R regularized = R(norm_coefficient) * X + G;
    if (kind == 2) return b * H + (one - b) * regularized * regularized;
    const R V_new = a * V + (one - a) * regularized;
    if (kind == 1) return V_new;
    const R H_new = b * H + (one - b) * regularized * regularized, t = R::whole(T);
    const R adjusted = T > 0 ? rate * sqrt(one - pow(b, t)) / (one - pow(a, t)) : rate;
    return (one - R(norm_coefficient_post)) * (X - adjusted * V_new / (sqrt(H_new) + R(epsilon)));
  }
};

std::vector<ValueType> output_types(const Call& call) { return optimizer_types(call, 4); }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return optimized<4>(call, outs, Adam(call));
}

void version_1(OpSchema& s) {
  optimizer_version_1(s);
  s.attribute(with_default("alpha", 0.9F))
      .attribute(with_default("beta", 0.999F))
      .attribute(with_default("epsilon", 1e-6F))
      .attribute(with_default("norm_coefficient", 0.0F))
      .attribute(with_default("norm_coefficient_post", 0.0F));
}
}  // namespace
Operator adam() {
  return Operator("ai.onnx.preview.training", "Adam")
      .summary("one step along averaged gradients, over the root of their averaged squares")
      .version(1, version_1)
      .reading(broadcast_reading())
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_training::file_adam
