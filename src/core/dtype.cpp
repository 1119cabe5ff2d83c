// SPDX-License-Identifier: Apache-2.0
#include "core/dtype.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/letter_case.h"

namespace opref::core {
namespace {

// clang-format off
constexpr std::array kTypes = {
  //        dtype                    kind                     bits name               onnx               onnx_type         openvino precision npy
  DTypeInfo{DType::float32,          Kind::floating,          32, "float32",         "FLOAT",           "float",          "f32",    "FP32",   "<f4"},
  DTypeInfo{DType::uint8,            Kind::unsigned_integer,   8, "uint8",           "UINT8",           "uint8",          "u8",     "U8",     "|u1"},
  DTypeInfo{DType::int8,             Kind::signed_integer,     8, "int8",            "INT8",            "int8",           "i8",     "I8",     "|i1"},
  DTypeInfo{DType::uint16,           Kind::unsigned_integer,  16, "uint16",          "UINT16",          "uint16",         "u16",    "U16",    "<u2"},
  DTypeInfo{DType::int16,            Kind::signed_integer,    16, "int16",           "INT16",           "int16",          "i16",    "I16",    "<i2"},
  DTypeInfo{DType::int32,            Kind::signed_integer,    32, "int32",           "INT32",           "int32",          "i32",    "I32",    "<i4"},
  DTypeInfo{DType::int64,            Kind::signed_integer,    64, "int64",           "INT64",           "int64",          "i64",    "I64",    "<i8"},
  DTypeInfo{DType::string,           Kind::string,             0, "string",          "STRING",          "string",         "string", "STRING", ""},
  DTypeInfo{DType::boolean,          Kind::boolean,            8, "bool",            "BOOL",            "bool",           "boolean","BOOL",   "|b1"},
  DTypeInfo{DType::float16,          Kind::floating,          16, "float16",         "FLOAT16",         "float16",        "f16",    "FP16",   "<f2"},
  DTypeInfo{DType::float64,          Kind::floating,          64, "float64",         "DOUBLE",          "double",         "f64",    "FP64",   "<f8"},
  DTypeInfo{DType::uint32,           Kind::unsigned_integer,  32, "uint32",          "UINT32",          "uint32",         "u32",    "U32",    "<u4"},
  DTypeInfo{DType::uint64,           Kind::unsigned_integer,  64, "uint64",          "UINT64",          "uint64",         "u64",    "U64",    "<u8"},
  DTypeInfo{DType::complex64,        Kind::complex,           64, "complex64",       "COMPLEX64",       "complex64",      "",       "",       "<c8"},
  DTypeInfo{DType::complex128,       Kind::complex,          128, "complex128",      "COMPLEX128",      "complex128",     "",       "",       "<c16"},
  DTypeInfo{DType::bfloat16,         Kind::floating,          16, "bfloat16",        "BFLOAT16",        "bfloat16",       "bf16",   "BF16",   "<V2"},
  DTypeInfo{DType::float8_e4m3fn,    Kind::floating,           8, "float8_e4m3fn",   "FLOAT8E4M3FN",    "float8e4m3fn",   "f8e4m3", "F8E4M3", "<V1"},
  DTypeInfo{DType::float8_e4m3fnuz,  Kind::floating,           8, "float8_e4m3fnuz", "FLOAT8E4M3FNUZ",  "float8e4m3fnuz", "",       "",       "<V1"},
  DTypeInfo{DType::float8_e5m2,      Kind::floating,           8, "float8_e5m2",     "FLOAT8E5M2",      "float8e5m2",     "f8e5m2", "F8E5M2", "<V1"},
  DTypeInfo{DType::float8_e5m2fnuz,  Kind::floating,           8, "float8_e5m2fnuz", "FLOAT8E5M2FNUZ",  "float8e5m2fnuz", "",       "",       "<V1"},
  DTypeInfo{DType::uint4,            Kind::unsigned_integer,   4, "uint4",           "UINT4",           "uint4",          "u4",     "U4",     "<V1"},
  DTypeInfo{DType::int4,             Kind::signed_integer,     4, "int4",            "INT4",            "int4",           "i4",     "I4",     "<V1"},
  DTypeInfo{DType::float4_e2m1fn,    Kind::floating,           4, "float4_e2m1fn",   "FLOAT4E2M1",      "float4e2m1",     "f4e2m1", "F4E2M1", "<V1"},
  DTypeInfo{DType::float8_e8m0fnu,   Kind::floating,           8, "float8_e8m0fnu",  "FLOAT8E8M0",      "float8e8m0",     "f8e8m0", "F8E8M0", "<V1"},
  DTypeInfo{DType::uint2,            Kind::unsigned_integer,   2, "uint2",           "UINT2",           "uint2",          "u2",     "U2",     "<V1"},
  DTypeInfo{DType::int2,             Kind::signed_integer,     2, "int2",            "INT2",            "int2",           "",       "",       "<V1"},
  DTypeInfo{DType::float6_e2m3fn,    Kind::floating,           6, "float6_e2m3fn",   "FLOAT6E2M3",      "float6e2m3",     "",       "",       "<V1"},
  DTypeInfo{DType::float6_e3m2fn,    Kind::floating,           6, "float6_e3m2fn",   "FLOAT6E3M2",      "float6e3m2",     "",       "",       "<V1"},
  DTypeInfo{DType::uint1,            Kind::unsigned_integer,   1, "uint1",           "",                "",               "u1",     "U1",     "<V1"},
};
// clang-format on

constexpr bool in_onnx_order() {
  for (size_t i = 0; i < kTypes.size(); ++i)
    if (static_cast<size_t>(kTypes[i].dtype) != i + 1) return false;
  return true;
}
static_assert(in_onnx_order());

/// How people and other programs than ONNX call some of them.
using Alias = std::pair<std::string_view, DType>;
constexpr auto kAliases = std::to_array<Alias>({
    {"half", DType::float16},
    {"f16", DType::float16},
    {"f32", DType::float32},
    {"f64", DType::float64},
    {"fp16", DType::float16},
    {"fp32", DType::float32},
    {"fp64", DType::float64},
    {"bf16", DType::bfloat16},
    {"long", DType::int64},
    {"short", DType::int16},
    {"byte", DType::uint8},
});

/// Names that say too little, or other things in other programs.
struct Vague {
  std::string_view name, meant;
};
constexpr auto kVague = std::to_array<Vague>({
    {"int", "'int32' or 'int64'"},
    {"integer", "'int32' or 'int64'"},
    {"uint", "'uint32' or 'uint64'"},
    {"unsigned", "'uint32' or 'uint64'"},
    {"char", "'int8' or 'uint8'"},
    {"fp8", "'float8_e4m3fn' or 'float8_e5m2'"},
    {"float8", "'float8_e4m3fn' or 'float8_e5m2'"},
    {"fp4", "'float4_e2m1fn'"},
    {"float4", "'float4_e2m1fn'"},
    {"complex", "'complex64' or 'complex128'"},
});

}  // namespace

std::span<const DTypeInfo> all_dtypes() { return kTypes; }

std::span<const DTypeInfo> onnx_dtypes() {
  static_assert(kTypes[kTypes.size() - 2].onnx != "" && kTypes.back().onnx.empty());
  return std::span(kTypes).first(kTypes.size() - 1);
}

const DTypeInfo& info(DType dtype) { return kTypes[static_cast<size_t>(dtype) - 1]; }

std::string to_text(DType dtype) { return std::string(name(dtype)); }

std::optional<DType> dtype_named(std::string_view name) {
  const auto* found = std::ranges::find(kTypes, name, &DTypeInfo::name);
  if (found == kTypes.end()) return std::nullopt;
  return found->dtype;
}

std::optional<DType> dtype_meant(std::string_view name) {
  const auto* alias = std::ranges::find(kAliases, name, &Alias::first);
  if (alias != kAliases.end()) return alias->second;
  const auto in_onnx = std::ranges::find(onnx_dtypes(), name, &DTypeInfo::onnx_type);
  return in_onnx != onnx_dtypes().end() ? std::optional(in_onnx->dtype) : dtype_named(name);
}

std::string dtypes_near(std::string_view name, std::span<const std::string_view> onnx_types) {
  if (const size_t dot = name.rfind('.'); dot != std::string_view::npos && dtype_meant(name.substr(dot + 1)))
    return format(", did you mean '{}'?", name.substr(dot + 1));  // torch.float16
  const auto* vague = std::ranges::find(kVague, mapped_case(name, lower_case), &Vague::name);
  if (vague != kVague.end()) return format(", did you mean {}?", vague->meant);
  std::vector<std::string_view> names;
  for (const DTypeInfo& type : onnx_dtypes())
    if (onnx_types.empty() || std::ranges::count(onnx_types, type.onnx) > 0)
      names.insert(names.end(), {type.name, type.onnx_type});
  return did_you_mean(name, names);
}

DType parse_dtype(std::string_view name) {
  if (const auto dtype = dtype_meant(name)) return *dtype;
  const std::string meant = dtypes_near(name, {});
  const auto all = [] {
    return join_some(kTypes, ", ", SIZE_MAX, [](const DTypeInfo& type) { return std::string(type.name); });
  };
  fail(Fault::usage, meant.empty() ? WayOut(kKnownNames, all()) : WayOut(), "'{}' is not a dtype{}", printable(name),
       meant);
}

DType dtype_from_onnx(std::int64_t data_type) {
  if (data_type == 0) fail(Fault::malformed, "the tensor's data_type is UNDEFINED");
  if (data_type < 0 || data_type > std::ssize(onnx_dtypes()))
    fail(Fault::unsupported, "ONNX data type {} is not known", data_type);
  return static_cast<DType>(data_type);
}

std::int64_t onnx_number(DType dtype) {
  if (info(dtype).onnx.empty()) fail(Fault::unsupported, "ONNX has no type {}", dtype);
  return static_cast<std::int64_t>(dtype);
}

std::int64_t byte_size(DType dtype, std::int64_t count) {
  std::int64_t bits = 0;
  if (dtype == DType::string) {
    if (!__builtin_mul_overflow(count, static_cast<std::int64_t>(sizeof(std::string)), &bits)) return bits;
  } else if (!__builtin_mul_overflow(count, info(dtype).bits, &bits) && bits <= INT64_MAX - 7) {
    return (bits + 7) / 8;
  }
  fail(Fault::system, "{} elements of {} do not fit into this machine's memory", count, name(dtype));
}

}  // namespace opref::core
