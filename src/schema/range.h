// SPDX-License-Identifier: Apache-2.0
// Which values an attribute may have, as data: said once, in the schema.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "schema/attribute.h"

namespace opref::schema {

/// A condition on each number or text of an attribute. Words are literals.
struct Range {
  enum class Kind : std::uint8_t { any, at_least, above, between, one_of } kind = Kind::any;
  double least = 0, most = 0;
  std::vector<std::string_view> words = {};

  friend bool operator==(const Range&, const Range&) = default;
};
Range at_least(double least);
/// Finite and greater.
Range above(double least);
/// Both ends included.
Range between(double least, double most);
/// 0 or 1.
Range flag();
Range one_of(std::initializer_list<std::string_view> words);

/// "> 0", "finite and > 0", "0 or 1", "NOTSET, SAME_UPPER or VALID"; empty where everything is allowed.
std::string to_text(const Range& range, AttributeType type);

/// Whether `range` has each value that `inner` has.
bool has_all_of(const Range& range, const Range& inner);

/// An `invalid` error with rule and value where the value of an attribute, or an item of it, is out of range; `noun` is
/// another one where the value came otherwise.
void require_in_range(std::string_view name, const AttributeValue& value, const Range& range,
                      std::string_view noun = "attribute");

}  // namespace opref::schema
