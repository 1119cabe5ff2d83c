// SPDX-License-Identifier: Apache-2.0
#include "exact/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "exact/grid.h"
#include "exact/lanes.h"
#include "exact/near_rows.h"
#include "exact/row_elements.h"

namespace opref::exact {
namespace {

template <class T>
OPREF_INLINE void widen_all(const T* __restrict x, std::size_t n, double* __restrict to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<double>(vector_widen(x[i]));
}
template <std::int64_t kStep, class T>
OPREF_INLINE void widen_apart(const T* __restrict x, std::int64_t step, std::size_t n, double* __restrict to) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] = static_cast<double>(vector_widen(x[static_cast<std::int64_t>(i) * (kStep == 0 ? step : kStep)]));
}
template <class T>
OPREF_INLINE void widen_apart(const T* x, std::int64_t step, std::size_t n, double* to) {
  if (step == 2) return widen_apart<2>(x, step, n, to);
  widen_apart<0>(x, step, n, to);
}
OPREF_CLONES void widen_loop(const Half* x, std::int64_t step, std::size_t n, double* to) {
  widen_apart(x, step, n, to);
}
OPREF_CLONES void widen_loop(const BFloat16* x, std::int64_t step, std::size_t n, double* to) {
  widen_apart(x, step, n, to);
}
OPREF_CLONES void widen_loop(const float* x, std::int64_t step, std::size_t n, double* to) {
  widen_apart(x, step, n, to);
}
OPREF_CLONES void widen_loop(const double* x, std::int64_t step, std::size_t n, double* to) {
  widen_apart(x, step, n, to);
}
OPREF_CLONES void widen_loop(const Half* x, std::size_t n, double* to) { widen_all(x, n, to); }
OPREF_CLONES void widen_loop(const BFloat16* x, std::size_t n, double* to) { widen_all(x, n, to); }
OPREF_CLONES void widen_loop(const float* x, std::size_t n, double* to) { widen_all(x, n, to); }
OPREF_CLONES void widen_loop(const double* x, std::size_t n, double* to) { widen_all(x, n, to); }

template <class T>
OPREF_INLINE Grid find_grid(const T* x, std::size_t n) {
  constexpr std::uint32_t kInfinity = 0x7f800000;
  std::uint32_t most = 0, step = kInfinity;  // as bits, which have the order of the numbers
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t u = std::bit_cast<std::uint32_t>(vector_widen(x[i])) & 0x7fffffff;
    most = u > most ? u : most;
    // Less what has not the lowest set bit of the fraction, or else the implicit one.
    const std::uint32_t rest = (u & 0x7fffff) != 0 ? u & (u - 1) : 0;
    const auto lowest = std::bit_cast<std::uint32_t>(std::bit_cast<float>(u) - std::bit_cast<float>(rest));
    const std::uint32_t own = u != 0 ? lowest & 0x7fffffff : kInfinity;
    step = own < step ? own : step;
  }
  return {std::bit_cast<float>(most < kInfinity ? most : kInfinity), std::bit_cast<float>(step)};
}
OPREF_CLONES Grid grid_loop(const Half* x, std::size_t n) { return find_grid(x, n); }
OPREF_CLONES Grid grid_loop(const BFloat16* x, std::size_t n) { return find_grid(x, n); }
OPREF_CLONES Grid grid_loop(const float* x, std::size_t n) { return find_grid(x, n); }

template <class T>
OPREF_INLINE bool find_nan(const T* x, std::size_t n) {
  using Bits = BitsOf<T>;
  const auto* bits = reinterpret_cast<const Bits*>(x);
  constexpr std::size_t kPart = 4096;
  for (std::size_t first = 0; first < n; first += kPart) {
    Bits most = 0;
    for (std::size_t i = first; i < std::min(n, first + kPart); ++i) {
      const auto magnitude = static_cast<Bits>(bits[i] & static_cast<Bits>(~sign_bit<T>));
      most = magnitude > most ? magnitude : most;
    }
    if (most > infinity_bits<T>) return true;
  }
  return false;
}
OPREF_CLONES bool nan_loop(const Half* x, std::size_t n) { return find_nan(x, n); }
OPREF_CLONES bool nan_loop(const BFloat16* x, std::size_t n) { return find_nan(x, n); }
OPREF_CLONES bool nan_loop(const float* x, std::size_t n) { return find_nan(x, n); }
OPREF_CLONES bool nan_loop(const double* x, std::size_t n) { return find_nan(x, n); }

