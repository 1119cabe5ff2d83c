// SPDX-License-Identifier: Apache-2.0
// Rows of an operand's elements for loops over floats, doubles or integers: where they lie, if they lie there as such.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

#include "evaluators/elements.h"
#include "exact/row_conversions.h"

namespace opref::evaluators {

/// Whether the type is float32, or one of 8 or 16 bits that C++ has and float32 holds.
inline bool is_in_float32(DType dtype) {
  const DTypeInfo& type = info(dtype);
  if (type.kind == Kind::floating) return type.bits == 32 || type.bits == 16;
  return type.kind != Kind::complex && dtype != DType::string && (type.bits == 8 || type.bits == 16);
}
/// f(elements) of the C++ type of such elements.
template <class F>
void with_elements_in_float32(DType dtype, const std::byte* data, const F& f) {
  const bool is_signed = info(dtype).kind == Kind::signed_integer;
  const auto as = [&]<class T>(T) { f(reinterpret_cast<const T*>(data)); };
  if (dtype == DType::float32) return as(float{});
  if (dtype == DType::float16) return as(Half{});
  if (dtype == DType::bfloat16) return as(BFloat16{});
  if (info(dtype).bits == 8) return is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
  return is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
}

inline void read_row(const Elements& x, const Run& run, double* to) { x.numbers(run, to); }
inline void read_row(const Elements& x, const Run& run, std::uint64_t* to) {
  x.integers(run, reinterpret_cast<std::int64_t*>(to));
}
inline void read_row(const Elements& x, const Run& run, float* to) {
  with_elements_in_float32(x.dtype(), x.place(0).tensor, [&]<class T>(const T* all) {
    const T* from = all + run.from;
    if (run.step == 1) return exact::row_floats(from, static_cast<std::size_t>(run.count), to);
    if (run.step == 0) return exact::row_fill(static_cast<float>(from[0]), static_cast<std::size_t>(run.count), to);
    for (std::int64_t k = 0; k < run.count; ++k) to[k] = static_cast<float>(from[k * run.step]);
  });
}
/// Of integers or bool of just that many bits.
template <std::unsigned_integral Unit>
void read_row(const Elements& x, const Run& run, Unit* to) {
  const Unit* from = reinterpret_cast<const Unit*>(x.place(0).tensor) + run.from;
  for (std::int64_t k = 0; k < run.count; ++k) to[k] = from[k * run.step];
}
template <std::unsigned_integral Unit>
bool is_stored_as(DType dtype, Unit) {
  return info(dtype).kind != Kind::floating && info(dtype).bits == 8 * sizeof(Unit);
}
inline bool is_stored_as(DType dtype, float) { return dtype == DType::float32; }
inline bool is_stored_as(DType dtype, double) { return dtype == DType::float64; }
inline bool is_stored_as(DType dtype, std::uint64_t) { return dtype == DType::int64 || dtype == DType::uint64; }

/// The elements at positions i to i + n, run_at(i) being those from i on: where they lie, or in `room`. R is float (of
/// types that are in float32), double, uint64_t (of integers), or what stores such integers.
template <class R, class RunAt>
const R* row_of(const Elements& x, const RunAt& run_at, std::int64_t i, std::int64_t n, R* room) {
  for (std::int64_t k = 0; k < n;) {
    Run run = run_at(i + k);
    if (k == 0 && run.count >= n && run.step == 1 && is_stored_as(x.dtype(), R{}))
      return reinterpret_cast<const R*>(x.place(0).tensor) + run.from;
    run.count = std::min(run.count, n - k);
    read_row(x, run, room + k);
    k += run.count;
  }
  return room;
}

}  // namespace opref::evaluators
