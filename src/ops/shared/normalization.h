// SPDX-License-Identifier: Apache-2.0
// Groups of elements by their mean and variance, softmaxes, and losses by labels.
#pragma once

#include <cmath>

#include "evaluators/lines.h"
#include "evaluators/programs.h"
#include "evaluators/slices.h"
#include "exact/rounding.h"
#include "ops/shared/formulas.h"
#include "ops/shared/reductions.h"
#include "schema/operator.h"
namespace opref::ops {
// Deviations from a mean in standard deviations: what the normalizations share.

/// What an output after Y holds of each group.
enum class Holds : std::uint8_t { mean, variance, inverse_deviation, running_mean, running_variance };

// Y = (X - mean) / √(variance + epsilon)·scale + bias; each group of X's elements has its own mean and variance
struct Normalization {
  /// A number for each element of X, or for each group.
  struct Parameter {
    Elements numbers;
    std::optional<Strided> at = {};  ///< of an element; nothing: of its group
  };

  Elements X;
  Reduction groups;
  Strided group_of;  ///< an element's
  double epsilon;
  std::optional<Parameter> scale = {}, bias = {};
  std::vector<Holds> others = {};
  std::optional<Elements> mean = {}, variance = {};  ///< of each group, where they are stated
  bool are_past = false;                             ///< the running ones are made of these, and of the group's own:
  double momentum = 0;                               ///< old·momentum + own·(1 - momentum)
  bool gives_sample = false;                         ///< variances that are given back are divided by n - 1
  double after_root = 0;                             ///< added to the root
};

/// Of n elements, where each(f) calls f(the place in X) of each one in order.
struct Moments {
  template <class R, class Each>
  R mean(const Reader<R>& x, const Elements& X, std::int64_t n, const Each& each) const {
    R sum = x.zero();
    each([&](std::int64_t at) { sum = sum + x(X, at); });
    return x.named("the mean", sum / R::whole(n));
  }
  /// Of the population: Σ(x - mean)²/n. Of Interval by sums that are exact numbers, so that ties are known as such.
  template <class R, class Each>
  R variance(const Reader<R>& x, const Elements& X, std::int64_t n, const Each& each, const R& mean) const {
    R squares = x.zero();
    if constexpr (std::is_same_v<R, Interval>) {
      R sum = x.zero(), count = x.zero();
      each([&](std::int64_t at) {
        const R element = x(X, at);
        sum = sum + element, squares = squares + square(element), count = count + R(1.0);
      });
      return x.named("the variance", (count * squares - square(sum)) / (count * R::whole(n)));
    }
    each([&](std::int64_t at) { squares = squares + square(x(X, at) - mean); });
    return x.named("the variance", squares / R::whole(n));
  }
  template <class R>
  R root(const R& variance, double epsilon) const {
    return sqrt(epsilon == 0 ? variance : variance + R(epsilon));
  }
};

/// A group per program.
template <class Statistics>
struct Normalizing {
  const Normalization& d;
  Statistics of;

