// Nodes and graphs, as a file states them; nothing here has been checked against an operator.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/index.h"
#include "spec/attribute.h"

namespace opref {

struct Node {
  std::string op_type;
  std::string domain;  ///< "" is ai.onnx
  std::string name;    ///< may be empty
  std::vector<Attribute> attributes;
  std::vector<std::string> inputs;  ///< "" is an omitted optional input
  std::vector<std::string> outputs;
};

/// "node 'pool1' (LpPool)", without the name where there is none.
std::string to_text(const Node& node);

/// One dimension of a value_info: a number, a symbol ("N") or nothing known.
struct DeclaredDim {
  std::optional<std::int64_t> size;
  std::string symbol;
  std::string denotation;  ///< "DATA_BATCH" …; may be empty
};

/// What a graph declares of a tensor name.
struct ValueInfo {
  std::string name;
  std::string type_text;                         ///< "seq(tensor(float))" where it is no tensor, else empty
  std::optional<DType> dtype;                    ///< nothing where not stated, or not a tensor
  std::optional<std::vector<DeclaredDim>> dims;  ///< nothing where the rank is not stated
};

/// "float32[N,3,?]", as far as it is declared.
std::string to_text(const ValueInfo& info);

/// Whether a tensor can have this type, as far as it is declared.
bool agrees(const ValueInfo& info, const TensorType& type);

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<ValueInfo> inputs;    ///< in order; of an ONNX model without those that are initializers
  std::vector<ValueInfo> outputs;   ///< in order
  std::vector<ValueInfo> declared;  ///< value_info of inner tensors
  std::map<std::string, std::int64_t, std::less<>> opset_import;  ///< by domain ("" is ai.onnx); absent: not stated
};

/// What the graph declares of a tensor, or null.
const ValueInfo* declaration(const Graph& graph, std::string_view tensor);

/// "" for "ai.onnx", else the domain itself.
std::string_view canonical_domain(std::string_view domain);

}  // namespace opref
