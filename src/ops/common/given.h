// SPDX-License-Identifier: Apache-2.0
// Inputs that a node may leave out.
#pragma once

#include <optional>

#include "evaluators/elements.h"
#include "schema/call.h"

namespace opref::ops {

/// The input's elements, where it is given.
inline std::optional<Elements> elements_if_given(const Call& call, std::string_view input) {
  return call.has(input) ? std::optional<Elements>(call.input(input)) : std::nullopt;
}

}  // namespace opref::ops
