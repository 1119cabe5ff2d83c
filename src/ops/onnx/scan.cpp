// SPDX-License-Identifier: Apache-2.0
// ai.onnx Scan, versions 8, 9, 11, 16, 19, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Scan.html
#include "ops/operator_file.h"
#include "ops/shared/control_flow.h"
#include "schema/node.h"
namespace opref::ops::onnx::file_scan {
namespace {
// for t = 0 … T-1: state…, scan… = body(state…, x[t]…), x[T-1-t] of those with direction 1
// outputs: state…, and the values of each scan on a new axis, in reverse of those with direction 1
// Version 8: all of them have batches on axis 0. Each is scanned by itself, up to its sequence_lens; then come zeros.
struct Plan {
  std::span<const Input> inputs;  ///< states, then those to scan
  std::vector<ValueType> taken;   ///< by body
  std::vector<Along> along, outputs_along;
  size_t states = 0;
  std::optional<std::int64_t> T, batches;
};

Plan plan_of(const Call& call) {
  Plan plan;
  plan.inputs = call.inputs("initial_state_and_scan_inputs");
  const auto m = static_cast<size_t>(call.integer("num_scan_inputs"));
  require(m <= plan.inputs.size(), "num_scan_inputs is {}, but the node has {} to scan or carry", m,
          counted(std::ssize(plan.inputs), "input"));
  const size_t n = plan.states = plan.inputs.size() - m;
  require_iterable(call, plan.inputs.size(), 0, n);
  const bool has_batches = call.version() < 9;
  plan.along = stated_along(call, "scan_input_axes", has_batches ? "directions" : "scan_input_directions", m);
  plan.outputs_along = stated_along(call, "scan_output_axes", "scan_output_directions", call.output_count() - n);
  for (const Input& input : plan.inputs) {
    auto [dtype, shape] = input.tensor_type();
    if (has_batches) agree(plan.batches, input, 0), shape = shape.without_first(1);
    if (plan.taken.size() >= n) {
      const size_t axis =
          axis_of(plan.along[plan.taken.size() - n], shape.size(), format("'{}'", printable(input.name)));
      agree(plan.T, input, has_batches ? axis + 1 : axis), shape = without_axis(shape, axis);
    }
    plan.taken.emplace_back(dtype, shape);
  }
  require_takes(call, "body", plan.taken);
  return plan;
}

/// The states' types are those of the inputs: "required to have the same shape in each iteration".
void require_state(size_t k, const ValueType& state, const ValueType& given) {
  require(given == state, "output {} of body is {}, but the state variable {}", k, given, state);
}

std::vector<ValueType> output_types(const Call& call) {
  const Plan plan = plan_of(call);
  const auto given = types_without_values(call, "body", plan.taken);
  std::vector<ValueType> types;
  for (size_t k = 0; k < plan.states; ++k) {
    if (given && (*given)[k].has_shape) require_state(k, plan.taken[k], (*given)[k]);
    types.push_back(plan.inputs[k].type);
  }
  return with_types_of_items(call, std::move(types), 0, given, plan.taken, {plan.outputs_along, plan.T, plan.batches});
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Plan plan = plan_of(call);
  const SequenceLens lengths(call, plan.batches.value_or(1), *plan.T);
  for (const Input& x : plan.inputs) x.tensor();    // which has to have a value
  if (ask_for_nothing(outs)) return nothing(outs);  // states without elements need no iteration
  const size_t n = plan.states;
  std::vector<std::vector<Tensor>> states(n);  // after each batch
  GatheredItems items(0, n, plan.outputs_along);
  for (std::int64_t b = 0; b < lengths.batches(); ++b) {
    const std::int64_t T = lengths[b], end = call.reads("scan.reverse", "from_length") ? T : *plan.T;
    std::vector<Tensor> own;
    for (const Input& x : plan.inputs)
      own.push_back(plan.batches ? item_along(first_wanted(outs), x.tensor(), {}, *plan.batches, b) : x.tensor());
    const auto iterate = [&](std::int64_t t) {
      std::vector<Value> inputs(own.begin(), own.begin() + n);
      for (size_t k = n; k < own.size(); ++k)
        inputs.emplace_back(item_along(first_wanted(outs), own[k], plan.along[k - n], end, t));
      const std::vector<Value> outputs = call.graph_values("body", inputs, items.held());
      for (size_t k = 0; k < n; ++k) {
        require_state(k, plan.taken[k], type_of(outputs[k]));
        own[k] = *outputs[k].tensor();
      }
      items.add(outputs);
    };
    for (std::int64_t t = 0; t < T; ++t)
      at_place([&] { return format("in iteration {}{}", t, plan.batches ? format(" of batch {}", b) : ""); },
               [&] { iterate(t); });
    for (size_t k = 0; k < n; ++k) states[k].push_back(own[k]);
  }
  std::vector<Value> results;
  for (size_t k = 0; k < n; ++k) results.emplace_back(plan.batches ? stacked(outs[k], states[k], 0) : states[k][0]);
  return std::move(items).put_together(std::move(results), outs, plan.batches ? &lengths : nullptr);
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

bool may_be_idle(const Call& call) {
  return call.has("sequence_lens") || plan_of(call).T == 0 || plan_of(call).batches == 0;
}
}  // namespace
Operator scan() {
  Operator op = Operator("ai.onnx", "Scan")
                    .summary("a graph on each element of sequences, with states that it carries along")
                    .version(8, version_8)
                    .version(9, version_9)
                    .version(11, words("axes may be negative: they then count from the last axis back"))
                    .version(16, allows("V", types::ir4))
                    .version(19, allows("V", types::ir9));
  return with_newer_types(std::move(op), "V")
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
      .outputs_counted_by({.outputs_of = "body"})
      .notes([](const Call& call) { return notes_of_taken(call, "body", plan_of(call).taken); })
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_scan