static_assert(kBlock <= kRowSlack);

OPREF_CLONES void sum_products_loop(const RowTerm<double>* __restrict terms, std::size_t count, double start,
                                    std::size_t n, double* __restrict value, double* __restrict magnitude) {
  for (std::size_t i = 0; i < n; i += kBlock) {
    double v[kBlock], m[kBlock];
    for (std::size_t j = 0; j < kBlock; ++j) v[j] = start, m[j] = std::abs(start);
    for (std::size_t t = 0; t < count; ++t) {
      const double* __restrict x = terms[t].x + i;
      const double w = terms[t].weight;
      for (std::size_t j = 0; j < kBlock; ++j) {
        const double product = x[j] * w;
        v[j] += product;
        m[j] += std::abs(product);
      }
    }
    for (std::size_t j = 0; j < kBlock; ++j) value[i + j] = v[j], magnitude[i + j] = m[j];
  }
}

template <class S>
OPREF_INLINE void sum_integers(const RowTerm<S>* __restrict terms, std::size_t count, S start, std::size_t n,
                               S* __restrict sum) {
  for (std::size_t i = 0; i < n; ++i) sum[i] = start;
  for (std::size_t t = 0; t < count; ++t) {
    const S* __restrict x = terms[t].x;
    const S w = terms[t].weight;
    for (std::size_t i = 0; i < n; ++i) sum[i] += x[i] * w;
  }
}
OPREF_CLONES void integer_loop(const RowTerm<std::uint32_t>* terms, std::size_t count, std::uint32_t start,
                               std::size_t n, std::uint32_t* sum) {
  sum_integers(terms, count, start, n, sum);
}
OPREF_CLONES void integer_loop(const RowTerm<std::uint64_t>* terms, std::size_t count, std::uint64_t start,
                               std::size_t n, std::uint64_t* sum) {
  sum_integers(terms, count, start, n, sum);
}

OPREF_CLONES void add_squares_loop(double weight, const double* __restrict x, std::size_t n, double* __restrict sum) {
  for (std::size_t i = 0; i < n; ++i) sum[i] += weight * (x[i] * x[i]);
}
OPREF_CLONES void root_loop(double* __restrict x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sqrt(x[i]);
}

OPREF_CLONES void sum_loop(const double* const* __restrict rows, std::size_t count, double start, std::size_t n,
                           double* __restrict sum) {
  std::size_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    double s[kBlock];
    for (std::size_t j = 0; j < kBlock; ++j) s[j] = start;
    for (std::size_t t = 0; t < count; ++t) {
      const double* __restrict row = rows[t] + i;
      for (std::size_t j = 0; j < kBlock; ++j) s[j] += row[j];
    }
    for (std::size_t j = 0; j < kBlock; ++j) sum[i + j] = s[j];
  }
  for (; i < n; ++i) {
    double s = start;
    for (std::size_t t = 0; t < count; ++t) s += rows[t][i];
    sum[i] = s;
  }
}

