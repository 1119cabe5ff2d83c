// From what a user names as NODE to a case.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/case.h"

namespace opref {

struct NodeOptions {
  std::vector<std::string> attributes;  ///< "NAME=VALUE": added to the node, or instead of what the file states
  std::string node;                     ///< of several, this one; empty: all
  std::optional<std::int64_t> opset;    ///< instead of what the file states
};

/// NODE is a case folder, a JSON case, ONNX's protobuf-JSON, a model or node in protobuf, ONNX text, an OpenVINO IR or
/// layer, the name of an operator, or "-" for any of these on standard input; decided by content. One of several cases
/// in a JSON file is FILE#NAME (see JsonCase), or the only one for `opset`; a `usage` error says which there are.
Case read_case(const std::string& argument, std::optional<std::int64_t> opset = {});

/// Applies the options and names the graph's inputs and outputs: a JSON case and a bare operator take the
/// specification's names, all of them, until `drop_unbound_inputs`.
void prepare_case(Case& loaded, const NodeOptions& options);

/// Leaves out the optional inputs of a node named by its operator that nothing was bound to.
void drop_unbound_inputs(Case& loaded, const NodeOptions& options);

}  // namespace opref
