// SPDX-License-Identifier: Apache-2.0
// Groups of elements by their mean and variance, softmaxes, and losses by labels.
#pragma once

#include <cmath>

#include "evaluators/programs.h"
#include "evaluators/slices.h"
#include "exact/real/steps.h"
#include "exact/rounding.h"
#include "ops/shared/formulas.h"
#include "ops/shared/reductions.h"
#include "schema/operator.h"
namespace opref::ops {
// Deviations from a mean in standard deviations: what the normalizations share.

/// What an output after Y holds of each group.
enum class Holds : std::uint8_t { mean, variance, inverse_deviation, running_mean, running_variance };

// Y = (X - mean) / √(variance + epsilon)·scale + bias; each slice of X has its own mean and variance
struct Normalization {
  Slicing slices;
  SliceOperand X;
  double epsilon;
  std::optional<SliceOperand> scale = {}, bias = {};
  std::vector<Holds> others = {};
  std::optional<SliceOperand> mean = {}, variance = {};  ///< of each slice, where they are stated
  bool are_past = false;      ///< the running ones are made of these, and of the slice's own:
  double momentum = 0;        ///< old·momentum + own·(1 - momentum)
  bool gives_sample = false;  ///< variances that are given back are divided by n - 1
  double after_root = 0;      ///< added to the root
};

/// Of the elements of a slice.
struct Moments {
  template <IsRow X>
  auto mean(const X& x) const {
    return evaluators::mean(x);
  }
  /// Of the population: Σ(x - mean)²/n. Of Interval by sums that are exact numbers, so that ties are known as such; but
  /// where steps are rounded, these are the page's.
  template <IsRow X, class R>
  R variance(const X& x, const R& mean) const {
    if constexpr (std::is_same_v<R, Interval>)
      if (!exact::Steps::type()) {
        const R n = R::whole(x.size()), total = sum(x);
        return (n * sum(square(x)) - square(total)) / (n * n);
      }
    return evaluators::mean(square(x - mean));
  }
  template <class R>
  R root(const R& variance, double epsilon) const {
    return sqrt(epsilon == 0 ? variance : variance + R(epsilon));
  }
};

/// Puts output 0 and `others` of a slice whose numbers are x.
template <class R, IsRowOf<R> X, class Statistics>
void normalize(const Slices<R>& s, const X& x, const Normalization& d, const Statistics& of) {
  const bool are_stated = d.mean && !d.are_past;
  const auto give = [&](Holds what, const auto& number) {
    for (std::size_t k = 0; k < d.others.size(); ++k)
      if (d.others[k] == what && s.wants(k + 1)) s.put(k + 1, R(number()));
  };
  const auto running = [&](const SliceOperand& old, const R& own) {
    return s.number(old) * R(d.momentum) + own * (R(1.0) - R(d.momentum));
  };
  const R mean = are_stated ? s.number(*d.mean) : s.named("the mean", of.mean(x));
  give(Holds::running_mean, [&] { return running(*d.mean, mean); });
  give(Holds::mean, [&] { return mean; });
  const R population = are_stated ? s.number(*d.variance) : s.named("the variance", of.variance(x, mean));
  const R n = R::whole(x.size()), variance = d.gives_sample ? population * n / (n - R(1.0)) : population;
  give(Holds::running_variance, [&] { return running(*d.variance, variance); });
  give(Holds::variance, [&] { return variance; });
  const R root = of.root(population, d.epsilon),
          deviation = s.named("the deviation", d.after_root == 0 ? root : root + R(d.after_root));
  give(Holds::inverse_deviation, [&] { return R(1.0) / deviation; });
  const auto apart = (x - mean) / deviation;
  if (!d.scale) return s.put(0, apart);
  const auto scaled = apart * s.row(*d.scale);
  d.bias ? s.put(0, scaled + s.row(*d.bias)) : s.put(0, scaled);
}
/// Puts x / √(Σx²/n + epsilon)·scale, and gives back the root.
template <class R, IsRowOf<R> X>
R normalize_by_squares(const Slices<R>& s, const X& x, const SliceOperand& scale, double epsilon) {
  const R squares = s.named("the mean of squares", mean(square(x)));
  const R rms = s.named("the root", sqrt(squares + R(epsilon)));
  s.put(0, x / rms * s.row(scale));
  return rms;
}

template <class Statistics>
struct Normalizing {
  const Normalization& d;
  Statistics of;

