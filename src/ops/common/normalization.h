// SPDX-License-Identifier: Apache-2.0
// Deviations from a mean in standard deviations: what the normalizations share.
#pragma once

#include "evaluators/programs.h"
#include "exact/rounding.h"
#include "ops/common/reduce.h"

namespace opref::ops {

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
  /// Of the population.
  template <class R, class Each>
  R variance(const Reader<R>& x, const Elements& X, std::int64_t n, const Each& each, const R& mean) const {
    R squares = x.zero();
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

}  // namespace opref::ops
