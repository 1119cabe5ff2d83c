// SPDX-License-Identifier: Apache-2.0
// ai.onnx Scan, versions 8, 9, 11, 16, 19, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Scan.html
#include <algorithm>

#include "core/error.h"
#include "families/move.h"
#include "ops/common/along_axis.h"
#include "ops/common/axis.h"
#include "ops/common/subgraphs.h"
#include "schema/node.h"

namespace opref::ops::onnx {
namespace {

// for t = 0 … T-1: state…, scan… = body(state…, x[t]…), x[T-1-t] of those with direction 1
// outputs: state…, and the values of each scan on a new axis, in reverse of those with direction 1
struct Plan {
  std::span<const Input> states, xs;
  std::vector<std::int64_t> axes, directions, output_axes, output_directions;
  size_t outputs;  ///< of body
};

std::vector<std::int64_t> list(const Call& call, std::string_view name, size_t count, std::string_view noun) {
  if (!call.has(name)) return std::vector<std::int64_t>(count);
  std::vector<std::int64_t> values = call.integers(name);
  require(values.size() == count, "{} has {}, but there are {}", name, counted(std::ssize(values), "value"),
          counted(static_cast<std::int64_t>(count), noun));
  return values;
}

/// Negative axes count from the back from version 11 on.
void require_axis(const Call& call, std::string_view name, std::int64_t axis, size_t rank) {
  const auto r = static_cast<std::int64_t>(rank);
  require(axis >= -r && axis < r, "{} has {}, but must be from {} to {}: the rank is {}", name, axis, -r, r - 1, r);
  require(axis >= 0 || !call.reads("axis.negative_before_11", "reject"),
          "{} has {}, but {} knows no negative axes; the reading axis.negative_before_11=accept allows them", name,
          axis, call.title());
}

bool has_batches(const Call& call) { return call.version() < 9; }

Plan plan_of(const Call& call) {
  const std::span<const Input> inputs = call.inputs("initial_state_and_scan_inputs");
  for (const Input& input : inputs)
    if (!input.type.has_shape)
      fail(Fault::usage, "{} needs the shape of '{}', which values decide", call.title(), printable(input.name));
  const auto m = static_cast<size_t>(call.integer("num_scan_inputs"));
  require(m <= inputs.size(), "num_scan_inputs is {}, but the node has {} to scan or carry", m,
          counted(std::ssize(inputs), "input"));
  const size_t n = inputs.size() - m, outputs = call.output_count();
  require(outputs >= n, "the node has {}, but {}", counted(static_cast<std::int64_t>(n), "state variable"),
          counted(static_cast<std::int64_t>(outputs), "output"));
  require_graph(call, "body", inputs.size(), outputs);
  Plan plan{inputs.first(n), inputs.subspan(n), {}, {}, {}, {}, outputs};
  if (has_batches(call)) {
    plan.axes.assign(m, 1), plan.directions = list(call, "directions", m, "scan input");
    plan.output_axes.assign(outputs - n, 0), plan.output_directions.assign(outputs - n, 0);
    return plan;
  }
  plan.axes = list(call, "scan_input_axes", m, "scan input");
  plan.directions = list(call, "scan_input_directions", m, "scan input");
  plan.output_axes = list(call, "scan_output_axes", outputs - n, "scan output");
  plan.output_directions = list(call, "scan_output_directions", outputs - n, "scan output");
  for (size_t k = 0; k < m; ++k) {
    const size_t rank = plan.xs[k].type.tensor.rank();
    require(rank > 0, "'{}' is a scalar, but needs an axis to be scanned", printable(plan.xs[k].name));
    require_axis(call, "scan_input_axes", plan.axes[k], rank);
    if (plan.axes[k] < 0) plan.axes[k] += static_cast<std::int64_t>(rank);
  }
  for (const std::int64_t axis : plan.output_axes) require_axis(call, "scan_output_axes", axis, Dims::kCapacity);
  return plan;
}

/// T, which all scan inputs have, and before version 9 the batch size, which all inputs have.
std::int64_t length_of(const Call& call, const Plan& plan) {
  std::optional<std::int64_t> length, batch;
  const auto agree = [](std::optional<std::int64_t>& common, const Input& input, size_t axis) {
    const Dims& shape = input.type.tensor.shape;
    require(axis < shape.size(), "'{}' has shape {}, but needs an axis {}", printable(input.name), shape, axis);
    if (!common) common = shape[axis];
    require(*common == shape[axis], "axis {} of '{}' has size {}, but that of another input {}", axis,
            printable(input.name), shape[axis], *common);
  };
  for (size_t k = 0; k < plan.xs.size(); ++k) agree(length, plan.xs[k], static_cast<size_t>(plan.axes[k]));
  if (has_batches(call))
    for (const Input& input : call.inputs("initial_state_and_scan_inputs")) agree(batch, input, 0);
  return *length;
}

/// What body takes: states, and scan inputs without the axis; before version 9 both without the batch.
std::vector<ValueType> taken_types(const Call& call, const Plan& plan) {
  std::vector<ValueType> types;
  const size_t batches = has_batches(call) ? 1 : 0;
  for (const Input& state : plan.states)
    types.emplace_back(state.type.dtype(), state.type.tensor.shape.without_first(batches));
  for (size_t k = 0; k < plan.xs.size(); ++k) {
    const TensorType& x = plan.xs[k].type.tensor;
    types.emplace_back(x.dtype, without_axis(x.shape, static_cast<size_t>(plan.axes[k])).without_first(batches));
  }
  for (size_t k = 0; k < types.size(); ++k) require_takes(call, "body", k, types[k]);
  return types;
}

/// The states' types are those of the inputs: "required to have the same shape in each iteration".
void require_state(size_t k, const ValueType& state, const ValueType& given) {
  require(given == state, "output {} of body is {}, but the state variable {}", k, given, state);
}

std::vector<ValueType> output_types(const Call& call) {
  const Plan plan = plan_of(call);
  length_of(call, plan);
  const std::vector<ValueType> taken = taken_types(call, plan);
  const auto given = types_without_values(call, "body", taken);
  std::vector<ValueType> types;
  for (size_t k = 0; k < plan.outputs; ++k) {
    if (k < plan.states.size()) {
      if (given && (*given)[k].has_shape) require_state(k, taken[k], (*given)[k]);
      types.push_back(plan.states[k].type);
    } else {
      types.push_back(type_of_items(call, given, taken, k));
    }
  }
  require_given_types(call, "V", types);
  return types;
}

/// The states after T iterations over xs along their axes, in reverse from `last` on; scan outputs go to `items`.
std::vector<Value> scan_along(const Call& call, const Output& out, const Plan& plan, std::vector<Value> states,
                              std::span<const Tensor> xs, std::span<const std::int64_t> axes, std::int64_t T,
                              std::int64_t last, std::int64_t held, GatheredItems& items) {
  const size_t n = states.size();
  for (std::int64_t t = 0; t < T; ++t)
    at_place(
        [&] { return format("in iteration {}", t); },
        [&] {
          std::vector<Value> inputs = states;
          for (size_t k = 0; k < xs.size(); ++k) {
            const auto axis = static_cast<size_t>(axes[k]);
            const TensorType element{xs[k].dtype(), without_axis(xs[k].shape(), axis)};
            inputs.emplace_back(part_along(out.inner(element), xs[k], axis, plan.directions[k] == 0 ? t : last - t));
          }
          std::vector<Value> outputs = call.graph_values("body", inputs, checked_add(held, items.held()));
          for (size_t k = 0; k < n; ++k) {
            require_state(k, type_of(states[k]), type_of(outputs[k]));
            states[k] = outputs[k];
          }
          items.add(outputs);
        });
  return states;
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Plan plan = plan_of(call);
  const size_t n = plan.states.size();
  std::vector<Value> states;
  std::vector<Tensor> xs;
  for (const Input& state : plan.states) states.emplace_back(state.tensor());
  for (const Input& x : plan.xs) xs.push_back(x.tensor());
  const std::int64_t T = length_of(call, plan);
  GatheredItems items(n, plan.outputs - n);
  auto results = scan_along(call, first_wanted(outs), plan, std::move(states), xs, plan.axes, T, T - 1, 0, items);
  tell_asked(outs, [&](const Output& out, std::int64_t place) {
    if (out.place() < n) return std::pair<std::string, std::int64_t>("iterations", T);
    const size_t k = out.place() - n;
    const Dims& item = items.of(k).front().shape();
    const std::int64_t rank = std::ssize(item) + 1, axis = (plan.output_axes[k] % rank + rank) % rank,
                       inner = element_count(item.without_first(static_cast<size_t>(axis))), t = place / inner % T;
    return std::pair(format("iteration, of 0 to {}", T - 1), plan.output_directions[k] != 0 ? T - 1 - t : t);
  });
  for (size_t k = 0; k < items.count(); ++k) {
    if (plan.output_directions[k] != 0) std::ranges::reverse(items.of(k));
    results.emplace_back(stacked_items(outs[n + k], items.of(k), plan.output_axes[k], "body", n + k));
  }
  return results;
}

/// How long each batch's sequence is; version 8.
std::vector<std::int64_t> lengths_of(const Call& call, std::int64_t batch, std::int64_t longest) {
  if (!call.has("sequence_lens")) return std::vector<std::int64_t>(static_cast<size_t>(batch), longest);
  const std::vector<std::int64_t> lengths = call.integers("sequence_lens");
  for (size_t b = 0; b < lengths.size(); ++b)
    require(lengths[b] >= 0 && lengths[b] <= longest, "sequence_lens[{}] is {}, but must be from 0 to {}", b,
            lengths[b], longest);
  return lengths;
}

/// The items of all batches, each with zeros up to `longest`, on two new axes.
Tensor stacked_batches(const Output& out, std::span<const std::vector<Tensor>> batches, std::int64_t longest,
                       size_t k) {
  const auto first = std::ranges::find_if(batches, [](const auto& items) { return !items.empty(); });
  const Dims item = first == batches.end() ? declared_item(out.call(), "body", k) : first->front().shape();
  std::vector<Tensor> all;
  for (const std::vector<Tensor>& items : batches) {
    all.insert(all.end(), items.begin(), items.end());
    all.resize(all.size() + static_cast<size_t>(longest) - items.size(), zeros_of({out.type().dtype, item}));
  }
  if (all.empty()) return zeros_of({out.type().dtype, join({std::ssize(batches), longest}, item)});
  const Tensor rows = stacked_items(out, all, 0, "body", k);
  return out.wanted() ? rows.reshaped(join({std::ssize(batches), longest}, item)) : rows;
}

/// Version 8: every input has the batch on axis 0, and each batch is scanned by itself, up to its sequence_lens.
std::vector<Value> kernel_8(const Call& call, std::span<const Output> outs) {
  const Plan plan = plan_of(call);
  const size_t n = plan.states.size();
  const Output& out = first_wanted(outs);
  const std::int64_t longest = length_of(call, plan), batch = plan.xs[0].type.tensor.shape[0];
  const std::vector<std::int64_t> lengths = lengths_of(call, batch, longest), axes(plan.xs.size(), 0);
  const auto in_batch = [&](const Input& x, std::int64_t b) {
    return part_along(out.inner({x.type.dtype(), x.type.tensor.shape.without_first(1)}), x.tensor(), 0, b);
  };
  std::vector<std::vector<Tensor>> states(n);
  std::vector<std::vector<std::vector<Tensor>>> items(plan.outputs - n);
  std::int64_t held = 0;
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t T = lengths[static_cast<size_t>(b)],
                       last = (call.reads("scan.reverse", "from_length") ? T : longest) - 1;
    std::vector<Value> initial;
    std::vector<Tensor> xs;
    for (const Input& state : plan.states) initial.emplace_back(in_batch(state, b));
    for (const Input& x : plan.xs) xs.push_back(in_batch(x, b));
    GatheredItems scanned(n, plan.outputs - n);
    const std::vector<Value> last_states =
        at_place([&] { return format("in batch {}", b); },
                 [&] { return scan_along(call, out, plan, std::move(initial), xs, axes, T, last, held, scanned); });
    for (size_t k = 0; k < n; ++k) states[k].push_back(*last_states[k].tensor());
    for (size_t k = 0; k < items.size(); ++k) items[k].push_back(std::move(scanned.of(k)));
    held = checked_add(held, scanned.held());
  }
  std::vector<Value> results;
  for (size_t k = 0; k < n; ++k) results.emplace_back(stacked(outs[k], states[k], 0));
  for (size_t k = 0; k < items.size(); ++k)
    results.emplace_back(stacked_batches(outs[n + k], items[k], longest, n + k));
  return results;
}

void version_8(OpSchema& s) {
  s.input("sequence_lens", "I", Arity::optional).input("initial_state_and_scan_inputs", "V", Arity::heterogeneous);
  s.output("final_state_and_scan_outputs", "V", Arity::heterogeneous);
  s.types("I", DType::int64).types("V", types::basic).attribute(required(GRAPH, "body"));
  s.attribute(optional(INTS, "directions", flag())).attribute(required(INT, "num_scan_inputs", at_least(1)));
}

void version_9(OpSchema& s) {
  s.remove("sequence_lens").remove("I").remove("directions");
  s.attribute(optional(INTS, "scan_input_axes")).attribute(optional(INTS, "scan_input_directions", flag()));
  s.attribute(optional(INTS, "scan_output_axes")).attribute(optional(INTS, "scan_output_directions", flag()));
}

/// Whether an axis has no element, or a batch perhaps none.
bool may_be_idle(const Call& call) {
  return call.has("sequence_lens") ||
         std::ranges::any_of(call.inputs("initial_state_and_scan_inputs"),
                             [](const Input& x) { return element_count(x.type.tensor.shape) == 0; });
}

}  // namespace

