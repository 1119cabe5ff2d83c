// SPDX-License-Identifier: Apache-2.0
#include "core/value_type.h"

#include <algorithm>

#include "core/error.h"
#include "core/text.h"

namespace opref::core {

std::string_view prefix(Form form) {
  constexpr std::array<std::string_view, kForms.size()> kPrefixes = {"", "sequence of ", "optional ",
                                                                     "optional sequence of "};
  return kPrefixes[static_cast<size_t>(form)];
}

void MaybeValue::is_missing() { fail(Fault::usage, "there is no value"); }

ValueType type_of(const Value& value) {
  if (value.tensor() != nullptr) return value.tensor()->type();
  if (const auto* sequence = std::get_if<Sequence>(&value)) return {Form::sequence, sequence->dtype};
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
  };
  return std::visit(Visitor{}, static_cast<const std::variant<Tensor, Sequence, Optional>&>(value));
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

std::string to_text(const ValueType& type) {
  if (type.form != Form::tensor) return format("{}{}", prefix(type.form), type.dtype());
  return type.has_shape ? to_text(type.tensor) : format("{}[decided by values]", type.dtype());
}

}  // namespace opref::core
