// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/openvino_recurrent.h"
#include <array>

#include "core/error.h"
#include "ops/shared/openvino.h"
namespace opref::ops {
namespace {
constexpr std::string_view kLstm[] = {"sigmoid", "tanh", "tanh"}, kGru[] = {"sigmoid", "tanh"}, kRnn[] = {"tanh"};

bool is_cell(const Call& call) { return !call.has_here("sequence_lengths"); }
std::int64_t directions(const Call& call) {
  return !is_cell(call) && call.string("direction") == "bidirectional" ? 2 : 1;
}

/// Of each direction; an empty list is none.
std::vector<Activation> activations(const Call& call, Names names) {
  for (const std::string_view parameters : {"activations_alpha", "activations_beta"})
    require(!call.has(parameters) || call.numbers(parameters).empty(),
            "attribute '{}' has {}, but sigmoid, tanh and relu take none", parameters,
            counted(std::ssize(call.has(parameters) ? call.numbers(parameters) : std::vector<float>{}), "value"));
  std::vector<std::string> stated = call.has("activations") ? call.strings("activations") : std::vector<std::string>{};
  if (stated.empty()) stated.assign(names.begin(), names.end());
  require(stated.size() == names.size(), "attribute 'activations' has {}, but must have {}",
          counted(std::ssize(stated), "name"), names.size());
  std::vector<Activation> all;
  for (std::int64_t d = 0; d < directions(call); ++d)
    for (const std::string& name : stated)
      all.push_back({name == "sigmoid" ? Function::sigmoid : name == "tanh" ? Function::tanh : Function::relu, 0, 0});
  return all;
}

/// The gates of B: with linear_before_reset h has one for the input and one for the state.
std::int64_t bias_rows(const Call& call, std::int64_t gates) {
  return gates + (call.has_here("linear_before_reset") && call.flag("linear_before_reset") ? 1 : 0);
}

struct Sizes {
  std::int64_t batch, steps, dirs, input, hidden;
  bool is_cell;

