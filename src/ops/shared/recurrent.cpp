// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/recurrent.h"
#include <array>
#include <limits>

#include "core/error.h"
#include "exact/rounding.h"
namespace opref::ops {
namespace {
/// A parameter that a function has: its default, none where it has to be given.
struct Parameter {
  bool exists = false;
  double by_default = std::numeric_limits<double>::quiet_NaN();
};
struct Known {
  std::string_view name;
  Function function;
  Parameter alpha = {}, beta = {};
};
constexpr std::array kKnown = {
    Known{"Relu", Function::relu},
    Known{"Tanh", Function::tanh},
    Known{"Sigmoid", Function::sigmoid},
    Known{"Affine", Function::affine, {true}, {true}},
    Known{"LeakyRelu", Function::leaky_relu, {true, 0.01F}},
    Known{"ThresholdedRelu", Function::thresholded_relu, {true, 1.0}},
    Known{"ScaledTanh", Function::scaled_tanh, {true}, {true}},
    Known{"HardSigmoid", Function::hard_sigmoid, {true, 0.2F}, {true, 0.5}},
    Known{"Elu", Function::elu, {true, 1.0}},
    Known{"Softsign", Function::softsign},
    Known{"Softplus", Function::softplus},
};

/// "consumed in the order of activation functions": by those that have the parameter.
double consumed(const Call& call, std::string_view attribute, const Parameter& parameter, std::string_view name,
                size_t& next) {
  if (!parameter.exists) return 0;
  const std::vector<float> stated = call.has(attribute) ? call.numbers(attribute) : std::vector<float>{};
  if (next < stated.size()) return widen(stated[next++]);
  require(parameter.by_default == parameter.by_default, "{} has no value left for {}", attribute, name);
  return parameter.by_default;
}

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names;
  for (const Known& known : kKnown) names.push_back(known.name);
  return names;
}

size_t directions(const Call& call) { return call.string("direction") == "bidirectional" ? 2 : 1; }
bool is_batch_first(const Call& call) { return call.flag("layout"); }

}  // namespace
// "activation_alpha … consumed in the order of activation functions"; with the reading each function takes one.
std::vector<Activation> stated_activations(const Call& call, Names names) {
  const size_t count = names.size() * directions(call);
  std::vector<std::string> all;
  if (call.has("activations"))
    all = call.strings("activations");
  else
    for (size_t d = 0; d < directions(call); ++d) all.insert(all.end(), names.begin(), names.end());
  if (names.size() == 1 && !call.stated("activations")) all.resize(count, std::string(*names.begin()));
  require(all.size() == count, "attribute 'activations' has {}, but must have {}", counted(std::ssize(all), "name"),
          count);
  const bool each_takes_one = call.reads("rnn.activation_parameters", "each");
  std::vector<Activation> activations;
  size_t alpha = 0, beta = 0;
  for (size_t k = 0; k < all.size(); ++k) {
    const auto known = std::ranges::find(kKnown, all[k], &Known::name);
    if (known == kKnown.end())
      fail(Fault::invalid, "attribute 'activations' names '{}', but must name {}{}", printable(all[k]),
           join_text(known_names(), ", "), did_you_mean(all[k], known_names()));
    if (each_takes_one) alpha = beta = k;
    const double a = consumed(call, "activation_alpha", known->alpha, all[k], alpha);
    activations.push_back({known->function, a, consumed(call, "activation_beta", known->beta, all[k], beta)});
  }
  return activations;
}
std::vector<bool> stated_directions(const Call& call) {
  if (directions(call) == 2) return {false, true};
  return {call.string("direction") == "reverse"};
}
namespace {
struct Sizes {
  std::int64_t steps, batch, dirs, input, hidden;
};
Sizes sizes(const Call& call) {
  const Dims &x = call.type("X").shape, &r = call.type("R").shape;
  require(x.size() == 3, "X has shape {}, but must have 3 axes", x);
  const bool first = is_batch_first(call);
  return {x[first ? 1 : 0], x[first ? 0 : 1], static_cast<std::int64_t>(directions(call)), x[2], r[2]};
}
/// The size of an axis that has so many elements for each hidden unit.
std::int64_t for_each_unit(std::int64_t count, std::int64_t hidden) {
  return at_place([] { return std::string("in the rows of the gates' weights"); },
                  [&] { return checked_multiply(count, hidden); });
}
Dims state_shape(const Call& call, const Sizes& z) {
  return is_batch_first(call) ? Dims{z.batch, z.dirs, z.hidden} : Dims{z.dirs, z.batch, z.hidden};
}
}  // namespace
RecurrentNode recurrent_node(const Call& call, std::int64_t gates, Names names) {
  const Sizes z = sizes(call);
  RecurrentNode node{
      .order = is_batch_first(call) ? RecurrentNode::Order::batches_first : RecurrentNode::Order::steps_first,
      .steps = z.steps,
      .batch = z.batch,
      .dirs = z.dirs,
      .input = z.input,
      .hidden = z.hidden,
      .is_reverse = stated_directions(call),
      .X = Elements(call.input("X")),
      .W = Elements(call.input("W")),
      .R = Elements(call.input("R")),
      .B = elements_if_given(call, "B"),
      .rows = {},
      .input_bias = {},
      .state_bias = {},
      .lengths = SequenceLens(call, z.batch, z.steps),
      .activations = stated_activations(call, names),
      .clip = call.has("clip") ? call.number("clip") : 0,
      .is_transposed = !call.reads("rnn.recurrence", "R"),
      .repeats_last = call.reads("rnn.padding", "last") && !call.reads("rnn.reverse_start", "last_step"),
      .empty_is_zero = call.reads("rnn.length_zero", "zeros"),
      .from_last_valid = !call.reads("rnn.reverse_start", "last_step")};
  for (std::int64_t gate = 0; gate < gates; ++gate) {
    node.rows.push_back(gate);
    node.input_bias.push_back(node.B ? gate : -1);
    node.state_bias.push_back(node.B ? gates + gate : -1);
  }
  return node;
}

