// SPDX-License-Identifier: Apache-2.0
// The inputs that a case or a recipe states. Between the files of recipes.
#pragma once

#include "io/json/tree.h"

namespace opref::golden {

/// Calls f(parameter, tensor) for each: those of a variadic parameter's list one after another.
template <class F>
void for_each_input(const JsonValue& inputs, const F& f) {
  for (const JsonValue input : inputs) {
    if (input.kind() != JsonKind::list) {
      f(input.key(), input);
      continue;
    }
    for (const JsonValue tensor : input) f(input.key(), tensor);
  }
}

}  // namespace opref::golden