/// The errors of numbers: a multiple of their magnitudes, or of themselves.
struct ScaledErrors {
  const double* magnitude;
  double scale;
  OPREF_INLINE double operator()(std::size_t i, double) const { return scale * magnitude[i]; }
};
struct NearErrors {
  double relative, absolute;
  OPREF_INLINE double operator()(std::size_t, double size) const { return size * relative + absolute; }
};
/// A format narrower than float, by additions and integer operations alone. `magic` has its last place where T has its
/// own, so adding it rounds there; one serves the whole bracket as long as that is much smaller than the place.
/// error(i, |value[i]|) is that of a number; zeros are +0 unless they keep their signs.
template <class T, bool kKeepsSigns, class Error, class Doubt>
OPREF_INLINE std::size_t settle_narrow(const double* __restrict value, const Error& error, std::size_t n,
                                       std::uint16_t* __restrict out, Doubt* __restrict undecided) {
  using F = Format<T>;
  constexpr int kPrecision = F::precision;
  constexpr double kSmallestNormal = power_of_two(F::min_exponent), kOverflow = power_of_two(F::max_exponent + 1);
  constexpr double kAlign = power_of_two(52 + F::min_exponent - kPrecision + 1);  // last place: the smallest subnormal
  constexpr double kMagic = 1.5 * power_of_two(53 - kPrecision), kEighth = power_of_two(-2 - kPrecision);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double v = value[i], a = std::abs(v), e = error(i, a);
    const double base = double_of(bits_of(a > kSmallestNormal ? a : kSmallestNormal) & 0x7ff0000000000000);
    const double magic = base * kMagic;
    const double low = (a - e + magic) - magic, high = (a + e + magic) - magic;
    const double rounded = high < kOverflow ? high : kOverflow;
    const std::uint64_t doubt =
        !((low == high) & (e <= base * kEighth) & ((a > e) | (e == 0)) & (a <= 0x1p900)) ? 1 : 0;
    count += doubt;
    undecided[i] = static_cast<Doubt>(doubt);
    const std::uint64_t bits = bits_of(rounded);
    const std::uint64_t normal =
        (bits >> (53 - kPrecision)) - (std::uint64_t{1023 - F::max_exponent} << (kPrecision - 1));
    const std::uint64_t subnormal = bits_of(rounded + kAlign) & ((std::uint64_t{1} << kPrecision) - 1);
    const std::uint64_t sign = kKeepsSigns || a > 0 ? bits_of(v) >> 63 << 15 : 0;
    out[i] = static_cast<std::uint16_t>((rounded < kSmallestNormal ? subnormal : normal) | sign);
  }
  return count;
}
OPREF_CLONES std::size_t settle_loop(const double* value, const double* magnitude, double scale, std::size_t n,
                                     Half* out, std::uint64_t* undecided) {
  return settle_narrow<Half, false>(value, ScaledErrors{magnitude, scale}, n, reinterpret_cast<std::uint16_t*>(out),
                                    undecided);
}
OPREF_CLONES std::size_t settle_loop(const double* value, const double* magnitude, double scale, std::size_t n,
                                     BFloat16* out, std::uint64_t* undecided) {
  return settle_narrow<BFloat16, false>(value, ScaledErrors{magnitude, scale}, n, reinterpret_cast<std::uint16_t*>(out),
                                        undecided);
}
OPREF_CLONES std::size_t near_loop(const double* value, double relative, double absolute, std::size_t n, Half* out,
                                   std::uint32_t* undecided) {
  return settle_narrow<Half, true>(value, NearErrors{relative, absolute}, n, reinterpret_cast<std::uint16_t*>(out),
                                   undecided);
}
OPREF_CLONES std::size_t near_loop(const double* value, double relative, double absolute, std::size_t n, BFloat16* out,
                                   std::uint32_t* undecided) {
  return settle_narrow<BFloat16, true>(value, NearErrors{relative, absolute}, n, reinterpret_cast<std::uint16_t*>(out),
                                       undecided);
}
/// The end that is farther from zero has the sign of -0 too, where that is exact.
OPREF_CLONES std::size_t near_loop(const double* __restrict value, double relative, double absolute, std::size_t n,
                                   float* __restrict out, std::uint32_t* __restrict undecided) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double v = value[i], e = std::copysign(std::abs(v) * relative + absolute, v);
    const float far = static_cast<float>(v + e), near = static_cast<float>(v - e);
    out[i] = far;
    undecided[i] = far == near ? 0 : 1;
  }
  for (std::size_t i = 0; i < n; ++i) count += undecided[i];
  return count;
}
/// An exact -0 becomes +0.
OPREF_INLINE float end_of_bracket(double v, double e) { return static_cast<float>(v + e + 0.0); }
OPREF_INLINE std::size_t mark_doubts(const double* __restrict value, const double* __restrict magnitude, double scale,
                                     std::size_t n, std::uint64_t* __restrict undecided) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double v = value[i], e = scale * magnitude[i];
    const float low = end_of_bracket(v, -e), high = end_of_bracket(v, e);
    const bool differ = std::bit_cast<std::uint32_t>(low) != std::bit_cast<std::uint32_t>(high);
    const std::uint64_t doubt = (differ | !(std::abs(v) <= 0x1p1000) | !(e <= 0x1p1000)) ? 1 : 0;
    count += doubt;
    undecided[i] = doubt;
  }
  return count;
}
OPREF_CLONES std::size_t settle_loop(const double* __restrict value, const double* __restrict magnitude, double scale,
                                     std::size_t n, float* __restrict out, std::uint64_t* __restrict undecided) {
  std::uint32_t differ = 0, huge = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double v = value[i], e = scale * magnitude[i];
    const float low = end_of_bracket(v, -e), high = end_of_bracket(v, e);
    differ |= std::bit_cast<std::uint32_t>(low) ^ std::bit_cast<std::uint32_t>(high);
    huge |= std::abs(v) + e <= 0x1p1000 ? 0 : 1;
    out[i] = low;
  }
  if ((differ | huge) != 0) return mark_doubts(value, magnitude, scale, n, undecided);
  std::fill_n(undecided, n, std::uint64_t{0});
  return 0;
}

