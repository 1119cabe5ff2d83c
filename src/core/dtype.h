// SPDX-License-Identifier: Apache-2.0
// Every element type of ONNX, in one table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/rooms.h"

namespace opref::core {

/// Element types. The values are those of ONNX's TensorProto.DataType; after them comes what only OpenVINO has.
enum class DType : std::uint8_t {
  float32 = 1,
  uint8,
  int8,
  uint16,
  int16,
  int32,
  int64,
  string,
  boolean,
  float16,
  float64,
  uint32,
  uint64,
  complex64,
  complex128,
  bfloat16,
  float8_e4m3fn,
  float8_e4m3fnuz,
  float8_e5m2,
  float8_e5m2fnuz,
  uint4,
  int4,
  float4_e2m1fn,
  float8_e8m0fnu,
  uint2,
  int2,
  float6_e2m3fn,
  float6_e3m2fn,
  uint1
};

enum class Kind : std::uint8_t { floating, signed_integer, unsigned_integer, boolean, complex, string };

struct DTypeInfo {
  DType dtype;
  Kind kind;
  int bits;  ///< per element; less than 8 are packed, lowest bits first (6: four in three bytes); string: 0
  std::string_view name;       ///< numpy's or ml_dtypes': "bfloat16". The name in JSON, messages and arguments.
  std::string_view onnx;       ///< TensorProto.DataType: "BFLOAT16"; empty where ONNX has none
  std::string_view onnx_type;  ///< in type constraints, tensor(…): "bfloat16", "double"; or empty
  std::string_view openvino;   ///< element_type: "bf16"; empty where OpenVINO has none
  std::string_view precision;  ///< of an OpenVINO <port>: "BF16"; empty where OpenVINO has none
  std::string_view npy;        ///< descr that numpy.save writes (little endian): "<V2"; empty: not storable
};

/// All types, in the order of their ONNX numbers.
std::span<const DTypeInfo> all_dtypes();
/// Those that ONNX has.
std::span<const DTypeInfo> onnx_dtypes();
const DTypeInfo& info(DType dtype);
inline std::string_view name(DType dtype) { return info(dtype).name; }
inline bool is_floating(DType dtype) { return info(dtype).kind == Kind::floating; }
/// Signed or unsigned; bool is none.
inline bool is_integer(DType dtype) {
  return info(dtype).kind == Kind::signed_integer || info(dtype).kind == Kind::unsigned_integer;
}
std::string to_text(DType dtype);

/// By numpy's or ml_dtypes' name ("float16", "bool", …); nothing if there is none.
std::optional<DType> dtype_named(std::string_view name);
/// The same as people write it: also by the names of other programs, "float", "double", "half", "f32", "fp16", "long" …
std::optional<DType> dtype_meant(std::string_view name);
/// What an unknown name may have meant: ", did you mean 'int32' or 'int64'?", or nothing;
/// of these ONNX names, where there are some.
std::string dtypes_near(std::string_view name, std::span<const std::string_view> onnx_types);
/// As dtype_meant, else a `usage` error that offers the nearest name.
DType parse_dtype(std::string_view name);
/// By ONNX's number, else an `unsupported` error (`malformed` for 0, UNDEFINED).
DType dtype_from_onnx(std::int64_t data_type);
/// Its number in ONNX; `unsupported` of what ONNX does not have.
std::int64_t onnx_number(DType dtype);

/// Bytes that `count` >= 0 elements take in a C-order array; packed types round up. Overflow is a `system` error.
std::int64_t byte_size(DType dtype, std::int64_t count);

}  // namespace opref::core
