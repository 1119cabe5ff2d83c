// SPDX-License-Identifier: Apache-2.0
// Which sizes of a case's inputs are symbols: those that arguments state, and those that a model leaves free.
#pragma once

#include <string>
#include <vector>

#include "run/bind.h"
#include "symbols/trial.h"

namespace opref::symbols {

using namespace run;

/// A symbol, with the first axis that it stands for.
struct NamedSymbol {
  std::string name, input;
  size_t axis;
};

struct OpenInputs {
  std::vector<NamedSymbol> symbols;  ///< in the order of their places; none: all sizes are numbers
  std::vector<OpenInput> inputs;
};

/// What arguments state with symbols, then what the graph leaves free of inputs that nothing is bound to: there a name
/// means what it means for an input that is given, or itself. "?" is the input's name and the axis: "x_0". These inputs
/// have types in `bound` from now on, with some sizes. Faults: `usage` for more than eight symbols; those of reading
/// files whose shapes say what a name means.
OpenInputs take_open_inputs(Bound& bound);

}  // namespace opref::symbols