/// A block as vectors, which GCC leaves in registers.
constexpr int kLanes = 4;
constexpr std::size_t kVectors = kBlock / kLanes;
using Four = Doubles<kLanes>;
using LongWords = Vector<std::int64_t, kLanes>;
using HalfFloats = Floats<kLanes>;
using Words = Vector<std::int32_t, 2 * kLanes>;
using Shorts = Vector<std::int16_t, 2 * kLanes>;

/// Two vectors as one of floats.
OPREF_INLINE void round_to_float(const Four& a, const Four& b, Words& bits) {
  const HalfFloats x = __builtin_convertvector(a, HalfFloats), y = __builtin_convertvector(b, HalfFloats);
  bits = reinterpret_cast<Words>(__builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7));
}

constexpr std::int32_t kMagnitude = 0x7fffffff;
template <class T>
constexpr int kDropped = 24 - Format<T>::precision;  ///< of float's bits

/// From magnitudes as float has them, without the dropped bits. Doubts are what is not a normal number of T.
template <class T>
OPREF_INLINE void put_normal(const Words& magnitude, const Words& negative, Words& doubt, T* out) {
  constexpr std::int32_t kRebias = (127 - Format<T>::max_exponent) << (Format<T>::precision - 1),
                         kNormal = 1 << (Format<T>::precision - 1),
                         kInfinity = (2 * Format<T>::max_exponent + 1) << (Format<T>::precision - 1);
  const Words bits = magnitude - kRebias;
  doubt |= reinterpret_cast<Words>(bits < kNormal) | reinterpret_cast<Words>(bits >= kInfinity);
  put_vector<2 * kLanes>(reinterpret_cast<std::int16_t*>(out),
                         __builtin_convertvector(bits | (negative & 0x8000), Shorts));
}

/// Rounded to T's precision, ties to even: an addition of what has its last place where T has it.
template <class T>
OPREF_INLINE void round_to_place(const Four& x, Four& rounded) {
  constexpr double kMagic = 1.5 * power_of_two(53 - Format<T>::precision);
  const Four magic = reinterpret_cast<Four>(reinterpret_cast<LongWords>(x) & std::int64_t{0x7ff0000000000000}) * kMagic;
  rounded = (x + magic) - magic;
}

