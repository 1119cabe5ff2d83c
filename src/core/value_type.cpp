#include "core/value_type.h"

#include "core/text.h"

namespace opref {

std::string_view prefix(Form form) {
  constexpr std::array<std::string_view, kForms.size()> kPrefixes = {"", "sequence of ", "optional ",
                                                                     "optional sequence of "};
  return kPrefixes[static_cast<size_t>(form)];
}

ValueType type_of(const Value& value) {
  if (value.tensor() != nullptr) return value.tensor()->type();
  if (const auto* sequence = std::get_if<Sequence>(&value)) return {Form::sequence, sequence->dtype};
  const auto& optional = std::get<Optional>(value);
  const bool holds_sequence = std::holds_alternative<Sequence>(optional.element);
  return {holds_sequence ? Form::optional_sequence : Form::optional, optional.dtype};
}

std::string to_text(const ValueType& type) {
  if (type.form != Form::tensor) return format("{}{}", prefix(type.form), type.dtype());
  return type.has_shape ? to_text(type.tensor) : format("{}[decided by values]", type.dtype());
}

}  // namespace opref
