// SPDX-License-Identifier: Apache-2.0
#include "exact/results.h"

#include <cstring>

#include "core/error.h"
#include "exact/storage.h"

namespace opref::exact {
namespace {

bool has_type(DType dtype) { return is_rounded(dtype) && info(dtype).bits > 8; }

template <class T>
void store(T value, std::byte* element) {
  std::memcpy(element, &value, sizeof value);
}

/// The bits of the 8-bit element nearest to what `to_odd` stands for.
std::uint8_t small_bits(DType dtype, double to_odd) {
  if (std::isnan(to_odd)) return static_cast<std::uint8_t>(*nan_of(dtype));
  const double finite = std::isinf(to_odd) ? std::copysign(0x1p1000, to_odd) : to_odd;  // beyond all of them
  const Scaled parts = scaled(finite);
  return static_cast<std::uint8_t>(encode_bits(dtype, parts.negative, parts.significand, parts.exponent));
}

}  // namespace

bool is_rounded(DType dtype) { return info(dtype).kind == Kind::floating && info(dtype).bits >= 8; }

bool store_bracket(DType dtype, const Bracket& sum, std::byte* element) {
  if (!has_type(dtype)) {
    const std::uint8_t low = small_bits(dtype, sum.low_end());
    if (low != small_bits(dtype, sum.high_end())) return false;
    store(low, element);
    return true;
  }
  return with_float(dtype, [&]<class T>(T y) {
    if (!settle(sum, y)) return false;
    store(y, element);
    return true;
  });
}

void store_sum(DType dtype, ExactSum& sum, const Ratio& ratio, std::byte* element) {
  if (!has_type(dtype)) {
    const RoundedReal real = ratio.is_one() ? RoundedReal::of(sum) : scaled(sum, ratio);
    return store(small_bits(dtype, real.to_odd()), element);
  }
  with_float(dtype,
             [&]<class T>(T) { store(ratio.is_one() ? sum.round<T>() : scaled(sum, ratio).round<T>(), element); });
}

bool store_root(DType dtype, double sum, const Power& p, double relative, std::byte* element) {
  return with_float(dtype, [&]<class T>(T y) {
    if constexpr (!std::is_same_v<T, double>) {
      if (!settle_root(sum, p, relative, y)) return false;
      store(y, element);
      return true;
    }
    return false;
  });
}

void store_norm(DType dtype, std::span<const double> window, double p, const Ratio& scale, std::byte* element) {
  with_float(dtype, [&]<class T>(T) { store(lp_norm<T>(window, p, scale), element); });
}

}  // namespace opref::exact
