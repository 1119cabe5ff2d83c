// SPDX-License-Identifier: Apache-2.0
#include "fast/integer_dots.h"

#include <limits>

#include "exact/vector.h"

namespace opref::fast {
namespace {

// A reduction that compilers know as a dot product (pmaddwd and its successors).
OPREF_INLINE void dots(const std::int16_t* __restrict a, const std::int16_t* __restrict b, std::size_t K,
                       std::size_t step, std::int32_t* __restrict sums, std::size_t row) {
  const std::int16_t *a1 = a + step, *a2 = a1 + step, *a3 = a2 + step, *b1 = b + step, *b2 = b1 + step, *b3 = b2 + step;
  std::int32_t s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0;
  std::int32_t s20 = 0, s21 = 0, s22 = 0, s23 = 0, s30 = 0, s31 = 0, s32 = 0, s33 = 0;
  for (std::size_t k = 0; k < K; ++k) {
    const std::int32_t x0 = a[k], x1 = a1[k], x2 = a2[k], x3 = a3[k];
    s00 += x0 * b[k], s01 += x0 * b1[k], s02 += x0 * b2[k], s03 += x0 * b3[k];
    s10 += x1 * b[k], s11 += x1 * b1[k], s12 += x1 * b2[k], s13 += x1 * b3[k];
    s20 += x2 * b[k], s21 += x2 * b1[k], s22 += x2 * b2[k], s23 += x2 * b3[k];
    s30 += x3 * b[k], s31 += x3 * b1[k], s32 += x3 * b2[k], s33 += x3 * b3[k];
  }
  sums[0] = s00, sums[1] = s01, sums[2] = s02, sums[3] = s03, sums += row;
  sums[0] = s10, sums[1] = s11, sums[2] = s12, sums[3] = s13, sums += row;
  sums[0] = s20, sums[1] = s21, sums[2] = s22, sums[3] = s23, sums += row;
  sums[0] = s30, sums[1] = s31, sums[2] = s32, sums[3] = s33;
}

#if OPREF_HAS_CLONES
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]] void dots_vnni(const std::int16_t* a,
                                                                                const std::int16_t* b, std::size_t K,
                                                                                std::size_t step, std::int32_t* sums,
                                                                                std::size_t row) {
  dots(a, b, K, step, sums, row);
}
const bool has_vnni = vector_instructions() == "avx512" && __builtin_cpu_supports("avx512vnni") != 0;
#endif
OPREF_CLONES void dots_loop(const std::int16_t* a, const std::int16_t* b, std::size_t K, std::size_t step,
                            std::int32_t* sums, std::size_t row) {
  dots(a, b, K, step, sums, row);
}

template <class T>
OPREF_INLINE void less(const T* __restrict x, std::int64_t step, std::int64_t zero, std::size_t n,
                       std::int16_t* __restrict to) {
  const auto count = static_cast<std::int64_t>(n);
  const auto off = static_cast<std::int16_t>(zero);
  if (step == 1)
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<std::int16_t>(x[i] - off);
  else
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<std::int16_t>(x[i * step] - off);
}
OPREF_CLONES void less_loop(const std::int8_t* x, std::int64_t step, std::int64_t zero, std::size_t n,
                            std::int16_t* to) {
  less(x, step, zero, n, to);
}
OPREF_CLONES void less_loop(const std::uint8_t* x, std::int64_t step, std::int64_t zero, std::size_t n,
                            std::int16_t* to) {
  less(x, step, zero, n, to);
}

// With a = scale·scales[i], s·a = p + e exactly; r is an integer near p/divisor, at most one beside the nearest. It is
// moved by the signs of s·a - (r ± 1/2)·divisor: a half has 11 bits, the divisor 24, so their product is exact. p less
// that is exact where they are near each other, and else larger than e. Beyond ±1024 all integers saturate.
template <class T>
OPREF_INLINE void requantize(const double* __restrict sums, const Requantized& by, std::size_t n, T* __restrict out) {
  constexpr double kShift = 0x1.8p52, kFar = 1024;
  const double least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  const auto zero = static_cast<double>(by.how.zero_point), divisor = by.divisor, scale = by.scale;
  const bool counts_zero = by.how.rounding == Integers::Rounding::nearest_with_zero_point;
  const double moved = counts_zero && by.how.zero_point % 2 != 0 ? 1 : 0;
  const double* __restrict scales = by.scales;
  for (std::size_t i = 0; i < n; ++i) {
    const double s = sums[i], a = scale * scales[i], p = s * a, e = __builtin_fma(s, a, -p), q = p / divisor;
    const double high = q < kFar ? q : kFar, near = high > -kFar ? high : -kFar, r = (near + kShift) - kShift;
    const double half = (r + moved) * 0.5, odd = (half + kShift) - kShift == half ? 0.0 : 1.0;
    const double above = (p - (r + 0.5) * divisor) + e, below = (p - (r - 0.5) * divisor) + e;
    const double up_tie = above == 0 ? odd : 0.0, down_tie = below == 0 ? odd : 0.0;
    const double up = above > 0 ? 1.0 : up_tie, down = below < 0 ? 1.0 : down_tie;
    const double y = r + up - down + zero, capped = y < most ? y : most, fitting = capped > least ? capped : least;
    out[i] = static_cast<T>(static_cast<std::int32_t>(fitting));
  }
}
OPREF_CLONES void requantize_loop(const double* sums, const Requantized& by, std::size_t n, std::int8_t* out) {
  requantize(sums, by, n, out);
}
OPREF_CLONES void requantize_loop(const double* sums, const Requantized& by, std::size_t n, std::uint8_t* out) {
  requantize(sums, by, n, out);
}

}  // namespace

void integer_dots(const std::int16_t* a, const std::int16_t* b, std::size_t K, std::size_t step, std::int32_t* sums,
                  std::size_t row) {
#if OPREF_HAS_CLONES
  if (has_vnni) return dots_vnni(a, b, K, step, sums, row);
#endif
  dots_loop(a, b, K, step, sums, row);
}

template <class T>
void row_less(const T* x, std::int64_t step, std::int64_t zero, std::size_t n, std::int16_t* to) {
  less_loop(x, step, zero, n, to);
}
template void row_less(const std::int8_t*, std::int64_t, std::int64_t, std::size_t, std::int16_t*);
template void row_less(const std::uint8_t*, std::int64_t, std::int64_t, std::size_t, std::int16_t*);

template <class T>
void requantize_row(const double* sums, const Requantized& by, std::size_t n, T* out) {
  requantize_loop(sums, by, n, out);
}
template void requantize_row(const double*, const Requantized&, std::size_t, std::int8_t*);
template void requantize_row(const double*, const Requantized&, std::size_t, std::uint8_t*);

}  // namespace opref::fast
