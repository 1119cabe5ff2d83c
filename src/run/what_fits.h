// SPDX-License-Identifier: Apache-2.0
// What its operator would accept in place of what it refuses: the hint that a refused node gets.
#pragma once

#include <span>

#include "core/error.h"
#include "schema/node.h"
#include "schema/resolve.h"

namespace opref::run {

/// A change of one kind with which the node's operator accepts it, else kNoRemedy. The kinds, in this order: two inputs
/// in each other's place ("X and W"), a number for each axis ("kernel_shape=3,3"), an attribute that is a size of an
/// input ("hidden_size=8"), a list along another axis ("B as [3,1,1]"), a matrix transposed, one input of another type.
/// Nodes with subgraphs and calls of functions are not looked at: their types need what they evaluate.
WayOut what_fits(const Version& version, const Node& node, std::span<const Input> inputs,
                 const ReadingChoices& readings);

/// Runs `body`; an `invalid` error without a way out that leaves it gets what_fits of `inputs()` as its way out.
template <class Inputs, class Body>
decltype(auto) with_what_fits(const Version& version, const Node& node, const Inputs& inputs,
                              const ReadingChoices& readings, const Body& body) {
  try {
    return body();
  } catch (Error& error) {
    if (error.fault() == Fault::invalid && error.remedy() == kNoRemedy)
      error.set_way_out(what_fits(version, node, inputs(), readings));
    throw;
  }
}

}  // namespace opref::run
