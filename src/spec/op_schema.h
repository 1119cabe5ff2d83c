// What one version of an operator takes and gives: pure data, written as changes to the version before.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "spec/attribute.h"

namespace opref {

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
  std::string_view range;                            ///< "> 0"; the values that output_types accepts
  std::optional<AttributeValue> default_value = {};  ///< filled in where a node omits the attribute
  std::string_view default_text = {};  ///< where the default depends on the node: "1 along each spatial axis"
  DefaultStated default_stated = DefaultStated::yes;
};

/// An optional attribute with one default for all nodes, which the page states.
inline AttributeSchema with_default(std::string_view name, std::string_view range, AttributeValue value) {
  const AttributeType type = value.type;
  return {name, type, Presence::optional, range, std::move(value)};
}

enum class Arity : std::uint8_t { single, optional, variadic };

struct FormalParameter {
  std::string_view name;
  std::string_view type;     ///< a type variable ("T1") or one dtype's ONNX type ("tensor(int64)")
  std::string_view meaning;  ///< one short sentence
  Arity arity = Arity::single;
};

struct TypeConstraint {
  std::string_view variable;
  std::vector<DType> types;
  std::string_view sentence;  ///< the specification's
};

/// Whether ONNX itself infers the shapes of this version.
enum class ShapeInference : std::uint8_t { none, onnx };

class OpSchema {
 public:
  // Building, in the order of the specification's page. Names and texts are literals: they outlive the schema.
  OpSchema& attribute(AttributeSchema attribute);
  OpSchema& input(FormalParameter parameter);
  OpSchema& output(FormalParameter parameter);
  OpSchema& constraint(std::string_view variable, std::vector<DType> types, std::string_view sentence);
  /// What only the page's words change in this version, beyond what the data here show.
  OpSchema& wording(std::string_view sentence);
  OpSchema& shape_inference(ShapeInference inference);
  // Changing what the version before said; naming what is not there is a bug.
  AttributeSchema& change_attribute(std::string_view name);
  OpSchema& add_types(std::string_view variable, const std::vector<DType>& types);

  std::int64_t since_version() const { return since_version_; }
  const std::vector<AttributeSchema>& attributes() const { return attributes_; }
  const std::vector<FormalParameter>& inputs() const { return inputs_; }
  const std::vector<FormalParameter>& outputs() const { return outputs_; }
  const std::vector<TypeConstraint>& constraints() const { return constraints_; }
  const std::vector<std::string_view>& wordings() const { return wordings_; }
  ShapeInference shape_inference() const { return shape_inference_; }

  const AttributeSchema* find_attribute(std::string_view name) const;
  /// The types that a formal parameter may have.
  std::vector<DType> types_of(const FormalParameter& parameter) const;
  size_t least_inputs() const;
  size_t most_inputs() const;  ///< SIZE_MAX with a variadic input
  /// The formal parameter of the actual input (or output) number `index`; a variadic one takes all that follow.
  static const FormalParameter& formal(const std::vector<FormalParameter>& parameters, size_t index);

 private:
  friend class Operator;
  std::int64_t since_version_ = 0;
  std::vector<AttributeSchema> attributes_;
  std::vector<FormalParameter> inputs_, outputs_;
  std::vector<TypeConstraint> constraints_;
  std::vector<std::string_view> wordings_;
  ShapeInference shape_inference_ = ShapeInference::onnx;
};

}  // namespace opref
