// SPDX-License-Identifier: Apache-2.0
// Losses by labels: what NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss share.
#pragma once

#include "evaluators/programs.h"
#include "schema/operator.h"

namespace opref::ops {

/// The names that an operator gives its inputs.
struct LossInputs {
  std::string_view scores, labels, weights;
};

/// Scores are (N, C, D1, …), labels (N, D1, …), weights (C). A label's score is that of its class.
struct Labels {
  std::int64_t classes, inner, count;
  std::vector<std::int64_t> label;  ///< -1 where it is ignored

  bool is_ignored(std::int64_t i) const { return label[static_cast<size_t>(i)] < 0; }
  std::int64_t class_of(std::int64_t i) const { return label[static_cast<size_t>(i)]; }
  /// Of the score of a label's first class; those of others are `inner` apart.
  std::int64_t first(std::int64_t i) const { return i / inner * classes * inner + i % inner; }
};
/// A label that is no class, nor ignore_index, is `invalid`, with its position.
Labels labels_of(const Call& call, const LossInputs& names);

enum class LossReduction : std::uint8_t { none, sum, mean };
/// The loss, of the labels' shape or a scalar; each rule of the shapes.
TensorType loss_type(const Call& call, const LossInputs& names);

/// loss = -log_prob[class]·weight[class] of each label, +0 where it is ignored; their sum; or the sum divided by that
/// of the weights of the labels that count. log_prob(i, x) is the number of label i's class.
template <class LogProb>
struct Loss {
  const Labels& labels;
  const Elements* weights;  ///< null: all 1
  LossReduction reduction;
  bool counts_ignored;
  const LogProb& log_prob;

  template <class R>
  R of(std::int64_t i, const Reader<R>& x) const {
    if (labels.is_ignored(i)) return x.zero();
    const R loss = -log_prob(i, x);
    return weights == nullptr ? loss : loss * x(*weights, labels.class_of(i));
  }
  template <class R>
  void operator()(std::int64_t program, const Reader<R>& x, Writer<R>& y) const {
    if (reduction == LossReduction::none) return y.put(0, program, [&] { return of(program, x); });
    R sum = x.zero(), divisor = x.zero();
    for (std::int64_t i = 0; i < labels.count; ++i) {
      if (labels.is_ignored(i) && !counts_ignored) continue;
      sum = sum + of(i, x);
      divisor = divisor + (weights == nullptr ? R(1.0) : x(*weights, labels.class_of(i)));
    }
    if (reduction == LossReduction::sum) return y.put(0, 0, sum);
    y.put(0, 0, x.named("the sum", sum) / x.named("the sum of the weights", divisor));
  }
  std::int64_t program_of(size_t, std::int64_t at) const { return at; }
};
template <class LogProb>
Value loss(const Call& call, const Output& out, const LossInputs& names, const Labels& labels,
           const LogProb& log_prob) {
  const bool has_weights = call.has(names.weights);
  const Elements weights(call.input(has_weights ? names.weights : names.scores));
  const auto reduction = call.choice<LossReduction>("reduction");
  const bool counts_ignored = !has_weights && call.reads("loss.mean_ignored", "counted");
  return programs(std::span(&out, 1), reduction == LossReduction::none ? labels.count : 1,
                  Loss<LogProb>{labels, has_weights ? &weights : nullptr, reduction, counts_ignored, log_prob})[0];
}

/// `reduction`, ignore_index.
void with_loss_attributes(OpSchema& s);
/// loss.mean_ignored
Reading mean_ignored_reading();

}  // namespace opref::ops
