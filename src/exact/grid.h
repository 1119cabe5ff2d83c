// SPDX-License-Identifier: Apache-2.0
// The grid certificate: when no addition can round, an estimate is the exact sum.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>

#include "core/rooms.h"

namespace opref::exact {

/// What numbers have in common: none is larger than `most`, all are multiples of the power of two `step` (infinity for
/// zeros alone). NaN or infinities make `most` infinite.
struct Grid {
  double most = 0, step = std::numeric_limits<double>::infinity();

  Grid with(const Grid& other) const;
};

/// Of n numbers of type Half, BFloat16 or float.
template <class T>
Grid grid_of(const T* x, std::size_t n);

/// Whether additions of multiples of sums.step cannot round in double, in any order, if their magnitudes' sum is
/// sums.most, itself worked out in double: a hundredth is allowed for its roundings.
bool additions_are_exact(const Grid& sums);

/// Every partial sum of `terms` products of a number of x and one of w, and one number of `start`, in any order, is a
/// multiple of one step and below 2^53 steps: a sum in double does not round.
bool sums_are_exact(double terms, const Grid& x, const Grid& w, const Grid& start);

/// A certificate that is worked out once for all threads, when so many elements asked for it that one by one they would
/// cost more. Random numbers hardly ever come to that.
class LazyCertificate {
 public:
  /// `find` looks at `numbers` of them; an element is a sum of `terms`.
  LazyCertificate(std::function<bool()> find, double numbers, double terms)
      : find_(std::move(find)), enough_(numbers / (2000 + 8 * terms)) {}
  /// Whether it is known that no sum can round.
  bool is_known() const { return is_known_; }
  /// Whether no sum can round; false also while too few, `doubts` more of them, have asked.
  bool holds(std::size_t doubts) {
    const std::size_t asked = asked_ += doubts;
    if (static_cast<double>(asked) < enough_) return false;
    std::call_once(once_, [this] { is_known_ = find_(); });
    return is_known_;
  }

 private:
  std::function<bool()> find_;
  double enough_;
  std::atomic<std::size_t> asked_ = 0;
  std::once_flag once_;
  std::atomic<bool> is_known_ = false;
};

}  // namespace opref::exact
