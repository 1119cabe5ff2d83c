// SPDX-License-Identifier: Apache-2.0
// ai.onnx SoftmaxCrossEntropyLoss, versions 12, 13
// https://onnx.ai/onnx/operators/onnx__SoftmaxCrossEntropyLoss.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx {
namespace {
constexpr LossInputs kInputs{"scores", "labels", "weights"};

/// log(Softmax(scores)) along axis 1: a program for each place that has a label.
struct LogProbabilities {
  Elements scores;
  Lines lines;
  bool nan_rows;  ///< softmax.plus_infinity

  template <class R>
  LogSum<R> sum_at(std::int64_t first, const Reader<R>& x) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto each = [&](const auto& f) {
      for (std::int64_t c = 0; c < lines.length(); ++c) f(first + c * lines.step());
    };
    bool has_infinity = false;
    each([&](std::int64_t at) { has_infinity |= scores.number(at) == kInfinity; });
    if (nan_rows && has_infinity) return {R(kInfinity) - R(kInfinity), x.zero()};
    return log_sum(x, scores, each);
  }
  template <class R>
  R number(std::int64_t at, const LogSum<R>& sum, const Reader<R>& x) const {
    return x(scores, at) - sum.most - sum.rest;
  }
  template <class R>
  void operator()(std::int64_t i, const Reader<R>& x, Writer<R>& y) const {
    const LogSum<R> sum = sum_at(lines.at(i, 0), x);
    for (std::int64_t c = 0; c < lines.length(); ++c)
      y.put(0, lines.at(i, c), [&] { return number(lines.at(i, c), sum, x); });
  }
  std::int64_t program_of(size_t, std::int64_t at) const { return lines.line_of(at); }
};

std::vector<ValueType> output_types(const Call& call) { return {loss_type(call, kInputs), call.type("scores")}; }

// log_prob = log(Softmax(scores)) along axis 1;  output: of each label -log_prob[n, c, d]·weights[c],
// c = labels[n, d];  their sum; or their sum / Σ weights[c]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Labels labels = labels_of(call, kInputs);
  const LogProbabilities log_prob{Elements(call.input("scores")), labels.lines, has_nan_rows(call)};
  const auto of_label = [&](std::int64_t i, const auto& x) {
    return log_prob.number(labels.place(i), log_prob.sum_at(labels.lines.at(i, 0), x), x);
  };
  std::vector<Value> values{loss(call, outs[0], kInputs, labels, of_label)};
  if (outs.size() > 1) values.push_back(programs(outs.subspan(1, 1), labels.count, log_prob)[0]);
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
}  // namespace opref::ops::onnx
