// SPDX-License-Identifier: Apache-2.0
// How far a right kernel may be from one element, and what makes that bound.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schema/operator.h"
#include "schema/output.h"

namespace opref::explain {

/// Facts by name, for kernels in float32 (of float64 elements: in float64), or in the narrower type that the node
/// states: "bound", how far the element may be from the exact value; "lost by", which kinds of steps, or which terms of
/// a sum, make that bound, the greatest first; "page", the bound by the page's formula, where that is wider. Empty
/// where no bound is known. Faults: those of the kernel.
std::vector<std::pair<std::string, std::string>> bound_facts(const Call& call, std::span<const ValueType> types,
                                                             const Asked& asked);

}  // namespace opref::explain