RecurrentLayer::RecurrentLayer(RecurrentNode node) : z_(std::move(node)) {
  bias_rows_ = 1 + std::max(std::ranges::max(z_.input_bias), std::ranges::max(z_.state_bias));
  const std::int64_t gates = std::ssize(z_.rows), down = z_.is_transposed ? z_.hidden : 1,
                     along = z_.is_transposed ? 1 : z_.hidden;
  for (std::int64_t d = 0; d < z_.dirs; ++d)
    for (const std::int64_t rows : z_.rows) {
      const std::int64_t first = (d * gates + rows) * z_.hidden;
      w_.emplace_back(z_.W, first * z_.input, units(), static_cast<size_t>(z_.input), z_.input, 1);
      r_.emplace_back(z_.R, first * z_.hidden, units(), units(), down, along);
    }
}

std::int64_t RecurrentLayer::program_of(size_t output, std::int64_t at) const {
  using enum RecurrentNode::Order;
  const std::int64_t place = at / z_.hidden;
  if (z_.order == steps_first) return place % (z_.dirs * z_.batch);
  const bool has_steps = output == 0 && z_.order != cell;
  const std::int64_t each = has_steps ? z_.steps : 1;
  if (z_.order == batches_first) return place % z_.dirs * z_.batch + place / z_.dirs / each;
  return place / each % z_.dirs * z_.batch + place / each / z_.dirs;
}

std::int64_t RecurrentLayer::time(std::int64_t program, std::int64_t step) const {
  if (!z_.is_reverse[static_cast<size_t>(program / z_.batch)]) return step;
  return (z_.from_last_valid ? steps(program) : z_.steps) - 1 - step;
}

std::int64_t RecurrentLayer::y_at(std::int64_t program, std::int64_t t) const {
  using enum RecurrentNode::Order;
  const auto [d, n] = split(program, z_.batch);
  if (z_.order == steps_first) return ((t * z_.dirs + d) * z_.batch + n) * z_.hidden;
  if (z_.order == batches_first) return ((n * z_.steps + t) * z_.dirs + d) * z_.hidden;
  return ((n * z_.dirs + d) * z_.steps + t) * z_.hidden;
}

std::int64_t RecurrentLayer::state_at(std::int64_t program) const {
  const auto [d, n] = split(program, z_.batch);
  return (z_.order == RecurrentNode::Order::steps_first ? d * z_.batch + n : n * z_.dirs + d) * z_.hidden;
}

