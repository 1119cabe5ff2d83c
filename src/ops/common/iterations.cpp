// SPDX-License-Identifier: Apache-2.0
#include "ops/common/iterations.h"

#include <algorithm>

#include "core/error.h"
#include "evaluators/move.h"
#include "ops/common/along_axis.h"
#include "ops/common/axis.h"
#include "ops/common/subgraphs.h"
#include "schema/node.h"

namespace opref::ops {
namespace {

constexpr std::string_view kEmptyDims = "loop.empty_dims";

/// Of the items of output `k` of a body that was not evaluated.
Dims declared_item(const Call& call, size_t k) {
  const ValueInfo& declared = call.graph("body").outputs[k];
  const bool is_open =
      !declared.dims || std::ranges::any_of(*declared.dims, [](const DeclaredDim& dim) { return !dim.size; });
  require(!is_open || call.reads(kEmptyDims, "0"),
          "no iteration gives output {} of body, whose shape is not declared; the reading {}=0 takes open sizes as 0",
          k, kEmptyDims);
  Dims item;
  if (declared.dims)
    for (const DeclaredDim& dim : *declared.dims) item.push_back(dim.size.value_or(0));
  return item;
}

/// What an item takes, and what it becomes.
std::int64_t held_by(const TensorType& item) {
  return checked_add(checked_multiply(2, byte_size(item)), kSequenceElementBytes);
}

/// The items of all batches one after another, each up to the same length.
std::vector<Tensor> padded(const std::vector<Tensor>& items, const SequenceLens& batches, const Tensor& zeros) {
  std::vector<Tensor> all;
  auto item = items.begin();
  for (std::int64_t b = 0; b < batches.batches(); item += batches[b], ++b) {
    all.insert(all.end(), item, item + batches[b]);
    all.resize(all.size() + static_cast<size_t>(batches.longest() - batches[b]), zeros);
  }
  return all;
}

}  // namespace

Reading empty_dims_reading(std::int64_t since, bool (*is_idle)(const Call&)) {
  return {.name = kEmptyDims,
          .alternatives = {"0: a size that body leaves open is 0", "invalid: it must be declared"},
          .defaults = {{since, "0"}},
          .reason = "the page does not say what shape outputs have that no iteration gives",
          .may_change_values = is_idle};
}

void require_iterable(const Call& call, size_t inputs, size_t own, size_t carried) {
  const size_t outputs = call.output_count();
  require(outputs >= carried, "the node has {}, but {}", counted(static_cast<std::int64_t>(carried), "carried value"),
          counted(static_cast<std::int64_t>(outputs), "output"));
  require_graph(call, "body", inputs, own + outputs);
}

std::vector<ValueType> with_types_of_items(const Call& call, std::vector<ValueType> carried, size_t own,
                                           const std::optional<std::vector<ValueType>>& given,
                                           std::span<const ValueType> taken, const Stacked& stacked) {
  const size_t first = own + carried.size();
  for (size_t k = first; k < own + call.output_count(); ++k) {
    const ValueInfo& declared = call.graph("body").outputs[k];
    if (!given && !declared.dtype) call.inferred_graph_types("body", taken);  // says why
    carried.push_back(ValueType::of_unknown_shape(given ? (*given)[k].dtype() : *declared.dtype));
    if (!given || stacked.count.value_or(0) == 0 || (*given)[k].form != Form::tensor || !(*given)[k].has_shape)
      continue;
    const Dims& item = (*given)[k].tensor.shape;
    const size_t axis = axis_of(stacked.along[k - first], item.size() + 1, format("output {} of body", k));
    const Dims batches = stacked.batches ? Dims{*stacked.batches} : Dims{};
    carried.back() = TensorType{carried.back().dtype(), join(batches, with_axis(item, axis, *stacked.count))};
  }
  require_given_types(call, "V", carried);
  return carried;
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

std::vector<Along> stated_along(const Call& call, std::string_view axes, std::string_view directions, size_t count) {
  const auto list = [&](std::string_view name) {
    const auto values = call.has(name) ? call.integers(name) : std::vector<std::int64_t>(count);
    require(values.size() == count, "{} has {}, but must have {}", name, counted(std::ssize(values), "value"), count);
    return values;
  };
  std::vector<Along> result;
  for (size_t k = 0; k < count; ++k) result.push_back({list(axes)[k], list(directions)[k] != 0});
  require_known_signs(call, axes, list(axes));
  return result;
}

size_t axis_of(const Along& along, size_t rank, std::string_view tensor) {
  const auto axes = static_cast<std::int64_t>(rank);
  require(axes > 0, "{} has no axis along which items lie", tensor);
  require(along.axis >= -axes && along.axis < axes, "the axis of {} is {}, but must be from {} to {}: its rank is {}",
          tensor, along.axis, -axes, axes - 1, axes);
  return static_cast<size_t>(along.axis < 0 ? along.axis + axes : along.axis);
}

void agree(std::optional<std::int64_t>& size, const Input& input, size_t axis) {
  const Dims& shape = input.tensor_type().shape;
  require(axis < shape.size(), "'{}' has shape {}, but needs an axis {}", printable(input.name), shape, axis);
  if (!size) size = shape[axis];
  require(*size == shape[axis], "axis {} of '{}' has size {}, but that of another input {}", axis,
          printable(input.name), shape[axis], *size);
}

Tensor item_along(const Output& out, const Tensor& x, const Along& along, std::int64_t end, std::int64_t i) {
  const size_t axis = axis_of(along, x.shape().size(), "an input");
  return part_along(out.inner({x.dtype(), without_axis(x.shape(), axis)}), x, axis, along.backwards ? end - 1 - i : i);
}

void GatheredItems::add(std::span<const Value> outputs) {
  ++iterations_;
  for (size_t k = 0; k < items_.size(); ++k) {
    items_[k].push_back(item_of(outputs, first_ + k));
    held_ = checked_add(held_, held_by(items_[k].back().type()));
  }
}

void GatheredItems::tell(std::span<const Output> outs) const {
  tell_asked(outs, [&](const Output& out, std::int64_t place) {
    const size_t carried = outs.size() - items_.size();
    if (out.place() < carried) return std::pair<std::string, std::int64_t>("iterations", iterations_);
    const Along& along = along_[out.place() - carried];
    const Dims& item = items_[out.place() - carried].front().shape();
    const size_t axis = axis_of(along, item.size() + 1, "output");
    const std::int64_t i = place / element_count(item.without_first(axis)) % iterations_;
    return std::pair(format("iteration, of 0 to {}", iterations_ - 1), along.backwards ? iterations_ - 1 - i : i);
  });
}

std::vector<Value> GatheredItems::put_together(std::vector<Value> carried, std::span<const Output> outs,
                                               const SequenceLens* batches) && {
  if (batches == nullptr) tell(outs);
  for (size_t k = 0; k < items_.size(); ++k) {
    const Output& out = outs[carried.size()];
    std::vector<Tensor> items = std::move(items_[k]);
    const TensorType item =
        items.empty() ? TensorType{out.type().dtype, declared_item(out.call(), first_ + k)} : items[0].type();
    for (const Tensor& other : items)
      require(other.type() == item, "output {} of body is {} in one iteration, but {} in another", first_ + k, item,
              other.type());
    const size_t place = axis_of(along_[k], item.rank() + 1, format("output {} of body", first_ + k));
    const Dims shape = batches == nullptr ? with_axis(item.shape, place, std::ssize(items))
                                          : join({batches->batches(), batches->longest()}, item.shape);
    if (!out.wanted() || element_count(shape) == 0) {
      carried.emplace_back(out.wanted() ? zeros_of({out.type().dtype, shape}) : Tensor{});
      continue;
    }
    if (along_[k].backwards) std::ranges::reverse(items);
    if (batches != nullptr) {
      out.call().require_room(checked_multiply(element_count(shape.first(2)), held_by(item)));
      items = padded(items, *batches, zeros_of(item));
    }
    const Dims in_a_row = with_axis(item.shape, place, std::ssize(items));
    carried.emplace_back(stacked(out.of({out.type().dtype, in_a_row}), items, place).reshaped(shape));
  }
  return carried;
}

}  // namespace opref::ops
