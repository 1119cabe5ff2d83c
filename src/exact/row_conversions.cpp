// SPDX-License-Identifier: Apache-2.0
#include "exact/row_conversions.h"

#include <cmath>
#include <type_traits>

#include "exact/row_elements.h"

namespace opref::exact {
namespace {

OPREF_INLINE float vector_widen(std::int8_t x) { return x; }
OPREF_INLINE float vector_widen(std::uint8_t x) { return x; }
OPREF_INLINE float vector_widen(std::int16_t x) { return x; }
OPREF_INLINE float vector_widen(std::uint16_t x) { return x; }
using exact::vector_widen;

constexpr std::uint32_t kMagnitude = 0x7fffffff, kInfinity = 0x7f800000, kQuietNan = 0x7fc00000;

/// The float of which a narrower T is nearest that is nearest to x: its last place is odd where something is lost.
OPREF_INLINE float to_odd(float x) { return x; }
OPREF_INLINE float to_odd(double x) {
  const auto near = static_cast<float>(x);
  const auto bits = std::bit_cast<std::uint32_t>(near);
  const double back = static_cast<double>(near);
  const std::uint32_t nearer_zero = std::abs(back) > std::abs(x) ? ~std::uint32_t{0} : 1;
  const std::uint32_t step = back == x ? 0 : nearer_zero, kept = (bits & 1) != 0 ? 0 : step;
  return std::bit_cast<float>(x == x ? bits + kept : kQuietNan);
}
/// 4|x|, infinite from 2^16 on, and a power of two whose sum with it has the last place of a Half nearest to x: 2^15
/// times x's own power, of tiny ones that of 2^-14.
struct HalfParts {
  float size, power, sum;
};
OPREF_INLINE HalfParts half_parts(float x) {
  const std::uint32_t field = std::bit_cast<std::uint32_t>(x) & kInfinity, least = 113U << 23;
  const float power = std::bit_cast<float>((field < least ? least : field) + (15U << 23));
  const float size = (std::abs(x) * 0x1p112F) * 0x1p-110F;
  return {size, power, power + size};
}
/// Ties to even, by that sum.
OPREF_INLINE Half narrowed(float x, Half) {
  const auto bits = std::bit_cast<std::uint32_t>(x), sum = std::bit_cast<std::uint32_t>(half_parts(x).sum);
  const std::uint32_t size = ((sum >> 13) & 0x7c00) + (sum & 0xfff), sign = bits >> 16 & 0x8000;
  return {static_cast<std::uint16_t>((bits & kMagnitude) > kInfinity ? 0x7e00 : size | sign)};
}
OPREF_INLINE BFloat16 narrowed(float x, BFloat16) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return {static_cast<std::uint16_t>((bits & kMagnitude) > kInfinity ? kQuietNan >> 16 : rounded)};
}
OPREF_INLINE float narrowed(float x, float) { return x == x ? x : std::bit_cast<float>(kQuietNan); }
/// Whether x lies half-way between two neighbours.
OPREF_INLINE std::int32_t is_midpoint(float x, BFloat16) {
  return (std::bit_cast<std::uint32_t>(x) & 0xffff) == 0x8000 ? 1 : 0;
}
OPREF_INLINE std::int32_t is_midpoint(float x, Half) {
  const HalfParts p = half_parts(x);
  return std::abs(p.size - (p.sum - p.power)) == p.power * 0x1p-24F ? 1 : 0;
}

template <class T>
OPREF_CLONES void floats_loop(const T* __restrict x, std::size_t n, float* __restrict to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = vector_widen(x[i]);
}
template <class From, class T>
OPREF_CLONES void nearest_loop(const From* __restrict x, std::size_t n, T* __restrict to) {
  for (std::size_t i = 0; i < n; ++i)
    if constexpr (std::is_same_v<T, float>)
      to[i] = narrowed(static_cast<float>(x[i]), T{});
    else
      to[i] = narrowed(to_odd(x[i]), T{});
}
/// Whether there is a midpoint.
template <class T>
OPREF_CLONES std::int32_t narrow_loop(const float* __restrict x, std::size_t n, T* __restrict to) {
  std::int32_t any = 0;
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = narrowed(x[i], T{});
    any |= is_midpoint(x[i], T{});
  }
  return any;
}
OPREF_CLONES std::size_t count_loop(const std::int32_t* doubts, std::size_t n) {
  std::int32_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += doubts[i];
  return static_cast<std::size_t>(count);
}
template <class T>
OPREF_CLONES std::size_t midpoints_loop(const float* __restrict x, const std::int32_t* is_inexact, std::size_t n,
                                        std::int32_t* doubts) {
  std::int32_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t doubt = doubts[i] | (is_midpoint(x[i], T{}) & is_inexact[i]);
    doubts[i] = doubt, count += doubt;
  }
  return static_cast<std::size_t>(count);
}
template <class T>
OPREF_CLONES void clamped_loop(const float* __restrict x, std::size_t n, float of_nan, T* __restrict to) {
  constexpr float kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
  for (std::size_t i = 0; i < n; ++i) {
    const float above = x[i] < kLeast ? kLeast : x[i], within = above > kMost ? kMost : above;
    to[i] = static_cast<T>(static_cast<std::int32_t>(within == within ? within : of_nan));
  }
}
template <class T>
OPREF_CLONES void truncated_loop(const float* __restrict x, std::size_t n, T* __restrict to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<T>(static_cast<std::int32_t>(x[i]));
}
template <class T>
OPREF_CLONES void chosen_loop(const std::uint8_t* __restrict condition, const T* __restrict a, const T* __restrict b,
                              std::size_t n, T* __restrict to) {
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const T of_a = a[i], of_b = b[i];
    to[i] = condition[i] != 0 ? of_a : of_b;
  }
}

