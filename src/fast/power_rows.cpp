// SPDX-License-Identifier: Apache-2.0
#include "fast/power_rows.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "exact/row_elements.h"

namespace opref::fast {
namespace {

/// Neighbours in a row, whose powers are computed in step.
struct Block {
  double x[kBlock];
};
OPREF_INLINE Block operator*(const Block& a, const Block& b) {
  Block product;
  for (std::size_t j = 0; j < kBlock; ++j) product.x[j] = a.x[j] * b.x[j];
  return product;
}
OPREF_INLINE Block square_root(const Block& a) {
  Block root;
  for (std::size_t j = 0; j < kBlock; ++j) root.x[j] = std::sqrt(a.x[j]);
  return root;
}

/// As `raised`, of a p that the compiler knows.
template <int p>
OPREF_INLINE double raised_to(double x) {
  if constexpr (p == 1) {
    return x;
  } else {
    const double half = raised_to<p / 2>(x);
    return p % 2 == 0 ? half * half : half * half * x;
  }
}
/// sum[i] += Σ over t in [0, kRows) of |rows[t][i]|^p for i in [first, last).
template <int p, std::size_t kRows, class T>
OPREF_INLINE void add_powers(const T* const* rows, std::size_t first, std::size_t last, double* __restrict sum) {
  const T* row[kRows];
#pragma GCC unroll 3
  for (std::size_t t = 0; t < kRows; ++t) row[t] = rows[t];
  for (std::size_t i = first; i < last; ++i) {
    double s = sum[i];
#pragma GCC unroll 3
    for (std::size_t t = 0; t < kRows; ++t) s += raised_to<p>(std::abs(static_cast<double>(vector_widen(row[t][i]))));
    sum[i] = s;
  }
}
template <int p, class T>
OPREF_INLINE void sum_powers(const T* const* rows, std::size_t count, std::size_t n, double* sum) {
  constexpr std::size_t kPart = 1024;  // stays in the first cache
  for (std::size_t first = 0; first < n; first += kPart) {
    const std::size_t last = std::min(n, first + kPart);
    std::fill(sum + first, sum + last, 0.0);
    std::size_t t = 0;
    for (; t + 3 <= count; t += 3) add_powers<p, 3>(rows + t, first, last, sum);
    for (; t < count; ++t) add_powers<p, 1>(rows + t, first, last, sum);
  }
}
template <class T>
OPREF_INLINE void sum_powers(const T* const* __restrict rows, std::size_t count, const Power& p, std::size_t n,
                             double* __restrict sum) {
  std::size_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    Block s = {};
    for (std::size_t t = 0; t < count; ++t) {
      const T* __restrict row = rows[t] + i;
      Block x;
      for (std::size_t j = 0; j < kBlock; ++j) x.x[j] = std::abs(static_cast<double>(vector_widen(row[j])));
      const Block power = raised(x, p);
      for (std::size_t j = 0; j < kBlock; ++j) s.x[j] += power.x[j];
    }
    for (std::size_t j = 0; j < kBlock; ++j) sum[i + j] = s.x[j];
  }
  for (; i < n; ++i) {
    double s = 0;
    for (std::size_t t = 0; t < count; ++t) s += raised(std::abs(static_cast<double>(vector_widen(rows[t][i]))), p);
    sum[i] = s;
  }
}
template <class T>
OPREF_INLINE void sum_any_powers(const T* const* rows, std::size_t count, const Power& p, std::size_t n, double* sum) {
  if (p.digits == 0) {
    if (p.whole == 1) return sum_powers<1>(rows, count, n, sum);
    if (p.whole == 2) return sum_powers<2>(rows, count, n, sum);
    if (p.whole == 3) return sum_powers<3>(rows, count, n, sum);
    if (p.whole == 4) return sum_powers<4>(rows, count, n, sum);
  }
  sum_powers(rows, count, p, n, sum);
}
OPREF_CLONES void power_loop(const Half* const* rows, std::size_t count, const Power& p, std::size_t n, double* sum) {
  sum_any_powers(rows, count, p, n, sum);
}
OPREF_CLONES void power_loop(const BFloat16* const* rows, std::size_t count, const Power& p, std::size_t n,
                             double* sum) {
  sum_any_powers(rows, count, p, n, sum);
}
OPREF_CLONES void power_loop(const float* const* rows, std::size_t count, const Power& p, std::size_t n, double* sum) {
  sum_any_powers(rows, count, p, n, sum);
}

OPREF_INLINE void sum_windows(const double* __restrict x, std::size_t stride, std::size_t kernel, std::size_t dilation,
                              std::size_t n, double* __restrict sum) {
  for (std::size_t i = 0; i < n; ++i) {
    double s = 0;
    for (std::size_t k = 0; k < kernel; ++k) s += x[i * stride + k * dilation];
    sum[i] = s;
  }
}
OPREF_CLONES void window_loop(const double* x, std::size_t stride, std::size_t kernel, std::size_t dilation,
                              std::size_t n, double* sum) {
  if (dilation == 1 && stride == 2 && kernel == 3) return sum_windows(x, 2, 3, 1, n, sum);
  if (dilation == 1 && stride == 2 && kernel == 2) return sum_windows(x, 2, 2, 1, n, sum);
  if (dilation == 1 && stride == 1 && kernel == 3) return sum_windows(x, 1, 3, 1, n, sum);
  if (kernel == 1) return sum_windows(x, stride, 1, 1, n, sum);
  sum_windows(x, stride, kernel, dilation, n, sum);
}

/// Near the p-th root of a positive number: a bad guess costs time, never a byte.
OPREF_INLINE double root_guess(double sum, const Power& p) {
  if (p.digits > 0 || p.whole != 3) return std::pow(sum, 1 / p.value());
  // A third of the exponent and leading fraction, then Halley's iteration twice (cubic each).
  constexpr std::int64_t kOne = 0x3ff0000000000000;
  const auto bits = std::bit_cast<std::int64_t>(sum);
  double y = std::bit_cast<double>(static_cast<std::int64_t>(static_cast<double>(bits - kOne) * (1.0 / 3)) + kOne -
                                   0x0000a00000000000);
  for (int k = 0; k < 2; ++k) {
    const double cube = y * y * y;
    y *= (cube + 2 * sum) / (2 * cube + sum);
  }
  return y;
}

/// The T nearest to x >= 0, as a double; for infinity, and NaN, the power of two after T's largest number.
template <class T>
OPREF_INLINE double nearest_value(double x) {
  using F = Format<T>;
  constexpr double kSmallestNormal = power_of_two(F::min_exponent), kOverflow = power_of_two(F::max_exponent + 1);
  const double a = x < kOverflow ? x : kOverflow;
  if constexpr (std::is_same_v<T, float>) {
    const double rounded = static_cast<float>(a);
    return rounded < kOverflow ? rounded : kOverflow;
  }
  const double base = double_of(bits_of(a > kSmallestNormal ? a : kSmallestNormal) & 0x7ff0000000000000);
  const double magic = base * (1.5 * power_of_two(53 - F::precision));
  return (a + magic) - magic;
}
/// The bits of what nearest_value gives.
template <class T>
OPREF_INLINE BitsOf<T> narrow_bits(double value) {
  using F = Format<T>;
  constexpr double kSmallestNormal = power_of_two(F::min_exponent);
  constexpr double kAlign =
      power_of_two(52 + F::min_exponent - F::precision + 1);  // last place: the smallest subnormal
  constexpr std::uint64_t kRebias = std::uint64_t{1023 - F::max_exponent} << (F::precision - 1);
  const std::uint64_t normal = (bits_of(value) >> (53 - F::precision)) - kRebias;
  const std::uint64_t subnormal = bits_of(value + kAlign) & ((std::uint64_t{1} << F::precision) - 1);
  return static_cast<BitsOf<T>>(value < kSmallestNormal ? subnormal : normal);
}

template <class T>
OPREF_INLINE std::size_t settle_roots(const double* __restrict sum, const Power& p, double relative, std::size_t n,
                                      BitsOf<T>* __restrict out, std::uint64_t* __restrict undecided) {
  constexpr std::uint64_t kHalfPlace = std::uint64_t{1} << (52 - Format<T>::precision);
  constexpr double kSmallestNormal = power_of_two(Format<T>::min_exponent),
                   kHalfSubnormal = power_of_two(Format<T>::min_exponent - Format<T>::precision),
                   kOverflow = power_of_two(Format<T>::max_exponent + 1);
  const bool zero_is_sure = p.ceiling() <= 7;  // up to the 7th power no float underflows
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; i += kBlock) {
    const std::size_t size = std::min(kBlock, n - i);
    Block s = {}, root, below, above;
    copy_block(sum + i, size, s.x);
    for (std::size_t j = 0; j < kBlock; ++j) {
      root.x[j] = s.x[j] == 0 ? 0.0 : nearest_value<T>(root_guess(s.x[j], p));
      // The midpoints are half a place away: of a normal number in its bits, also below a power of two. (Below the
      // smallest normal number they are farther away, which leaves it undecided more often.)
      const bool normal = root.x[j] >= kSmallestNormal;
      below.x[j] = normal ? double_of(bits_of(root.x[j]) - kHalfPlace) : root.x[j] - kHalfSubnormal;
      above.x[j] = normal ? double_of(bits_of(root.x[j]) + kHalfPlace) : root.x[j] + kHalfSubnormal;
    }
    const Block least = raised(below, p), most = raised(above, p);
    BitsOf<T> bits[kBlock];
    std::uint64_t doubts[kBlock];
    for (std::size_t j = 0; j < kBlock; ++j) {
      const double low = s.x[j] * (1 - relative), high = s.x[j] * (1 + relative);
      const bool certain = ((least.x[j] < low) | (root.x[j] == 0)) & ((high < most.x[j]) | (root.x[j] == kOverflow)) &
                           (s.x[j] >= 0x1p-900) & (s.x[j] <= 0x1p1000);
      doubts[j] = certain | ((s.x[j] == 0) & zero_is_sure) ? 0 : 1;
      bits[j] = narrow_bits<T>(root.x[j]);
    }
    for (std::size_t j = 0; j < size; ++j) count += doubts[j];
    copy_block(doubts, size, undecided + i);
    copy_block(bits, size, out + i);
  }
  return count;
}
template <class T>
OPREF_INLINE std::size_t settle_any_roots(const double* sum, const Power& p, double relative, std::size_t n,
                                          T* out_elements, std::uint64_t* undecided) {
  auto* out = reinterpret_cast<BitsOf<T>*>(out_elements);
  if (p.digits == 0 && p.whole == 3) return settle_roots<T>(sum, 3, relative, n, out, undecided);
  return settle_roots<T>(sum, p, relative, n, out, undecided);
}
OPREF_CLONES std::size_t root_loop(const double* sum, const Power& p, double relative, std::size_t n, Half* out,
                                   std::uint64_t* undecided) {
  return settle_any_roots(sum, p, relative, n, out, undecided);
}
OPREF_CLONES std::size_t root_loop(const double* sum, const Power& p, double relative, std::size_t n, BFloat16* out,
                                   std::uint64_t* undecided) {
  return settle_any_roots(sum, p, relative, n, out, undecided);
}
OPREF_CLONES std::size_t root_loop(const double* sum, const Power& p, double relative, std::size_t n, float* out,
                                   std::uint64_t* undecided) {
  return settle_any_roots(sum, p, relative, n, out, undecided);
}

}  // namespace

template <class T>
void row_power_sum(const T* const* rows, std::size_t count, const Power& p, std::size_t n, double* sum) {
  power_loop(rows, count, p, n, sum);
}
template void row_power_sum(const Half* const*, std::size_t, const Power&, std::size_t, double*);
template void row_power_sum(const BFloat16* const*, std::size_t, const Power&, std::size_t, double*);
template void row_power_sum(const float* const*, std::size_t, const Power&, std::size_t, double*);

void row_windows(const double* x, std::size_t stride, std::size_t kernel, std::size_t dilation, std::size_t n,
                 double* sum) {
  window_loop(x, stride, kernel, dilation, n, sum);
}

template <class T>
std::size_t settle_root_row(const double* sum, const Power& p, double relative, std::size_t n, T* out,
                            std::uint64_t* undecided) {
  return root_loop(sum, p, relative, n, out, undecided);
}
template std::size_t settle_root_row(const double*, const Power&, double, std::size_t, Half*, std::uint64_t*);
template std::size_t settle_root_row(const double*, const Power&, double, std::size_t, BFloat16*, std::uint64_t*);
template std::size_t settle_root_row(const double*, const Power&, double, std::size_t, float*, std::uint64_t*);

}  // namespace opref::fast