/// Both ends of brackets as floats' bits. If they are the same, all between them rounds to that float; else `doubt`
/// becomes other than zero.
OPREF_INLINE void round_brackets(const Words& low, const Words& high, Words& doubt, float* out) {
  doubt |= low ^ high;
  put_vector<2 * kLanes>(reinterpret_cast<std::int32_t*>(out), low);
}
/// If they have the same sign and there is no midpoint of a narrower T between them, themselves included, all between
/// them rounds to T as they do: numbers on one side of a midpoint round to floats on that side, or to the midpoint. So
/// the end nearer to zero is rounded with ties towards zero, the other one with ties away from it.
template <class T>
OPREF_INLINE void round_brackets(const Words& low, const Words& high, Words& doubt, T* out) {
  constexpr std::int32_t kHalfPlace = 1 << (kDropped<T> - 1);
  const Words negative = low >> 31;  // all bits
  const Words from_low = ((low & kMagnitude) + (kHalfPlace - 1) - negative) >> kDropped<T>,
              from_high = ((high & kMagnitude) + kHalfPlace + negative) >> kDropped<T>;
  doubt |= (from_low ^ from_high) | ((low ^ high) & ~kMagnitude);
  put_normal(from_low, negative, doubt, out);
}
/// Numbers that are exact: each is rounded where T has its last place, and is then a float.
template <class T>
OPREF_INLINE void round_exactly(const Four& a, const Four& b, Words& doubt, T* out) {
  Four x, y;
  round_to_place<T>(a, x);
  round_to_place<T>(b, y);
  Words bits;
  round_to_float(x, y, bits);
  put_normal((bits & kMagnitude) >> kDropped<T>, bits >> 31, doubt, out);
}

/// The block from element i, of which `size` count: whether one rounding serves all of value ± error. The values are
/// finite, and exact if it is known that there is no error.
template <bool kExact, class T>
OPREF_INLINE bool settle_sums_from(std::size_t i, std::size_t size, const RowTerm<double>* __restrict terms,
                                   std::size_t count, double start, double error, T* __restrict out) {
  Four v[kVectors];
  for (std::size_t j = 0; j < kVectors; ++j) v[j] = Four{} + start;  // +0 if it is -0
  for (std::size_t t = 0; t < count; ++t)
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kVectors; ++j) v[j] += vector_at<kLanes>(terms[t].x + i + j * kLanes) * terms[t].weight;
  for (std::size_t j = size; j < kBlock; ++j) v[j / kLanes][j % kLanes] = v[0][0];
  Words doubt = {};
