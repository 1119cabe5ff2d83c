// SPDX-License-Identifier: Apache-2.0
// Rows of numbers that are given a part after the other: between which of them all are, their sums, their product.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "exact/real/paired.h"
#include "exact/real/static_bound.h"

namespace opref::exact {

/// The least and the greatest of numbers but for NaN.
struct RowRange {
  double least = kInfinity, most = -kInfinity;
  bool has_nan = false;
  void add(const double* x, std::size_t n);
  bool is_zero() const { return !has_nan && !(least < 0) && !(most > 0); }
  /// NaN where there is one; -Inf of none.
  double greatest() const { return has_nan ? std::numeric_limits<double>::quiet_NaN() : most; }
};

/// Σ of numbers by the quick tier, of which `each` says how wrong they are. Each is taken apart into a multiple of a
/// place, of which all sums are exact, and a rest of at most half a place: the rests of n numbers meet n/16 + 24
/// roundings, each of at most 2^-53·n·place.
class QuickSum {
 public:
  QuickSum(const StaticBound& each, std::size_t n);
  /// Whether anything is known of it.
  bool is_known() const { return is_known_; }
  void add(const double* x, std::size_t n);
  Bounded total() const;

 private:
  static constexpr std::size_t kLanes = 16;
  bool is_zero() const { return n_ == 0 || (most_ == 0 && each_.abs == 0); }

  StaticBound each_;
  double n_, most_, place_;
  bool is_known_;
  double whole_[kLanes] = {}, rest_[kLanes] = {};
};

/// Σ of numbers v ± e, n in all: in 16 lanes of compensated sums, which are then added likewise, two by two. What
/// additions lose is added up apart, r of each: it meets less than n/16 + 1 roundings in its lane and at most 2 at each
/// of 4 halvings, so that it is wrong by at most (n/16 + 9)·2^-53·Σ|r|.
class BoundedSum {
 public:
  explicit BoundedSum(std::size_t n) : n_(n) {}
  /// Parts but the last are multiples of 16 long. Without errors (null) the numbers are exact.
  void add(const double* v, const double* e, std::size_t n);
  Bounded total() const;

 private:
  static constexpr std::size_t kLanes = 16;
  std::size_t n_;
  double high_[kLanes] = {}, low_[kLanes] = {}, e_[kLanes] = {}, lost_[kLanes] = {};
};

/// Π of floats or narrower numbers, n in all: in 16 lanes, whose exponents are counted apart, so that nothing overflows
/// or underflows before the end. It meets n + 16 roundings. Its v has its sign, unless it is NaN.
class RowProduct {
 public:
  explicit RowProduct(std::size_t n) : n_(n) { std::fill_n(size_, kLanes, 1.0); }
  void add(const double* x, std::size_t n);
  Bounded total() const;

 private:
  static constexpr std::size_t kLanes = 16;
  std::size_t n_;
  double size_[kLanes];
  std::int64_t exponent_[kLanes] = {};
};

/// Σ of numbers v + l ± e: in 16 lanes of pairs, each of which bounds its error as pairs do, and which are then added.
class PairedSum {
 public:
  /// Parts but the last are multiples of 16 long. Without errors and l (null) the numbers are v.
  void add(const double* v, const double* l, const double* e, std::size_t n);
  Paired total() const;

 private:
  static constexpr std::size_t kLanes = 16;
  double high_[kLanes] = {}, low_[kLanes] = {}, e_[kLanes] = {};
};

/// y[i] += x[i], and the same of numbers v ± e; without errors (null) those that are added are exact.
void row_add(const double* x, std::size_t n, double* y);
void row_add(const double* v, const double* e, std::size_t n, double* y, double* y_e);
/// And of numbers v + l ± e.
void row_add(const double* v, const double* l, const double* e, std::size_t n, double* y, double* y_l, double* y_e);

}  // namespace opref::exact
