// SPDX-License-Identifier: Apache-2.0
// openvino If, version 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/control_flow.h"
#include "ops/shared/openvino.h"
#include "ops/shared/port_maps.h"
namespace opref::ops::openvino::file_if_ {
namespace {
// out = what then_body gives where condition is true, else what else_body gives; only that body is evaluated
struct Bodies {
  explicit Bodies(const Call& call) : map{{call, "then_body", "then_port_map"}, {call, "else_body", "else_port_map"}} {}

  PortMap map[2];
  Branch then{"then_body", map[0].types()}, other{"else_body", map[1].types()};
};

std::vector<ValueType> output_types(const Call& call) {
  const Bodies bodies(call);
  for (const Branch* branch : {&bodies.then, &bodies.other}) require_takes(call, branch->attribute, branch->taken);
  return types_of_branches(call, "condition", bodies.then, bodies.other, false);
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Bodies bodies(call);
  const Branch& branch = branch_in_force(call, "condition", bodies.then, bodies.other);
  const bool is_then = &branch == &bodies.then;
  return values_of_branch(call, outs, "condition", branch, is_then, bodies.map[is_then ? 0 : 1].values());
}
}  // namespace
Operator if_() {
  return Operator("openvino", "If")
      .summary("one of two nets, by a condition")
      .page("condition/if-8")
      .category("category condition")
      .version(8,
               [](OpSchema& s) {
                 s.input("condition", "bool").input("values", "V", Arity::heterogeneous_or_none);
                 s.output("out", "V", Arity::heterogeneous).types("V", any_type | types::int4s);
                 s.attribute(required(GRAPH, "then_body")).attribute(required(GRAPH, "else_body"));
                 s.attribute(optional(INTS, "then_port_map")).attribute(optional(INTS, "else_port_map"));
               })
      .output_types(output_types)
      .outputs_counted_by({.outputs_of = "then_body"})
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_if_
