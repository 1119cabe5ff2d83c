// SPDX-License-Identifier: Apache-2.0
// Nodes and graphs, as a file states them; nothing here has been checked against an operator.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/index.h"
#include "core/value_type.h"
#include "schema/attribute.h"

namespace opref::schema {

/// The newest opset of ai.onnx that the operators were written for (ONNX 1.23).
inline constexpr std::int64_t kNewestOpset = 28;

/// In a function's body: an attribute whose value is that of an attribute of the function.
struct AttributeReference {
  std::string name;                   ///< of the node's attribute
  std::string stands_for;             ///< the function's
  std::optional<AttributeType> type;  ///< as far as it is stated
};

struct Node {
  std::string op_type;
  std::string domain;  ///< "" is ai.onnx
  std::string name;    ///< may be empty
  std::vector<Attribute> attributes;
  std::vector<std::string> inputs;  ///< "" is an omitted optional input
  std::vector<std::string> outputs;
  std::vector<AttributeReference> references = {};
  std::string overload = {};  ///< of the function that it calls; may be empty
  /// The opset that the node itself states, as OpenVINO's layers do, instead of the graph's.
  std::optional<std::int64_t> opset = {};
  /// "Conv 'a', Relu 'b'": the nodes of another graph that it stands for, where its doc_string says "in place of …".
  std::string in_place_of = {};
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
  std::string type_text;                         ///< "sparse_tensor(float)": a type that opref has no values of
  std::optional<DType> dtype;                    ///< of the elements; nothing where not stated
  std::optional<std::vector<DeclaredDim>> dims;  ///< of a tensor; nothing where the rank is not stated
  Form form = Form::tensor;
  DType key = DType::int64;  ///< of maps
};

/// "float32[N,3,?]", "sequence of float32", "map(int64,float)", "sparse_tensor(float)", as far as it is declared.
std::string to_text(const ValueInfo& info);

/// Whether a value can have this type, as far as it is declared.
bool agrees(const ValueInfo& info, const ValueType& type);

/// A tensor that a subgraph holds. (Those of a case's graph are Case.inputs.)
struct Initializer {
  std::string name;
  std::variant<Tensor, SparseTensor, Opaque> value;  ///< a sparse one is sound (see dense_type)
};

struct Function;
class Operator;

/// What op_types mean to a graph: versions by domain ("" is ai.onnx; absent: not stated), functions and operators.
struct OpsetImport : std::map<std::string, std::int64_t, std::less<>> {
  using map::map;
  std::shared_ptr<const std::vector<Function>> functions = {};  ///< null: none
  /// Those of the graph's nodes, and of all in them, once bind has found them; a node of another one is looked up.
  std::vector<const Operator*> operators = {};
};

/// Another name by which a user may ask for a tensor, as far as none has it for its own.
struct TensorAlias {
  std::string name, tensor;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<ValueInfo> inputs;               ///< in order; of an ONNX model without those that are initializers
  std::vector<ValueInfo> outputs;              ///< in order
  std::vector<ValueInfo> declared;             ///< value_info of inner tensors
  OpsetImport opset_import;                    ///< a subgraph has none: the model's hold inside it
  std::vector<Initializer> initializers = {};  ///< of a subgraph
  std::vector<TensorAlias> aliases = {};
};

/// A function that a model defines: nodes call it as an operator, by domain, name and overload.
struct Function {
  std::string domain, name, overload;
  std::vector<std::string> attributes;  ///< those without a default
  std::vector<Attribute> defaults;      ///< those with one
  /// Inputs and outputs have names. It imports its own opsets, and calls the functions of whoever calls it.
  Graph body;
};

/// "custom.Scale", "custom.Scale (overload 'int')"
std::string to_text(const Function& function);

/// Deeper subgraphs are `malformed` where they are read: nobody means them, and each level takes stack.
inline constexpr int kDeepestGraph = 50;

/// The graph that an attribute is; null for all others.
const Graph* subgraph(const Attribute& attribute);

/// What a node reads: its inputs that are not omitted, and what its subgraphs read from around them.
std::set<std::string, std::less<>> names_read(const Node& node);

/// The function that the node calls; null where the model has none of its domain, name and overload.
const Function* find_function(const OpsetImport& imports, const Node& node);

/// What the graph declares of a tensor, or null.
const ValueInfo* declaration(const Graph& graph, std::string_view tensor);

/// "" for "ai.onnx", else the domain itself.
std::string_view canonical_domain(std::string_view domain);

}  // namespace opref::schema
