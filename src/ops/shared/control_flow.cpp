// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/control_flow.h"
#include <algorithm>

#include "core/error.h"
#include "evaluators/move.h"
#include "ops/shared/axes.h"
#include "schema/node.h"
#include "system/machine_error.h"
namespace opref::ops {
SequenceLens::SequenceLens(const Call& call, std::int64_t batches, std::int64_t longest, std::string_view input)
    : batches_(batches), longest_(longest) {
  if (!call.has(input)) return;
  stated_ = call.integers(input);
  require(std::ssize(stated_) == batches, "{} has {}, but must have a length for each of {}", input,
          counted(std::ssize(stated_), "value"), counted(batches, "sequence"));
  for (size_t b = 0; b < stated_.size(); ++b)
    require(stated_[b] >= 0 && stated_[b] <= longest, "{}[{}] is {}, but must be from 0 to {}", input, b, stated_[b],
            longest);
}

void require_scalar_position(const Call& call) {
  if (!call.has_here("position")) return;
  const Dims& shape = call.type("position").shape;
  require(shape.empty() || shape == Dims{1}, "position has shape {}, but must be a scalar", shape);
}

std::ptrdiff_t position_of(const Call& call, std::int64_t n, std::int64_t omitted, std::int64_t last) {
  require(n > 0 || last == n, "input_sequence has no elements, but {} needs one", call.title());
  const std::int64_t position = call.has_here("position") ? call.integer("position") : omitted;
  require(position >= -n && position <= last, "position is {}, but must be from {} to {}: the sequence has {}",
          position, -n, last, counted(n, "element"));
  return position < 0 ? position + n : position;
}

bool is_optional(Form form) { return form == Form::optional || form == Form::optional_sequence; }

ValueType optional_of(const ValueType& element) {
  return {element.form == Form::sequence ? Form::optional_sequence : Form::optional, element.dtype()};
}

Value optional_of(const Value& element) {
  const DType dtype = type_of(element).dtype();
  if (const Tensor* tensor = element.tensor()) return Optional{dtype, *tensor};
  if (const auto* sequence = std::get_if<Sequence>(&element)) return Optional{dtype, *sequence};
  fail(Fault::internal, "a {} cannot be the element of an optional", type_of(element));
}

ValueType element_of(const ValueType& type) {
  return is_optional(type.form) ? ValueType(type.form == Form::optional ? Form::tensor : Form::sequence, type.dtype())
                                : type;
}

std::optional<Value> element_of(const Value& value) {
  const auto* optional = std::get_if<Optional>(&value);
  if (optional == nullptr) return value;
  if (const auto* tensor = std::get_if<Tensor>(&optional->element)) return *tensor;
  if (const auto* sequence = std::get_if<Sequence>(&optional->element)) return *sequence;
  return std::nullopt;
}
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
    const auto has = [&](const OpSchema& schema) { return schema.types_of(variable).contains(types[i]); };
    if (has(call.schema())) continue;
    const std::vector<OpSchema>& versions = call.op().versions();
    const auto other = std::ranges::find_if(versions, has);
    fail(Fault::invalid, "output {} is {}, which {} does not give{}", i, kind_text(types[i]), call.title(),
         other == versions.end() ? "" : format("; opsets from {} on do", other->since_version()));
  }
}
namespace {
/// "The number of outputs must match the number of outputs in the else_branch", and the declared types too.
void require_alike(const Call& call, const Branch& then, const Branch& other) {
  for (const Branch* branch : {&then, &other})
    require_graph(call, branch->attribute, branch->taken.size(), call.output_count());
  const Graph &a = call.graph(then.attribute), &b = call.graph(other.attribute);
  for (size_t i = 0; i < a.outputs.size(); ++i)
    require(!a.outputs[i].dtype || !b.outputs[i].dtype ||
                (a.outputs[i].dtype == b.outputs[i].dtype && a.outputs[i].form == b.outputs[i].form),
            "output {} is declared as {} in {}, but as {} in {}", i, to_text(a.outputs[i]), then.attribute,
            to_text(b.outputs[i]), other.attribute);
}

/// Nothing where inference does not tell them, though the branch is evaluated.
std::optional<std::vector<ValueType>> types_of_branch(const Call& call, const Branch& branch) {
  return branch.taken.empty() ? call.graph_types(branch.attribute, {})
                              : types_without_values(call, branch.attribute, branch.taken);
}

/// As far as it is declared what the graph gives.
std::vector<ValueType> declared_types(const Call& call, const Branch& branch) {
  std::vector<ValueType> types;
  for (const ValueInfo& output : call.graph(branch.attribute).outputs) {
    if (!output.dtype) return call.inferred_graph_types(branch.attribute, branch.taken);  // says why
    types.push_back(ValueType::of_unknown_shape(*output.dtype));
  }
  return types;
}
}  // namespace
const Branch& branch_in_force(const Call& call, std::string_view condition, const Branch& then, const Branch& other) {
  return is_true(call.input(condition)) ? then : other;
}

