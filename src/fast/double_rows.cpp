// SPDX-License-Identifier: Apache-2.0
#include "fast/double_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "exact/root.h"
#include "exact/vector.h"

namespace opref::fast {
namespace {

static_assert(kBlock <= kRowSlack);

OPREF_CLONES void sum_products_loop(const RowTerm<double>* __restrict terms, std::size_t count, double start,
                                    std::size_t n, double* __restrict hi, double* __restrict lo,
                                    double* __restrict lost) {
  for (std::size_t i = 0; i < n; i += kBlock) {
    double h[kBlock], l[kBlock], m[kBlock];
    for (std::size_t j = 0; j < kBlock; ++j) h[j] = start, l[j] = 0, m[j] = 0;
    for (std::size_t t = 0; t < count; ++t) {
      const double* __restrict x = terms[t].x + i;
      const double w = terms[t].weight;
      for (std::size_t j = 0; j < kBlock; ++j) {
        const double product = w * x[j], product_error = __builtin_fma(w, x[j], -product);
        const double sum = h[j] + product, added = sum - h[j];
        const double sum_error = (h[j] - (sum - added)) + (product - added);
        h[j] = sum;
        l[j] += sum_error + product_error;
        m[j] += std::abs(sum_error) + std::abs(product_error);
      }
    }
    for (std::size_t j = 0; j < kBlock; ++j) hi[i + j] = h[j], lo[i + j] = l[j], lost[i + j] = m[j];
  }
}

/// After an overflow on the way lo is infinite or NaN, and so are both ends.
OPREF_CLONES std::size_t settle_loop(const double* __restrict hi, const double* __restrict lo,
                                     const double* __restrict magnitude, double scale, double least, std::size_t n,
                                     double* __restrict out, std::uint64_t* __restrict undecided) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double e = scale * magnitude[i] + least;
    const double below = hi[i] + (lo[i] - e) + 0.0, above = hi[i] + (lo[i] + e) + 0.0;
    const bool differ = std::bit_cast<std::uint64_t>(below) != std::bit_cast<std::uint64_t>(above);
    const std::uint64_t doubt = (differ | !(std::abs(above) <= 0x1p1020)) ? 1 : 0;
    count += doubt;
    undecided[i] = doubt;
    out[i] = below;
  }
  return count;
}

/// Neighbours in a row, as pairs: hi is the double nearest to hi + lo.
struct Pairs {
  double hi[kBlock], lo[kBlock];
};

/// a + b, where |a| >= |b|.
OPREF_INLINE void normalize(double a, double b, double& hi, double& lo) {
  hi = a + b;
  lo = b - (hi - a);
}

/// += x, both not negative.
OPREF_INLINE void add_pair(double& hi, double& lo, double x_hi, double x_lo) {
  const double sum = hi + x_hi, added = sum - hi;
  const double error = (hi - (sum - added)) + (x_hi - added);
  normalize(sum, error + (lo + x_lo), hi, lo);
}

OPREF_INLINE Pairs operator*(const Pairs& a, const Pairs& b) {
  Pairs c;
  for (std::size_t j = 0; j < kBlock; ++j) {
    const double product = a.hi[j] * b.hi[j], error = __builtin_fma(a.hi[j], b.hi[j], -product);
    normalize(product, error + __builtin_fma(a.lo[j], b.hi[j], a.hi[j] * b.lo[j]), c.hi[j], c.lo[j]);
  }
  return c;
}

OPREF_INLINE Pairs square_root(const Pairs& a) {
  Pairs c;
  for (std::size_t j = 0; j < kBlock; ++j) {
    const double root = std::sqrt(a.hi[j]), rest = __builtin_fma(-root, root, a.hi[j]) + a.lo[j];
    normalize(root, root == 0 ? 0.0 : rest / (2 * root), c.hi[j], c.lo[j]);
  }
  return c;
}

OPREF_INLINE void sum_powers(const double* const* __restrict rows, std::size_t count, const Power& p, std::size_t n,
                             double* __restrict hi, double* __restrict lo) {
  // Between these, all numbers on the way to the power are from 2^-900 to 2^900: no error of a product or root is too
  // small for a double.
  const int exponent = 900 / p.ceiling();
  const double least = std::ldexp(1.0, -exponent), most = std::ldexp(1.0, exponent);
  for (std::size_t i = 0; i < n; i += kBlock) {
    const std::size_t size = std::min(kBlock, n - i);
    Pairs sum = {};
    for (std::size_t t = 0; t < count; ++t) {
      Pairs x = {};
      copy_block(rows[t] + i, size, x.hi);
      for (std::size_t j = 0; j < kBlock; ++j) {
        const double a = std::abs(x.hi[j]);
        x.hi[j] = (a == 0) | ((a >= least) & (a <= most)) ? a : std::numeric_limits<double>::quiet_NaN();
      }
      x = raised(x, p);
      for (std::size_t j = 0; j < kBlock; ++j) add_pair(sum.hi[j], sum.lo[j], x.hi[j], x.lo[j]);
    }
    copy_block(sum.hi, size, hi + i);
    copy_block(sum.lo, size, lo + i);
  }
}
OPREF_CLONES void power_loop(const double* const* rows, std::size_t count, const Power& p, std::size_t n, double* hi,
                             double* lo) {
  if (p.digits == 0) {
    if (p.whole == 1) return sum_powers(rows, count, 1, n, hi, lo);
    if (p.whole == 2) return sum_powers(rows, count, 2, n, hi, lo);
    if (p.whole == 3) return sum_powers(rows, count, 3, n, hi, lo);
  }
  sum_powers(rows, count, p, n, hi, lo);
}

