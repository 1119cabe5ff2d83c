// SPDX-License-Identifier: Apache-2.0
// Sets of element types, by the names that versions use.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/value_type.h"

namespace opref::schema {

/// A set of types: which elements, in which form. Without a word about the form they are those of tensors.
class Types {
 public:
  constexpr Types() = default;
  constexpr Types(std::initializer_list<DType> dtypes) {
    for (const DType dtype : dtypes) sets_[0] |= bit(dtype);
  }
  constexpr Types(DType dtype) : Types({dtype}) {}

  /// Maps have keys of type int64 or string.
  constexpr bool contains(DType dtype, Form form = Form::tensor, DType key = DType::int64) const {
    return is_known_key(key) && (sets_[place(form, key)] & bit(dtype)) != 0;
  }
  bool contains(const ValueType& type) const { return contains(type.dtype(), type.form, type.key); }
  constexpr bool empty() const { return *this == Types(); }
  /// The element types of tensors, in another form.
  constexpr Types as(Form form, DType key = DType::int64) const {
    Types types;
    types.sets_[place(form, key)] = sets_[0];
    return types;
  }
  /// Those of one form as a reader expects them: floats, integers, bool, string, complex, packed and 8-bit ones.
  std::vector<DType> dtypes(Form form = Form::tensor, DType key = DType::int64) const;

  friend constexpr Types operator|(Types a, const Types& b) {
    for (size_t form = 0; form < a.sets_.size(); ++form) a.sets_[form] |= b.sets_[form];
    return a;
  }
  friend constexpr Types operator-(Types a, const Types& b) {
    for (size_t form = 0; form < a.sets_.size(); ++form) a.sets_[form] &= ~b.sets_[form];
    return a;
  }
  friend constexpr bool operator==(const Types&, const Types&) = default;

 private:
  static constexpr std::uint32_t bit(DType dtype) { return std::uint32_t{1} << static_cast<int>(dtype); }
  static constexpr bool is_known_key(DType key) { return key == DType::int64 || key == DType::string; }
  static constexpr size_t place(Form form, DType key) {
    return static_cast<size_t>(form) + (is_of_maps(form) && key == DType::string ? 2 : 0);
  }

  std::array<std::uint32_t, kForms.size() + 2> sets_{};  // by Form, then maps of strings; a bit per dtype
};

/// "float32", "sequence of float32", "optional float32", "map(int64,float)": one text per type.
std::vector<std::string> names(const Types& types);
/// Such names as a sentence lists them: "float32, int8; sequence of float32, int8".
std::string listed(const std::vector<std::string>& names);
std::string to_text(const Types& types);

constexpr Types sequences(const Types& types) { return types.as(Form::sequence); }
constexpr Types optional_tensors(const Types& types) { return types.as(Form::optional); }
constexpr Types optionals(const Types& types) { return types.as(Form::optional) | types.as(Form::optional_sequence); }
/// Maps of elements of these types, with keys of type int64 or string.
constexpr Types maps(DType key, const Types& types) { return types.as(Form::map, key); }
constexpr Types map_sequences(DType key, const Types& types) { return types.as(Form::map_sequence, key); }

/// The sets that ONNX's pages use most.
namespace types {
inline constexpr Types floats{DType::float16, DType::float32, DType::float64};
inline constexpr Types signed_wide{DType::int32, DType::int64}, unsigned_wide{DType::uint32, DType::uint64};
inline constexpr Types wide = signed_wide | unsigned_wide;
inline constexpr Types narrow{DType::int8, DType::int16, DType::uint8, DType::uint16};
inline constexpr Types integers = wide | narrow, numbers = floats | integers;
inline constexpr Types complexes{DType::complex64, DType::complex128};
/// ONNX's all_tensor_types.
inline constexpr Types basic = numbers | complexes | Types{DType::boolean, DType::string};
inline constexpr Types float8{DType::float8_e4m3fn, DType::float8_e4m3fnuz, DType::float8_e5m2, DType::float8_e5m2fnuz};
inline constexpr Types int4s{DType::int4, DType::uint4}, int2s{DType::int2, DType::uint2};
inline constexpr Types float6s{DType::float6_e2m3fn, DType::float6_e3m2fn};
// ONNX's all_tensor_types_ir4 …: what each revision of the file format brought.
inline constexpr Types ir4 = basic | DType::bfloat16, ir9 = ir4 | float8, ir10 = ir9 | int4s;
inline constexpr Types ir11 = ir10 | DType::float4_e2m1fn, ir12 = ir11 | DType::float8_e8m0fnu, ir13 = ir12 | int2s;
inline constexpr Types ir14 = ir13 | float6s;
}  // namespace types

}  // namespace opref::schema
