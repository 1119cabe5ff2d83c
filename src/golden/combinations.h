// SPDX-License-Identifier: Apache-2.0
// What {"op_types": …} and {"each": [v1, v2, …]} mean in recipes: one for each operator; how many combinations there
// are, and one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "io/json/tree.h"

namespace opref::golden {

/// The recipes of each operator. A file {"op_types": [A, B], "recipes": […]} stands for as many: each recipe is A's,
/// then B's, and {"respectively": [x, y]} in it is x for A and y for B. Any other file is one, as it is. Faults:
/// `malformed` (keys beside these, an empty list, a `respectively` of another length).
std::vector<Json> by_op_type(Json file);

/// UINT64_MAX stands for all numbers from there on.
inline std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
inline std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/// How many ways there are to choose one value of each `each` in the value, one inside another where that is chosen;
/// saturating. Nothing is expanded. Faults: `malformed` (an `each` without values, with other keys beside it).
std::uint64_t count_combinations(const JsonValue& value);

/// A copy of a recipe in which no value of an `each` holds another: its own expansions stand there. Faults: as of
/// count_combinations.
Json flattened(const JsonValue& recipe);

/// A copy of a list or object in which chosen(value) stands for each value, and for those inside of what it gives.
template <class Chosen>
Json copy_with(const JsonValue& container, const Chosen& chosen) {
  const bool is_list = container.kind() == JsonKind::list;
  Json copy = is_list ? Json::list() : Json();
  for (const JsonValue member : container) {
    const auto put = [&](const auto& value) { is_list ? copy.append(value) : copy.set(member.key(), value); };
    const JsonValue value = chosen(member);
    value.is_container() ? put(copy_with(value, chosen)) : put(value);
  }
  return copy;
}

/// Which value of each `each` is chosen, like the digits of a number of which the last changes fastest; those after a
/// changed one begin anew.
class Choices {
 public:
  /// The first value of each.
  Choices() = default;
  /// Of the n-th `each` of a flattened recipe the value number `places[n]`.
  explicit Choices(std::vector<size_t> places) : places_(std::move(places)) {}

  /// A copy of a list or object in which every `each` is the value that is chosen now.
  Json combined(const JsonValue& container);
  /// The next choice; false after the last one.
  bool advance();

 private:
  struct Digit {
    JsonValue::Iterator chosen, end;
  };

  std::vector<size_t> places_;  ///< where they are given
  std::vector<Digit> digits_;
};

}  // namespace opref::golden
