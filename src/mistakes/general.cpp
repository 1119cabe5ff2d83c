// SPDX-License-Identifier: Apache-2.0
#include "mistakes/mistakes.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/text.h"
#include "exact/rounding.h"
#include "mistakes/tools.h"
#include "ops/operators.h"

namespace opref::mistakes {
namespace {

using Mistakes = std::vector<Mistake>;

void add(Mistakes& mistakes, std::string name, Made made, MistakeKind kind = MistakeKind::misread) {
  mistakes.push_back({std::move(name), kind, std::move(made)});
}

void add_value(Mistakes& mistakes, std::string_view attribute, const AttributeValue& value, const std::string& text) {
  add(mistakes, format("{} taken as {}", attribute, text), taken_as_value(attribute, value));
}

/// Of the first input, where its type is known.
std::int64_t rank_of(const Call& call) {
  const bool known =
      !call.inputs().empty() && call.inputs()[0].type.form == Form::tensor && call.inputs()[0].type.has_shape;
  return known ? static_cast<std::int64_t>(call.inputs()[0].type.tensor.rank()) : 0;
}

/// What attributes of real numbers usually are.
struct Usual {
  std::string_view attribute;
  std::array<double, 5> values;
};
constexpr std::array kUsual{Usual{"alpha", {0.01, 0.1, 0.2, 0.3, 1}}, Usual{"epsilon", {0, 1e-3, 1e-5, 1e-6, 1e-12}}};

void add_other_values(Mistakes& mistakes, const Call& call, const AttributeSchema& attribute) {
  const auto found = call.attributes().find(attribute.name);
  if (attribute.type == AttributeType::INT && attribute.range == flag() && found != call.attributes().end()) {
    const std::int64_t other{call.integer(attribute.name) == 0};
    add_value(mistakes, attribute.name, AttributeValue::of(other), format("{}", other));
  } else if (attribute.type == AttributeType::STRING) {
    for (const std::string_view word : attribute.range.words)
      if (found == call.attributes().end() || call.string(attribute.name) != word)
        add_value(mistakes, attribute.name, AttributeValue::of(std::string(word)), std::string(word));
  }
  for (const auto& [name, values] : kUsual)
    for (const double value : values)
      if (attribute.type == AttributeType::FLOAT && attribute.name == name)
        add_value(mistakes, name, AttributeValue::of(static_cast<float>(value)), format("{}", value));
}

/// An integer or a list, the attribute or input of this name.
void add_axes(Mistakes& mistakes, const Call& call, std::string_view name, const std::vector<std::int64_t>& axes) {
  const AttributeSchema* attribute = call.schema().find_attribute(name);
  const bool is_list = attribute != nullptr ? attribute->type == AttributeType::INTS : !call.type(name).shape.empty();
  const auto with = [=](const Call& taken) {
    if (attribute != nullptr)
      return taken.with_attribute(name, is_list ? AttributeValue::of(axes) : AttributeValue::of(axes[0]));
    TensorType type = taken.type(name);
    if (is_list) type.shape = Dims{std::ssize(axes)};
    return taken.with_input(name, tensor_of_bits(type, [&](std::int64_t i) {
                              return static_cast<std::uint64_t>(axes[static_cast<size_t>(i)]);
                            }));
  };
  const std::string text =
      is_list ? format("{} taken as [{}]", name, join_text(axes, ",")) : format("{} taken as {}", name, axes[0]);
  add(mistakes, text, [with](const Call& taken) { return std::optional(with(taken)); });
  constexpr std::string_view kKeep = "keepdims";  // as numpy has it
  if (call.schema().find_attribute(kKeep) != nullptr && call.has(kKeep) && call.integer(kKeep) != 0)
    add(mistakes, format("{}, {} taken as 0", text, kKeep), [with, kKeep](const Call& taken) {
      return std::optional(with(taken).with_attribute(kKeep, AttributeValue::of(std::int64_t{0})));
    });
}

bool has_whole_numbers(const TensorType& type) { return type.dtype == DType::int64 || type.dtype == DType::int32; }

/// One axis taken as another one, as an attribute or an input; of several, one less or one more.
void add_other_axes(Mistakes& mistakes, const Call& call, std::string_view name) {
  const AttributeSchema* attribute = call.schema().find_attribute(name);
  if (!call.has_here(name) || (attribute == nullptr && !(call.has_value(name) && has_whole_numbers(call.type(name)))))
    return;
  const bool is_one = attribute != nullptr && attribute->type == AttributeType::INT;
  const std::vector<std::int64_t> axes = is_one ? std::vector{call.integer(name)} : call.integers(name);
  const std::int64_t rank = rank_of(call);
  for (std::int64_t other = 0; other < rank; ++other) {
    std::vector<std::int64_t> changed = axes;
    const auto found = std::ranges::find_if(changed, [&](auto a) { return a == other || a == other - rank; });
    if (axes.size() == 1 && found == changed.end()) add_axes(mistakes, call, name, {other});
    if (axes.size() < 2) continue;
    found == changed.end() ? changed.push_back(other) : void(changed.erase(found));
    add_axes(mistakes, call, name, changed);
  }
}

/// Whether another input must have the same type.
bool shares_type(const Call& call, size_t i) {
  const std::vector<FormalParameter>& formal = call.schema().inputs();
  const auto type = [&](size_t k) { return formal[std::min(k, formal.size() - 1)].type; };
  for (size_t k = 0; k < call.inputs().size(); ++k)
    if (k != i && !call.inputs()[k].name.empty() && type(k) == type(i)) return true;
  return false;
}

/// The bits of integers of 8 bits, with a sign or without: of all inputs, or of one that has its own type.
void add_signs(Mistakes& mistakes, const Call& call) {
  for (const auto& [from, to] : {std::pair(DType::uint8, DType::int8), std::pair(DType::int8, DType::uint8)}) {
    const auto as_other = [from = from, to = to](const Tensor& tensor) {
      if (tensor.dtype() != from) return tensor;
      return tensor_of_bits({to, tensor.shape()}, [&](std::int64_t i) { return element_bits(tensor, i); });
    };
    std::vector<std::string_view> names, alone;
    for (size_t i = 0; i < call.inputs().size(); ++i)
      if (const std::string_view name = name_of(call, i); !name.empty() && call.value(name).tensor() != nullptr)
        if (call.value(name).tensor()->dtype() == from) {
          names.push_back(name);
          if (!shares_type(call, i)) alone.push_back(name);
        }
    for (const std::string_view name : alone)
      if (names.size() > 1)
        add(mistakes, format("{} read as {}", name, to), [name, as_other](const Call& taken) {
          return std::optional(taken.with_input(name, as_other(taken.input(name))));
        });
    if (!names.empty())
      add(mistakes, format("{} read as {}", from, to),
          [as_other](const Call& taken) { return std::optional(taken.with_tensors(as_other)); });
  }
}

/// A few integers beside the data, each one less or one more.
void add_neighbours(Mistakes& mistakes, const Call& call) {
  constexpr std::int64_t kMost = 8;
  const std::vector<FormalParameter>& inputs = call.schema().inputs();
  for (size_t i = 1; i < inputs.size(); ++i) {
    const std::string_view name = inputs[i].name;
    if (is_variadic(inputs[i].arity) || name == "axes" || name == "axis" || !call.has(name) || !call.has_value(name) ||
        !has_whole_numbers(call.type(name)) || call.input(name).count() > kMost)
      continue;
    add(mistakes, format("{} one less", name), with_each(name, [](double x) { return x - 1; }));
    add(mistakes, format("{} one more", name), with_each(name, [](double x) { return x + 1; }));
  }
}

/// Of an operand with several axes the first slice along one, for all.
void add_first_slices(Mistakes& mistakes, const Call& call) {
  const std::vector<FormalParameter>& inputs = call.schema().inputs();
  for (size_t i = 1; i < inputs.size(); ++i) {
    const std::string_view name = inputs[i].name;
    if (is_variadic(inputs[i].arity) || !call.has(name) || !call.has_value(name)) continue;
    const Tensor* tensor = call.value(name).tensor();
    if (tensor == nullptr || tensor->shape().size() < 2) continue;
    for (size_t axis = 0; axis < tensor->shape().size(); ++axis)
      if (tensor->shape()[axis] > 1)
        add(mistakes, format("the first of {} along axis {} taken for all", name, axis),
            [name, axis](const Call& taken) {
              return std::optional(with_moved(taken, name, [axis](Dims at) {
                at[axis] = 0;
                return at;
              }));
            });
  }
}

void add_exchanges(Mistakes& mistakes, const Call& call) {
  const std::vector<FormalParameter>& inputs = call.schema().inputs();
  const auto is_there = [&](const FormalParameter& input) {
    return !is_variadic(input.arity) && call.has(input.name) && call.has_value(input.name);
  };
  for (size_t b = 1; b < inputs.size(); ++b)
    for (size_t a = 0; a < b; ++a) {
      const std::string_view first = inputs[a].name, second = inputs[b].name;
      if (!is_there(inputs[a]) || !is_there(inputs[b]) || call.value_type(first) != call.value_type(second)) continue;
      add(mistakes, format("{} and {} exchanged", first, second), exchanged(first, second));
    }
}

/// Numbers of each channel: all as the first, and in reverse order; a zero point as 0.
void add_channels(Mistakes& mistakes, const Call& call) {
  const std::vector<FormalParameter>& inputs = call.schema().inputs();
  for (size_t i = 1; i < inputs.size(); ++i) {
    const std::string_view name = inputs[i].name;
    if (is_variadic(inputs[i].arity) || !call.has(name) || !call.has_value(name)) continue;
    const Tensor* tensor = call.value(name).tensor();
    if (tensor == nullptr || tensor->shape().size() > 1) continue;
    const auto add_moved = [&](const std::string& text, const std::function<std::int64_t(std::int64_t)>& source) {
      add(mistakes, text, [name, source](const Call& taken) {
        return std::optional(with_moved(taken, name, [&](const Dims& at) { return Dims{source(at[0])}; }));
      });
    };
    if (const std::int64_t count = tensor->count(); count > 1) {
      add_moved(format("the first of {} taken for all", name), [](std::int64_t) { return std::int64_t{0}; });
      add_moved(format("{} in reverse order", name), [count](std::int64_t at) { return count - 1 - at; });
    }
    if (inputs[i].arity != Arity::optional && name.ends_with("zero_point"))
      add(mistakes, format("{} taken as 0", name), [name](const Call& taken) {
        const auto zero = [](std::int64_t) { return 0; };
        return std::optional(taken.with_input(name, tensor_of_bits(taken.input(name).type(), zero)));
      });
  }
}

/// A bias, by its name, added twice or subtracted.
void add_biases(Mistakes& mistakes, const Call& call) {
  constexpr size_t kBefore = 2;  // of what it is added to: of Add, B is no bias
  const std::vector<FormalParameter>& inputs = call.schema().inputs();
  for (size_t i = kBefore; i < inputs.size(); ++i) {
    const std::string_view name = inputs[i].name;
    const bool is_bias = name == "B" || name == "bias" || name == "C" || name == "Bias";
    if (!is_bias || !call.has(name) || !call.has_value(name)) continue;
    add(mistakes, format("{} added twice", name), with_each(name, [](double x) { return 2 * x; }));
    add(mistakes, format("{} subtracted", name), with_each(name, [](double x) { return -x; }));
  }
}

/// Numbers of one axis that are broadcast, along another axis.
void add_other_broadcasts(Mistakes& mistakes, const Call& call) {
  const std::vector<FormalParameter>& inputs = call.schema().inputs();
  const std::int64_t rank = rank_of(call);
  for (size_t i = 1; i < inputs.size(); ++i) {
    const std::string_view name = inputs[i].name;
    if (is_variadic(inputs[i].arity) || !call.has(name) || !call.has_value(name)) continue;
    const Tensor* tensor = call.value(name).tensor();
    if (tensor == nullptr || tensor->count() < 2) continue;
    const Dims& shape = tensor->shape();
    const auto longest = std::ranges::max_element(shape);
    if (*longest != tensor->count()) continue;
    const std::int64_t behind = shape.end() - longest - 1;  // axes after it
    for (std::int64_t axes = 0; axes < rank; ++axes) {
      if (axes == behind) continue;
      Dims other = shape.first(0);
      other.push_back(tensor->count());
      for (std::int64_t a = 0; a < axes; ++a) other.push_back(1);
      add(mistakes, format("{} along axis {}", name, rank - 1 - axes), [name, other](const Call& taken) {
        return std::optional(taken.with_input(name, reshaped(taken.input(name), other)));
      });
    }
  }
}

/// Two attributes that are single numbers, alpha and beta.
void add_exchanged_numbers(Mistakes& mistakes, const Call& call) {
  std::vector<std::string_view> numbers;
  for (const AttributeSchema& attribute : call.schema().attributes())
    if (attribute.type == AttributeType::FLOAT && call.has(attribute.name)) numbers.push_back(attribute.name);
  if (numbers.size() != 2) return;
  const std::string_view a = numbers[0], b = numbers[1];
  add(mistakes, format("{} and {} exchanged", a, b), [a, b](const Call& taken) {
    const auto value = [&](std::string_view name) { return taken.attributes().find(name)->second; };
    return std::optional(taken.with_attribute(a, value(b)).with_attribute(b, value(a)));
  });
}

/// Whether each takes what the other one takes, by number and kind.
bool take_the_same(const OpSchema& a, const OpSchema& b) {
  const auto same = [](const FormalParameter& p, const FormalParameter& q) { return p.arity == q.arity; };
  return std::ranges::equal(a.inputs(), b.inputs(), same) && std::ranges::equal(a.outputs(), b.outputs(), same);
}

bool has_graphs(const OpSchema& schema) {
  return std::ranges::any_of(schema.attributes(),
                             [](const AttributeSchema& a) { return a.type == AttributeType::GRAPH; });
}

}  // namespace

std::vector<Mistake> ignored_parts(const Call& call) {
  Mistakes mistakes;
  const auto add_ignored = [&](std::string_view name, Made without) {
    add(mistakes, format("{} ignored", name), std::move(without), MistakeKind::ignored);
  };
  for (const AttributeSchema& attribute : call.schema().attributes())
    if (call.stated(attribute.name))
      add_ignored(attribute.name,
                  [name = attribute.name](const Call& taken) { return std::optional(taken.without_attribute(name)); });
  for (const FormalParameter& input : call.schema().inputs())
    if (input.arity == Arity::optional && call.has(input.name))
      add_ignored(input.name,
                  [name = input.name](const Call& taken) { return std::optional(taken.without_input(name)); });
  return mistakes;
}

std::vector<Mistake> reversed_lists(const Call& call) {
  Mistakes mistakes;
  const auto reversed = [](std::string_view name) {
    return [name](const Call& taken) {
      std::vector<std::int64_t> list = taken.integers(name);
      std::ranges::reverse(list);
      return std::optional(taken.with_attribute(name, AttributeValue::of(std::move(list))));
    };
  };
  for (const AttributeSchema& attribute : call.schema().attributes())
    if (call.stated(attribute.name) && attribute.type == AttributeType::INTS)
      add(mistakes, format("{} in reverse order of axes", attribute.name), reversed(attribute.name),
          MistakeKind::reversed);
  return mistakes;
}

std::vector<Mistake> general_mistakes(const Call& call) {
  Mistakes mistakes;
  for (const AttributeSchema& attribute : call.schema().attributes()) add_other_values(mistakes, call, attribute);
  for (const std::string_view name : {"axis", "axes"}) add_other_axes(mistakes, call, name);
  add_exchanges(mistakes, call);
  add_exchanged_numbers(mistakes, call);
  add_channels(mistakes, call);
  add_biases(mistakes, call);
  add_other_broadcasts(mistakes, call);
  add_first_slices(mistakes, call);
  add_signs(mistakes, call);
  add_neighbours(mistakes, call);
  return mistakes;
}

std::vector<Mistake> other_versions(const Call& call) {
  Mistakes mistakes;
  for (const OpSchema& version : call.op().versions()) {
    if (version.since_version() == call.version()) continue;
    const std::string name = format("computed as {}-{}", call.op().op_type(), version.since_version());
    add(
        mistakes, name, [&version](const Call& taken) { return std::optional(taken.with_version(version)); },
        MistakeKind::other_version);
    std::vector<std::pair<std::string_view, AttributeValue>> in_force;
    std::string text;
    for (const AttributeSchema& attribute : version.attributes()) {
      const AttributeSchema* before = call.schema().find_attribute(attribute.name);
      if (before == nullptr || call.stated(attribute.name) || !before->default_value || !attribute.default_value ||
          to_text(*before->default_value) == to_text(*attribute.default_value))
        continue;
      in_force.emplace_back(attribute.name, *before->default_value);
      text += format("{}{} {}", text.empty() ? " with " : ", ", attribute.name, to_text(*before->default_value));
    }
    const auto stating = [&version, in_force](const Call& taken) {
      Call other = taken.with_version(version);
      for (const auto& [attribute, value] : in_force) other = other.with_attribute(attribute, value);
      return std::optional(other);
    };
    if (!in_force.empty()) add(mistakes, name + text, stating, MistakeKind::other_version);
  }
  return mistakes;
}

std::vector<Mistake> other_operators(const Call& call) {
  Mistakes mistakes;
  if (call.inputs().empty() || has_graphs(call.schema())) return mistakes;
  for (const OperatorRow& row : operator_rows()) {
    if (row.domain != call.op().domain() || row.op_type == call.op().op_type()) continue;
    const Operator& other = get_operator(row.domain, row.op_type);
    const std::int64_t opset = std::max(call.version(), other.versions().front().since_version());
    const Version version = other.at(opset);
    if (!other.has_kernel() || !take_the_same(version.schema, call.schema()) || has_graphs(version.schema)) continue;
    add(
        mistakes, format("computed as {}", row.op_type),
        [version](const Call& taken) { return std::optional(taken.read_by(version)); }, MistakeKind::other_operator);
  }
  return mistakes;
}

}  // namespace opref::mistakes
