// ai.onnx If, versions 1, 11, 13, 16, 19, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__If.html
#include "core/error.h"
#include "schema/node.h"
#include "schema/operator.h"

namespace opref::ops::onnx {
namespace {

// outputs = those of then_branch where cond is true, else of else_branch; only that branch is evaluated
std::string_view branch(const Call& call) {
  const Tensor& cond = call.input("cond");
  require(cond.count() == 1, "cond has shape {}, but must have one element", cond.shape());
  return cond.values<std::uint8_t>()[0] != 0 ? "then_branch" : "else_branch";
}

/// "The number of outputs must match the number of outputs in the else_branch", and the declared types too.
void check_branches(const Call& call) {
  const Graph &then = call.graph("then_branch"), &otherwise = call.graph("else_branch");
  for (const std::string_view name : {"then_branch", "else_branch"}) {
    const Graph& graph = call.graph(name);
    require(graph.inputs.empty(), "{} has {}, but must have none", name,
            counted(static_cast<long long>(graph.inputs.size()), "input"));
    require(graph.outputs.size() == call.output_count(), "{} gives {}, but the node has {}", name,
            counted(static_cast<long long>(graph.outputs.size()), "output"), call.output_count());
  }
  for (size_t i = 0; i < then.outputs.size(); ++i) {
    const ValueInfo &a = then.outputs[i], &b = otherwise.outputs[i];
    require(!a.dtype || !b.dtype || (a.dtype == b.dtype && a.form == b.form),
            "output {} is declared as {} in then_branch, but as {} in else_branch", i, to_text(a), to_text(b));
  }
}

/// Without the value of cond: the types of both branches, a shape being open where they differ in it alone.
std::vector<ValueType> common_types(const Call& call) {
  std::vector<ValueType> types, others;
  try {
    types = call.graph_types("then_branch", {}), others = call.graph_types("else_branch", {});
  } catch (const Error& error) {  // the branch that does not fit may not be the one that is taken
    if (error.fault() == Fault::invalid) call.value("cond");
    throw;
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].form != others[i].form || types[i].dtype() != others[i].dtype()) return call.value("cond"), types;
    if (types[i] != others[i]) types[i] = ValueType::of_unknown_shape(types[i].dtype());
  }
  return types;
}

std::vector<ValueType> output_types(const Call& call) {
  check_branches(call);
  std::vector<ValueType> types = call.has_value("cond") ? call.graph_types(branch(call), {}) : common_types(call);
  for (size_t i = 0; i < types.size(); ++i)
    require(call.schema().types_of("V").contains(types[i].dtype(), types[i].form),
            "output {} is {}{}, which {} does not give", i, prefix(types[i].form), types[i].dtype(), call.title());
  return types;
}

std::vector<Value> kernel(const Call& call, std::span<const ValueType>) { return call.graph_values(branch(call), {}); }

void version_1(OpSchema& s) {
  s.input("cond", "B").output("outputs", "V", Arity::heterogeneous).types("V", types::basic).types("B", DType::boolean);
  s.attribute(required(GRAPH, "else_branch")).attribute(required(GRAPH, "then_branch"));
}

/// New element types come without optional sequences.
template <const Types& types>
void with(OpSchema& s) {
  s.add_types("V", types | sequences(types) | optional_tensors(types));
}

}  // namespace

Operator if_() {
  return Operator("ai.onnx", "If")
      .summary("one of two graphs, by a condition")
      .version(1, version_1)
      .version(11, unchanged)
      .version(13, [](OpSchema& s) { s.add_types("V", sequences(types::basic)); })
      .version(16, [](OpSchema& s) { s.types("V", types::ir4 | sequences(types::ir4) | optionals(types::ir4)); })
      .version(19, with<types::ir9>)
      .version(21, with<types::ir10>)
      .version(23, with<types::ir11>)
      .version(24, with<types::ir12>)
      .version(25, with<types::ir13>)
      .output_types(output_types)
      .kernel(kernel);
}

}  // namespace opref::ops::onnx