  template <class R>
  void operator()(std::int64_t g, const Reader<R>& x, Writer<R>& y) const {
    const std::int64_t n = d.groups.count();
    const bool are_stated = d.mean && !d.are_past;
    const auto each = [&](const auto& f) { d.groups.each(g, f); };
    const auto give = [&](Holds what, const auto& number) {
      for (std::size_t k = 0; k < d.others.size(); ++k)
        if (d.others[k] == what) y.put(k + 1, g, number);
    };
    const auto running = [&](const Elements& old, const R& own) {
      return x(old, g) * R(d.momentum) + own * (R(1.0) - R(d.momentum));
    };
    const R mean = are_stated ? x(*d.mean, g) : of.mean(x, d.X, n, each);
    give(Holds::running_mean, [&] { return running(*d.mean, mean); });
    give(Holds::mean, mean);
    const R population = are_stated ? x(*d.variance, g) : of.variance(x, d.X, n, each, mean);
    const R variance = d.gives_sample ? population * R::whole(n) / R::whole(n - 1) : population;
    give(Holds::running_variance, [&] { return running(*d.variance, variance); });
    give(Holds::variance, variance);
    const R root = of.root(population, d.epsilon),
            deviation = x.named("the deviation", d.after_root == 0 ? root : root + R(d.after_root));
    give(Holds::inverse_deviation, [&] { return R(1.0) / deviation; });
    const auto number = [&](const Normalization::Parameter& parameter, std::int64_t at) {
      return x(parameter.numbers, parameter.at ? (*parameter.at)(at) : g);
    };
    each([&](std::int64_t at) {
      y.put(0, at, [&] {
        const R apart = (x(d.X, at) - mean) / deviation;
        const R scaled = d.scale ? apart * number(*d.scale, at) : apart;
        return d.bias ? scaled + number(*d.bias, at) : scaled;
      });
    });
  }
  std::int64_t program_of(std::size_t output, std::int64_t at) const { return output == 0 ? d.group_of(at) : at; }
};
template <class Statistics = Moments>
std::vector<Value> normalized(std::span<const Output> outs, const Normalization& d, const Statistics& of = {}) {
  return programs(outs, d.groups.kept.count(), Normalizing<Statistics>{d, of});
}

/// X as so many groups of neighbours.
Reduction neighbours(std::int64_t groups, std::int64_t each);
/// X is (N, C, D1, …), whose channels are in num_groups groups, or are groups themselves: each of a batch row. Scale
/// and bias, the other inputs, have one number per channel, or per group.
Normalization normalization_of_channels(const Call& call);
namespace onnx {
// Theirs, for what takes other statistics.
Normalization layer_normalization_of(const Call& call);
Normalization batch_normalization_of(const Call& call);
Normalization mean_variance_normalization_of(const Call& call);
bool is_training(const Call& call);  ///< BatchNormalization
}  // namespace onnx
/// That scale and bias have this shape.
void require_parameters(const Call& call, std::initializer_list<std::string_view> names, const Dims& shape);

// What Softmax, LogSoftmax and Hardmax share: what a slice is, versions, and a reading.

/// The input seen as (outer, n, inner): slices of n elements, inner apart.
struct SliceAxes {
  std::int64_t outer, n, inner;
};
/// 1, 11: "The operator first coerces the input into a 2-dimensional tensor": a slice is all axes from `axis` on.
SliceAxes slice_axes(const Call& call);

/// Versions 1, 11 and 13, and their output types.
Operator softmax_operator(std::string_view op_type);

/// softmax.plus_infinity, of the first input: which elements of a row with +Inf are NaN.
Reading plus_infinity_reading(std::int64_t since, std::string_view per_element, std::string_view reason);
bool has_nan_rows(const Call& call);

/// Of a formula of slices.
template <class F>
std::vector<Value> each_slice(const Call& call, std::span<const Output> outs, const F& formula) {
  const auto [outer, n, inner] = slice_axes(call);
  return {slices(outs[0], call.input("input"), outer, n, inner, formula)};
}

// log Σ e^x, whose greatest term is taken out: what is left of the sum is known with all its digits, however small.

/// log Σ e^x = most + rest, rest = log(1 + Σ e^(x - most)) over all elements but one greatest one.
template <class R>
struct LogSum {
  R most, rest;
};
/// Of the elements of X, where each(f) calls f(the place in X) of each one. NaN is the greatest of all; of none -Inf.
template <class R, class Each>
LogSum<R> log_sum(const Reader<R>& x, const Elements& X, const Each& each) {
  std::int64_t greatest = -1;
  each([&](std::int64_t at) {
    if (greatest < 0 || X.number(greatest) < X.number(at) || std::isnan(X.number(at))) greatest = at;
  });
  if (greatest < 0) return {log(x.zero()), x.zero()};
  const R most = x.named("the greatest element", x(X, greatest));
  R others = x.zero();
  if (!std::isfinite(X.number(greatest))) return {most, others};
  each([&](std::int64_t at) {
    if (at != greatest) others = others + exp(x(X, at) - most);
  });
  return {most, log1p(x.named("the sum of e^(x - greatest) of the others", others))};
}

// Losses by labels: what NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss share.

/// The names that an operator gives its inputs.
struct LossInputs {
  std::string_view scores, labels, weights;
};

/// Scores are (N, C, D1, …), labels (N, D1, …), weights (C). A label's score is that of its class.
struct Labels {
  Lines lines;  ///< of scores, along the classes
  std::int64_t count;
  std::vector<std::int64_t> label;  ///< -1 where it is ignored

  bool is_ignored(std::int64_t i) const { return label[static_cast<size_t>(i)] < 0; }
  std::int64_t class_of(std::int64_t i) const { return label[static_cast<size_t>(i)]; }
  /// Of its score.
  std::int64_t place(std::int64_t i) const { return lines.at(i, class_of(i)); }
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
