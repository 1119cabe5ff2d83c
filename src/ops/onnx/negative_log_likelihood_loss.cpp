// SPDX-License-Identifier: Apache-2.0
// ai.onnx NegativeLogLikelihoodLoss, versions 12, 13, 22
// https://onnx.ai/onnx/operators/onnx__NegativeLogLikelihoodLoss.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx::file_negative_log_likelihood_loss {
namespace {
constexpr LossInputs kInputs{"input", "target", "weight"};

std::vector<ValueType> output_types(const Call& call) { return {loss_type(call, kInputs)}; }

// loss[n, d] = -input[n, c, d]·weight[c],  c = target[n, d];  their sum; or Σ loss / Σ weight[c]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Labels target = labels_of(call, kInputs);
  const SliceOperand input = target.slices.operand(call.input("input"));
  const auto log_prob = [&](const auto& s, size_t c) { return s.row(input)[c]; };
  return {loss(call, outs[0], kInputs, target, log_prob)};
}

void version_12(OpSchema& s) {
  with_loss_attributes(s);
  s.input("input", "T").input("target", "Tind").input("weight", "T", Arity::optional).output("loss", "T");
  s.types("T", types::floats).types("Tind", types::signed_wide);
}
}  // namespace
Operator negative_log_likelihood_loss() {
  return Operator("ai.onnx", "NegativeLogLikelihoodLoss")
      .summary("minus the logarithms that are given for the right classes, weighted")
      .version(12, version_12)
      .version(13, words("the function's body has another opset"))
      .version(22, adds("T", DType::bfloat16))
      .reading(mean_ignored_reading())
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_negative_log_likelihood_loss
