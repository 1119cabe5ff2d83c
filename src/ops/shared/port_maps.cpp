// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/port_maps.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "evaluators/nothing.h"
#include "ops/shared/axes.h"
#include "ops/shared/parameters.h"
#include "schema/node.h"
namespace opref::ops {
PortMap::PortMap(const Call& call, std::string_view body, std::string_view attribute) {
  const size_t inputs = call.graph(body).inputs.size(), first = call.inputs().size() - call.inputs("values").size();
  std::vector<std::int64_t> places;
  for (size_t k = 0; k < inputs && !call.has(attribute); ++k) places.push_back(static_cast<std::int64_t>(first + k));
  if (call.has(attribute)) places = call.integers(attribute);
  require(places.size() == inputs, "{} has {}, but {} takes {}", attribute, counted(std::ssize(places), "place"), body,
          counted(static_cast<std::int64_t>(inputs), "input"));
  const std::int64_t least = call.has_here("trip_count") ? -1 : 0, count = std::ssize(call.inputs());
  for (size_t k = 0; k < inputs; ++k) {
    require(places[k] >= least && places[k] < count, "{}[{}] is {}, but must be from {} to {}: the node has {}",
            attribute, k, places[k], least, count - 1, counted(count, "input"));
    inputs_.push_back(places[k] < 0 ? nullptr : &call.inputs()[static_cast<size_t>(places[k])]);
  }
}

std::vector<ValueType> PortMap::types() const {
  std::vector<ValueType> types;
  for (const Input* input : inputs_) types.push_back(input->type);
  return types;
}

std::vector<Value> PortMap::values() const {
  std::vector<Value> values;
  for (const Input* input : inputs_) values.emplace_back(input->tensor());
  return values;
}
namespace {
/// The parts of an input, one for each iteration.
struct Parts {
  size_t input, axis;                ///< of body; of the tensor
  std::int64_t first, stride, size;  ///< where the first one begins, where the next one
  std::int64_t count;

  TensorType type_of(const TensorType& whole) const {
    TensorType part = whole;
    part.shape[axis] = size;
    return part;
  }
};

/// A list that has a number for each of the places that another one lists; omitted ones are `otherwise`.
std::vector<std::int64_t> numbers_for(const Call& call, std::string_view list, std::string_view of, size_t count,
                                      std::int64_t otherwise) {
  if (!call.has(list)) return std::vector<std::int64_t>(count, otherwise);
  std::vector<std::int64_t> numbers = call.integers(list);
  require(numbers.size() == count, "{} has {}, but {} has {}", list, counted(std::ssize(numbers), "value"), of, count);
  return numbers;
}

std::vector<size_t> places_in(const Call& call, std::string_view list, size_t count, std::string_view what) {
  std::vector<size_t> places;
  if (!call.has(list)) return places;
  for (const std::int64_t place : call.integers(list)) {
    require(place >= 0 && place < static_cast<std::int64_t>(count), "{} has {}, but there {} {}", list, place,
            count == 1 ? "is" : "are", counted(static_cast<std::int64_t>(count), what));
    require(std::ranges::find(places, static_cast<size_t>(place)) == places.end(), "{} has {} twice", list, place);
    places.push_back(static_cast<size_t>(place));
  }
  return places;
}

/// "Negative value means counting indexes from the end".
std::int64_t index_on(std::int64_t index, std::int64_t size, std::string_view name) {
  require(index >= -size && index < size, "{} is {}, but must be from {} to {}", name, index, -size, size - 1);
  return index < 0 ? index + size : index;
}

/// What a call of Loop or TensorIterator says.
struct Plan {
  Plan(const Call& call, size_t own_outputs);

  const PortMap map;
  const size_t own;
  std::vector<std::optional<size_t>> back;  ///< of each input of body the output that it takes next
  std::vector<Parts> parts;
  std::vector<size_t> together;  ///< outputs of the node
  std::vector<Along> along;
  std::vector<std::int64_t> part_sizes;  ///< of each of `along`; empty: not stated
  std::vector<ValueType> taken;          ///< by body

  const Along* along_of(size_t output) const {
    const auto found = std::ranges::find(together, output);
    return found == together.end() ? nullptr : &along[static_cast<size_t>(found - together.begin())];
  }