template <class V>
V Activation::of(const V& x) const {
  using R = typename V::Number;
  const R a(alpha), b(beta), zero(0.0);
  switch (function) {
    case Function::relu:
      return bent([=](const R& v) { return max(zero, v); }, x, {{0}, {0, 1}});
    case Function::tanh:
      return smooth([](const R& v) { return tanh(v); }, x, [](double y) { return (1 - y) * (1 + y); }, 0.7699);
    case Function::sigmoid:
      return smooth([](const R& v) { return sigmoid(v); }, x, [](double y) { return y * (1 - y); }, 0.0963);
    case Function::affine:
      return bent([=](const R& v) { return a * v + b; }, x, {{}, {alpha}});
    case Function::leaky_relu:
      return bent([=](const R& v) { return leaky_relu(v, a); }, x, {{0}, {alpha, 1}});
    case Function::thresholded_relu:  // x for x >= alpha, else 0, so also of NaN; the operator has x > alpha
      return bent(
          [=](const R& v) {
            if constexpr (std::is_same_v<R, Interval>)
              if (v.is_nan() || a.is_nan()) return zero;
            return choose(
                v < a, [&] { return zero; }, [&] { return v; });
          },
          x, {{alpha}, {0, 1}});
    case Function::scaled_tanh:
      return map([=](const R& v) { return a * tanh(b * v); }, x);
    case Function::hard_sigmoid: {
      const double low = -beta / alpha, high = (1 - beta) / alpha;
      const bool is_flat = alpha == 0;
      return bent([=](const R& v) { return hard_sigmoid(v, a, b); }, x,
                  is_flat ? Bends{{}, {0}} : Bends{{std::min(low, high), std::max(low, high)}, {0, alpha, 0}});
    }
    case Function::elu:
      return map([=](const R& v) { return elu(v, a); }, x);
    case Function::softsign:
      return smooth([](const R& v) { return v / (R(1.0) + abs(v)); }, x,
                    [](double y) { return (1 - std::abs(y)) * (1 - std::abs(y)); }, 2);
    case Function::softplus:
      break;
  }
  return map([](const R& v) { return softplus(v); }, x);
}
template <class V>
V Activation::complement(const V& x) const {
  using R = typename V::Number;
  const auto difference = [&] { return map([](const R&) { return R(1.0); }, x) - of(x); };
  if (function != Function::sigmoid) return difference();
  if constexpr (std::is_same_v<R, Faithful>)  // kernels compute either
    return map([](const R& a, const R& b) { return a.error() > b.error() ? a : b; }, of(-x), difference());
  else
    return of(-x);
}
template <class V>
V RecurrentLayer::clipped(const V& x) const {
  using R = typename V::Number;
  const double clip = z_.clip;
  if (clip <= 0) return x;
  return bent([clip](const R& v) { return min(R(clip), max(R(-clip), v)); }, x, {{-clip, clip}, {0, 1, 0}});
}
template Vector<Bounded> Activation::of(const Vector<Bounded>&) const;
template Vector<Paired> Activation::of(const Vector<Paired>&) const;
template Traced Activation::of(const Traced&) const;
template Vector<Interval> Activation::of(const Vector<Interval>&) const;
template Vector<Faithful> Activation::of(const Vector<Faithful>&) const;
template Vector<Bounded> Activation::complement(const Vector<Bounded>&) const;
template Vector<Paired> Activation::complement(const Vector<Paired>&) const;
template Traced Activation::complement(const Traced&) const;
template Vector<Interval> Activation::complement(const Vector<Interval>&) const;
template Vector<Faithful> Activation::complement(const Vector<Faithful>&) const;
template Vector<Bounded> RecurrentLayer::clipped(const Vector<Bounded>&) const;
template Vector<Paired> RecurrentLayer::clipped(const Vector<Paired>&) const;
template Traced RecurrentLayer::clipped(const Traced&) const;
template Vector<Interval> RecurrentLayer::clipped(const Vector<Interval>&) const;
template Vector<Faithful> RecurrentLayer::clipped(const Vector<Faithful>&) const;

/// W and R have three axes; else the error says of which sizes.
void require_weights(const Call& call, std::int64_t gates) {
  const Dims &x = call.type("X").shape, &w = call.type("W").shape, &r = call.type("R").shape;
  require(x.size() == 3, "X has shape {}, but must have 3 axes", x);
  if (r.size() == 3 && w.size() == 3) return;
  const std::int64_t last = r.empty() ? 0 : r[r.size() - 1];
  const std::int64_t hidden = call.has_here("hidden_size") ? call.integer("hidden_size") : last;
  const auto dirs = static_cast<std::int64_t>(directions(call));
  const std::int64_t rows = for_each_unit(gates, hidden);
  const Dims as_w{dirs, rows, x[2]}, as_r{dirs, rows, hidden};
  require(r.size() == 3 || w.size() == 3, "W has shape {} and R has shape {}, but they must have {} and {}", w, r, as_w,
          as_r);
  require(r.size() == 3, "R has shape {}, but must have {}", r, as_r);
}

