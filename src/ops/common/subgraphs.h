// SPDX-License-Identifier: Apache-2.0
// What operators share that evaluate subgraphs.
#pragma once

#include "schema/operator.h"

namespace opref::ops {

/// The subgraph takes `inputs` values and gives `outputs`; else `invalid`.
void require_graph(const Call& call, std::string_view attribute, size_t inputs, size_t outputs);

/// The types of the outputs of a subgraph that may not be evaluated; nothing where it does not fit what it is given, or
/// where values decide what fits.
std::optional<std::vector<ValueType>> types_without_values(const Call& call, std::string_view attribute,
                                                           std::span<const ValueType> inputs);

/// What subgraphs give, types of the type variable; else `invalid`, with the version that has the type.
void require_given_types(const Call& call, std::string_view variable, std::span<const ValueType> types);

}  // namespace opref::ops
