// SPDX-License-Identifier: Apache-2.0
// ai.onnx Loop, versions 1, 11, 13, 16, 19, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Loop.html
#include "ops/operator_file.h"
#include "ops/shared/control_flow.h"
#include "schema/node.h"
namespace opref::ops::onnx::file_loop {
namespace {
// for (i = 0; i < M && cond; ++i) cond, v…, scan… = body(i, cond, v…)
// outputs: v…, and of each scan its values on a new first axis. M omitted: no limit; cond omitted: always true.
bool ignores_condition(const Call& call) { return !call.has("cond") && call.reads("loop.absent_cond", "ignored"); }

/// A plain value for an input of body that is declared as an optional becomes one.
ValueType as_declared(const ValueInfo& info, const ValueType& type) {
  return is_optional(info.form) && !is_optional(type.form) ? optional_of(type) : type;
}
Value as_declared(const ValueInfo& info, const Value& value) {
  return is_optional(info.form) && !std::holds_alternative<Optional>(value) ? optional_of(value) : value;
}

/// An optional that body gives as a plain value is one after the last iteration too.
ValueType as_given(const ValueInfo& output, const ValueType& type) {
  return is_optional(output.form) ? type : element_of(type);
}
Value as_given(const ValueInfo& output, const Value& value) {
  return is_optional(output.form) ? value : element_of(value).value_or(value);
}

/// The types of i, cond and the v_initial, as body takes them.
std::vector<ValueType> taken_types(const Call& call) {
  std::vector<ValueType> types{{DType::int64, {}}, {DType::boolean, {}}};
  for (const Input& v : call.inputs("v_initial"))
    types.push_back(as_declared(call.graph("body").inputs[types.size()], v.type));
  require_takes(call, "body", types);
  require_may_be(call, "body", 0, types[0], "the iteration number is a scalar");
  return types;
}

/// "the type … of loop-carried dependencies" cannot change, their shape can.
void require_carried(size_t k, const ValueType& carried, const ValueType& given) {
  require(given.dtype() == carried.dtype() && (given.form == carried.form || is_optional(carried.form)),
          "output {} of body is {}, but carries a value of {}", k, kind_text(given), kind_text(carried));
}

/// A loop that has no end is refused before it starts.
void require_end(const Call& call) {
  require(call.has("M") || !ignores_condition(call), "{} has neither M nor cond: it would never end", call.title());
  const bool starts = !call.has("cond") || (call.has_value("cond") && is_true(call.input("cond")));
  require(call.has("M") || !starts || !stays_true(call.graph("body"), 0, 1),
          "{} has no M, and its condition stays true in body: it would never end", call.title());
}

/// The shapes of carried values are known where body keeps them; those of scans are decided by the iterations.
std::vector<ValueType> output_types(const Call& call) {
  const size_t n = call.inputs("v_initial").size();
  require_iterable(call, n + 2, 1, n);
  require_single(call, "M");
  require_single(call, "cond");
  require_end(call);
  const std::vector<ValueType> taken = taken_types(call);
  const auto given = types_without_values(call, "body", taken);
  std::vector<ValueType> types;
  for (size_t k = 1; k <= n; ++k) {
    if (given) require_carried(k, taken[k + 1], (*given)[k]);
    types.push_back(as_given(call.graph("body").outputs[k], taken[k + 1]));
    if (types.back().form == Form::tensor && (!given || (*given)[k] != types.back()))
      types.back() = ValueType::of_unknown_shape(types.back().dtype());
  }
  return with_types_of_items(call, std::move(types), 1, given, taken);
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<ValueInfo>& declared = call.graph("body").inputs;
  const std::span<const Input> initial = call.inputs("v_initial");
  const size_t n = initial.size();
  std::vector<Value> inputs{Tensor::of<std::int64_t>(DType::int64, {}, std::array<std::int64_t, 1>{}),
                            Tensor::of<std::uint8_t>(DType::boolean, {}, std::array<std::uint8_t, 1>{1})};
  for (size_t k = 0; k < n; ++k) {
    if (!initial[k].value) fail(Fault::usage, "'{}' has no value", printable(initial[k].name));
    inputs.push_back(as_declared(declared[k + 2], *initial[k].value));
  }
  GatheredItems scans(1, n, std::vector<Along>(outs.size() - n));
  const std::int64_t M = call.has("M") ? call.integer("M") : INT64_MAX;
  bool goes_on = !call.has("cond") || call.flag("cond");
  for (std::int64_t i = 0; i < M && goes_on; ++i) {
    at_place([&] { return format("in iteration {}", i); },
             [&] {
               inputs[0] = Tensor::of<std::int64_t>(DType::int64, {}, std::array{i});
               std::vector<Value> outputs = call.graph_values("body", inputs, scans.held());
               const Tensor* cond = outputs[0].tensor();
               require(cond != nullptr && cond->dtype() == DType::boolean && cond->count() == 1,
                       "output 0 of body is {}, but must be one bool", type_of(outputs[0]));
               if (!ignores_condition(call)) goes_on = cond->values<std::uint8_t>()[0] != 0;
               scans.add(outputs);
               for (size_t k = 1; k <= n; ++k) {
                 require_carried(k, type_of(inputs[k + 1]), type_of(outputs[k]));
                 inputs[k + 1] = as_declared(declared[k + 1], outputs[k]);
               }
               inputs[1] = std::move(outputs[0]);
             });
  }
  std::vector<Value> results;
  for (size_t k = 0; k < n; ++k)
    results.push_back(as_given(call.graph("body").outputs[k + 1], std::move(inputs[k + 2])));
  return std::move(scans).put_together(std::move(results), outs);
}

void version_1(OpSchema& s) {
  s.input("M", "I", Arity::optional, "how many iterations at most; omitted: any number");
  s.input("cond", "B", Arity::optional, "whether there is a first iteration");
  s.input("v_initial", "V", Arity::heterogeneous).output("v_final_and_scan_outputs", "V", Arity::heterogeneous);
  s.types("V", types::basic).types("I", DType::int64).types("B", DType::boolean);
  s.attribute(required(GRAPH, "body"));
}

bool has_no_iteration(const Call& call) {
  const auto is_zero = [&](std::string_view name) {
    return call.has(name) && call.has_value(name) && call.integer(name) <= 0;
  };
  return is_zero("M") || is_zero("cond");
}

void version_11(OpSchema& s) { s.change_parameter("v_initial").arity = Arity::heterogeneous_or_none; }
}  // namespace
Operator loop() {
  Operator op = Operator("ai.onnx", "Loop")
                    .summary("a graph again and again, on values that it carries along")
                    .version(1, version_1)
                    .version(11, version_11);
  return with_types_of_graphs(std::move(op))
      .reading({.name = "loop.absent_cond",
                .alternatives = {"ignored: without cond that of body is ignored", "obeyed: it ends the loop"},
                .defaults = {{1, "ignored"}},
                .reason = "the page: without cond the loop runs M times; onnxruntime obeys body's condition",
                .may_change_values = [](const Call& call) { return !call.has("cond"); }})
      .reading(empty_dims_reading(1, has_no_iteration))
      .output_types(output_types)
      .outputs_counted_by({.outputs_of = "body", .beyond = 1})
      .notes([](const Call& call) { return notes_of_taken(call, "body", taken_types(call)); })
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_loop
