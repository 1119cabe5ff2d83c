// SPDX-License-Identifier: Apache-2.0
#include "evaluators/nothing.h"

#include <algorithm>

#include "evaluators/move.h"

namespace opref::evaluators {

bool ask_for_nothing(std::span<const Output> outs) {
  return std::ranges::all_of(outs, [](const Output& out) {
    return !out.wanted() || (out.value_type().has_shape && element_count(out.type().shape) == 0);
  });
}

std::vector<Value> nothing(std::span<const Output> outs) {
  std::vector<Value> values;
  for (const Output& out : outs) values.push_back(out.wanted() ? Value{zeros_of(out.type())} : Value{});
  return values;
}

}  // namespace opref::evaluators