#pragma GCC unroll 2
  for (std::size_t j = 0; j < kVectors; j += 2) {
    if constexpr (kExact) {
      round_exactly(v[j], v[j + 1], doubt, out + j * kLanes);
    } else {
      Words low, high;
      round_to_float(v[j] - error, v[j + 1] - error, low);
      round_to_float(v[j] + error, v[j + 1] + error, high);
      round_brackets(low, high, doubt, out + j * kLanes);
    }
  }
  const auto words = reinterpret_cast<LongWords>(doubt);
  return (words[0] | words[1] | words[2] | words[3]) == 0;
}
template <bool kExact, class T>
OPREF_INLINE std::size_t settle_sums_as(const RowTerm<double>* terms, std::size_t count, double start, double error,
                                        std::size_t first, std::size_t n, T* out) {
  std::size_t i = first;
  for (; i + kBlock <= n; i += kBlock)
    if (!settle_sums_from<kExact>(i, kBlock, terms, count, start, error, out + i)) return i;
  if (i == n) return n;
  if (n >= first + kBlock)  // the last block overlaps the one before
    return settle_sums_from<kExact>(n - kBlock, kBlock, terms, count, start, error, out + n - kBlock) ? n : i;
  T block[kBlock];
  if (!settle_sums_from<kExact>(i, n - i, terms, count, start, error, block)) return i;
  std::copy_n(block, n - i, out + i);
  return n;
}
template <class T>
OPREF_INLINE std::size_t settle_sums(const RowTerm<double>* terms, std::size_t count, double start, double error,
                                     std::size_t first, std::size_t n, T* out) {
  if constexpr (!std::is_same_v<T, float>)
    if (error == 0) return settle_sums_as<true>(terms, count, start, error, first, n, out);
  return settle_sums_as<false>(terms, count, start, error, first, n, out);
}
OPREF_CLONES std::size_t settle_sums_loop(const RowTerm<double>* terms, std::size_t count, double start, double error,
                                          std::size_t first, std::size_t n, Half* out) {
  return settle_sums(terms, count, start, error, first, n, out);
}
OPREF_CLONES std::size_t settle_sums_loop(const RowTerm<double>* terms, std::size_t count, double start, double error,
                                          std::size_t first, std::size_t n, BFloat16* out) {
  return settle_sums(terms, count, start, error, first, n, out);
}
OPREF_CLONES std::size_t settle_sums_loop(const RowTerm<double>* terms, std::size_t count, double start, double error,
                                          std::size_t first, std::size_t n, float* out) {
  return settle_sums(terms, count, start, error, first, n, out);
}

OPREF_CLONES float most_loop(const float* x, std::size_t n) {
  std::uint32_t most = 0;  // as bits, which have the order of the numbers
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t u = std::bit_cast<std::uint32_t>(x[i]) & 0x7fffffff;
    most = u > most ? u : most;
  }
  return std::bit_cast<float>(std::min(most, infinity_bits<float>));
}

template <class T>
OPREF_INLINE void interleave(const T* __restrict a, const T* __restrict b, std::size_t n, T* __restrict out) {
  for (std::size_t i = 0; i < n / 2; ++i) out[2 * i] = a[i], out[2 * i + 1] = b[i];
  if (n % 2 != 0) out[n - 1] = a[n / 2];
}
OPREF_CLONES void interleave_loop(const std::uint16_t* a, const std::uint16_t* b, std::size_t n, std::uint16_t* out) {
  interleave(a, b, n, out);
}
OPREF_CLONES void interleave_loop(const std::uint32_t* a, const std::uint32_t* b, std::size_t n, std::uint32_t* out) {
  interleave(a, b, n, out);
}
OPREF_CLONES void interleave_loop(const std::uint64_t* a, const std::uint64_t* b, std::size_t n, std::uint64_t* out) {
  interleave(a, b, n, out);
}

}  // namespace

std::string_view vector_instructions() {
#if OPREF_HAS_CLONES
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return "avx512";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) return "avx2";
#endif
#if defined(__AVX512F__)
  return "avx512";
#elif defined(__AVX2__)
  return "avx2";
#elif defined(__SSE2__)
  return "sse2";
#elif defined(__ARM_FEATURE_SVE)
  return "sve";
#elif defined(__ARM_NEON)
  return "neon";
#else
  return "none";
#endif
}

template <class T>
void row_widen(const T* x, std::size_t n, double* to) {
  widen_loop(x, n, to);
}
template void row_widen(const Half*, std::size_t, double*);
template void row_widen(const BFloat16*, std::size_t, double*);
template void row_widen(const float*, std::size_t, double*);
template void row_widen(const double*, std::size_t, double*);
template <class T>
void row_widen(const T* x, std::int64_t step, std::size_t n, double* to) {
  step == 1 ? widen_loop(x, n, to) : widen_loop(x, step, n, to);
}
template void row_widen(const Half*, std::int64_t, std::size_t, double*);
template void row_widen(const BFloat16*, std::int64_t, std::size_t, double*);
template void row_widen(const float*, std::int64_t, std::size_t, double*);
template void row_widen(const double*, std::int64_t, std::size_t, double*);

