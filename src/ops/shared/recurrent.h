// SPDX-License-Identifier: Apache-2.0
// What RNN, GRU and LSTM share, of whichever domain.
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

/// What a node says of a recurrent layer. For each hidden unit and gate W and R have a row, in the order of `rows`, and
/// B has rows of input and state: -1 where a gate has none.
struct RecurrentNode {
  /// The axes of Y: those of X, whose first one is the steps' or the batches', with the directions before the last but
  /// one or the last; or batches, directions, steps. A cell is one step without an axis of it, and its Y is its state.
  enum class Order : std::uint8_t { steps_first, batches_first, directions_before_steps, cell };
  Order order;
  std::int64_t steps, batch, dirs, input, hidden;
  std::vector<bool> is_reverse;  ///< of each direction
  Elements X, W, R;
  std::optional<Elements> B = std::nullopt;
  std::vector<std::int64_t> rows, input_bias, state_bias;  ///< of each gate
  SequenceLens lengths;
  std::vector<Activation> activations;  ///< of each direction
  double clip = 0;                      ///< 0: none
  bool is_transposed = true;            ///< a state is multiplied by the transposed R
  bool repeats_last = false, empty_is_zero = false, from_last_valid = true;
};

/// One recurrent layer: how a step reads its inputs. A program is a direction of a batch row.
class RecurrentLayer {
 public:
  explicit RecurrentLayer(RecurrentNode node);

  std::int64_t programs() const { return checked_multiply(z_.dirs, z_.batch); }
  std::int64_t program_of(size_t output, std::int64_t at) const;
  /// How many steps the program takes.
  std::int64_t steps(std::int64_t program) const { return z_.lengths[program % z_.batch]; }
  /// Which place of X the program reads in a step: reverse ones begin at the end.
  std::int64_t time(std::int64_t program, std::int64_t step) const;
  const Activation& activation(std::int64_t program, size_t k) const {
    return z_.activations[static_cast<size_t>(program / z_.batch) * (z_.activations.size() / z_.is_reverse.size()) + k];
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
    const V sum = x.product(weights(w_, program, gate), x(z_.X, x_at(program, t), static_cast<size_t>(z_.input)));
    const std::int64_t rows = z_.input_bias[static_cast<size_t>(gate)];
    return rows < 0 ? sum : of_gate(x, *z_.B, program, bias_rows_, rows) + sum;
  }
  /// h·R^T + Rb of a gate's units; h·R where the reading says so.
  template <class V>
  V of_state(const VectorReader<V>& x, std::int64_t program, const V& h, std::int64_t gate) const {
    const V sum = x.product(weights(r_, program, gate), h);
    const std::int64_t rows = z_.state_bias[static_cast<size_t>(gate)];
    return rows < 0 ? sum : sum + of_gate(x, *z_.B, program, bias_rows_, rows);
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
    for (std::int64_t t = steps(program); z_.repeats_last && t < z_.steps; ++t) y.put(0, y_at(program, t), h);
  }
  /// A final state, which follows Y; zeros of a program without steps where the reading says so. `explain` hears the
  /// parts.
  template <class V>
  void put_state(const VectorReader<V>& x, VectorWriter<V>& y, size_t output, std::int64_t program, const V& h,
                 const Parts<V>& parts) const {
    const bool is_zero = z_.empty_is_zero && steps(program) == 0, is_cell = z_.order == RecurrentNode::Order::cell;
    if (is_cell && output == 1) return;  // it is Y
    y.put(is_cell ? output - 1 : output, state_at(program), is_zero ? x.zeros(units()) : h, parts);
  }

 private:
  /// Where a gate's rows of a tensor with `gates` rows per direction and unit begin.
  std::int64_t row(std::int64_t program, std::int64_t gates, std::int64_t gate) const {
    return (program / z_.batch * gates + gate) * z_.hidden;
  }
  std::int64_t x_at(std::int64_t program, std::int64_t t) const {
    const std::int64_t n = program % z_.batch;
    return (z_.order == RecurrentNode::Order::steps_first ? t * z_.batch + n : n * z_.steps + t) * z_.input;
  }
  const Weights& weights(const std::vector<Weights>& all, std::int64_t program, std::int64_t gate) const {
    return all[static_cast<size_t>(program / z_.batch * std::ssize(z_.rows) + gate)];
  }
  size_t units() const { return static_cast<size_t>(z_.hidden); }

  RecurrentNode z_;
  std::int64_t bias_rows_;      ///< of B, per direction and unit
  std::vector<Weights> w_, r_;  ///< of each direction and gate
};

/// Of each direction, as the attributes say; names that are unknown, or too many or few, are `invalid`.
std::vector<Activation> stated_activations(const Call& call, Names names);
/// Whether each direction runs backwards.
std::vector<bool> stated_directions(const Call& call);
/// What ai.onnx's nodes say of a layer of so many gates.
RecurrentNode recurrent_node(const Call& call, std::int64_t gates, Names names);

/// The layers and what their equations take beside them: initial states, or zeros.
template <class Layer>
struct LstmOf {
  Layer layer;
  std::optional<Elements> initial_h, initial_c, P = std::nullopt;  ///< P: peepholes
  bool input_forget = false, clips_cell;
};
using LstmLayer = LstmOf<RecurrentLayer>;
struct GruLayer {
  RecurrentLayer layer;
  std::optional<Elements> initial_h;
  bool linear_before_reset;
};
struct RnnLayer {
  RecurrentLayer layer;
  std::optional<Elements> initial_h;
};
namespace onnx {
// Their outputs; the gates are numbered as ai.onnx has them.
inline namespace file_lstm {
std::vector<Value> lstm_by(std::span<const Output> outs, const LstmLayer& of);
}  // namespace file_lstm
inline namespace file_gru {
std::vector<Value> gru_by(std::span<const Output> outs, const GruLayer& of);
}  // namespace file_gru
inline namespace file_rnn {
std::vector<Value> rnn_by(std::span<const Output> outs, const RnnLayer& of);
}  // namespace file_rnn
}  // namespace onnx
/// rnn.activation_parameters
Reading activation_parameters_reading(std::int64_t since);
/// Whether h of LSTM sees Ct within ±clip.
Reading clip_cell_reading(std::int64_t since);
/// What an empty sequence ends with; `lengths` is the input that says so.
Reading length_zero_reading(std::int64_t since, bool (*may_change_values)(const Call&));

/// Y and `states` final states. Each rule of the inputs' shapes and of the activations.
std::vector<ValueType> recurrent_types(const Call& call, std::int64_t gates, Names names, size_t states);
/// Inputs X, W, R, B, sequence_lens and initial_h, outputs Y and Y_h, and the attributes of all three in version 1 but
/// `activations` and `output_sequence`.
void recurrent_version_1(OpSchema& s);
/// With the versions from 7 on, and the readings that all three have.
Operator recurrent_operator(Operator first_versions);
}  // namespace opref::ops
