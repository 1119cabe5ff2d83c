// SPDX-License-Identifier: Apache-2.0
// ai.onnx If, versions 1, 11, 13, 16, 19, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__If.html
#include "ops/operator_file.h"
#include "ops/shared/control_flow.h"
#include "schema/node.h"
namespace opref::ops::onnx {
namespace {
// outputs = those of then_branch where cond is true, else of else_branch; only that branch is evaluated
std::string_view branch(const Call& call) { return is_true(call.input("cond")) ? "then_branch" : "else_branch"; }

/// "The number of outputs must match the number of outputs in the else_branch", and the declared types too.
void require_alike(const Call& call) {
  for (const std::string_view name : {"then_branch", "else_branch"}) require_graph(call, name, 0, call.output_count());
  const Graph &then = call.graph("then_branch"), &otherwise = call.graph("else_branch");
  for (size_t i = 0; i < then.outputs.size(); ++i) {
    const ValueInfo &a = then.outputs[i], &b = otherwise.outputs[i];
    require(!a.dtype || !b.dtype || (a.dtype == b.dtype && a.form == b.form),
            "output {} is declared as {} in then_branch, but as {} in else_branch", i, to_text(a), to_text(b));
  }
}

/// "The return values in the then_branch and else_branch must be of the same data type", in version 1 "of the same
/// shape and same data type".
void require_same_type(const Call& call, size_t i, const ValueType& a, const ValueType& b) {
  require(a.form == b.form && a.dtype() == b.dtype(), "output {} is {}{} in then_branch, but {}{} in else_branch", i,
          prefix(a.form), a.dtype(), prefix(b.form), b.dtype());
  require(call.version() > 1 || !a.has_shape || !b.has_shape || a == b,
          "output {} is {} in then_branch, but {} in else_branch", i, a, b);
}

/// Without the value of cond a shape is open where the branches' differ. The branch that is not taken need not fit.
std::vector<ValueType> output_types(const Call& call) {
  require_alike(call);
  require_single(call, "cond");
  const bool knows = call.has_value("cond"), takes_then = !knows || branch(call) == "then_branch";
  const std::string_view one = takes_then ? "then_branch" : "else_branch",
                         two = takes_then ? "else_branch" : "then_branch";
  const auto others = types_without_values(call, two, {});
  auto types = knows ? std::optional(call.graph_types(one, {})) : types_without_values(call, one, {});
  if (!knows && (!types || !others)) call.value("cond");
  for (size_t i = 0; others && i < types->size(); ++i) {
    ValueType& type = (*types)[i];
    const ValueType& other = (*others)[i];
    takes_then ? require_same_type(call, i, type, other) : require_same_type(call, i, other, type);
    if (!knows && type != other) type = ValueType::of_unknown_shape(type.dtype());
  }
  require_given_types(call, "V", *types);
  return *types;
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  tell_asked(outs, [&](const Output&, std::int64_t) {
    return std::pair(format("cond, which takes {}", branch(call)), branch(call) == "then_branch" ? 1 : 0);
  });
  return call.graph_values(branch(call), {});
}

void version_1(OpSchema& s) {
  s.input("cond", "B").output("outputs", "V", Arity::heterogeneous).types("V", types::basic).types("B", DType::boolean);
  s.attribute(required(GRAPH, "else_branch")).attribute(required(GRAPH, "then_branch"));
}
}  // namespace
Operator if_() {
  return with_types_of_graphs(Operator("ai.onnx", "If")
                                  .summary("one of two graphs, by a condition")
                                  .version(1, version_1)
                                  .version(11, words("what both branches give may differ in its shape")))
      .output_types(output_types)
      .outputs_counted_by({.outputs_of = "then_branch"})
      .kernel(kernel);
}
}  // namespace opref::ops::onnx
