// SPDX-License-Identifier: Apache-2.0
#include "exact/row_sums.h"

#include <algorithm>
#include <cmath>

#include "exact/lanes.h"
#include "exact/row_elements.h"

namespace opref::exact {
namespace {

constexpr std::size_t kQuickLanes = 16;

OPREF_CLONES void range_loop(const double* __restrict x, std::size_t n, double* __restrict least,
                             double* __restrict most, double* __restrict nans) {
  constexpr std::size_t kLanes = 16;
  if (n < kLanes) {
    for (std::size_t i = 0; i < n; ++i) {
      *least = x[i] < *least ? x[i] : *least;
      *most = x[i] > *most ? x[i] : *most;
      *nans = x[i] == x[i] ? *nans : 1.0;
    }
    return;
  }
  double low[kLanes], high[kLanes], nan[kLanes];
  for (std::size_t k = 0; k < kLanes; ++k) low[k] = *least, high[k] = *most, nan[k] = 0;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double v = x[i + k];
      low[k] = v < low[k] ? v : low[k];
      high[k] = v > high[k] ? v : high[k];
      nan[k] = v == v ? nan[k] : 1.0;
    }
  for (; i < n; ++i) {
    const double v = x[i];
    low[0] = v < low[0] ? v : low[0];
    high[0] = v > high[0] ? v : high[0];
    nan[0] = v == v ? nan[0] : 1.0;
  }
  for (std::size_t k = 1; k < kLanes; ++k) {
    low[0] = low[k] < low[0] ? low[k] : low[0];
    high[0] = high[k] > high[0] ? high[k] : high[0];
    nan[0] += nan[k];
  }
  *least = low[0], *most = high[0], *nans += nan[0];
}

/// Numbers that are added to both sums of each lane.
struct Quickly {
  const double* x;
  std::size_t n;
  double magic;
  double *whole, *rest;
};
template <int L>
OPREF_INLINE void sum_quickly(const Quickly& t) {
  constexpr int kVectors = static_cast<int>(kQuickLanes) / L;
  Doubles<L> high[kVectors], low[kVectors];
#pragma GCC unroll 8
  for (int j = 0; j < kVectors; ++j) {
    high[j] = vector_at<L>(t.whole + j * L);
    low[j] = vector_at<L>(t.rest + j * L);
  }
  std::size_t i = 0;
  for (; i + kQuickLanes <= t.n; i += kQuickLanes)
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) {
      const Doubles<L> v = vector_at<L>(t.x + i + j * L), part = (v + t.magic) - t.magic;
      high[j] += part, low[j] += v - part;
    }
#pragma GCC unroll 8
  for (int j = 0; j < kVectors; ++j) {
    put_vector<L>(t.whole + j * L, high[j]);
    put_vector<L>(t.rest + j * L, low[j]);
  }
  for (std::size_t k = 0; i < t.n; ++i, ++k) {
    const double part = (t.x[i] + t.magic) - t.magic;
    t.whole[k] += part, t.rest[k] += t.x[i] - part;
  }
}
OPREF_FOR_LANES(quick_loop, (const Quickly& t), (sum_quickly<kLanes>(t)))

/// a + b, and what that loses.
OPREF_INLINE void add_in_two(double& a, double b, double& rest) {
  const double s = a + b, t = s - a;
  rest = (a - (s - t)) + (b - t), a = s;
}
OPREF_CLONES void bounded_loop(const double* __restrict v, const double* __restrict e, std::size_t n,
                               double* __restrict high, double* __restrict low, double* __restrict errors,
                               double* __restrict lost) {
  constexpr std::size_t kLanes = 16;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) {
      double rest = 0;
      add_in_two(high[k], v[i + k], rest);
      low[k] += rest, lost[k] += std::abs(rest);
    }
  for (std::size_t k = 0, j = i; j < n; ++j, ++k) {
    double rest = 0;
    add_in_two(high[k], v[j], rest);
    low[k] += rest, lost[k] += std::abs(rest);
  }
  if (e == nullptr) return;
  for (i = 0; i + kLanes <= n; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) errors[k] += e[i + k];
  for (std::size_t k = 0; i < n; ++i, ++k) errors[k] += e[i];
}