OPREF_CLONES void window_loop(const double* __restrict x_hi, const double* __restrict x_lo, std::size_t stride,
                              std::size_t kernel, std::size_t dilation, std::size_t n, double* __restrict hi,
                              double* __restrict lo) {
  for (std::size_t i = 0; i < n; ++i) hi[i] = 0, lo[i] = 0;
  for (std::size_t k = 0; k < kernel; ++k)
    for (std::size_t i = 0; i < n; ++i)
      add_pair(hi[i], lo[i], x_hi[i * stride + k * dilation], x_lo[i * stride + k * dilation]);
}

/// The double nearest to the p-th root of s, most likely: a guess, and a Newton step from it.
OPREF_INLINE Pairs nearest_roots(const Pairs& s, const Power& p) {
  Pairs root = {};
  for (std::size_t j = 0; j < kBlock; ++j)
    root.hi[j] = p.whole == 2 && p.digits == 0 ? std::sqrt(s.hi[j]) : std::pow(s.hi[j], 1 / p.value());
  const Pairs power = raised(root, p);
  for (std::size_t j = 0; j < kBlock; ++j) {
    const double rest = (s.hi[j] - power.hi[j]) + (s.lo[j] - power.lo[j]);
    root.hi[j] += rest / (p.value() * s.hi[j]) * root.hi[j];
  }
  return root;
}

/// As settle_roots of the other types: the midpoints between the root and its neighbours are pairs.
OPREF_INLINE std::size_t settle_roots(const double* __restrict hi, const double* __restrict lo, const Power& p,
                                      double relative, std::size_t n, double* __restrict out,
                                      std::uint64_t* __restrict undecided) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; i += kBlock) {
    const std::size_t size = std::min(kBlock, n - i);
    Pairs s = {};
    copy_block(hi + i, size, s.hi);
    copy_block(lo + i, size, s.lo);
    const Pairs root = nearest_roots(s, p);
    Pairs below = root, above = root;
    for (std::size_t j = 0; j < kBlock; ++j) {
      const auto bits = std::bit_cast<std::uint64_t>(root.hi[j]);
      below.lo[j] = (std::bit_cast<double>(bits - 1) - root.hi[j]) * 0.5;
      above.lo[j] = (std::bit_cast<double>(bits + 1) - root.hi[j]) * 0.5;
    }
    const Pairs least = raised(below, p), most = raised(above, p);
    double y[kBlock];
    std::uint64_t doubts[kBlock];
    for (std::size_t j = 0; j < kBlock; ++j) {
      const double e = relative * s.hi[j];
      const bool certain = ((s.hi[j] - least.hi[j]) + (s.lo[j] - least.lo[j]) > e) &
                           ((most.hi[j] - s.hi[j]) + (most.lo[j] - s.lo[j]) > e) & (s.hi[j] >= 0x1p-900) &
                           (s.hi[j] <= 0x1p1000) & (root.hi[j] >= 0x1p-900) & (root.hi[j] <= 0x1p1000);
      y[j] = s.hi[j] == 0 ? 0.0 : root.hi[j];
      doubts[j] = (certain | (s.hi[j] == 0)) ? 0 : 1;
    }
    for (std::size_t j = 0; j < size; ++j) count += doubts[j];
    copy_block(y, size, out + i);
    copy_block(doubts, size, undecided + i);
  }
  return count;
}
OPREF_CLONES std::size_t root_loop(const double* hi, const double* lo, const Power& p, double relative, std::size_t n,
                                   double* out, std::uint64_t* undecided) {
  if (p.digits == 0 && p.whole == 2) return settle_roots(hi, lo, 2, relative, n, out, undecided);
  if (p.digits == 0 && p.whole == 3) return settle_roots(hi, lo, 3, relative, n, out, undecided);
  return settle_roots(hi, lo, p, relative, n, out, undecided);
}

}  // namespace

void row_power_sum(const double* const* rows, std::size_t count, const Power& p, std::size_t n, double* hi,
                   double* lo) {
  power_loop(rows, count, p, n, hi, lo);
}

void row_windows(const double* x_hi, const double* x_lo, std::size_t stride, std::size_t kernel, std::size_t dilation,
                 std::size_t n, double* hi, double* lo) {
  window_loop(x_hi, x_lo, stride, kernel, dilation, n, hi, lo);
}

/// Each operation on pairs rounds by less than 8·2^-106, also where both ends are compared.
double pair_bound(double terms, const Power& p, const Slack& slack) { return root_bound(terms, p, slack) * 0x1p-50; }

std::size_t settle_double_root_row(const double* hi, const double* lo, const Power& p, double relative, std::size_t n,
                                   double* out, std::uint64_t* undecided) {
  return root_loop(hi, lo, p, relative, n, out, undecided);
}

void row_sum_products(const RowTerm<double>* terms, std::size_t count, double start, std::size_t n, double* hi,
                      double* lo, double* lost) {
  sum_products_loop(terms, count, start, n, hi, lo, lost);
}

std::size_t settle_double_row(const double* hi, const double* lo, const double* magnitude, double scale, double least,
                              std::size_t n, double* out, std::uint64_t* undecided) {
  return settle_loop(hi, lo, magnitude, scale, least, n, out, undecided);
}

}  // namespace opref::fast
