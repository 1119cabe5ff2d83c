// SPDX-License-Identifier: Apache-2.0
#include "ops/common/subgraphs.h"

#include <algorithm>

#include "core/error.h"
#include "schema/node.h"

namespace opref::ops {

void require_graph(const Call& call, std::string_view attribute, size_t inputs, size_t outputs) {
  const Graph& graph = call.graph(attribute);
  require(graph.inputs.size() == inputs, "{} has {}, but must have {}", attribute,
          counted(std::ssize(graph.inputs), "input"), inputs == 0 ? "none" : std::to_string(inputs));
  require(graph.outputs.size() == outputs, "{} gives {}, but the node has {}", attribute,
          counted(std::ssize(graph.outputs), "output"), outputs);
}

std::optional<std::vector<ValueType>> types_without_values(const Call& call, std::string_view attribute,
                                                           std::span<const ValueType> inputs) {
  try {
    return call.inferred_graph_types(attribute, inputs);
  } catch (const Error& error) {
    if (error.fault() == Fault::internal) throw;
    return std::nullopt;
  }
}

void require_given_types(const Call& call, std::string_view variable, std::span<const ValueType> types) {
  for (size_t i = 0; i < types.size(); ++i) {
    const auto has = [&](const OpSchema& schema) {
      return schema.types_of(variable).contains(types[i].dtype(), types[i].form);
    };
    if (has(call.schema())) continue;
    const std::vector<OpSchema>& versions = call.op().versions();
    const auto other = std::ranges::find_if(versions, has);
    fail(Fault::invalid, "output {} is {}{}, which {} does not give{}", i, prefix(types[i].form), types[i].dtype(),
         call.title(), other == versions.end() ? "" : format("; opsets from {} on do", other->since_version()));
  }
}

}  // namespace opref::ops
