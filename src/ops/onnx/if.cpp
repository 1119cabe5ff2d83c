// SPDX-License-Identifier: Apache-2.0
// ai.onnx If, versions 1, 11, 13, 16, 19, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__If.html
#include "ops/operator_file.h"
#include "ops/shared/control_flow.h"
namespace opref::ops::onnx::file_if_ {
namespace {
// outputs = those of then_branch where cond is true, else of else_branch; only that branch is evaluated
const Branch then_branch{"then_branch"}, else_branch{"else_branch"};

std::vector<ValueType> output_types(const Call& call) {
  return types_of_branches(call, "cond", then_branch, else_branch, call.version() == 1);
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Branch& branch = branch_in_force(call, "cond", then_branch, else_branch);
  return values_of_branch(call, outs, "cond", branch, &branch == &then_branch, {});
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
}  // namespace opref::ops::onnx::file_if_
