#include "spec/op_schema.h"

#include <algorithm>

#include "core/error.h"

namespace opref {

OpSchema& OpSchema::attribute(AttributeSchema attribute) {
  attributes_.push_back(std::move(attribute));
  return *this;
}

OpSchema& OpSchema::input(FormalParameter parameter) {
  inputs_.push_back(parameter);
  return *this;
}

OpSchema& OpSchema::output(FormalParameter parameter) {
  outputs_.push_back(parameter);
  return *this;
}

OpSchema& OpSchema::constraint(std::string_view variable, std::vector<DType> types, std::string_view sentence) {
  constraints_.push_back({variable, std::move(types), sentence});
  return *this;
}

OpSchema& OpSchema::wording(std::string_view sentence) {
  wordings_.push_back(sentence);
  return *this;
}

OpSchema& OpSchema::shape_inference(ShapeInference inference) {
  shape_inference_ = inference;
  return *this;
}

AttributeSchema& OpSchema::change_attribute(std::string_view name) {
  const auto found = std::ranges::find(attributes_, name, &AttributeSchema::name);
  if (found == attributes_.end())
    fail(Fault::internal, "no attribute '{}' to change in version {}", name, since_version_);
  return *found;
}

OpSchema& OpSchema::add_types(std::string_view variable, const std::vector<DType>& types) {
  const auto found = std::ranges::find(constraints_, variable, &TypeConstraint::variable);
  if (found == constraints_.end())
    fail(Fault::internal, "no type variable '{}' in version {}", variable, since_version_);
  found->types.insert(found->types.end(), types.begin(), types.end());
  return *this;
}

const AttributeSchema* OpSchema::find_attribute(std::string_view name) const {
  const auto found = std::ranges::find(attributes_, name, &AttributeSchema::name);
  return found == attributes_.end() ? nullptr : &*found;
}

std::vector<DType> OpSchema::types_of(const FormalParameter& parameter) const {
  const auto found = std::ranges::find(constraints_, parameter.type, &TypeConstraint::variable);
  if (found != constraints_.end()) return found->types;
  for (const DTypeInfo& type : all_dtypes())
    if (parameter.type == format("tensor({})", type.onnx_type)) return {type.dtype};
  fail(Fault::internal, "'{}' of '{}' is neither a type variable nor a type", parameter.type, parameter.name);
}

size_t OpSchema::least_inputs() const {
  size_t least = 0;
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].arity != Arity::optional) least = i + 1;
  return least;
}

size_t OpSchema::most_inputs() const {
  return !inputs_.empty() && inputs_.back().arity == Arity::variadic ? SIZE_MAX : inputs_.size();
}

const FormalParameter& OpSchema::formal(const std::vector<FormalParameter>& parameters, size_t index) {
  return parameters[std::min(index, parameters.size() - 1)];
}

}  // namespace opref
