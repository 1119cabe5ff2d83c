// SPDX-License-Identifier: Apache-2.0
// Outputs without elements: whatever the sizes of what they are made of, they cost nothing.
#pragma once

#include <span>
#include <vector>

#include "schema/output.h"

namespace opref::evaluators {

/// Whether no output that is wanted has elements. One whose shape only its values tell may have some.
bool ask_for_nothing(std::span<const Output> outs);
/// The values of such outputs.
std::vector<Value> nothing(std::span<const Output> outs);

}  // namespace opref::evaluators
