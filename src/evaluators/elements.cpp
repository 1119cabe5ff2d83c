// SPDX-License-Identifier: Apache-2.0
#include "evaluators/elements.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "exact/rows.h"

namespace opref::evaluators {
namespace {

template <class T>
void spread(const T* from, const Run& run, double* to) {
  for (std::int64_t k = 0; k < run.count; ++k) to[k] = widen(from[run.from + k * run.step]);
}
template <class T>
void widened(const std::byte* data, const Run& run, double* to) {
  constexpr std::int64_t kLeastForRows = 16;
  const T* from = reinterpret_cast<const T*>(data);
  if (run.count >= kLeastForRows)
    row_widen(from + run.from, run.step, static_cast<size_t>(run.count), to);
  else
    spread(from, run, to);
}
template <class T, class Number>
void spread_integers(const std::byte* data, const Run& run, std::int64_t less, Number* to) {
  const T* from = reinterpret_cast<const T*>(data) + run.from;
  for (std::int64_t k = 0; k < run.count; ++k)
    to[k] = static_cast<Number>(static_cast<std::int64_t>(from[k * run.step]) - less);
}

/// All numbers of an 8-bit floating type.
const std::array<double, 256>& small_numbers(DType dtype) {
  static std::array<std::array<double, 256>, 256> numbers;
  static std::array<std::once_flag, 256> known;
  const auto type = static_cast<size_t>(dtype);
  std::call_once(known[type], [&] {
    for (std::uint64_t bits = 0; bits < 256; ++bits) numbers[type][bits] = floating_value(dtype, bits);
  });
  return numbers[type];
}

}  // namespace

Elements::Elements(const Tensor& tensor, std::int64_t less)
    : bytes_(tensor.bytes()),
      data_(bytes_.data()),
      less_(less),
      dtype_(tensor.dtype()),
      is_floating_(info(tensor.dtype()).kind == Kind::floating),
      is_narrow_(is_floating_ && dtype_ != DType::float64),
      is_signed_(info(tensor.dtype()).kind == Kind::signed_integer),
      bits_(info(tensor.dtype()).bits) {}

double Elements::other_number(std::int64_t i) const {
  if (dtype_ == DType::float16) return widen(reinterpret_cast<const Half*>(data_)[i]);
  if (dtype_ == DType::bfloat16) return widen(reinterpret_cast<const BFloat16*>(data_)[i]);
  if (is_floating_) return floating_value(dtype_, bits_at(bytes_, bits_, i));
  const std::int64_t n = integer(i);
  return dtype_ == DType::uint64 ? static_cast<double>(static_cast<std::uint64_t>(n)) : static_cast<double>(n);
}

std::int64_t Elements::other_integer(std::int64_t i) const {
  if (dtype_ == DType::int32) return reinterpret_cast<const std::int32_t*>(data_)[i];
  const int unused = is_signed_ ? 64 - bits_ : 0;
  return static_cast<std::int64_t>(bits_at(bytes_, bits_, i) << unused) >> unused;
}

void Elements::numbers(const Run& run, double* to) const {
  if (run.step == 0) return void(std::fill_n(to, run.count, run.count > 0 ? number(run.from) : 0));
  if (dtype_ == DType::float32) return widened<float>(data_, run, to);
  if (dtype_ == DType::float64) return widened<double>(data_, run, to);
  if (dtype_ == DType::float16) return widened<Half>(data_, run, to);
  if (dtype_ == DType::bfloat16) return widened<BFloat16>(data_, run, to);
  if (dtype_ == DType::int8) return spread_integers<std::int8_t>(data_, run, less_, to);
  if (dtype_ == DType::uint8) return spread_integers<std::uint8_t>(data_, run, less_, to);
  if (dtype_ == DType::int32) return spread_integers<std::int32_t>(data_, run, less_, to);
  if (is_floating_ && bits_ == 8 && run.count > 16) {
    const std::array<double, 256>& numbers = small_numbers(dtype_);
    for (std::int64_t k = 0; k < run.count; ++k) to[k] = numbers[static_cast<size_t>(data_[run.from + k * run.step])];
    return;
  }
  for (std::int64_t k = 0; k < run.count; ++k) to[k] = number(run.from + k * run.step);
}

void Elements::integers(const Run& run, std::int64_t* to) const {
  switch (dtype_) {
    case DType::int8:
      return spread_integers<std::int8_t>(data_, run, less_, to);
    case DType::uint8:
      return spread_integers<std::uint8_t>(data_, run, less_, to);
    case DType::int32:
      return spread_integers<std::int32_t>(data_, run, less_, to);
    case DType::int64:
      return spread_integers<std::int64_t>(data_, run, less_, to);
    default:
      for (std::int64_t k = 0; k < run.count; ++k) to[k] = integer(run.from + k * run.step);
  }
}

}  // namespace opref::evaluators
