// SPDX-License-Identifier: Apache-2.0
#include "schema/double_attributes.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "schema/call.h"

namespace opref::schema {

Reading attribute_double_reading(std::int64_t since, std::string_view in_force) {
  return {.name = kAttributeDouble,
          .alternatives = {"float32: attributes are rounded to float32", "double: they are in float64"},
          .defaults = {{since, in_force}},
          .reason = "pages say float, of MVN-2 double; OpenVINO's read_model holds them in double",
          .may_change_values = [](const Call& call) {
            return std::ranges::any_of(call.attributes(),
                                       [](const auto& known) { return in_both_types(known.second).has_value(); });
          }};
}

AttributeValue with_all_digits(AttributeValue value, const Untyped& text) {
  const auto* nearest = std::get_if<float>(&value.value);
  if (nearest == nullptr || text.items.size() != 1) return value;
  std::string_view digits = text.items.front().text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || !(number != *nearest) || number != number)
    return value;
  value.value = Tensor::of<double>(DType::float64, {2}, std::array{number, double{*nearest}});
  return value;
}

std::optional<InBothTypes> in_both_types(const AttributeValue& value) {
  const auto* both = std::get_if<Tensor>(&value.value);
  if (value.type != AttributeType::FLOAT || both == nullptr) return std::nullopt;
  return InBothTypes{both->values<double>()[0], static_cast<float>(both->values<double>()[1])};
}

}  // namespace opref::schema
