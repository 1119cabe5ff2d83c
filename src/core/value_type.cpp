// SPDX-License-Identifier: Apache-2.0
#include "core/value_type.h"

#include <algorithm>

#include "core/error.h"
#include "core/map.h"
#include "core/text.h"

namespace opref::core {

std::string_view prefix(Form form) {
  constexpr std::array<std::string_view, kForms.size()> kPrefixes = {
      "", "sequence of ", "optional ", "optional sequence of ", "", ""};
  return kPrefixes[static_cast<size_t>(form)];
}

void MaybeValue::is_missing() { fail(Fault::usage, "there is no value"); }

ValueType type_of(const Value& value) {
  if (value.tensor() != nullptr) return value.tensor()->type();
  if (const auto* sequence = std::get_if<Sequence>(&value)) return {Form::sequence, sequence->dtype};
  if (const auto* map = std::get_if<Map>(&value)) return {Form::map, map->values.dtype(), map->keys.dtype()};
  if (const auto* maps = std::get_if<MapSequence>(&value)) return {Form::map_sequence, maps->dtype, maps->key};
  const auto& optional = std::get<Optional>(value);
  const bool holds_sequence = std::holds_alternative<Sequence>(optional.element);
  return {holds_sequence ? Form::optional_sequence : Form::optional, optional.dtype};
}

TensorList tensors_in(const Value& value) {
  struct Visitor {
    TensorList operator()(const Tensor& tensor) const { return {tensor}; }
    TensorList operator()(const Sequence& sequence) const { return sequence.elements; }
    TensorList operator()(const Optional& optional) const { return std::visit(*this, optional.element); }
    TensorList operator()(std::monostate) const { return {}; }
    TensorList operator()(const Map& map) const { return {map.keys, map.values}; }
    TensorList operator()(const MapSequence& maps) const { return maps.tensors; }
  };
  return std::visit(Visitor{}, static_cast<const Value::Base&>(value));
}

std::int64_t byte_size(const Value& value) {
  if (const Tensor* tensor = value.tensor()) return byte_size(tensor->type());
  std::int64_t total = 0;
  for (const Tensor& tensor : tensors_in(value))
    total = checked_add(total, checked_add(byte_size(tensor.type()), kSequenceElementBytes));
  return total;
}

bool same_bits(const Value& a, const Value& b) {
  const auto same_tensor = [](const Tensor& x, const Tensor& y) {
    if (x.type() != y.type()) return false;
    return x.dtype() == DType::string ? std::ranges::equal(x.strings(), y.strings())
                                      : std::ranges::equal(x.bytes(), y.bytes());
  };
  return type_of(a) == type_of(b) && std::ranges::equal(tensors_in(a), tensors_in(b), same_tensor);
}

std::string kind_text(const ValueType& type) {
  if (!is_of_maps(type.form)) return format("{}{}", prefix(type.form), type.dtype());
  const std::string map = format("map({},{})", info(type.key).onnx_type, info(type.dtype()).onnx_type);
  return type.form == Form::map ? map : format("seq({})", map);
}

namespace {

/// What stands in the brackets of "word(…)"; nothing where the text is none of these.
std::optional<std::string_view> within(std::string_view word, std::string_view text) {
  if (!text.starts_with(word) || !text.ends_with(')')) return std::nullopt;
  text.remove_prefix(word.size());
  if (!text.starts_with('(')) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

std::optional<ValueType> parse_map_kind(std::string_view text) {
  if (const auto map = within("seq", text)) {
    auto type = parse_map_kind(*map);
    if (!type || type->form != Form::map) return std::nullopt;
    type->form = Form::map_sequence;
    return type;
  }
  const auto types = within("map", text);
  const size_t comma = types ? types->find(',') : std::string_view::npos;
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view value = types->substr(comma + 1);
  const auto key = dtype_meant(types->substr(0, comma)), dtype = dtype_meant(within("tensor", value).value_or(value));
  if (!key || !dtype || !is_key_type(*key)) return std::nullopt;
  return ValueType(Form::map, *dtype, *key);
}

}  // namespace

std::optional<ValueType> parse_kind(std::string_view text) {
  std::string close(text);
  for (const Form form : kForms) {
    if (is_of_maps(form) || !text.starts_with(prefix(form))) continue;
    if (const auto dtype = dtype_named(text.substr(prefix(form).size()))) return ValueType(form, *dtype);
  }
  std::erase(close, ' ');
  return parse_map_kind(close);
}

std::string to_text(const ValueType& type) {
  if (type.form != Form::tensor) return kind_text(type);
  return type.has_shape ? to_text(type.tensor) : format("{}[decided by values]", type.dtype());
}

}  // namespace opref::core