template <class T>
Grid grid_of(const T* x, std::size_t n) {
  return grid_loop(x, n);
}
template Grid grid_of(const Half*, std::size_t);
template Grid grid_of(const BFloat16*, std::size_t);
template Grid grid_of(const float*, std::size_t);

template <class T>
bool row_has_nan(const T* x, std::size_t n) {
  return nan_loop(x, n);
}
template bool row_has_nan(const Half*, std::size_t);
template bool row_has_nan(const BFloat16*, std::size_t);
template bool row_has_nan(const float*, std::size_t);
template bool row_has_nan(const double*, std::size_t);

void row_add_squares(double weight, const double* x, std::size_t n, double* sum) {
  add_squares_loop(weight, x, n, sum);
}
void row_root(double* x, std::size_t n) { root_loop(x, n); }
void row_sum(const double* const* rows, std::size_t count, double start, std::size_t n, double* sum) {
  sum_loop(rows, count, start, n, sum);
}

void row_sum_products(const RowTerm<double>* terms, std::size_t count, double start, std::size_t n, double* value,
                      double* magnitude) {
  sum_products_loop(terms, count, start, n, value, magnitude);
}
void row_sum_products(const RowTerm<std::uint32_t>* terms, std::size_t count, std::uint32_t start, std::size_t n,
                      std::uint32_t* sum) {
  integer_loop(terms, count, start, n, sum);
}
void row_sum_products(const RowTerm<std::uint64_t>* terms, std::size_t count, std::uint64_t start, std::size_t n,
                      std::uint64_t* sum) {
  integer_loop(terms, count, start, n, sum);
}

template <class T>
std::size_t settle_row(const double* value, const double* magnitude, double scale, std::size_t n, T* out,
                       std::uint64_t* undecided) {
  return settle_loop(value, magnitude, scale, n, out, undecided);
}
template std::size_t settle_row(const double*, const double*, double, std::size_t, Half*, std::uint64_t*);
template std::size_t settle_row(const double*, const double*, double, std::size_t, BFloat16*, std::uint64_t*);
template std::size_t settle_row(const double*, const double*, double, std::size_t, float*, std::uint64_t*);

template <class T>
std::size_t settle_near_row(const double* value, double relative, double absolute, std::size_t n, T* out,
                            std::uint32_t* undecided) {
  return near_loop(value, relative, absolute, n, out, undecided);
}
template std::size_t settle_near_row(const double*, double, double, std::size_t, Half*, std::uint32_t*);
template std::size_t settle_near_row(const double*, double, double, std::size_t, BFloat16*, std::uint32_t*);
template std::size_t settle_near_row(const double*, double, double, std::size_t, float*, std::uint32_t*);

template <class T>
std::size_t settle_sum_products(const RowTerm<double>* terms, std::size_t count, double start, double error,
                                std::size_t first, std::size_t n, T* out) {
  return settle_sums_loop(terms, count, start, error, first, n, out);
}
template std::size_t settle_sum_products(const RowTerm<double>*, std::size_t, double, double, std::size_t, std::size_t,
                                         Half*);
template std::size_t settle_sum_products(const RowTerm<double>*, std::size_t, double, double, std::size_t, std::size_t,
                                         BFloat16*);
template std::size_t settle_sum_products(const RowTerm<double>*, std::size_t, double, double, std::size_t, std::size_t,
                                         float*);
float row_most(const float* x, std::size_t n) { return most_loop(x, n); }

template <class T>
void row_interleave(const T* a, const T* b, std::size_t n, T* out) {
  interleave_loop(a, b, n, out);
}
template void row_interleave(const std::uint16_t*, const std::uint16_t*, std::size_t, std::uint16_t*);
template void row_interleave(const std::uint32_t*, const std::uint32_t*, std::size_t, std::uint32_t*);
template void row_interleave(const std::uint64_t*, const std::uint64_t*, std::size_t, std::uint64_t*);

}  // namespace opref::exact
