// SPDX-License-Identifier: Apache-2.0
// What RNN, GRU and LSTM share.
#pragma once

#include <vector>

#include "evaluators/recurrences.h"
#include "ops/shared/control_flow.h"
#include "ops/shared/formulas.h"
#include "ops/shared/parameters.h"
#include "schema/operator.h"
namespace opref::ops {
enum class Function : std::uint8_t {
  relu,
  tanh,
  sigmoid,
  affine,
  leaky_relu,
  thresholded_relu,
  scaled_tanh,
  hard_sigmoid,
  elu,
  softsign,
  softplus
};
struct Activation {
  Function function;
  double alpha, beta;

  /// f(x) of each element; V is one of evaluators/vectors.h
  template <class V>
  V of(const V& x) const;
  /// 1 - f(x): of Sigmoid without the cancellation that no precision would overcome far out.
  template <class V>
  V complement(const V& x) const;
};

/// The names of a direction's activations where the node states none; of RNN one is enough.
using Names = std::span<const std::string_view>;

/// One recurrent layer: shapes, inputs, and how a step reads them. A program is a direction of a batch row; `gates` is
/// how many rows W and R have per hidden unit.
class RecurrentLayer {
 public:
  RecurrentLayer(const Call& call, std::int64_t gates, Names names);

  std::int64_t programs() const { return checked_multiply(dirs_, batch_); }
  std::int64_t program_of(size_t output, std::int64_t at) const;
  /// How many steps the program takes.
  std::int64_t steps(std::int64_t program) const { return lengths_[program % batch_]; }
  /// Which place of X the program reads in a step: reverse ones begin at the end.
  std::int64_t time(std::int64_t program, std::int64_t step) const;
  const Activation& activation(std::int64_t program, size_t k) const {
    return activations_[static_cast<size_t>(program / batch_) * names_ + k];
  }
  /// Where the units' elements of Y, or of a state, begin.
  std::int64_t y_at(std::int64_t program, std::int64_t t) const;
  std::int64_t state_at(std::int64_t program) const;

  /// The state before the first step: the input's, else zeros.
  template <class V>
  V initial(const VectorReader<V>& x, const std::optional<Elements>& state, std::int64_t program) const {
    return state ? x(*state, state_at(program), units()) : x.zeros(units());
  }
  /// Xt·W^T + Wb of a gate's units.
  template <class V>
  V of_input(const VectorReader<V>& x, std::int64_t program, std::int64_t t, std::int64_t gate) const {
    const V sum = x.product(weights(w_, program, gate), x(x_, x_at(program, t), static_cast<size_t>(input_)));
    return b_ ? bias(x, program, gate) + sum : sum;
  }
  /// h·R^T + Rb of a gate's units; h·R where the reading says so.
  template <class V>
  V of_state(const VectorReader<V>& x, std::int64_t program, const V& h, std::int64_t gate) const {
    const V sum = x.product(weights(r_, program, gate), h);
    return b_ ? sum + bias(x, program, gates_ + gate) : sum;
  }
  /// The units' elements of a tensor that has some for each gate.
  template <class V>
  V of_gate(const VectorReader<V>& x, const Elements& tensor, std::int64_t program, std::int64_t gates,
            std::int64_t gate) const {
    return x(tensor, row(program, gates, gate), units());
  }
  /// What an activation takes: within ±clip.
  template <class V>
  V clipped(const V& x) const;
  /// Y's places beyond the last step: the last value where the reading says so, else they stay 0.
  template <class V>
  void pad(VectorWriter<V>& y, std::int64_t program, const V& h) const {
    for (std::int64_t t = steps(program); repeats_last_ && t < steps_; ++t) y.put(0, y_at(program, t), h);
  }
  /// A final state; zeros of a program without steps where the reading says so. `explain` hears the parts.
  template <class V>
  void put_state(const VectorReader<V>& x, VectorWriter<V>& y, size_t output, std::int64_t program, const V& h,
                 const Parts<V>& parts) const {
    const bool is_zero = empty_is_zero_ && steps(program) == 0;
    y.put(output, state_at(program), is_zero ? x.zeros(units()) : h, parts);
  }

 private:
  /// Where a gate's rows of a tensor with `gates` rows per direction and unit begin.
  std::int64_t row(std::int64_t program, std::int64_t gates, std::int64_t gate) const {
    return (program / batch_ * gates + gate) * hidden_;
  }
  std::int64_t x_at(std::int64_t program, std::int64_t t) const {
    const std::int64_t n = program % batch_;
    return (batch_first_ ? n * steps_ + t : t * batch_ + n) * input_;
  }
  template <class V>
  V bias(const VectorReader<V>& x, std::int64_t program, std::int64_t gate) const {
    return of_gate(x, *b_, program, 2 * gates_, gate);
  }
  const Weights& weights(const std::vector<Weights>& all, std::int64_t program, std::int64_t gate) const {
    return all[static_cast<size_t>(program / batch_ * gates_ + gate)];
  }
  size_t units() const { return static_cast<size_t>(hidden_); }

  std::int64_t gates_, steps_, batch_, dirs_, input_, hidden_;
  size_t names_;
  bool batch_first_, is_transposed_, repeats_last_, empty_is_zero_, from_last_valid_;
  SequenceLens lengths_;
  std::vector<Activation> activations_;
  std::vector<bool> is_reverse_;
  Elements x_;
  std::vector<Weights> w_, r_;  ///< of each direction and gate
  std::optional<Elements> b_;
  double clip_;
};

/// Y and `states` final states. Each rule of the inputs' shapes and of the activations.
std::vector<ValueType> recurrent_types(const Call& call, std::int64_t gates, Names names, size_t states);
/// Inputs X, W, R, B, sequence_lens and initial_h, outputs Y and Y_h, and the attributes of all three in version 1 but
/// `activations` and `output_sequence`.
void recurrent_version_1(OpSchema& s);
/// With the versions from 7 on, and the readings that all three have.
Operator recurrent_operator(Operator first_versions);
}  // namespace opref::ops
