// SPDX-License-Identifier: Apache-2.0
// com.microsoft DynamicQuantizeLSTM, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.DynamicQuantizeLSTM
#include "ops/operator_file.h"
#include "ops/shared/dynamic_quantization.h"
#include "ops/shared/lstm_equations.h"
namespace opref::ops::microsoft::file_dynamic_quantize_lstm {
namespace {
constexpr std::string_view kNames[] = {"Sigmoid", "Tanh", "Tanh"};
constexpr std::int64_t kGates = 4;

/// X [steps, batch, input], W [dirs, input, 4·hidden], R [dirs, hidden, 4·hidden]
struct Sizes {
  std::int64_t steps, batch, input, dirs, hidden;
};
Sizes sizes(const Call& call) {
  const Dims &x = call.type("X").shape, &r = call.type("R").shape;
  require(x.size() == 3, "X has shape {}, but must have 3 axes", x);
  require(r.size() == 3, "R has shape {}, but must have 3 axes", r);
  return {x[0], x[1], x[2], std::ssize(stated_directions(call)), r[1]};
}

std::vector<ValueType> output_types(const Call& call) {
  const Sizes z = sizes(call);
  require(z.hidden > 0, "R has shape {}, but must have hidden units", call.type("R").shape);
  require(!call.has("hidden_size") || call.integer("hidden_size") == z.hidden,
          "attribute 'hidden_size' is {}, but R has shape {}",
          call.has("hidden_size") ? call.integer("hidden_size") : 0, call.type("R").shape);
  const std::int64_t columns = checked_multiply(kGates, z.hidden);
  const auto require_shape = [&](std::string_view name, const Dims& shape) {
    if (call.has(name))
      require(call.type(name).shape == shape, "{} has shape {}, but must have {}", name, call.type(name).shape, shape);
  };
  const Dims state{z.dirs, z.batch, z.hidden};
  require_shape("W", {z.dirs, z.input, columns});
  require_shape("R", {z.dirs, z.hidden, columns});
  require_shape("B", {z.dirs, checked_multiply(2, columns)});
  require_shape("P", {z.dirs, checked_multiply(3, z.hidden)});
  require_shape("sequence_lens", {z.batch});
  require_shape("initial_h", state);
  require_shape("initial_c", state);
  for (const char* name : {"W_scale", "W_zero_point", "R_scale", "R_zero_point"}) {
    const Dims& shape = call.type(name).shape;
    require(shape == Dims{z.dirs} || shape == Dims{z.dirs, columns},
            "{} has shape {}, but must have {}, or {}: one number for each column", name, shape, Dims{z.dirs},
            Dims{z.dirs, columns});
  }
  stated_activations(call, kNames);
  const Dims y{z.steps, z.dirs, z.batch, z.hidden};
  return {TensorType{DType::float32, y}, TensorType{DType::float32, state}, TensorType{DType::float32, state}};
}

// Zero points of columns are one value in each direction, of int8 they are 0.
void require_one_zero_point(const Call& call, std::string_view name) {
  const Tensor& zeros = call.input(name);
  if (zeros.shape().size() == 1 || call.reads("dynamic_quantize_lstm.zero_point", "per_channel")) return;
  const Elements all(zeros);
  const std::int64_t columns = zeros.shape()[1];
  for (std::int64_t i = 0; i < zeros.count(); ++i) {
    const std::int64_t wanted = zeros.dtype() == DType::int8 ? 0 : all.integer(i / columns * columns);
    require(
        all.integer(i) == wanted, "{}{} is {}, but must be {}: {}", name, coordinates(i, zeros.shape()), all.integer(i),
        wanted,
        zeros.dtype() == DType::int8 ? "zero points of columns are 0 in int8" : "those of a direction are one value");
  }
}

/// W or R, of integers, by columns: what a product of integers with a column becomes.
struct Columns {
  Elements matrix, scale, zero_point;
  std::int64_t rows, columns;
  bool has_scales, has_zeros;  ///< one of each column

  Columns(const Call& call, std::string_view name)
      : matrix(call.input(name)),
        scale(call.input(std::string(name) + "_scale")),
        zero_point(call.input(std::string(name) + "_zero_point")),
        rows(call.type(name).shape[1]),
        columns(call.type(name).shape[2]),
        has_scales(call.type(std::string(name) + "_scale").rank() == 2),
        has_zeros(call.type(std::string(name) + "_zero_point").rank() == 2) {}

