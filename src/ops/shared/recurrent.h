// SPDX-License-Identifier: Apache-2.0
// What RNN, GRU and LSTM share.
#pragma once

#include <vector>

#include "evaluators/programs.h"
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

  /// f(x)
  template <class R>
  R of(const R& x) const {
    const R zero(0.0), one(1.0), a(alpha), b(beta);
    switch (function) {
      case Function::relu:
        return max(zero, x);
      case Function::tanh:
        return tanh(x);
      case Function::sigmoid:
        return sigmoid(x);
      case Function::affine:
        return a * x + b;
      case Function::leaky_relu:
        return leaky_relu(x, a);
      case Function::thresholded_relu:  // x for x >= alpha, else 0, so also of NaN; the operator has x > alpha
        if constexpr (std::is_same_v<R, Interval>)
          if (x.is_nan() || a.is_nan()) return zero;
        return choose(
            x < a, [&] { return zero; }, [&] { return x; });
      case Function::scaled_tanh:
        return a * tanh(b * x);
      case Function::hard_sigmoid:
        return hard_sigmoid(x, a, b);
      case Function::elu:
        return elu(x, a);
      case Function::softsign:
        return x / (one + abs(x));
      case Function::softplus:
        break;
    }
    return softplus(x);
  }
  /// 1 - f(x): of Sigmoid without the cancellation that no precision would overcome far out.
  template <class R>
  R complement(const R& x) const {
    return function == Function::sigmoid ? sigmoid(-x) : R(1.0) - of(x);
  }
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
  std::int64_t hidden() const { return hidden_; }
  /// How many steps the program takes.
  std::int64_t steps(std::int64_t program) const { return lengths_[program % batch_]; }
  /// Which place of X the program reads in a step: reverse ones begin at the end.
  std::int64_t time(std::int64_t program, std::int64_t step) const;
  const Activation& activation(std::int64_t program, size_t k) const {
    return activations_[static_cast<size_t>(program / batch_) * names_ + k];
  }
  /// Where the unit's element of Y, or of a state, lies.
  std::int64_t y_at(std::int64_t program, std::int64_t t, std::int64_t unit) const;
  std::int64_t state_at(std::int64_t program, std::int64_t unit) const;
  /// Where a gate's row of a tensor with `gates` rows per direction and unit begins, each of `width` elements.
  std::int64_t row(std::int64_t program, std::int64_t gates, std::int64_t gate, std::int64_t unit) const {
    return (program / batch_ * gates + gate) * hidden_ + unit;
  }

  /// The state before the first step: the input's, else zeros.
  template <class R>
  std::vector<R> initial(const Reader<R>& x, const std::optional<Elements>& state, std::int64_t program) const {
    std::vector<R> h;
    for (std::int64_t k = 0; k < hidden_; ++k) h.push_back(state ? x(*state, state_at(program, k)) : x.zero());
    return h;
  }
  /// Xt·W^T + Wb of a gate's unit.
  template <class R>
  R of_input(const Reader<R>& x, std::int64_t program, std::int64_t t, std::int64_t gate, std::int64_t unit) const {
    return x.dot(x_, x_at(program, t), w_, row(program, gates_, gate, unit) * input_, input_) +
           bias(x, program, gate, unit);
  }
  /// h·R^T + Rb of a gate's unit; h·R where the reading says so.
  template <class R>
  R of_state(const Reader<R>& x, std::int64_t program, const std::vector<R>& h, std::int64_t gate,
             std::int64_t unit) const {
    R sum = x.zero();
    for (std::int64_t k = 0; k < hidden_; ++k)
      sum = sum + h[static_cast<size_t>(k)] * x(r_, is_transposed_ ? row(program, gates_, gate, unit) * hidden_ + k
                                                                   : row(program, gates_, gate, k) * hidden_ + unit);
    return sum + bias(x, program, gates_ + gate, unit);
  }
  /// What an activation takes: within ±clip.
  template <class R>
  R clipped(const R& x) const {
    return clip_ > 0 ? min(R(clip_), max(R(-clip_), x)) : x;
  }
  /// Y's places beyond the last step: the last value where the reading says so, else they stay 0.
  template <class R>
  void pad(Writer<R>& y, std::int64_t program, const std::vector<R>& h) const {
    for (std::int64_t t = steps(program); repeats_last_ && t < steps_; ++t)
      for (std::int64_t k = 0; k < hidden_; ++k) y.put(0, y_at(program, t, k), h[static_cast<size_t>(k)]);
  }
  /// A final state; zeros of a program without steps where the reading says so.
  /// tell(unit): what `explain` hears of the one that is asked for.
  template <class R, class Tell>
  void put_state(Writer<R>& y, size_t output, std::int64_t program, const std::vector<R>& h, const Tell& tell) const {
    const bool is_zero = empty_is_zero_ && steps(program) == 0;
    for (std::int64_t k = 0; k < hidden_; ++k)
      y.put(output, state_at(program, k), [&] {
        if (steps(program) > 0) tell(static_cast<size_t>(k));
        return is_zero ? R(0.0) : h[static_cast<size_t>(k)];
      });
  }

 private:
  std::int64_t x_at(std::int64_t program, std::int64_t t) const {
    const std::int64_t n = program % batch_;
    return (batch_first_ ? n * steps_ + t : t * batch_ + n) * input_;
  }
  template <class R>
  R bias(const Reader<R>& x, std::int64_t program, std::int64_t gate, std::int64_t unit) const {
    return b_ ? x(*b_, row(program, 2 * gates_, gate, unit)) : x.zero();
  }

  std::int64_t gates_, steps_, batch_, dirs_, input_, hidden_;
  size_t names_;
  bool batch_first_, is_transposed_, repeats_last_, empty_is_zero_, from_last_valid_;
  SequenceLens lengths_;
  std::vector<Activation> activations_;
  std::vector<bool> is_reverse_;
  Elements x_, w_, r_;
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
