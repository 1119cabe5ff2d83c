// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml LinearRegressor, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_LinearRegressor.html
#include "ops/operator_file.h"
#include "ops/shared/linear_models.h"
#include "ops/shared/scores.h"
namespace opref::ops::onnx_ml::file_linear_regressor {
namespace {
/// coefficients are targets × features, intercepts none or one per target.
LinearRows rows_of(const Call& call) { return {call, call.integer("targets"), doubles_of(call, "intercepts")}; }

std::vector<ValueType> output_types(const Call& call) {
  rows_of(call);
  return {TensorType{DType::float32, Dims{feature_rows(call).rows, call.integer("targets")}}};
}

// s[t] = Σ_k x[k]·coefficients[t, k] + intercepts[t]; Y of each row = post_transform(s)
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const LinearRows s = rows_of(call);
  return {score_rows(outs[0], s, call.integer("targets"), transform_of(call))};
}

bool is_single(const Call& call) {
  const auto kind = call.choice<PostTransform>("post_transform");
  return call.integer("targets") == 1 && kind != PostTransform::none && kind != PostTransform::probit;
}

void version_1(OpSchema& s) {
  s.shape_inference(ShapeInference::none);
  s.input("X", "T", "[N, C], or one row").output("Y", "float32", "[N, targets]");
  s.types("T", types::signed_wide | Types{DType::float32, DType::float64});
  s.attribute(optional(FLOATS, "coefficients")).attribute(optional(FLOATS, "intercepts"));
  s.attribute(post_transform_attribute()).attribute(with_default("targets", 1, at_least(1)));
}
}  // namespace
Operator linear_regressor() {
  return Operator("ai.onnx.ml", "LinearRegressor")
      .summary("sums of the features times coefficients, one for each target, perhaps transformed")
      .version(1, version_1)
      .readings(transform_readings(1))
      .reading(single_score_reading(1, is_single))
      .short_names({{"coefficients", ""}, {"intercepts", "intercepts"}})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_ml::file_linear_regressor
