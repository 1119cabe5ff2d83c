// SPDX-License-Identifier: Apache-2.0
// The type of what an ONNX name can stand for.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "core/tensor.h"

namespace opref::core {

/// What a value makes of its elements: a tensor, a list of tensors, or one of these that may be absent; a value for
/// each of some keys, or a list of such maps.
enum class Form : std::uint8_t { tensor, sequence, optional, optional_sequence, map, map_sequence };
inline constexpr std::array kForms = {Form::tensor, Form::sequence,    Form::optional, Form::optional_sequence,
                                      Form::map,    Form::map_sequence};
constexpr bool is_of_maps(Form form) { return form >= Form::map; }

/// `tensor.dtype` is the elements' type in every form. Only tensors have a shape, and not where values decide it: then
/// the kernel finds it out, and `infer` says so.
struct ValueType {
  Form form = Form::tensor;
  TensorType tensor{DType::float32, {}};
  bool has_shape = true;
  DType key = DType::int64;  ///< of maps; the same of all others

  ValueType() = default;
  ValueType(const TensorType& type) : tensor(type) {}
  ValueType(DType dtype, const Dims& shape) : tensor{dtype, shape} {}
  ValueType(Form form_, DType dtype, DType key_ = DType::int64)
      : form(form_), tensor{dtype, {}}, has_shape(false), key(key_) {}
  /// A tensor whose shape the kernel finds out (NonZero).
  static ValueType of_unknown_shape(DType dtype) { return {Form::tensor, dtype}; }

  DType dtype() const { return tensor.dtype; }
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

/// A value, or none: asking for one that is not there is a `usage` error.
class MaybeValue {
 public:
  MaybeValue() = default;
  MaybeValue(Value value) : value_(std::move(value)) {}
  template <class T>
    requires(std::is_constructible_v<Value, T &&> && !std::is_same_v<std::remove_cvref_t<T>, Value>)
  MaybeValue(T&& value) : value_(std::forward<T>(value)) {}

  bool has_value() const { return value_.has_value(); }
  explicit operator bool() const { return has_value(); }
  const Value& operator*() const {
    if (!value_) is_missing();
    return *value_;
  }
  const Value* operator->() const { return &**this; }

 private:
  [[noreturn]] static void is_missing();

  std::optional<Value> value_;
};

/// Of an optional without an element the form is that of an optional tensor.
ValueType type_of(const Value& value);

/// The tensors that a value consists of; of a map its keys and its values.
TensorList tensors_in(const Value& value);
/// Bytes that they take; in a sequence also kSequenceElementBytes each.
std::int64_t byte_size(const Value& value);
/// Whether both have the same form, and tensors of the same types and bits; a sequence of one tensor is not that
/// tensor.
bool same_bits(const Value& a, const Value& b);

/// "float32[1,3]", "int64[decided by values]", "sequence of float32", "optional float32", "map(int64,float)",
/// "seq(map(string,double))": maps as ONNX writes them
std::string to_text(const ValueType& type);
/// The same without a shape: "float32".
std::string kind_text(const ValueType& type);
/// The type that kind_text or ONNX writes so: "map(int64,tensor(float))" too; nothing where it is none.
std::optional<ValueType> parse_kind(std::string_view text);
/// "", "sequence of ", "optional ", "optional sequence of "; of maps nothing stands before their type.
std::string_view prefix(Form form);

}  // namespace opref::core
