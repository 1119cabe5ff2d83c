// SPDX-License-Identifier: Apache-2.0
#include "ops/common/optionals.h"

namespace opref::ops {

bool is_optional(Form form) { return form == Form::optional || form == Form::optional_sequence; }

ValueType optional_of(const ValueType& element) {
  return {element.form == Form::sequence ? Form::optional_sequence : Form::optional, element.dtype()};
}

Value optional_of(const Value& element) {
  const DType dtype = type_of(element).dtype();
  if (const Tensor* tensor = element.tensor()) return Optional{dtype, *tensor};
  return Optional{dtype, std::get<Sequence>(element)};
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

}  // namespace opref::ops
