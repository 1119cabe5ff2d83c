// SPDX-License-Identifier: Apache-2.0
// Two inputs in each other's place: the hint that a refused node gets.
#pragma once

#include <span>

#include "core/error.h"
#include "schema/node.h"
#include "schema/resolve.h"

namespace opref::run {

/// What a refused node would need: the names of two inputs such that its operator accepts the node if they change
/// places ("X and W"), else kNoRemedy. Nodes with subgraphs and calls of functions are not looked at: their types need
/// what they evaluate.
WayOut swapped_inputs(const Version& version, const Node& node, std::span<const Input> inputs,
                      const ReadingChoices& readings);

/// Runs `body`; an `invalid` error without a way out that leaves it gets swapped_inputs of `inputs()` as
/// its way out.
template <class Inputs, class Body>
decltype(auto) with_swap_hint(const Version& version, const Node& node, const Inputs& inputs,
                              const ReadingChoices& readings, const Body& body) {
  try {
    return body();
  } catch (Error& error) {
    if (error.fault() == Fault::invalid && error.remedy() == kNoRemedy)
      error.set_way_out(swapped_inputs(version, node, inputs(), readings));
    throw;
  }
}

}  // namespace opref::run
