// SPDX-License-Identifier: Apache-2.0
// ai.onnx MeanVarianceNormalization, versions 9, 13
// https://onnx.ai/onnx/operators/onnx__MeanVarianceNormalization.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_mean_variance_normalization {
namespace {
Reduction reduction_of(const Call& call) { return reduction_over(call, "X", call.integers("axes"), true); }
}  // namespace
// Y = (X - E[X]) / √(E[(X - E[X])²]), the means being those over `axes`
Normalization mean_variance_normalization_of(const Call& call) {
  const Slicing slices(call.type("X").shape, reduction_of(call).is_reduced);
  return {.slices = slices,
          .X = slices.operand(call.input("X")),
          .epsilon = 0,
          .after_root = call.reads("mean_variance_normalization.epsilon", "1e-9") ? widen(1e-9F) : 0};
}
namespace {
std::vector<ValueType> output_types(const Call& call) {
  reduction_of(call);
  return same_type(call);
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return normalized(outs, mean_variance_normalization_of(call));
}

void version_9(OpSchema& s) {
  s.attribute(with_default("axes", AttributeValue::of(std::vector<std::int64_t>{0, 2, 3})));
  s.input("X", "T").output("Y", "T").types("T", types::floats,
                                           "Constrain input and output types to all numeric tensors.");
  s.shape_inference(ShapeInference::none);
}

bool always(const Call&) { return true; }
}  // namespace
Operator mean_variance_normalization() {
  return Operator("ai.onnx", "MeanVarianceNormalization")
      .summary("(x - mean)/√variance, mean and variance of some axes")
      .version(9, version_9)
      .version(13, adds("T", DType::bfloat16))
      .reading(duplicate_axes_reading())
      .reading({.name = "mean_variance_normalization.epsilon",
                .alternatives = {"none: the deviation is the divisor", "1e-9: float32's 1e-9 is added to it"},
                .defaults = {{9, "none"}},
                .reason = "the page's formula has no epsilon; the function's body adds one, onnxruntime does not",
                .may_change_values = always})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_mean_variance_normalization
