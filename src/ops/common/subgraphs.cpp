// SPDX-License-Identifier: Apache-2.0
#include "ops/common/subgraphs.h"

#include <algorithm>

#include "core/error.h"
#include "ops/common/along_axis.h"
#include "schema/node.h"

namespace opref::ops {
namespace {

constexpr std::string_view kEmptyDims = "loop.empty_dims";

/// New element types come without optional sequences.
template <const Types& types>
void with(OpSchema& s) {
  s.add_types("V", types | sequences(types) | optional_tensors(types));
}

}  // namespace

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

void require_takes(const Call& call, std::string_view attribute, size_t k, const ValueType& type) {
  const ValueInfo& declared = call.graph(attribute).inputs[k];
  require(!declared.dtype || (*declared.dtype == type.dtype() && declared.form == type.form),
          "input {} of {} is declared as {}, but is given {}", k, attribute, to_text(declared), type);
}

const Tensor& item_of(std::span<const Value> outputs, size_t k) {
  const Tensor* item = outputs[k].tensor();
  require(item != nullptr, "output {} of body is {}, but only tensors can be put together", k, type_of(outputs[k]));
  return *item;
}

void GatheredItems::add(std::span<const Value> outputs) {
  for (size_t k = 0; k < items_.size(); ++k) {
    items_[k].push_back(item_of(outputs, first_ + k));
    const std::int64_t bytes = byte_size(items_[k].back().type());
    held_ = checked_add(held_, checked_add(checked_multiply(2, bytes), kSequenceElementBytes));
  }
}

Reading empty_dims_reading(std::int64_t since, bool (*is_idle)(const Call&)) {
  return {.name = kEmptyDims,
          .alternatives = {"0: a size that body leaves open is 0", "invalid: it must be declared"},
          .defaults = {{since, "0"}},
          .reason = "the page does not say what shape outputs have that no iteration gives",
          .may_change_values = is_idle};
}

Dims declared_item(const Call& call, std::string_view attribute, size_t k) {
  const ValueInfo& declared = call.graph(attribute).outputs[k];
  const bool is_open =
      !declared.dims || std::ranges::any_of(*declared.dims, [](const DeclaredDim& dim) { return !dim.size; });
  require(!is_open || call.reads(kEmptyDims, "0"),
          "no iteration gives output {} of {}, whose shape is not declared; the reading {}=0 takes open sizes as 0", k,
          attribute, kEmptyDims);
  Dims item;
  if (declared.dims)
    for (const DeclaredDim& dim : *declared.dims) item.push_back(dim.size.value_or(0));
  return item;
}

Tensor stacked_items(const Output& out, std::span<const Tensor> items, std::int64_t axis, std::string_view attribute,
                     size_t k) {
  const Dims item = items.empty() ? declared_item(out.call(), attribute, k) : items[0].shape();
  const auto rank = static_cast<std::int64_t>(item.size()) + 1;
  require(axis >= -rank && axis < rank, "the axis of output {} of {} is {}, but must be from {} to {}: it has rank {}",
          k, attribute, axis, -rank, rank - 1, rank);
  const auto place = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  for (const Tensor& other : items)
    require(other.type() == items[0].type(), "output {} of {} is {} in one iteration, but {} in another", k, attribute,
            items[0].type(), other.type());
  return stacked(out.of({out.type().dtype, with_axis(item, place, std::ssize(items))}), items, place);
}

void require_single(const Call& call, std::string_view input) {
  if (!call.has(input)) return;
  const Dims& shape = call.type(input).shape;
  require(element_count(shape) == 1, "{} has shape {}, but must have one element", input, shape);
}

ValueType type_of_items(const Call& call, const std::optional<std::vector<ValueType>>& given,
                        std::span<const ValueType> taken, size_t k) {
  const ValueInfo& declared = call.graph("body").outputs[k];
  if (!given && !declared.dtype) call.inferred_graph_types("body", taken);  // says why
  return ValueType::of_unknown_shape(given ? (*given)[k].dtype() : *declared.dtype);
}

bool is_true(const Tensor& tensor) {
  return tensor.dtype() == DType::boolean && tensor.count() == 1 && tensor.values<std::uint8_t>()[0] != 0;
}

bool stays_true(const Graph& body, size_t output, size_t input) {
  std::string_view cond = body.outputs[output].name;
  for (auto node = body.nodes.rbegin(); node != body.nodes.rend(); ++node) {
    if (!node->domain.empty() || node->outputs.empty() || node->outputs[0] != cond) continue;
    if (node->op_type == "Identity" && !node->inputs.empty()) cond = node->inputs[0];
    if (node->op_type != "Constant" || node->attributes.size() != 1) continue;
    const auto* value = std::get_if<AttributeValue>(&node->attributes[0].value);
    const auto* tensor = value == nullptr ? nullptr : std::get_if<Tensor>(&value->value);
    return tensor != nullptr && is_true(*tensor);
  }
  for (const Initializer& initializer : body.initializers)
    if (const auto* tensor = std::get_if<Tensor>(&initializer.value); initializer.name == cond && tensor != nullptr)
      return is_true(*tensor);
  return cond == body.inputs[input].name;
}

Operator with_types_of_graphs(Operator op) {
  return std::move(op)
      .version(13, adds("V", sequences(types::basic)))
      .version(16, allows("V", types::ir4 | sequences(types::ir4) | optionals(types::ir4)))
      .version(19, with<types::ir9>)
      .version(21, with<types::ir10>)
      .version(23, with<types::ir11>)
      .version(24, with<types::ir12>)
      .version(25, with<types::ir13>);
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