std::vector<ValueType> types_of_branches(const Call& call, std::string_view condition, const Branch& then,
                                         const Branch& other, bool same_shapes) {
  require_alike(call, then, other);
  require_single(call, condition);
  const bool knows = call.has_value(condition);
  const bool takes_then = !knows || &branch_in_force(call, condition, then, other) == &then;
  const Branch &one = takes_then ? then : other, &two = takes_then ? other : then;
  const auto others = types_without_values(call, two.attribute, two.taken);
  auto types = knows ? types_of_branch(call, one) : types_without_values(call, one.attribute, one.taken);
  if (!knows && (!types || !others)) call.value(condition);
  if (!types) types = declared_types(call, one);
  for (size_t i = 0; others && i < types->size(); ++i) {
    ValueType& type = (*types)[i];
    const ValueType &a = takes_then ? type : (*others)[i], &b = takes_then ? (*others)[i] : type;
    require(a.form == b.form && a.dtype() == b.dtype(), "output {} is {} in {}, but {} in {}", i, kind_text(a),
            then.attribute, kind_text(b), other.attribute);
    require(!same_shapes || !a.has_shape || !b.has_shape || a == b, "output {} is {} in {}, but {} in {}", i, a,
            then.attribute, b, other.attribute);
    if (!knows && a != b) type = ValueType::of_unknown_shape(type.dtype());
  }
  require_given_types(call, "V", *types);
  return *types;
}

std::vector<Value> values_of_branch(const Call& call, std::span<const Output> outs, std::string_view condition,
                                    const Branch& branch, bool is_then, std::span<const Value> taken) {
  tell_asked(outs, [&](const Output&, std::int64_t) {
    return std::pair(format("{}, which takes {}", condition, branch.attribute), is_then ? 1 : 0);
  });
  return call.graph_values(branch.attribute, taken);
}
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

namespace {
/// The axis of a tensor of items of this rank.
size_t axis_of_items(const Along& along, size_t rank, size_t k) {
  return axis_of(along, along.joined ? rank : rank + 1, format("output {} of body", k));
}

/// Of `count` items one after another.
Dims shape_of_items(const Along& along, const Dims& item, size_t axis, std::int64_t count) {
  if (!along.joined) return with_axis(item, axis, count);
  Dims shape = item;
  shape[axis] = checked_multiply(shape[axis], count);
  return shape;
}
}  // namespace
ValueType type_of_items(const Call& call, size_t k, const std::optional<std::vector<ValueType>>& given,
                        std::span<const ValueType> taken, const Along& along, std::optional<std::int64_t> count,
                        std::optional<std::int64_t> batches) {
  const ValueInfo& declared = call.graph("body").outputs[k];
  if (!given && !declared.dtype) call.inferred_graph_types("body", taken);  // says why
  const DType dtype = given ? (*given)[k].dtype() : *declared.dtype;
  if (!given || count.value_or(0) == 0 || (*given)[k].form != Form::tensor || !(*given)[k].has_shape)
    return ValueType::of_unknown_shape(dtype);
  const Dims& item = (*given)[k].tensor.shape;
  return TensorType{dtype, join(batches ? Dims{*batches} : Dims{},
                                shape_of_items(along, item, axis_of_items(along, item.size(), k), *count))};
}