/// y·2^exponent, 1 <= |y| < 2; zeros and what is not finite stay.
OPREF_INLINE void take_exponent(double& y, std::int64_t& exponent) {
  constexpr std::uint64_t kField = 0x7ff;
  const double size = std::abs(y);
  const std::uint64_t finite = size < HUGE_VAL ? ~std::uint64_t{0} : 0, taken = size > 0 ? finite : 0;
  const std::uint64_t beyond = ((bits_of(y) >> 52 & kField) - 1023) & taken;
  exponent += static_cast<std::int64_t>(beyond);
  y = double_of(bits_of(y) - (beyond << 52));
}
/// Six factors from 2^-149 to 2^128 times one from 1 to 2 are normal doubles.
OPREF_CLONES void product_loop(const double* __restrict x, std::size_t n, double* __restrict product,
                               std::int64_t* __restrict exponents) {
  constexpr std::size_t kLanes = 16, kFactors = 6;
  double y[kLanes];
  std::int64_t exponent[kLanes];
  for (std::size_t k = 0; k < kLanes; ++k) y[k] = product[k], exponent[k] = exponents[k];
  std::size_t i = 0;
  for (; i + kFactors * kLanes <= n; i += kFactors * kLanes) {
    for (std::size_t f = 0; f < kFactors; ++f)
      for (std::size_t k = 0; k < kLanes; ++k) y[k] *= x[i + f * kLanes + k];
    for (std::size_t k = 0; k < kLanes; ++k) take_exponent(y[k], exponent[k]);
  }
  for (; i + kLanes <= n; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) {
      y[k] *= x[i + k];
      take_exponent(y[k], exponent[k]);
    }
  for (std::size_t k = 0; i < n; ++i, ++k) {
    y[k] *= x[i];
    take_exponent(y[k], exponent[k]);
  }
  for (std::size_t k = 0; k < kLanes; ++k) product[k] = y[k], exponents[k] = exponent[k];
}

/// y[i] += v[i] + l[i] ± e[i], or v[i] alone.
template <bool is_exact>
OPREF_INLINE void add_pairs(const double* v, const double* l, const double* e, std::size_t n, double* y, double* y_l,
                            double* y_e) {
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const Paired x = is_exact ? Paired(v[i]) : Paired(v[i], l[i], e[i]), sum = Paired(y[i], y_l[i], y_e[i]) + x;
    y[i] = sum.h, y_l[i] = sum.l, y_e[i] = sum.e;
  }
}
template <bool is_exact>
OPREF_CLONES void paired_loop(const double* __restrict v, const double* __restrict l, const double* __restrict e,
                              std::size_t n, double* __restrict high, double* __restrict low,
                              double* __restrict errors) {
  constexpr std::size_t kLanes = 16;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) add_pairs<is_exact>(v + i, l + i, e + i, kLanes, high, low, errors);
  add_pairs<is_exact>(v + i, l + i, e + i, n - i, high, low, errors);
}
template <bool is_exact>
OPREF_CLONES void add_paired_loop(const double* __restrict v, const double* __restrict l, const double* __restrict e,
                                  std::size_t n, double* __restrict y, double* __restrict y_l, double* __restrict y_e) {
  add_pairs<is_exact>(v, l, e, n, y, y_l, y_e);
}

OPREF_CLONES void add_loop(const double* __restrict x, std::size_t n, double* __restrict y) {
  for (std::size_t i = 0; i < n; ++i) y[i] += x[i];
}
OPREF_CLONES void add_bounded_loop(const double* __restrict v, const double* __restrict e, std::size_t n,
                                   double* __restrict y, double* __restrict y_e) {
  for (std::size_t i = 0; i < n; ++i) {
    const Bounded sum = Bounded(y[i], y_e[i]) + Bounded(v[i], e[i]);
    y[i] = sum.v, y_e[i] = sum.e;
  }
}
OPREF_CLONES void add_exact_loop(const double* __restrict v, std::size_t n, double* __restrict y,
                                 double* __restrict y_e) {
  for (std::size_t i = 0; i < n; ++i) {
    const Bounded sum = Bounded(y[i], y_e[i]) + Bounded(v[i]);
    y[i] = sum.v, y_e[i] = sum.e;
  }
}

}  // namespace

