// SPDX-License-Identifier: Apache-2.0
// ai.onnx SoftmaxCrossEntropyLoss, versions 12, 13
// https://onnx.ai/onnx/operators/onnx__SoftmaxCrossEntropyLoss.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx::file_softmax_cross_entropy_loss {
namespace {
constexpr LossInputs kInputs{"scores", "labels", "weights"};

/// log(Softmax(scores)) along axis 1: of all scores of a slice, or of one class.
struct LogProbabilities {
  SliceOperand scores;
  bool nan_rows;  ///< softmax.plus_infinity

  template <class R>
  R operator()(const Slices<R>& s, size_t c) const {
    const LogSum<R> sum = log_sum(s, s.row(scores), nan_rows);
    return s.row(scores)[c] - sum.most - sum.rest;
  }
  template <class R>
  void operator()(const Slices<R>& s) const {
    const LogSum<R> sum = log_sum(s, s.row(scores), nan_rows);
    s.put(0, s.row(scores) - sum.most - sum.rest);
  }
};

std::vector<ValueType> output_types(const Call& call) { return {loss_type(call, kInputs), call.type("scores")}; }

// log_prob = log(Softmax(scores)) along axis 1;  output: of each label -log_prob[n, c, d]·weights[c],
// c = labels[n, d];  their sum; or their sum / Σ weights[c]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Labels labels = labels_of(call, kInputs);
  const LogProbabilities log_prob{labels.slices.operand(call.input("scores")), has_nan_rows(call)};
  std::vector<Value> values{loss(call, outs[0], kInputs, labels, log_prob)};
  if (outs.size() > 1) values.push_back(slices(outs.subspan(1, 1), labels.slices, log_prob)[0]);
  return values;
}

void version_12(OpSchema& s) {
  with_loss_attributes(s);
  s.input("scores", "T").input("labels", "Tind").input("weights", "T", Arity::optional);
  s.output("output", "T").output("log_prob", "T", Arity::optional);
  s.types("T", types::floats).types("Tind", types::signed_wide);
}
}  // namespace
Operator softmax_cross_entropy_loss() {
  return Operator("ai.onnx", "SoftmaxCrossEntropyLoss")
      .summary("minus the logarithms of Softmax for the right classes, weighted")
      .version(12, version_12)
      .version(13, adds("T", DType::bfloat16))
      .reading(mean_ignored_reading())
      .reading(plus_infinity_reading(12, "per_element: NaN at +Inf, -Inf elsewhere",
                                     "as LogSoftmax: log(0) beside +Inf; onnxruntime lessens by the greatest element"))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_softmax_cross_entropy_loss
