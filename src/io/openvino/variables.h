// SPDX-License-Identifier: Apache-2.0
// Variables inside bodies: what a ReadValue gives and an Assign stores there. Between the files of the OpenVINO reader;
// nothing else includes this.
//
// "ReadValue returns value from the corresponding variable if it was set already by Assign": in the body of a Loop or
// TensorIterator that is what the iteration before stored. So the ReadValue becomes an input of the body, a back edge
// comes to it from what the Assign takes, and its first value is one more input of the layer. The body of an If is
// evaluated once at most, so that its ReadValue gives the first value, as one of the net does.
#pragma once

#include <string>
#include <vector>

#include "io/openvino/net.h"
#include "schema/node.h"

namespace opref::io {

struct FirstValue {
  std::string variable;
  Initializer value;
};

struct CarriedVariable {
  size_t input, output;  ///< of the graph of the body: the last ones
  FirstValue first;
};

/// Makes inputs of the variables that the body of a Loop or TensorIterator reads and assigns. Fault: `unsupported` (the
/// first value of one is computed: it may be another one in each iteration).
std::vector<CarriedVariable> carry_variables(const XmlDocument& document, const Net& body, Graph& graph);

/// The order of what reads and writes a variable is known, in the net and in all bodies: one net or one body has all of
/// it, or each body of one If; and no loop goes around a loop that has it. Else `unsupported`.
void require_ordered_variables(const XmlDocument& document, pugi::xml_node root);

}  // namespace opref::io
