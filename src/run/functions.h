// SPDX-License-Identifier: Apache-2.0
// Functions that a model defines, as operators.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schema/node.h"
#include "schema/operator.h"
#include "schema/resolve.h"

namespace opref::run {

/// The reading by which an operator is meant where the model has a function of its name.
inline constexpr std::string_view kFunctionPrecedence = "function.precedence";
/// Of a reading that is no operator's: its alternatives, the default first.
inline constexpr std::array<std::string_view, 2> kPrecedences = {"function", "operator"};

/// As find_function; null too where the operator of the same name is chosen instead.
const Function* called_function(const OpsetImport& imports, const Node& node, const ReadingChoices& choices);

/// What evaluates the body of a function, for the operator that it is.
class FunctionSubgraphs : public Subgraphs {
 public:
  /// Of the outputs of the body, of the node's own inputs.
  virtual std::vector<ValueType> body_types() const = 0;
  virtual std::vector<Value> body_values() const = 0;
};

/// A function as an operator of one version, for one node. Inputs and outputs may be of any type and may be omitted;
/// attributes have the types of their defaults, or those that the body takes.
class FunctionOperator {
 public:
  /// `imports` are those of the graph that calls it.
  FunctionOperator(const Function& function, const Node& node, const OpsetImport& imports);

  const Function& function() const { return function_; }
  /// Those that rule the body: the function's own, or where it has none those of whoever calls it.
  const OpsetImport& imports() const { return imports_; }
  Version version() const { return {op_, op_.versions().front(), opset_}; }
  /// The body for a call: attributes that stand for the function's have their values, or are left out where these have
  /// none; inputs that the node omits are omitted inside.
  std::shared_ptr<const Graph> body(const Call& call) const;
  /// "the function imports opset 12 of ai.onnx, the model 13, which has another version of Clip": ONNX's checker
  /// refuses that; nothing where all versions are the same.
  std::optional<std::string> other_versions(const OpsetImport& around) const;

 private:
  const Function& function_;  // kept by imports_
  OpsetImport imports_;
  std::int64_t opset_;
  Operator op_;
};

/// The type of a function's attribute: that of its default, or what the nodes of its body take where it stands; nothing
/// where it stands nowhere.
std::optional<AttributeType> attribute_type(const Function& function, std::string_view attribute,
                                            const OpsetImport& imports);

}  // namespace opref::run