OPREF_CLONES void fill_loop(float x, std::size_t n, float* __restrict to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = x;
}
OPREF_CLONES void truths_loop(const float* __restrict x, std::size_t n, std::uint8_t* __restrict to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = x[i] != 0 ? 1 : 0;
}

}  // namespace

void row_fill(float x, std::size_t n, float* to) { fill_loop(x, n, to); }

template <class T>
void row_floats(const T* x, std::size_t n, float* to) {
  floats_loop(x, n, to);
}
template void row_floats(const Half*, std::size_t, float*);
template void row_floats(const BFloat16*, std::size_t, float*);
template void row_floats(const float*, std::size_t, float*);
template void row_floats(const std::int8_t*, std::size_t, float*);
template void row_floats(const std::uint8_t*, std::size_t, float*);
template void row_floats(const std::int16_t*, std::size_t, float*);
template void row_floats(const std::uint16_t*, std::size_t, float*);

template <class From, class T>
void row_nearest(const From* x, std::size_t n, T* to) {
  nearest_loop(x, n, to);
}
template void row_nearest(const float*, std::size_t, float*);
template void row_nearest(const float*, std::size_t, Half*);
template void row_nearest(const float*, std::size_t, BFloat16*);
template void row_nearest(const double*, std::size_t, float*);
template void row_nearest(const double*, std::size_t, Half*);
template void row_nearest(const double*, std::size_t, BFloat16*);

template <class T>
std::size_t row_nearest_of_rounded(const float* x, const std::int32_t* is_inexact, std::size_t n, T* to,
                                   std::int32_t* doubts) {
  return narrow_loop(x, n, to) == 0 ? count_loop(doubts, n) : midpoints_loop<T>(x, is_inexact, n, doubts);
}
template std::size_t row_nearest_of_rounded(const float*, const std::int32_t*, std::size_t, Half*, std::int32_t*);
template std::size_t row_nearest_of_rounded(const float*, const std::int32_t*, std::size_t, BFloat16*, std::int32_t*);

template <class T>
void row_clamped(const float* x, std::size_t n, float of_nan, T* to) {
  clamped_loop(x, n, of_nan, to);
}
template void row_clamped(const float*, std::size_t, float, std::int8_t*);
template void row_clamped(const float*, std::size_t, float, std::uint8_t*);
template void row_clamped(const float*, std::size_t, float, std::int16_t*);
template void row_clamped(const float*, std::size_t, float, std::uint16_t*);

template <class T>
void row_truncated(const float* x, std::size_t n, T* to) {
  truncated_loop(x, n, to);
}
template void row_truncated(const float*, std::size_t, std::uint8_t*);
template void row_truncated(const float*, std::size_t, std::uint16_t*);
template void row_truncated(const float*, std::size_t, std::uint32_t*);
template void row_truncated(const float*, std::size_t, std::uint64_t*);

void row_truths(const float* x, std::size_t n, std::uint8_t* to) { truths_loop(x, n, to); }

template <class T>
void row_chosen(const std::uint8_t* condition, const T* a, const T* b, std::size_t n, T* to) {
  chosen_loop(condition, a, b, n, to);
}
template void row_chosen(const std::uint8_t*, const std::uint8_t*, const std::uint8_t*, std::size_t, std::uint8_t*);
template void row_chosen(const std::uint8_t*, const std::uint16_t*, const std::uint16_t*, std::size_t, std::uint16_t*);
template void row_chosen(const std::uint8_t*, const std::uint32_t*, const std::uint32_t*, std::size_t, std::uint32_t*);
template void row_chosen(const std::uint8_t*, const std::uint64_t*, const std::uint64_t*, std::size_t, std::uint64_t*);

}  // namespace opref::exact
