// SPDX-License-Identifier: Apache-2.0
// "every" in a recipe: "opset": "every" is each version of the operator, "dtype": "every" of an input each type that
// the version allows it. What else a recipe asks of versions.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "io/json/tree.h"
#include "ops/operators.h"

namespace opref::golden {

/// Of a recipe or combination. Faults: `malformed` (one that is not one text), `unsupported` (an unknown operator).
const Operator& operator_of(const JsonValue& recipe);

/// A member that is there and not null.
std::optional<JsonValue> stated(const JsonValue& object, std::string_view key);

/// The input or output of this name; null: there is none.
inline const FormalParameter* named(const std::vector<FormalParameter>& parameters, std::string_view name) {
  const auto found = std::ranges::find(parameters, name, &FormalParameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

/// The version in force; null before the first one.
const OpSchema* version_at(const Operator& op, std::int64_t opset);
/// The same of a combination, which may state no opset: the newest one.
const OpSchema* version_of(const Operator& op, const JsonValue& combination);

/// Whether the version takes the types that a combination states of its input, be that a list.
bool takes(const OpSchema& schema, const FormalParameter& input, const JsonValue& value);

/// A recipe in which lists stand for "every".
class Every {
 public:
  /// Faults: `malformed` (an input that no version has), those of operator_of.
  explicit Every(const JsonValue& recipe);

  /// The recipe with {"each": […]} in the place of each "every", without its rules ("where").
  JsonValue recipe() const { return recipe_.root(); }
  /// Whether an input whose types were to be every one has a type that this combination's version does not allow.
  bool drops(const JsonValue& combination) const;

 private:
  Json recipe_;
  std::vector<std::string> inputs_;  ///< whose dtype is "every"
};

}  // namespace opref::golden