Operator scan() {
  return Operator("ai.onnx", "Scan")
      .summary("a graph on each element of sequences, with states that it carries along")
      .version(8, version_8)
      .version(9, version_9)
      .version(11, words("axes may be negative: they then count from the last axis back"))
      .version(16, allows("V", types::ir4))
      .version(19, allows("V", types::ir9))
      .version(21, allows("V", types::ir10))
      .version(23, allows("V", types::ir11))
      .version(24, allows("V", types::ir12))
      .version(25, allows("V", types::ir13))
      .reading(negative_axis_reading(9, 11))
      .reading(empty_dims_reading(8, may_be_idle))
      .reading(
          {.name = "scan.reverse",
           .alternatives = {"from_length: a reverse sequence begins at sequence_lens - 1",
                            "from_maximum: it begins at the last element of the axis"},
           .defaults = {{8, "from_length"}, {9, ""}},
           .reason = "a sequence ends at its sequence_lens; the page does not say where a reverse one begins",
           .may_change_values = [](const Call& call) { return call.has("sequence_lens") && call.has("directions"); }})
      .output_types(output_types)
      .kernel([](const Call& call, std::span<const Output> outs) {
        return has_batches(call) ? kernel_8(call, outs) : kernel(call, outs);
      });
}

}  // namespace opref::ops::onnx