  double scale_of(std::int64_t d, std::int64_t column) const {
    return scale.number(has_scales ? d * columns + column : d);
  }
  /// Σ (x[k] - x_zero)·(matrix[d, k, column] - its zero point) of each column
  std::vector<std::int64_t> sums(std::int64_t d, std::span<const std::uint8_t> x, std::int64_t x_zero) const {
    std::vector<std::int64_t> all(static_cast<size_t>(columns));
    for (std::int64_t k = 0; k < rows; ++k) {
      require_time();
      const std::int64_t number = x[static_cast<size_t>(k)] - x_zero, first = (d * rows + k) * columns;
      if (number == 0) continue;
      for (std::int64_t column = 0; column < columns; ++column)
        all[static_cast<size_t>(column)] +=
            number * (matrix.integer(first + column) - zero_point.integer(has_zeros ? d * columns + column : d));
    }
    return all;
  }
};

/// Sums of integers for a step of a direction of a batch row, and what they are scaled with.
struct StepSums {
  std::vector<std::int64_t> of_input, of_state;
  double input_scale = 0, state_scale = 0;
};

// gate = x_scale·W_scale·Σ (x - x_zero)·(W - W_zero_point) + h_scale·R_scale·Σ (h - h_zero)·(R - R_zero_point) + Wb +
// Rb, x and h being what DynamicQuantizeLinear makes of X and of the last step's H as float32
class QuantizedLayer : public RecurrentLayer {
 public:
  QuantizedLayer(const RecurrentNode& node, const Columns& w, const Columns& r, const std::optional<Elements>& B,
                 const std::vector<std::vector<StepSums>>& sums, std::int64_t steps)
      : RecurrentLayer(node),
        w_(w),
        r_(r),
        B_(B),
        sums_(sums),
        batch_(node.batch),
        hidden_(node.hidden),
        steps_(steps) {}

  /// No more than are known.
  std::int64_t steps(std::int64_t program) const { return std::min(RecurrentLayer::steps(program), steps_); }
  template <class V>
  V of_state(const VectorReader<V>& x, std::int64_t, const V&, std::int64_t) const {
    return x.zeros(static_cast<size_t>(hidden_));
  }
  template <class V>
  V of_input(const VectorReader<V>& x, std::int64_t program, std::int64_t t, std::int64_t gate) const {
    const std::int64_t first = time(program, 0), d = program / batch_, step = std::abs(t - first);
    const StepSums& sums = sums_[static_cast<size_t>(program)][static_cast<size_t>(step)];
    const V products = made<V>([this, d, gate, step, &sums]<class R>(std::int64_t unit, R) {
      const std::int64_t column = gate * hidden_ + unit;
      const auto at = static_cast<size_t>(column);
      const R own = R(sums.input_scale) * R(w_.scale_of(d, column)) * R::whole(sums.of_input[at]),
              state = R(sums.state_scale) * R(r_.scale_of(d, column)) * R::whole(sums.of_state[at]);
      if constexpr (std::is_same_v<R, Faithful>)  // H in last bits, and so a step of its integers, are the kernel's own
        if (step > 0) return (own + state).moved_by(HUGE_VAL);
      return own + state;
    });
    if (!B_) return products;
    return products + of_gate(x, *B_, program, 2 * kGates, gate) + of_gate(x, *B_, program, 2 * kGates, kGates + gate);
  }

 private:
  template <class V, class F>
  V made(const F& f) const {
    using R = typename V::Number;
    const auto units = static_cast<size_t>(hidden_);
    if constexpr (InPlanes<R>) {
      V y(units);
      for (size_t i = 0; i < units; ++i) y.at().set(i, f(static_cast<std::int64_t>(i), R(0.0)));
      return y;
    } else {
      return V(units, [f](size_t i) { return f(static_cast<std::int64_t>(i), R(0.0)); });
    }
  }

