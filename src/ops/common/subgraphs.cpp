// SPDX-License-Identifier: Apache-2.0
#include "ops/common/subgraphs.h"

#include <algorithm>

#include "core/error.h"
#include "schema/node.h"
#include "system/machine_error.h"

namespace opref::ops {
namespace {

/// New element types come without optional sequences.
VersionChange with(const Types& types) { return adds("V", types | sequences(types) | optional_tensors(types)); }

}  // namespace

void require_graph(const Call& call, std::string_view attribute, size_t inputs, size_t outputs) {
  const Graph& graph = call.graph(attribute);
  require(graph.inputs.size() == inputs, "{} has {}, but must have {}", attribute,
          counted(std::ssize(graph.inputs), "input"), inputs == 0 ? "none" : std::to_string(inputs));
  require(graph.outputs.size() == outputs, "{} gives {}, but must give {}", attribute,
          counted(std::ssize(graph.outputs), "output"), outputs);
}

std::optional<std::vector<ValueType>> types_without_values(const Call& call, std::string_view attribute,
                                                           std::span<const ValueType> inputs) {
  try {
    return call.inferred_graph_types(attribute, inputs);
  } catch (const Error& error) {
    pass_on(error);
    return std::nullopt;
  }
}

void require_takes(const Call& call, std::string_view attribute, std::span<const ValueType> types) {
  for (size_t k = 0; k < types.size(); ++k) {
    const ValueInfo& declared = call.graph(attribute).inputs[k];
    require(!declared.dtype || (*declared.dtype == types[k].dtype() && declared.form == types[k].form),
            "input {} of {} is declared as {}, but is given {}", k, attribute, to_text(declared), types[k]);
  }
}

void require_may_be(const Call& call, std::string_view attribute, size_t k, const ValueType& type,
                    std::string_view as_the_page_says) {
  const ValueInfo& declared = call.graph(attribute).inputs[k];
  require(agrees(declared, type), "input {} of {}, '{}', is declared as {}, but {}, {}", k, attribute,
          printable(declared.name), to_text(declared), as_the_page_says, type);
}

std::vector<Note> notes_of_taken(const Call& call, std::string_view attribute, std::span<const ValueType> types) {
  std::vector<Note> notes;
  for (size_t k = 0; k < types.size(); ++k)
    if (const ValueInfo& declared = call.graph(attribute).inputs[k]; types[k].has_shape && !agrees(declared, types[k]))
      notes.push_back(warning(attribute, format("declares its input '{}' as {}, but is given {}",
                                                printable(declared.name), to_text(declared), types[k])));
  return notes;
}

const Tensor& item_of(std::span<const Value> outputs, size_t k) {
  const Tensor* item = outputs[k].tensor();
  require(item != nullptr, "output {} of body is {}, but only tensors can be put together", k, type_of(outputs[k]));
  return *item;
}

void require_single(const Call& call, std::string_view input) {
  if (!call.has(input)) return;
  const Dims& shape = call.type(input).shape;
  require(element_count(shape) == 1, "{} has shape {}, but must have one element", input, shape);
}

bool is_true(const Tensor& tensor) {
  return tensor.dtype() == DType::boolean && tensor.count() == 1 && tensor.values<std::uint8_t>()[0] != 0;
}

Operator with_types_of_graphs(Operator op) {
  return std::move(op)
      .version(13, adds("V", sequences(types::basic)))
      .version(16, allows("V", types::ir4 | sequences(types::ir4) | optionals(types::ir4)))
      .version(19, with(types::ir9))
      .version(21, with(types::ir10))
      .version(23, with(types::ir11))
      .version(24, with(types::ir12))
      .version(25, with(types::ir13));
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