  /// With the axis of directions, which a cell has not.
  Dims of(std::int64_t rows, std::int64_t columns) const {
    return is_cell ? Dims{rows, columns} : Dims{dirs, rows, columns};
  }
  Dims state() const { return is_cell ? Dims{batch, hidden} : Dims{batch, dirs, hidden}; }
};
Sizes sizes(const Call& call) {
  const Dims& x = call.type("X").shape;
  const size_t rank = is_cell(call) ? 2 : 3;
  require(x.size() == rank, "X has shape {}, but must have {} axes", x, rank);
  return {x[0], is_cell(call) ? 1 : x[1], directions(call), x[rank - 1], call.integer("hidden_size"), is_cell(call)};
}
void require_shape(const Call& call, std::string_view input, const Dims& shape) {
  if (call.has_here(input))
    require(call.type(input).shape == shape, "{} has shape {}, but must have {}", input, call.type(input).shape, shape);
}
}  // namespace
const RecurrentForm& lstm_form() {
  static const RecurrentForm form{{1, 3, 0, 2}, kLstm, "initial_hidden_state"};
  return form;
}
const RecurrentForm& gru_form() {
  static const RecurrentForm form{{0, 1, 2}, kGru, "initial_hidden_state"};
  return form;
}
const RecurrentForm& rnn_form() {
  static const RecurrentForm form{{0}, kRnn, "H"};
  return form;
}

std::vector<ValueType> openvino_recurrent_types(const Call& call, const RecurrentForm& form) {
  const Sizes z = sizes(call);
  const std::int64_t gates = std::ssize(form.rows), rows = checked_multiply(gates, z.hidden),
                     of_bias = checked_multiply(bias_rows(call, gates), z.hidden);
  require_shape(call, form.state, z.state());
  require_shape(call, "initial_cell_state", z.state());
  require_shape(call, "sequence_lengths", {z.batch});
  require_shape(call, "W", z.of(rows, z.input));
  require_shape(call, "R", z.of(rows, z.hidden));
  require_shape(call, "B", z.is_cell ? Dims{of_bias} : Dims{z.dirs, of_bias});
  activations(call, form.activations);
  const DType dtype = call.type("X").dtype;
  std::vector<ValueType> types;
  if (!z.is_cell) types.emplace_back(TensorType{dtype, {z.batch, z.dirs, z.steps, z.hidden}});
  types.emplace_back(TensorType{dtype, z.state()});
  if (call.has_here("initial_cell_state")) types.emplace_back(TensorType{dtype, z.state()});
  return types;
}

RecurrentLayer openvino_recurrent_layer(const Call& call, const RecurrentForm& form) {
  const Sizes z = sizes(call);
  const std::int64_t gates = std::ssize(form.rows);
  const bool has_bias = call.has("B"), splits_last = bias_rows(call, gates) > gates;
  RecurrentNode node{
      .order = z.is_cell ? RecurrentNode::Order::cell : RecurrentNode::Order::directions_before_steps,
      .steps = z.steps,
      .batch = z.batch,
      .dirs = z.dirs,
      .input = z.input,
      .hidden = z.hidden,
      .is_reverse = {},
      .X = Elements(call.input("X")),
      .W = Elements(call.input("W")),
      .R = Elements(call.input("R")),
      .B = elements_if_given(call, "B"),
      .rows = form.rows,
      .input_bias = has_bias ? form.rows : std::vector<std::int64_t>(form.rows.size(), -1),
      .state_bias = std::vector<std::int64_t>(form.rows.size(), -1),
      .lengths = z.is_cell ? SequenceLens(z.batch, 1) : SequenceLens(call, z.batch, z.steps, "sequence_lengths"),
      .activations = activations(call, form.activations),
      .clip = call.number("clip"),
      .empty_is_zero = !z.is_cell && call.reads("rnn.length_zero", "zeros")};
  if (has_bias && splits_last) node.state_bias.back() = gates;
  for (std::int64_t d = 0; d < z.dirs; ++d)
    node.is_reverse.push_back(d == 1 || (!z.is_cell && call.string("direction") == "reverse"));
  return RecurrentLayer(std::move(node));
}

LstmLayer openvino_lstm(const Call& call) {
  return {.layer = openvino_recurrent_layer(call, lstm_form()),
          .initial_h = Elements(call.input("initial_hidden_state")),
          .initial_c = Elements(call.input("initial_cell_state")),
          .clips_cell = call.reads("lstm.clip_cell", "clipped")};
}
GruLayer openvino_gru(const Call& call) {
  return {.layer = openvino_recurrent_layer(call, gru_form()),
          .initial_h = Elements(call.input("initial_hidden_state")),
          .linear_before_reset = call.flag("linear_before_reset")};
}
RnnLayer openvino_rnn(const Call& call) {
  return {.layer = openvino_recurrent_layer(call, rnn_form()), .initial_h = Elements(call.input("H"))};
}

void add_recurrent_attributes(OpSchema& s, Names activations) {
  const Range functions = one_of({"sigmoid", "tanh", "relu"});
  if (activations.empty()) {
    s.attribute(optional(STRINGS, "activations", functions));
  } else {
    const std::vector<std::string> names(activations.begin(), activations.end());
    s.attribute(with_default("activations", AttributeValue::of(names), functions));
  }
  s.attribute(optional(FLOATS, "activations_alpha"))
      .attribute(optional(FLOATS, "activations_beta"))
      .attribute(with_default("clip", 0.0F, at_least(0)))
      .attribute(required(INT, "hidden_size", at_least(1)));
}

void add_sequence_attributes(OpSchema& s) {
  add_recurrent_attributes(s, {});
  s.attribute(required(STRING, "direction", one_of({"forward", "reverse", "bidirectional"})));
  s.types("T1", computed_floats).types("T2", types::integers);
}

Reading sequence_length_zero_reading() {
  return length_zero_reading(5, [](const Call&) { return true; });
}
}  // namespace opref::ops
