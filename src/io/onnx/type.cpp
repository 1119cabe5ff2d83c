// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/type.h"

#include "core/error.h"
#include "core/map.h"

namespace opref::io {
namespace {

std::optional<DType> known_dtype(std::int64_t elem_type) {
  for (const DTypeInfo& type : onnx_dtypes())
    if (static_cast<std::int64_t>(type.dtype) == elem_type) return type.dtype;
  return std::nullopt;
}

std::string element_text(std::int64_t elem_type) {
  const std::optional<DType> dtype = known_dtype(elem_type);
  return dtype ? std::string(info(*dtype).onnx_type) : format("type {}", elem_type);
}

/// A list or optional of `element`, whose values have this form; without one they are none of opref's.
DeclaredType made_of(const DeclaredType& element, std::string_view pattern, std::optional<Form> form) {
  return {format(pattern, element.text), element.dtype ? form : std::nullopt, element.dtype, {}, element.key};
}

DeclaredDim decode_dim(const OnnxMessage& dim) {
  const bool has_size = dim.is_set("dim_value");
  return {has_size ? std::optional(dim.integral("dim_value")) : std::nullopt, std::string(dim.text("dim_param")),
          std::string(dim.text("denotation"))};
}

DeclaredType decode_tensor_type(const OnnxMessage& proto) {
  std::optional<std::vector<DeclaredDim>> dims;
  if (proto.is_set("shape")) {
    dims.emplace();
    for (const OnnxMessage& dim : proto.message("shape").messages("dim")) dims->push_back(decode_dim(dim));
  }
  return DeclaredType::tensor(proto.integral("elem_type"), std::move(dims));
}

}  // namespace

DeclaredType decode_type(const OnnxMessage& proto) {
  if (proto.is_set("tensor_type")) return decode_tensor_type(proto.message("tensor_type"));
  if (proto.is_set("sparse_tensor_type"))
    return DeclaredType::sparse_tensor(proto.message("sparse_tensor_type").integral("elem_type"));
  if (proto.is_set("sequence_type"))
    return DeclaredType::sequence(decode_type(proto.message("sequence_type").message("elem_type")));
  if (proto.is_set("optional_type"))
    return DeclaredType::optional(decode_type(proto.message("optional_type").message("elem_type")));
  if (proto.is_set("map_type")) {
    const OnnxMessage map = proto.message("map_type");
    return DeclaredType::map(map.integral("key_type"), decode_type(map.message("value_type")));
  }
  return proto.is_set("opaque_type") ? DeclaredType::opaque() : DeclaredType{};
}

ValueType stated_type(const DeclaredType& type) {
  if (!type.form || !type.dtype)
    fail(Fault::unsupported, "there are no values of type {}", type.text.empty() ? "nothing" : printable(type.text));
  return {*type.form, *type.dtype, type.key};
}

DeclaredType DeclaredType::tensor(std::int64_t elem_type, std::optional<std::vector<DeclaredDim>> dims) {
  return {format("tensor({})", element_text(elem_type)), Form::tensor, known_dtype(elem_type), std::move(dims)};
}

DeclaredType DeclaredType::sparse_tensor(std::int64_t elem_type) {
  return {format("sparse_tensor({})", element_text(elem_type))};
}

DeclaredType DeclaredType::sequence(const DeclaredType& element) {
  std::optional<Form> form;
  if (element.form == Form::tensor) form = Form::sequence;
  if (element.form == Form::map) form = Form::map_sequence;
  return made_of(element, "seq({})", form);
}

DeclaredType DeclaredType::optional(const DeclaredType& element) {
  std::optional<Form> form;
  if (element.form == Form::tensor) form = Form::optional;
  if (element.form == Form::sequence) form = Form::optional_sequence;
  return made_of(element, "optional({})", form);
}

DeclaredType DeclaredType::map(std::int64_t key_type, const DeclaredType& value) {
  const std::optional<DType> key = known_dtype(key_type);
  const bool is_known = key && is_key_type(*key) && value.form == Form::tensor;
  DeclaredType type = made_of(value, "{}", is_known ? std::optional(Form::map) : std::nullopt);
  type.text = format("map({},{})", element_text(key_type), value.text);
  if (is_known) type.key = *key;
  return type;
}

DeclaredType DeclaredType::opaque() { return {"opaque"}; }

ValueInfo value_info(std::string name, DeclaredType type) {
  if (!type.form) return {std::move(name), std::move(type.text), {}, {}};
  if (type.dims)
    for (DeclaredDim& dim : *type.dims)
      if (dim.size && *dim.size < 0) dim.size.reset();  // exporters write -1 for a size that they do not know
  return {std::move(name), "", type.dtype, std::move(type.dims), *type.form, type.key};
}

ValueInfo decode_value_info(const OnnxMessage& proto) {
  return value_info(std::string(proto.text("name")), decode_type(proto.message("type")));
}

}  // namespace opref::io