  template <class R>
  void operator()(const Slices<R>& s) const {
    normalize(s, s.row(d.X), d, of);
  }
};
template <class Statistics = Moments>
std::vector<Value> normalized(std::span<const Output> outs, const Normalization& d, const Statistics& of = {}) {
  return slices(outs, d.slices, Normalizing<Statistics>{d, of});
}

/// X is (N, C, D1, …), whose channels are in num_groups groups, or are groups themselves: each of a batch row. Scale
/// and bias, the other inputs, have one number per channel, or per group.
Normalization normalization_of_channels(const Call& call);
namespace onnx {
// Theirs, for what takes other statistics.
inline namespace file_layer_normalization {
Normalization layer_normalization_of(const Call& call);
}  // namespace file_layer_normalization
inline namespace file_batch_normalization {
Normalization batch_normalization_of(const Call& call);
bool is_training(const Call& call);
}  // namespace file_batch_normalization
inline namespace file_mean_variance_normalization {
Normalization mean_variance_normalization_of(const Call& call);
}  // namespace file_mean_variance_normalization
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

Slicing softmax_slices(const Call& call);

/// Versions 1, 11 and 13, and their output types.
Operator softmax_operator(std::string_view op_type);

/// softmax.plus_infinity, of the first input: which elements of a row with +Inf are NaN.
Reading plus_infinity_reading(std::int64_t since, std::string_view per_element, std::string_view reason);
bool has_nan_rows(const Call& call);

// log Σ e^x, whose greatest term is taken out: what is left of the sum is known with all its digits, however small.

/// log Σ e^x = most + rest, rest = log(1 + Σ e^(x - most)) over all elements but one greatest one.
template <class R>
struct LogSum {
  R most, rest;
};
/// Of a slice's numbers. NaN is the greatest of all; of none -Inf. +Inf may make NaN of the rest.
template <class R>
LogSum<R> log_sum(const Slices<R>& s, const Row<R>& x, bool lessens_by_infinity = false) {
  const R most = s.named("the greatest element", greatest(x)), zero(0.0), one(1.0);
  const auto below = map(
      [=](const auto& a) __attribute__((always_inline)) {
        const auto power = exp(a - most);
        return choose(
            a < most, [&] { return power; }, [&] { return zero; });
      },
      x);
  const auto greatest_ones = map(
      [=](const auto& a) __attribute__((always_inline)) {
        return choose(
            a < most, [&] { return zero; }, [&] { return one; });
      },
      x);
  R sum_of_others = sum(below) + (sum(greatest_ones) - one);
  if constexpr (std::is_same_v<R, exact::Faithful>) {
    // What a kernel may round to the greatest number, or below it, counts once: as 1, or as nearly that.
    bool is_known = true;
    const auto powers = map(
        [&](const R& a) {
          const auto is_below = a < most;
          is_known = is_known && is_below != decltype(is_below)::unknown;
          return choose(
              is_below, [&] { return exp(a - most); }, [&] { return one; });
        },
        x);
    const R total = sum(powers);
    if (!is_known) sum_of_others = total - one;
  }
  const R others = s.named("the sum of e^(x - greatest) of the others", sum_of_others);
  const R rest = log1p(others);
  return {most, lessens_by_infinity ? rest + (most - most) : rest};
}

/// One number of each slice of a reduction to real numbers; of integers as the reading says.
template <class F>
struct ReducedNumber {
  const F& f;
  bool rounds;

