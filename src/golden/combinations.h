// SPDX-License-Identifier: Apache-2.0
// What {"each": [v1, v2, …]} means in a recipe: how many combinations there are, and one after the other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "io/json/json.h"
#include "io/json/tree.h"

namespace opref::golden {

/// How many ways there are to choose one value of each `each` in the value, one inside another where that is chosen;
/// UINT64_MAX stands for all numbers from there on. Nothing is expanded. Faults: `malformed` (an `each` without values,
/// with other keys beside it).
std::uint64_t count_combinations(const JsonValue& value);

/// A copy of a recipe in which no value of an `each` holds another: its own expansions stand there. Faults: as of
/// count_combinations.
JsonWriter flattened(const JsonValue& recipe);

/// Which value of each `each` is chosen, like the digits of a number of which the last changes fastest; those after a
/// changed one begin anew.
class Choices {
 public:
  /// The first value of each.
  Choices() = default;
  /// Of the n-th `each` of a flattened recipe the value number `places[n]`.
  explicit Choices(std::vector<size_t> places) : places_(std::move(places)) {}

  /// A copy of a list or object in which every `each` is the value that is chosen now; without the member `left_out`.
  JsonWriter combined(const JsonValue& container, std::string_view left_out = "");
  /// The next choice; false after the last one.
  bool advance();

 private:
  struct Digit {
    JsonValue::Iterator chosen, end;
  };
  JsonValue choose(const JsonValue& list);
  JsonWriter copied(const JsonValue& container, std::string_view left_out);

  std::vector<size_t> places_;  ///< where they are given
  std::vector<Digit> digits_;
  size_t next_ = 0;  ///< the digit of the next `each` that is met
};

}  // namespace opref::golden