 private:
  void take_parts(const Call& call);
  void put_together(const Call& call);
};

/// The number of the iteration, "a scalar or 1D tensor with 1 element of int64 or int32 type".
TensorType number_type(const ValueInfo& declared) {
  return {declared.dtype.value_or(DType::int64), declared.dims && declared.dims->size() == 1 ? Dims{1} : Dims{}};
}

Plan::Plan(const Call& call, size_t own_outputs) : map(call, "body", "port_map"), own(own_outputs) {
  const Graph& body = call.graph("body");
  require(body.outputs.size() >= own + call.output_count(), "body gives {}, but must give {}: {}{} of the node",
          counted(std::ssize(body.outputs), "output"), own + call.output_count(), own > 0 ? "the condition, then " : "",
          call.output_count());
  for (size_t k = 0; k < map.size(); ++k) {
    require(map[k] != nullptr || !body.inputs[k].dtype || types::integers.contains(*body.inputs[k].dtype),
            "input {} of body is the number of the iteration, but is declared as {}", k, to_text(body.inputs[k]));
    taken.push_back(map[k] == nullptr ? ValueType(number_type(body.inputs[k])) : map[k]->type);
  }
  const std::vector<std::int64_t> edges = numbers_for(call, "back_edges", "body", map.size(), -1);
  for (size_t k = 0; k < map.size(); ++k) {
    require(edges[k] >= -1 && edges[k] < std::ssize(body.outputs), "back_edges[{}] is {}, but body has {}", k, edges[k],
            counted(std::ssize(body.outputs), "output"));
    back.push_back(edges[k] < 0 ? std::nullopt : std::optional(static_cast<size_t>(edges[k])));
  }
  take_parts(call);
  put_together(call);
  require_takes(call, "body", taken);
}

/// "start is an index where the iteration starts from", "end … where iteration ends", itself a part of it.
void Plan::take_parts(const Call& call) {
  const std::vector<size_t> inputs = places_in(call, "sliced_inputs", map.size(), "input");
  const auto numbers = [&](std::string_view list, std::int64_t otherwise) {
    return numbers_for(call, list, "sliced_inputs", inputs.size(), otherwise);
  };
  const auto axes = numbers("axis", 0), starts = numbers("start", 0), ends = numbers("end", -1),
             strides = numbers("stride", 1), sizes = numbers("part_size", 1);
  for (size_t k = 0; k < inputs.size(); ++k) {
    const size_t input = inputs[k];
    require(map[input] != nullptr, "sliced_inputs has {}, but that is the number of the iteration", input);
    require(!back[input], "sliced_inputs has {}, but that takes output {} of body by a back edge", input,
            back[input].value_or(0));
    const TensorType& whole = map[input]->tensor_type();
    const size_t axis = axis_of({axes[k]}, whole.shape.size(), format("'{}'", printable(map[input]->name)));
    const std::int64_t size = whole.shape[axis], stride = strides[k], part = sizes[k];
    require(stride != 0, "stride is 0, but must not be");
    require(part >= 1, "part_size is {}, but must be at least 1", part);
    if (stride != part && stride != -part)
      fail(Fault::unsupported, "stride is {}, and part_size {}: which elements a part has then, the page leaves open",
           stride, part);
    Parts parts_of{input, axis, 0, stride, part, 0};
    if (size > 0) {
      const std::int64_t start = index_on(starts[k], size, "start"), end = index_on(ends[k], size, "end");
      require(stride > 0 ? start <= end : start >= end, "start is {} and end {} of {} elements, but stride is {}",
              starts[k], ends[k], size, stride);
      parts_of.count = (std::abs(end - start) + 1) / part;
      parts_of.first = stride > 0 ? start : start + 1 - part;
    }
    taken[input] = parts_of.type_of(whole);
    parts.push_back(parts_of);
  }
}

/// The same of outputs: their parts come one after another along the axis, so that the first begins at one end of the
/// tensor, and the last one ends at the other.
void Plan::put_together(const Call& call) {
  together = places_in(call, "concatenated_outputs", call.output_count(), "output");
  const auto numbers = [&](std::string_view list, std::int64_t otherwise) {
    return numbers_for(call, list, "concatenated_outputs", together.size(), otherwise);
  };
  const auto axes = numbers("output_axis", 0), strides = numbers("output_stride", 1);
  for (size_t k = 0; k < together.size(); ++k) along.push_back({axes[k], strides[k] < 0, true});
  if (call.has("output_part_size")) part_sizes = numbers("output_part_size", 1);
  for (size_t k = 0; k < part_sizes.size(); ++k) {
    require(part_sizes[k] >= 1, "output_part_size is {}, but must be at least 1", part_sizes[k]);
    if (strides[k] != part_sizes[k] && strides[k] != -part_sizes[k])
      fail(
          Fault::unsupported,
          "output_stride is {}, and output_part_size {}: what elements that no part or two parts have, the page leaves "
          "open",
          strides[k], part_sizes[k]);
  }
  for (const auto& [list, forwards, backwards] : {std::tuple("output_start", 0, -1), {"output_end", -1, 0}}) {
    if (!call.has(list)) continue;
    const auto places = numbers(list, 0);
    for (size_t k = 0; k < together.size(); ++k)
      if (const std::int64_t whole = along[k].backwards ? backwards : forwards; places[k] != whole)
        fail(Fault::unsupported, "{} is {}, and output_stride {}: what the elements beyond have, the page leaves open",
             list, places[k], strides[k]);
  }
}

bool has_condition(const Call& call) { return call.has_here("execution_condition"); }

/// How many iterations there are at most; nothing: any number.
std::optional<std::int64_t> most_iterations(const Call& call, const Plan& plan) {
  if (has_condition(call)) {
    const std::int64_t count = call.integer("trip_count");
    require(count >= -1, "trip_count is {}, but must be at least -1", count);
    return count == -1 ? std::nullopt : std::optional(count);
  }
  std::optional<std::int64_t> count;
  for (const Parts& parts : plan.parts) {
    if (!count) count = parts.count;
    require(*count == parts.count, "input {} of body takes {}, but another input {}", parts.input,
            counted(parts.count, "part"), *count);
  }
  return count.value_or(1);
}

bool starts(const Call& call) { return !has_condition(call) || is_true(call.input("execution_condition")); }

/// How many there are, as far as it is known before them.
std::optional<std::int64_t> known_count(const Call& call, const Plan& plan) {
  const bool is_counted = !has_condition(call) || call.has_value("trip_count");
  const auto most = is_counted ? most_iterations(call, plan) : std::nullopt;
  if (!has_condition(call) || !call.has_value("execution_condition")) return has_condition(call) ? std::nullopt : most;
  if (!starts(call)) return 0;
  const bool goes_on = stays_true(call.graph("body"), 0, {});
  require(most || !goes_on || !is_counted,
          "trip_count is -1, and the condition stays true in body: it would never end");
  return goes_on ? most : std::nullopt;
}

/// "the type of dependencies" cannot change.
void require_carried(size_t output, const ValueType& given, const ValueType& taken) {
  require(given.form == taken.form && given.dtype() == taken.dtype(), "output {} of body is {}, but carries {}", output,
          given.dtype(), taken.dtype());
}

/// What body gives has the size that is stated of its parts.
void require_part_sizes(const Plan& plan, std::span<const Value> outputs) {
  for (size_t k = 0; k < plan.part_sizes.size(); ++k) {
    const size_t output = plan.own + plan.together[k];
    const Dims& shape = item_of(outputs, output).shape();
    const size_t axis = axis_of(plan.along[k], shape.size(), format("output {} of body", output));
    require(shape[axis] == plan.part_sizes[k],
            "output {} of body has shape {}, but output_part_size is {} along axis {}", output, shape,
            plan.part_sizes[k], axis);
  }
}

Tensor part_of(const Output& out, const Tensor& whole, const Parts& parts, std::int64_t i) {
  require(i < parts.count, "input {} of body takes {}, but this is iteration {}", parts.input,
          counted(parts.count, "part"), i);
  return part_along(out.inner(parts.type_of(whole.type())), whole, parts.axis, parts.first + i * parts.stride);
}

/// One element, 0, 1 …
Tensor number(const TensorType& type, std::int64_t i) {
  if (type.dtype == DType::int32)
    return Tensor::of<std::int32_t>(type.dtype, type.shape, std::array{static_cast<std::int32_t>(i)});
  require(type.dtype == DType::int64, "the number of the iteration is {}, but must be int64 or int32", type.dtype);
  return Tensor::of<std::int64_t>(type.dtype, type.shape, std::array{i});
}

/// Of no iteration an output is what a back edge would take it to.
Value initial_of(const Plan& plan, size_t output) {
  for (size_t k = 0; k < plan.map.size(); ++k)
    if (plan.back[k] == output) return plan.map[k]->tensor();
  fail(Fault::invalid, "there is no iteration, and no back edge says what output {} of body is then", output);
}
}  // namespace
void add_iterations(OpSchema& s) {
  s.attribute(required(GRAPH, "body")).attribute(optional(INTS, "port_map")).attribute(optional(INTS, "back_edges"));
  s.attribute(optional(INTS, "sliced_inputs"));
  for (const std::string_view list : {"axis", "start", "end", "stride", "part_size"}) s.attribute(optional(INTS, list));
  s.attribute(optional(INTS, "concatenated_outputs"));
  for (const std::string_view list : {"output_axis", "output_start", "output_end", "output_stride", "output_part_size"})
    s.attribute(optional(INTS, list));
}

std::vector<ValueType> types_of_iterations(const Call& call, size_t own) {
  const Plan plan(call, own);
  const std::optional<std::int64_t> count = known_count(call, plan);
  auto given = types_without_values(call, "body", plan.taken);
  bool stays = true;
  for (size_t k = 0; given && k < plan.map.size(); ++k)
    if (plan.back[k]) {
      require_carried(*plan.back[k], (*given)[*plan.back[k]], plan.taken[k]);
      stays = stays && (*given)[*plan.back[k]] == plan.taken[k];
    }
  if (given && !stays)
    for (ValueType& type : *given) type = ValueType::of_unknown_shape(type.dtype());
  std::vector<ValueType> types;
  for (size_t k = 0; k < call.output_count(); ++k) {
    const Along* along = plan.along_of(k);
    types.push_back(along != nullptr ? type_of_items(call, own + k, given, plan.taken, *along, count)
                    : given          ? (*given)[own + k]
                                     : type_of_items(call, own + k, given, plan.taken, {}, {}));
  }
  require_given_types(call, "V", types);
  return types;
}

std::vector<Value> values_of_iterations(const Call& call, std::span<const Output> outs, size_t own) {
  const Plan plan(call, own);
  const std::optional<std::int64_t> most = most_iterations(call, plan);
  std::vector<Value> inputs, outputs;
  for (size_t k = 0; k < plan.map.size(); ++k)
    inputs.push_back(plan.map[k] == nullptr ? Value() : Value(plan.map[k]->tensor()));
  GatheredItems items(own, plan.together, plan.along);
  bool goes_on = starts(call);
  const auto iterate = [&](std::int64_t i) {
    for (const Parts& parts : plan.parts)
      inputs[parts.input] = part_of(first_wanted(outs), plan.map[parts.input]->tensor(), parts, i);
    for (size_t k = 0; k < plan.map.size(); ++k)
      if (plan.map[k] == nullptr) inputs[k] = number(plan.taken[k].tensor, i);
    outputs = call.graph_values("body", inputs, items.held());
    require_part_sizes(plan, outputs);
    items.add(outputs);
    if (has_condition(call)) {
      const Tensor* condition = outputs[0].tensor();
      require(condition != nullptr && condition->dtype() == DType::boolean && condition->count() == 1,
              "output 0 of body is {}, but must be one bool", type_of(outputs[0]));
      goes_on = is_true(*condition);
    }
    for (size_t k = 0; k < plan.map.size(); ++k)
      if (plan.back[k]) {
        require_carried(*plan.back[k], type_of(outputs[*plan.back[k]]), plan.taken[k]);
        inputs[k] = outputs[*plan.back[k]];
      }
  };
  for (std::int64_t i = 0; goes_on && (!most || i < *most); ++i)
    at_place([&] { return format("in iteration {}", i); }, [&] { iterate(i); });
  std::vector<Value> results(outs.size());
  for (size_t k = 0; k < outs.size(); ++k)
    if (plan.along_of(k) == nullptr) results[k] = outputs.empty() ? initial_of(plan, own + k) : outputs[own + k];
  return std::move(items).put_together(std::move(results), outs);
}

bool may_be_idle(const Call& call) {
  if (!has_condition(call)) return most_iterations(call, Plan(call, 0)) == 0;
  const bool none = call.has_value("trip_count") && call.integer("trip_count") == 0;
  return none || (call.has_value("execution_condition") && !starts(call));
}
}  // namespace opref::ops
