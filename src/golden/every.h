// SPDX-License-Identifier: Apache-2.0
// "every" in a recipe: "opset": "every" is each version of the operator, "dtype": "every" of an input each type that
// the version allows it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/json/tree.h"
#include "ops/operators.h"

namespace opref::golden {

/// A recipe in which lists stand for "every".
class Every {
 public:
  /// Faults: `malformed` (an operator that is not one text, an input that no version has), `unsupported` (an unknown
  /// operator).
  explicit Every(const JsonValue& recipe);

  /// The recipe with {"each": […]} in the place of each "every", without its rules ("where").
  JsonValue recipe() const { return recipe_.root(); }
  /// Whether an input whose types were to be every one has a type that this combination's version does not allow.
  bool drops(const JsonValue& combination) const;

 private:
  struct Input {
    std::string name;
    std::optional<size_t> place;  ///< in the list of a variadic one
  };

  const Operator& operator_here();

  Json recipe_;
  const Operator* op_ = nullptr;  ///< where the recipe says "every"
  std::vector<Input> inputs_;     ///< whose dtype is "every"
};

}  // namespace opref::golden
