// SPDX-License-Identifier: Apache-2.0
// Between tensors of any numeric type and the four storages that hold them: float, double, int64_t, uint64_t.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/error.h"
#include "core/tensor.h"
#include "exact/rounding.h"

namespace opref::exact {

/// Calls f with a zero of the storage that holds every number of the type: float for float16, bfloat16 and float32,
/// double for float64, int64_t and uint64_t for integers of 8 to 64 bits. Other types are `unsupported`.
template <class F>
decltype(auto) with_storage(DType dtype, const F& f) {
  const DTypeInfo& type = info(dtype);
  if (dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float32) return f(float{});
  if (dtype == DType::float64) return f(double{});
  if (type.kind == Kind::signed_integer && type.bits >= 8) return f(std::int64_t{});
  if (type.kind == Kind::unsigned_integer && type.bits >= 8) return f(std::uint64_t{});
  fail(Fault::unsupported, "arithmetic on {} is not supported", dtype);
}

/// Calls f with a zero of the C++ type of float16, bfloat16, float32 or float64. Other types are `unsupported`.
template <class F>
decltype(auto) with_float(DType dtype, const F& f) {
  switch (dtype) {
    case DType::float16:
      return f(Half{});
    case DType::bfloat16:
      return f(BFloat16{});
    case DType::float32:
      return f(float{});
    case DType::float64:
      return f(double{});
    default:
      fail(Fault::unsupported, "arithmetic on {} is not supported", dtype);
  }
}

/// Calls f with a zero of the C++ type of the dtype's elements, which converts to its storage S.
template <class S, class F>
decltype(auto) with_element(DType dtype, const F& f) {
  if constexpr (std::is_same_v<S, float>) {
    if (dtype == DType::float16) return f(Half{});
    if (dtype == DType::bfloat16) return f(BFloat16{});
  } else if constexpr (std::is_integral_v<S>) {
    constexpr bool is_signed = std::is_signed_v<S>;
    const int bits = info(dtype).bits;
    if (bits == 8) return f(std::conditional_t<is_signed, std::int8_t, std::uint8_t>{});
    if (bits == 16) return f(std::conditional_t<is_signed, std::int16_t, std::uint16_t>{});
    if (bits == 32) return f(std::conditional_t<is_signed, std::int32_t, std::uint32_t>{});
  }
  return f(S{});
}

}  // namespace opref::exact