std::vector<ValueType> with_types_of_items(const Call& call, std::vector<ValueType> carried, size_t own,
                                           const std::optional<std::vector<ValueType>>& given,
                                           std::span<const ValueType> taken, const Stacked& stacked) {
  const size_t first = own + carried.size();
  for (size_t k = first; k < own + call.output_count(); ++k) {
    const Along along = stacked.along.empty() ? Along{} : stacked.along[k - first];
    carried.push_back(type_of_items(call, k, given, taken, along, stacked.count, stacked.batches));
  }
  require_given_types(call, "V", carried);
  return carried;
}

bool stays_true(const Graph& body, size_t output, std::optional<size_t> input) {
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
  return input && cond == body.inputs[*input].name;
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

GatheredItems::GatheredItems(size_t own, size_t first, std::vector<Along> along) : own_(own), along_(std::move(along)) {
  for (size_t k = 0; k < along_.size(); ++k) outputs_.push_back(first + k);
}

void GatheredItems::add(std::span<const Value> outputs) {
  ++iterations_;
  for (size_t k = 0; k < items_.size(); ++k) {
    items_[k].push_back(item_of(outputs, own_ + outputs_[k]));
    held_ = checked_add(held_, held_by(items_[k].back().type()));
  }
}

void GatheredItems::tell(std::span<const Output> outs) const {
  tell_asked(outs, [&](const Output& out, std::int64_t place) {
    const auto k = static_cast<size_t>(std::ranges::find(outputs_, out.place()) - outputs_.begin());
    if (k == outputs_.size()) return std::pair<std::string, std::int64_t>("iterations", iterations_);
    const Dims& item = items_[k].front().shape();
    const size_t axis = axis_of_items(along_[k], item.size(), own_ + outputs_[k]);
    const std::int64_t i = place / element_count(item.without_first(axis)) % iterations_;
    return std::pair(format("iteration, of 0 to {}", iterations_ - 1), along_[k].backwards ? iterations_ - 1 - i : i);
  });
}

std::vector<Value> GatheredItems::put_together(std::vector<Value> others, std::span<const Output> outs,
                                               const SequenceLens* batches) && {
  if (batches == nullptr) tell(outs);
  others.resize(outs.size());
  for (size_t k = 0; k < items_.size(); ++k) {
    const Output& out = outs[outputs_[k]];
    const size_t of_body = own_ + outputs_[k];
    std::vector<Tensor> items = std::move(items_[k]);
    const TensorType item =
        items.empty() ? TensorType{out.type().dtype, declared_item(out.call(), of_body)} : items[0].type();
    for (const Tensor& other : items)
      require(other.type() == item, "output {} of body is {} in one iteration, but {} in another", of_body, item,
              other.type());
    const size_t place = axis_of_items(along_[k], item.rank(), of_body);
    const Dims shape = batches == nullptr ? shape_of_items(along_[k], item.shape, place, std::ssize(items))
                                          : join({batches->batches(), batches->longest()}, item.shape);
    Value& together = others[outputs_[k]];
    if (!out.wanted() || element_count(shape) == 0) {
      if (out.wanted()) together = zeros_of({out.type().dtype, shape});
      continue;
    }
    if (along_[k].backwards) std::ranges::reverse(items);
    if (batches != nullptr) {
      out.call().require_room(checked_multiply(element_count(shape.first(2)), held_by(item)));
      items = padded(items, *batches, zeros_of(item));
    }
    const Dims in_a_row = with_axis(item.shape, place, std::ssize(items));
    together = stacked(out.of({out.type().dtype, in_a_row}), items, place).reshaped(shape);
  }
  return others;
}
}  // namespace opref::ops
