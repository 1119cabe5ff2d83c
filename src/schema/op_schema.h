// SPDX-License-Identifier: Apache-2.0
// What one version of an operator takes and gives: pure data, written as changes to the version before.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/attribute.h"
#include "schema/range.h"
#include "schema/types.h"

namespace opref::schema {

enum class DefaultStated : std::uint8_t { no, yes };  // whether the specification's page states a default

enum class Presence : std::uint8_t {
  required,
  optional,
  required_on_page,  ///< the page requires it; absent, the default is in force all the same
};

struct AttributeSchema {
  std::string_view name;
  AttributeType type;
  Presence presence;
  Range range = {};                                  ///< checked by `resolve`
  std::optional<AttributeValue> default_value = {};  ///< filled in where a node omits the attribute
  std::string_view default_text = {};  ///< where the default depends on the node: "1 along each spatial axis"
  DefaultStated default_stated = DefaultStated::yes;
};
AttributeSchema required(AttributeType type, std::string_view name, Range range = {});
/// Without a default, or with one that depends on the node.
AttributeSchema optional(AttributeType type, std::string_view name, Range range = {});
/// With one default for all nodes, which the page states.
AttributeSchema with_default(std::string_view name, AttributeValue value, Range range = {});
AttributeSchema with_default(std::string_view name, float value, Range range = {});
AttributeSchema with_default(std::string_view name, const char* value, Range range = {});
template <std::integral Int>
AttributeSchema with_default(std::string_view name, Int value, Range range = {}) {
  return with_default(name, AttributeValue::of(static_cast<std::int64_t>(value)), std::move(range));
}
using enum AttributeType;

/// How many inputs or outputs a formal parameter stands for. Those of a heterogeneous one may differ in type.
enum class Arity : std::uint8_t { single, optional, variadic, heterogeneous, heterogeneous_or_none };
/// "single", "optional", …
std::string_view name(Arity arity);
/// Whether it takes all that follow.
bool is_variadic(Arity arity);

struct FormalParameter {
  std::string_view name;
  std::string_view type;  ///< a type variable ("T1") or one dtype ("int64")
  Arity arity = Arity::single;
  std::string_view meaning = {};  ///< one short sentence, where the name does not say it
};

struct TypeConstraint {
  std::string_view variable;
  Types types;
  std::string_view sentence;  ///< the specification's; may be empty
};

/// Whether ONNX itself infers the shapes of this version.
enum class ShapeInference : std::uint8_t { none, onnx };

class OpSchema {
 public:
  // Building, in the order of the specification's page. Names and texts are literals: they outlive the schema.
  OpSchema& attribute(AttributeSchema attribute);
  OpSchema& input(std::string_view name, std::string_view type, Arity arity, std::string_view meaning = {});
  OpSchema& input(std::string_view name, std::string_view type, std::string_view meaning = {});
  OpSchema& output(std::string_view name, std::string_view type, Arity arity, std::string_view meaning = {});
  OpSchema& output(std::string_view name, std::string_view type, std::string_view meaning = {});
  /// What a type variable can be. Instead of what the version before said, if it had this variable.
  OpSchema& types(std::string_view variable, const Types& types, std::string_view sentence = {});
  /// What only the page's words change in this version, beyond what the data here show.
  OpSchema& wording(std::string_view sentence);
  /// A rule of the page that this version changes, which the data here do not show; "a slice is one axis; before, …".
  OpSchema& other_rule(std::string_view sentence);
  OpSchema& shape_inference(ShapeInference inference);
  /// The specification advises against this version; said of none but this.
  OpSchema& deprecate();
  // Changing what the version before said; naming what is not there is a bug.
  /// Nothing of it stays.
  OpSchema& anew();
  OpSchema& add_types(std::string_view variable, const Types& types);
  AttributeSchema& change(std::string_view attribute);
  /// An input or output, inputs before outputs.
  FormalParameter& change_parameter(std::string_view name);
  /// Removes the one attribute, input, output or type variable of this name.
  OpSchema& remove(std::string_view name);
  /// Gives an input or output, inputs before outputs, another name.
  OpSchema& rename(std::string_view name, std::string_view new_name);
  /// The attribute becomes an int64 input of the same name, after those that there are.
  OpSchema& becomes_input(std::string_view attribute, Arity arity = Arity::optional);

  std::int64_t since_version() const { return since_version_; }
  const std::vector<AttributeSchema>& attributes() const { return attributes_; }
  const std::vector<FormalParameter>& inputs() const { return inputs_; }
  const std::vector<FormalParameter>& outputs() const { return outputs_; }
  const std::vector<TypeConstraint>& constraints() const { return constraints_; }
  const std::vector<std::string_view>& wordings() const { return wordings_; }
  const std::vector<std::string_view>& other_rules() const { return other_rules_; }
  ShapeInference shape_inference() const { return shape_inference_; }
  bool is_deprecated() const { return is_deprecated_; }

  const AttributeSchema* find_attribute(std::string_view name) const;
  /// The types that a formal parameter may have.
  Types types_of(const FormalParameter& parameter) const { return types_of(parameter.type); }
  /// Of a type variable, or of one dtype.
  Types types_of(std::string_view type) const;
  size_t least_inputs() const;
  size_t most_inputs() const;  ///< SIZE_MAX with a variadic input
  size_t least_outputs() const;
  size_t most_outputs() const;
  /// The formal parameter of the actual input (or output) number `index`; a variadic one takes all that follow.
  static const FormalParameter& formal(const std::vector<FormalParameter>& parameters, size_t index);

 private:
  friend class Operator;
  std::int64_t since_version_ = 0;
  std::vector<AttributeSchema> attributes_;
  std::vector<FormalParameter> inputs_, outputs_;
  std::vector<TypeConstraint> constraints_;
  std::vector<std::string_view> wordings_, other_rules_;
  ShapeInference shape_inference_ = ShapeInference::onnx;
  bool is_deprecated_ = false;
};

/// What a version changes of the one before, for `Operator::version`.
using VersionChange = std::function<void(OpSchema&)>;
/// The type variable may also be one of these types.
VersionChange adds(std::string_view variable, const Types& types);
/// The same of each of several type variables.
VersionChange adds(std::initializer_list<std::string_view> variables, const Types& types);
/// The type variable may be one of these types, whatever it could be before.
VersionChange allows(std::string_view variable, const Types& types);
/// Only the page's words change.
VersionChange words(std::string_view sentence);
/// Only a rule changes: see OpSchema::other_rule.
VersionChange rules(std::string_view sentence);

}  // namespace opref::schema