std::vector<ValueType> recurrent_types(const Call& call, std::int64_t gates, Names names, size_t states) {
  require_weights(call, gates);
  const Sizes z = sizes(call);
  const auto require_shape = [&](std::string_view name, const Dims& shape) {
    if (call.has_here(name))
      require(call.type(name).shape == shape, "{} has shape {}, but must have {}", name, call.type(name).shape, shape);
  };
  require(!call.has("hidden_size") || call.integer("hidden_size") == z.hidden,
          "attribute 'hidden_size' is {}, but R has shape {}",
          call.has("hidden_size") ? call.integer("hidden_size") : 0, call.type("R").shape);
  require_shape("R", {z.dirs, for_each_unit(gates, z.hidden), z.hidden});
  require_shape("W", {z.dirs, for_each_unit(gates, z.hidden), z.input});
  require_shape("B", {z.dirs, for_each_unit(2 * gates, z.hidden)});
  require_shape("P", {z.dirs, for_each_unit(3, z.hidden)});
  require_shape("sequence_lens", {z.batch});
  require_shape("initial_h", state_shape(call, z));
  require_shape("initial_c", state_shape(call, z));
  stated_activations(call, names);
  const DType dtype = call.type("X").dtype;
  const Dims y =
      is_batch_first(call) ? Dims{z.batch, z.steps, z.dirs, z.hidden} : Dims{z.steps, z.dirs, z.batch, z.hidden};
  std::vector<ValueType> types(1 + states, TensorType{dtype, state_shape(call, z)});
  types.front() = TensorType{dtype, y};
  return types;
}

void recurrent_version_1(OpSchema& s) {
  s.input("X", "T").input("W", "T").input("R", "T").input("B", "T", Arity::optional);
  s.input("sequence_lens", "T1", Arity::optional).input("initial_h", "T", Arity::optional);
  s.output("Y", "T", Arity::optional).output("Y_h", "T", Arity::optional);
  s.types("T", types::floats).types("T1", DType::int32);
  s.attribute(optional(FLOATS, "activation_alpha"))
      .attribute(optional(FLOATS, "activation_beta"))
      .attribute(optional(FLOAT, "clip", above(0)))
      .attribute(with_default("direction", "forward", one_of({"forward", "reverse", "bidirectional"})))
      .attribute(optional(INT, "hidden_size", at_least(1)));
}

Operator recurrent_operator(Operator first_versions) {
  return std::move(first_versions)
      .version(7, [](OpSchema& s) { s.remove("output_sequence"); })
      .version(14, [](OpSchema& s) { s.attribute(with_default("layout", 0, flag())); })
      .version(22, adds("T", DType::bfloat16))
      .reading({.name = "rnn.recurrence",
                .alternatives = {"transposed: Ht-1·R^T", "R: Ht-1·R, as the text of the first versions writes it"},
                .defaults = {{1, "transposed"}, {7, ""}},
                .reason = "the text of later versions says Ht-1*(R^T), which shapes of all versions need alike",
                .may_change_values = [](const Call&) { return true; }})
      .reading(activation_parameters_reading(1))
      .reading({.name = "rnn.padding",
                .alternatives = {"zero: Y is 0 beyond a sequence's length", "last: Y repeats the last state there"},
                .defaults = {{1, "zero"}},
                .reason = "the text is silent; onnxruntime fills with zeros",
                .may_change_values = [](const Call& call) { return call.has("sequence_lens"); }})
      .reading(
          {.name = "rnn.reverse_start",
           .alternatives = {"last_valid: reverse runs begin at the sequence's last step",
                            "last_step: they begin at the last step of X"},
           .defaults = {{1, "last_valid"}},
           .reason = "the text is silent; onnxruntime begins at the last valid step",
           .may_change_values =
               [](const Call& call) { return call.has("sequence_lens") && call.string("direction") != "forward"; }})
      .reading(length_zero_reading(1, [](const Call& call) { return call.has("sequence_lens"); }));
}

Reading activation_parameters_reading(std::int64_t since) {
  return {.name = "rnn.activation_parameters",
          .alternatives = {"consumed: functions without the parameter take no value",
                           "each: each function takes a value of its place"},
          .defaults = {{since, "consumed"}},
          .reason = "\"consumed in the order of activation functions\"; onnxruntime does so",
          .may_change_values = [](const Call& call) {
            return call.has("activation_alpha") || call.has("activation_beta");
          }};
}
Reading clip_cell_reading(std::int64_t since) {
  return {.name = "lstm.clip_cell",
          .alternatives = {"clipped: h sees Ct within ±clip", "gates_only: h sees Ct itself"},
          .defaults = {{since, "clipped"}},
          .reason =
              "clip \"is applied to the input of activations\", and Ct is that of h; onnxruntime clips the gates' "
              "alone",
          .may_change_values = [](const Call& call) { return call.has("clip") && call.number("clip") > 0; }};
}
Reading length_zero_reading(std::int64_t since, bool (*may_change_values)(const Call&)) {
  return {.name = "rnn.length_zero",
          .alternatives = {"initial: the final state of an empty sequence is the initial one", "zeros: it is 0"},
          .defaults = {{since, "initial"}},
          .reason = "no step is taken; onnxruntime gives zeros",
          .may_change_values = may_change_values};
}
}  // namespace opref::ops