  template <class R>
  void operator()(const Slices<R>& s) const {
    const R number = f(s);
    if (!rounds) return s.put(0, number);
    s.put(0, number + choose(
                          number < R(0.0), [] { return R(-0.5); }, [] { return R(0.5); }));
  }
};
/// A number f(s) of each slice s.
template <class F>
Tensor reduced_slices(const Output& out, const Slicing& slicing, const F& f) {
  const ReducedNumber<F> number{f, makes_integers(out.call(), "rounded")};
  if (!makes_integers(out.call(), "float64")) return *slices(std::span(&out, 1), slicing, number)[0].tensor();
  const Output real = out.inner({DType::float64, out.type().shape});
  return convert(out, *slices(std::span(&real, 1), slicing, number)[0].tensor());
}

// Losses by labels: what NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss share.

/// The names that an operator gives its inputs.
struct LossInputs {
  std::string_view scores, labels, weights;
};

/// Scores are (N, C, D1, …), labels (N, D1, …), weights (C). A label's score is that of its class, in its slice.
struct Labels {
  Slicing slices;                   ///< of scores, along the classes
  std::vector<std::int64_t> label;  ///< -1 where it is ignored

  bool is_ignored(std::int64_t i) const { return class_of(i) < 0; }
  std::int64_t class_of(std::int64_t i) const { return label[static_cast<size_t>(i)]; }
};
/// A label that is no class, nor ignore_index, is `invalid`, with its position.
Labels labels_of(const Call& call, const LossInputs& names);

enum class LossReduction : std::uint8_t { none, sum, mean };
/// The loss, of the labels' shape or a scalar; each rule of the shapes.
TensorType loss_type(const Call& call, const LossInputs& names);

/// loss = -log_prob[class]·weight[class] of each label, +0 where it is ignored; their sum; or the sum divided by that
/// of the weights of the labels that count. log_prob(s, c) is the number of class c in a label's slice s of the scores.
template <class LogProb>
struct Loss {
  const Labels& labels;
  std::optional<SliceOperand> weights;  ///< else all are 1
  LossReduction reduction;
  bool counts_ignored;
  const LogProb& log_prob;

  template <class R>
  R weight(const Slices<R>& s, std::int64_t i) const {
    return weights ? s.row(*weights)[static_cast<std::size_t>(labels.class_of(i))] : R(1.0);
  }
  template <class R>
  R of(const Slices<R>& s, std::int64_t i) const {
    if (labels.is_ignored(i)) return R(0.0);
    const R loss = -log_prob(s, static_cast<std::size_t>(labels.class_of(i)));
    return weights ? loss * weight(s, i) : loss;
  }
  template <class R>
  void operator()(const Slices<R>& s) const {
    if (reduction == LossReduction::none) return s.put(0, of(s, s.slice()));
    R sum(0.0), divisor(0.0);
    for (std::int64_t i = 0; i < std::ssize(labels.label); ++i) {
      if (labels.is_ignored(i) && !counts_ignored) continue;
      s.move_to(i);
      sum = sum + of(s, i);
      divisor = divisor + (labels.is_ignored(i) ? R(1.0) : weight(s, i));
    }
    if (reduction == LossReduction::sum) return s.put(0, sum);
    s.put(0, s.named("the sum", sum) / s.named("the sum of the weights", divisor));
  }
};
/// A loss by labels of slices of the scores along their classes.
template <class LogProb>
Value loss(const Call& call, const Output& out, const LossInputs& names, const Labels& labels,
           const LogProb& log_prob) {
  std::optional<SliceOperand> weights;
  if (call.has(names.weights)) weights = labels.slices.operand(call.input(names.weights), {0, 1, 0});
  const auto reduction = call.choice<LossReduction>("reduction");
  const Loss<LogProb> f{labels, weights, reduction, !weights && call.reads("loss.mean_ignored", "counted"), log_prob};
  return slices(std::span(&out, 1), reduction == LossReduction::none ? labels.slices : Slicing::from({1}, 0), f)[0];
}

/// `reduction`, ignore_index.
void with_loss_attributes(OpSchema& s);
/// loss.mean_ignored
Reading mean_ignored_reading();
}  // namespace opref::ops
