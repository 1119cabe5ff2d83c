// SPDX-License-Identifier: Apache-2.0
// Attributes of OpenVINO that may be held in float64. Its pages call them float, its programs keep all digits of what
// an IR states. Where a decimal has more digits than float32, the value of such a FLOAT is a float64[2]: the number,
// and the float32 that is nearest to the decimal.
#pragma once

#include <optional>
#include <string_view>

#include "schema/attribute.h"
#include "schema/reading.h"

namespace opref::schema {

inline constexpr std::string_view kAttributeDouble = "openvino.attribute_double";

/// The reading that says in what type the operator's FLOAT attributes are held: "float32" or "double".
Reading attribute_double_reading(std::int64_t since, std::string_view in_force = "float32");

/// The FLOAT that a text was coerced to, with all digits of the text.
AttributeValue with_all_digits(AttributeValue value, const Untyped& text);

struct InBothTypes {
  double exact;
  float nearest;
};
/// Of a FLOAT with more digits than float32; nothing of another value.
std::optional<InBothTypes> in_both_types(const AttributeValue& value);

}  // namespace opref::schema