  const Columns &w_, &r_;
  const std::optional<Elements>& B_;
  const std::vector<std::vector<StepSums>>& sums_;  ///< of each program and step
  std::int64_t batch_, hidden_, steps_;
};

/// The states before each step, as integers: worked out one step after another.
class QuantizedStates {
 public:
  QuantizedStates(const Call& call, std::span<const Output> outs, const RecurrentNode& node)
      : call_(call),
        out_(first_wanted(outs)),
        node_(node),
        w_(call, "W"),
        r_(call, "R"),
        B_(elements_if_given(call, "B")) {
    sums_.resize(static_cast<size_t>(node.dirs * node.batch));
    for (std::int64_t n = 0; n < node.batch; ++n) longest_ = std::max(longest_, node.lengths[n]);
    quantize_input();
    Tensor Y = Tensor::of<float>(DType::float32, {0}, {});
    for (std::int64_t k = 0; k < longest_; ++k) {
      for (std::int64_t d = 0; d < node.dirs; ++d) quantize_state(d, k, Y);
      if (k + 1 < longest_) Y = states_until(k + 1);
    }
  }
  LstmOf<QuantizedLayer> layer(std::int64_t steps) const {
    return {.layer = QuantizedLayer(node_, w_, r_, B_, sums_, steps),
            .initial_h = elements_if_given(call_, "initial_h"),
            .initial_c = elements_if_given(call_, "initial_c"),
            .P = elements_if_given(call_, "P"),
            .input_forget = call_.flag("input_forget"),
            .clips_cell = call_.reads("lstm.clip_cell", "clipped")};
  }
  std::int64_t longest() const { return longest_; }

 private:
  // One scale for all steps that some sequence has, of all batch rows.
  void quantize_input() {
    const std::int64_t used = call_.reads("dynamic_quantize_lstm.range", "all_steps") ? node_.steps : longest_,
                       row = node_.batch * node_.input;
    const auto all = call_.input("X").values<float>().first(static_cast<size_t>(used * row));
    const DynamicQuantization x(out_, all, "X");
    const RecurrentLayer places(node_);
    for (std::int64_t p = 0; p < node_.dirs * node_.batch; ++p)
      for (std::int64_t k = 0; k < node_.lengths[p % node_.batch]; ++k) {
        require_time();
        const std::int64_t at = places.time(p, k) * row + p % node_.batch * node_.input;
        const std::span own(x.integers.data() + at, static_cast<size_t>(node_.input));
        sums_[static_cast<size_t>(p)].push_back({w_.sums(p / node_.batch, own, x.zero_point), {}, widen(x.scale), 0});
      }
  }
  // One scale for the states of all batch rows before step k; where a sequence ended before the last step they count as
  // 0.
  void quantize_state(std::int64_t d, std::int64_t k, const Tensor& Y) {
    const std::int64_t hidden = node_.hidden;
    const RecurrentLayer places(node_);
    std::vector<float> states(static_cast<size_t>(node_.batch * hidden));
    const auto is_at = [&](std::int64_t n, std::int64_t step) { return node_.lengths[n] >= step; };
    for (std::int64_t n = 0; n < node_.batch; ++n) {
      const std::int64_t p = d * node_.batch + n;
      const bool is_first = k == 0;
      if (!(is_first ? call_.has("initial_h") : is_at(n, k))) continue;
      const Tensor& from = is_first ? call_.input("initial_h") : Y;
      const std::int64_t at = is_first ? places.state_at(p) : places.y_at(p, places.time(p, k - 1));
      std::ranges::copy(from.values<float>().subspan(static_cast<size_t>(at), static_cast<size_t>(hidden)),
                        states.begin() + n * hidden);
    }
    const bool by_row = call_.reads("dynamic_quantize_lstm.range", "row");
    const std::string what = format("the state before step {}", k);
    const auto take = [&](std::int64_t n, std::int64_t rows) {
      const auto first = static_cast<size_t>(n * hidden);
      const DynamicQuantization h(out_, std::span(states).subspan(first, static_cast<size_t>(rows * hidden)), what);
      for (std::int64_t row = 0; row < rows; ++row) {
        if (!is_at(n + row, k + 1)) continue;
        StepSums& sums = sums_[static_cast<size_t>(d * node_.batch + n + row)][static_cast<size_t>(k)];
        const std::span own(h.integers.data() + row * hidden, static_cast<size_t>(hidden));
        sums.of_state = r_.sums(d, own, h.zero_point), sums.state_scale = widen(h.scale);
      }
    };
    if (!by_row) return take(0, node_.batch);
    for (std::int64_t n = 0; n < node_.batch; ++n) take(n, 1);
  }
  /// Y of the first steps.
  Tensor states_until(std::int64_t steps) const {
    const Output y = out_.inner({DType::float32, {node_.steps, node_.dirs, node_.batch, node_.hidden}});
    const LstmEquations<QuantizedLayer, false> lstm{layer(steps)};
    return *recurrences(std::span(&y, 1), lstm.of.layer.programs(), lstm)[0].tensor();
  }

