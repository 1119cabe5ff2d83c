#include "core/value_type.h"

#include "core/text.h"

namespace opref {

std::string_view prefix(Form form) {
  constexpr std::array<std::string_view, kForms.size()> kPrefixes = {"", "sequence of ", "optional ",
                                                                     "optional sequence of "};
  return kPrefixes[static_cast<size_t>(form)];
}

std::string to_text(const ValueType& type) {
  if (type.form != Form::tensor) return format("{}{}", prefix(type.form), type.dtype());
  return type.has_shape ? to_text(type.tensor) : format("{}[decided by values]", type.dtype());
}

}  // namespace opref