void row_add(const double* x, std::size_t n, double* y) { add_loop(x, n, y); }
void row_add(const double* v, const double* e, std::size_t n, double* y, double* y_e) {
  e == nullptr ? add_exact_loop(v, n, y, y_e) : add_bounded_loop(v, e, n, y, y_e);
}

void row_add(const double* v, const double* l, const double* e, std::size_t n, double* y, double* y_l, double* y_e) {
  e == nullptr ? add_paired_loop<true>(v, v, v, n, y, y_l, y_e) : add_paired_loop<false>(v, l, e, n, y, y_l, y_e);
}

void RowRange::add(const double* x, std::size_t n) {
  double nans = 0;
  range_loop(x, n, &least, &most, &nans);
  has_nan = has_nan || nans > 0;
}

QuickSum::QuickSum(const StaticBound& each, std::size_t n)
    : each_(each),
      n_(static_cast<double>(n)),
      most_(n_ * std::max(std::abs(each.lo), std::abs(each.hi))),
      place_(double_of(bits_of(most_ * 0x1p-50) & 0x7ff0000000000000)),
      is_known_((most_ >= 0x1p-900 && most_ <= 0x1p900 && each.abs <= 0x1p900 && each.limit == kInfinity) ||
                is_zero()) {}
void QuickSum::add(const double* x, std::size_t n) { quick_loop({x, n, place_ * 0x1.8p52, whole_, rest_}); }
Bounded QuickSum::total() const {
  if (!is_known_) return {0.0, kInfinity};
  if (is_zero()) return 0.0;
  double whole = 0, rest = 0;
  for (std::size_t k = 0; k < kLanes; ++k) whole += whole_[k], rest += rest_[k];
  const double total = whole + rest, rounding = std::abs(total) * 0x1p-53 + (n_ / kLanes + 24) * 0x1p-53 * n_ * place_;
  const bool is_of_one_sign = each_.lo >= 0 || each_.hi <= 0;
  const double inherited = (is_of_one_sign ? std::abs(total) : most_) * each_.rel + n_ * each_.abs;
  return {total, (inherited + rounding) * 1.02};
}

void RowProduct::add(const double* x, std::size_t n) { product_loop(x, n, size_, exponent_); }
Bounded RowProduct::total() const {
  constexpr std::int64_t kMost = 1000;
  double y = 1;
  std::int64_t exponent = 0;
  for (std::size_t k = 0; k < kLanes; ++k) y *= size_[k], exponent += exponent_[k];
  if (y == 0) return y;
  if (!(std::abs(y) < HUGE_VAL) || exponent > kMost) return {y, kInfinity};
  if (exponent < -kMost) return {std::copysign(0x1p-980, y), 0x1p-980};  // |y| < 2^16
  const double total = std::ldexp(y, static_cast<int>(exponent));
  return {total, std::abs(total) * (static_cast<double>(n_) + kLanes) * 0x1.04p-53};
}

void BoundedSum::add(const double* v, const double* e, std::size_t n) { bounded_loop(v, e, n, high_, low_, e_, lost_); }
Bounded BoundedSum::total() const {
  double high[kLanes], low[kLanes], e[kLanes], lost[kLanes];
  for (std::size_t k = 0; k < kLanes; ++k) high[k] = high_[k], low[k] = low_[k], e[k] = e_[k], lost[k] = lost_[k];
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k) {
      double rest = 0;
      add_in_two(high[k], high[k + half], rest);
      low[k] += low[k + half] + rest, e[k] += e[k + half], lost[k] += lost[k + half] + std::abs(rest);
    }
  Bounded y = Bounded(high[0]) + Bounded(low[0]);
  y.e += e[0] + lost[0] * (static_cast<double>(n_) / kLanes + 9) * 0x1p-53;
  return y;
}

void PairedSum::add(const double* v, const double* l, const double* e, std::size_t n) {
  e == nullptr ? paired_loop<true>(v, v, v, n, high_, low_, e_) : paired_loop<false>(v, l, e, n, high_, low_, e_);
}
Paired PairedSum::total() const {
  Paired total(high_[0], low_[0], e_[0]);
  for (std::size_t k = 1; k < kLanes; ++k) total = total + Paired(high_[k], low_[k], e_[k]);
  return total;
}

}  // namespace opref::exact
