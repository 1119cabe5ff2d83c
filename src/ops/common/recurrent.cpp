// SPDX-License-Identifier: Apache-2.0
#include "ops/common/recurrent.h"

#include <array>
#include <limits>

#include "core/error.h"

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
    Known{"LeakyRelu", Function::leaky_relu, {true, static_cast<double>(0.01F)}},
    Known{"ThresholdedRelu", Function::thresholded_relu, {true, 1.0}},
    Known{"ScaledTanh", Function::scaled_tanh, {true}, {true}},
    Known{"HardSigmoid", Function::hard_sigmoid, {true, static_cast<double>(0.2F)}, {true, 0.5}},
    Known{"Elu", Function::elu, {true, 1.0}},
    Known{"Softsign", Function::softsign},
    Known{"Softplus", Function::softplus},
};

/// "consumed in the order of activation functions": by those that have the parameter.
double consumed(const Call& call, std::string_view attribute, const Parameter& parameter, std::string_view name,
                size_t& next) {
  if (!parameter.exists) return 0;
  const std::vector<float> stated = call.has(attribute) ? call.numbers(attribute) : std::vector<float>{};
  if (next < stated.size()) return static_cast<double>(stated[next++]);
  require(parameter.by_default == parameter.by_default, "{} has no value left for {}", attribute, name);
  return parameter.by_default;
}

}  // namespace

std::vector<Activation> activations(const Call& call, size_t directions,
                                    std::initializer_list<std::string_view> names) {
  std::vector<std::string> all;
  if (call.has_here("activations"))
    all = call.strings("activations");
  else
    for (size_t d = 0; d < directions; ++d) all.insert(all.end(), names.begin(), names.end());
  require(all.size() == names.size() * directions, "attribute 'activations' has {}, but must have {}",
          counted(std::ssize(all), "name"), names.size() * directions);
  std::vector<Activation> activations;
  size_t alpha = 0, beta = 0;
  for (const std::string& name : all) {
    const auto known = std::ranges::find(kKnown, name, &Known::name);
    require(known != kKnown.end(), "attribute 'activations' names {}, which is no activation", printable(name));
    const double a = consumed(call, "activation_alpha", known->alpha, name, alpha);
    activations.push_back({known->function, a, consumed(call, "activation_beta", known->beta, name, beta)});
  }
  return activations;
}

size_t directions(const Call& call) { return call.string("direction") == "bidirectional" ? 2 : 1; }
bool is_reverse(const Call& call, size_t direction) { return direction == 1 || call.string("direction") == "reverse"; }

std::vector<std::int64_t> sequence_lengths(const Call& call, std::int64_t batch, std::int64_t steps) {
  if (!call.has_here("sequence_lens")) return std::vector<std::int64_t>(static_cast<size_t>(batch), steps);
  const std::vector<std::int64_t> lengths = call.integers("sequence_lens");
  for (const std::int64_t length : lengths)
    require(length >= 0 && length <= steps, "sequence_lens has {}, but must be from 0 to {}", length, steps);
  return lengths;
}

Recurrence recurrence(const Call& call, std::int64_t gates) {
  const Dims &x = call.type("X").shape, &r = call.type("R").shape;
  require(x.size() == 3, "X has shape {}, but must have 3 axes", x);
  require(r.size() == 3 && r[1] == gates * r[2],
          "R has shape {}, but must be (directions, {}·hidden_size, hidden_size)", r, gates);
  const bool first = call.has_here("layout") && call.integer("layout") != 0;
  const Recurrence z{
      x[first ? 1 : 0], x[first ? 0 : 1], static_cast<std::int64_t>(directions(call)), x[2], r[2], first};
  require(!call.has_here("hidden_size") || call.integer("hidden_size") == z.hidden,
          "attribute 'hidden_size' is {}, but R has shape {}",
          call.has_here("hidden_size") ? call.integer("hidden_size") : 0, r);
  const auto require_shape = [&](std::string_view name, const Dims& shape) {
    if (call.has(name))
      require(call.type(name).shape == shape, "{} has shape {}, but must have {}", name, call.type(name).shape, shape);
  };
  require_shape("R", {z.dirs, gates * z.hidden, z.hidden});
  require_shape("W", {z.dirs, gates * z.hidden, z.input});
  require_shape("B", {z.dirs, 2 * gates * z.hidden});
  require_shape("sequence_lens", {z.batch});
  require_shape("initial_h", z.state());
  return z;
}

}  // namespace opref::ops
