// SPDX-License-Identifier: Apache-2.0
// One node of a graph with the values that it reads: a case of its own.
#pragma once

#include <filesystem>

#include "run/bind.h"

namespace opref::run {

/// The node at this place of the whole case's graph, with the values that `known` has of all that it reads. What the
/// whole case holds beside its inputs, and what nodes give that read nothing, are initializers, as far as they are
/// tensors and the node is one of ONNX; all else are inputs. Readings are those chosen of the node's operator. A
/// `usage` error where something that it reads has no value.
Bound node_case(const Bound& whole, size_t place, const Environment& known);

/// What the nodes before this one give it, as they are evaluated; with what the whole case is given.
Environment values_before(const Bound& whole, size_t place);

/// Writes the case with what `expected` has of its outputs into `folder`, which comes to be with all that is in it. A
/// `usage` error where something is there already, unless it is an empty folder.
void write_node_case(const Bound& alone, const Environment& expected, const std::filesystem::path& folder);

}  // namespace opref::run