  const Call& call_;
  const Output& out_;
  const RecurrentNode& node_;
  Columns w_, r_;
  std::optional<Elements> B_;
  std::int64_t longest_ = 0;
  std::vector<std::vector<StepSums>> sums_;
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  for (const char* name : {"W_zero_point", "R_zero_point"}) require_one_zero_point(call, name);
  const Sizes z = sizes(call);
  call.require_room(checked_multiply(16, element_count({z.steps, z.dirs, z.batch, kGates, z.hidden})));
  const RecurrentNode node{.order = RecurrentNode::Order::steps_first,
                           .steps = z.steps,
                           .batch = z.batch,
                           .dirs = z.dirs,
                           .input = z.input,
                           .hidden = z.hidden,
                           .is_reverse = stated_directions(call),
                           .X = Elements(call.input("X")),
                           .W = Elements(call.input("W")),
                           .R = Elements(call.input("R")),
                           .rows = {0, 1, 2, 3},
                           .input_bias = {-1, -1, -1, -1},
                           .state_bias = {-1, -1, -1, -1},
                           .lengths = SequenceLens(call, z.batch, z.steps),
                           .activations = stated_activations(call, kNames),
                           .clip = call.has("clip") ? call.number("clip") : 0,
                           .empty_is_zero = call.reads("rnn.length_zero", "zeros")};
  const QuantizedStates states(call, outs, node);
  const LstmEquations<QuantizedLayer, false> lstm{states.layer(states.longest())};
  return recurrences(outs, lstm.of.layer.programs(), lstm);
}

bool has_rows(const Call& call) { return call.has("sequence_lens") || call.type("X").shape[1] > 1; }
bool has_columns(const Call& call) {
  return call.type("W_zero_point").rank() == 2 || call.type("R_zero_point").rank() == 2;
}

void version_1(OpSchema& s) {
  s.input("X", "T").input("W", "T2").input("R", "T2").input("B", "T", Arity::optional);
  s.input("sequence_lens", "T1", Arity::optional).input("initial_h", "T", Arity::optional);
  s.input("initial_c", "T", Arity::optional).input("P", "T", Arity::optional);
  s.input("W_scale", "T").input("W_zero_point", "T2").input("R_scale", "T").input("R_zero_point", "T2");
  s.output("Y", "T", Arity::optional).output("Y_h", "T", Arity::optional).output("Y_c", "T", Arity::optional);
  s.types("T", DType::float32).types("T1", DType::int32).types("T2", {DType::int8, DType::uint8});
  s.attribute(optional(FLOATS, "activation_alpha")).attribute(optional(FLOATS, "activation_beta"));
  s.attribute(optional(STRINGS, "activations")).attribute(optional(FLOAT, "clip", above(0)));
  s.attribute(with_default("direction", "forward", one_of({"forward", "reverse", "bidirectional"})));
  s.attribute(optional(INT, "hidden_size", at_least(1))).attribute(with_default("input_forget", 0, flag()));
}
}  // namespace
Operator dynamic_quantize_lstm() {
  return Operator("com.microsoft", "DynamicQuantizeLSTM")
      .summary("a recurrent layer as LSTM, whose inputs and states are quantized by their ranges")
      .version(1, version_1)
      .reading({.name = "dynamic_quantize_lstm.range",
                .alternatives = {"batch: one scale for the states of all batch rows, and for the steps of X that exist",
                                 "row: one for the states of each row", "all_steps: one for all steps of X"},
                .defaults = {{1, "batch"}},
                .reason = "onnxruntime with one thread; several may split the batch",
                .may_change_values = has_rows})
      .reading({.name = "dynamic_quantize_lstm.zero_point",
                .alternatives = {"one_value: zero points of columns are one value in each direction, 0 in int8",
                                 "per_channel: they may differ"},
                .defaults = {{1, "one_value"}},
                .reason = "onnxruntime refuses others",
                .may_change_values = has_columns})
      .reading(activation_parameters_reading(1))
      .reading(clip_cell_reading(1))
      .reading(length_zero_reading(1, [](const Call& call) { return call.has("sequence_lens"); }))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_dynamic_quantize_lstm
