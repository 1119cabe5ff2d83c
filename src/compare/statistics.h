// SPDX-License-Identifier: Apache-2.0
// How far elements are apart, summed up.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/element_rule.h"

namespace opref::compare {

/// A measure of error over the elements that have it.
struct ErrorSummary {
  double max = 0, mean = 0;  ///< where the sum of all overflows, mean is max
  std::int64_t count = 0;    ///< elements that have it
};

/// Elements counted by their distance. Bin 0 holds those 0 ULP apart, bin 1 those 1 apart, bin 2 those 2 apart, bin k
/// those 2^(k-2)+1 to 2^(k-1) apart, and the last one those without a distance.
struct UlpHistogram {
  static constexpr size_t kNoDistance = 66;
  std::array<std::int64_t, kNoDistance + 1> bins{};

  static size_t bin_of(const std::optional<std::uint64_t>& ulp) {
    if (!ulp) return kNoDistance;
    return *ulp == 0 ? 0 : 1 + static_cast<size_t>(std::bit_width(*ulp - 1));
  }
  /// "0", "1", "2", "3-4", "5-8", …, "none".
  static std::string label(size_t bin);
};

/// Elements counted by their share: the error over its bound.
struct ShareHistogram {
  static constexpr std::array<double, 4> kEnds = {0, 0.1, 1, 10};  ///< of the bins, which have them; the last has none
  static constexpr std::array<std::string_view, kEnds.size() + 1> kLabels = {"0", "to 0.1", "to 1", "to 10",
                                                                             "above 10"};
  std::array<std::int64_t, kLabels.size()> bins{};

  void add(double share) { ++bins[static_cast<size_t>(std::ranges::lower_bound(kEnds, share) - kEnds.begin())]; }
  bool operator==(const ShareHistogram&) const = default;
};

/// Sums up finite errors in a fixed order, in parts, so that the mean of 10^10 of them is good to 9 digits.
class ErrorSum {
 public:
  void add(double error) {
    if (!(error < std::numeric_limits<double>::infinity())) return;
    ++summary_.count;
    if (error > summary_.max) summary_.max = error;
    part_ += error;
    constexpr int kPart = 4096;
    if (++pending_ == kPart) flush();
  }
  /// Errors of 0.
  void add_zeros(std::int64_t count) { summary_.count += count; }
  ErrorSummary summary();

 private:
  void flush() {
    sum_ += part_;
    part_ = 0;
    pending_ = 0;
  }

  ErrorSummary summary_;  // without the mean
  double part_ = 0, sum_ = 0;
  int pending_ = 0;
};

/// Of all elements, whether they pass or not.
class Statistics {
 public:
  /// Numbers with the same bits.
  void add_equal(std::int64_t count) {
    add_equal_strings(count);
    absolute_.add_zeros(count);
    relative_.add_zeros(count);
  }
  void add_equal_strings(std::int64_t count) {
    bit_equal_ += count;
    histogram_.bins[0] += count;
  }
  void add(const Passing& verdict) {
    bit_equal_ += verdict.identical;
    ++histogram_.bins[UlpHistogram::bin_of(verdict.ulp)];
    if (verdict.ulp) {
      ulp_sum_ += *verdict.ulp;
      if (*verdict.ulp > max_ulp_) max_ulp_ = *verdict.ulp;
    }
    absolute_.add(verdict.absolute);
    relative_.add(verdict.relative);
  }

  std::int64_t bit_equal() const { return bit_equal_; }
  std::uint64_t max_ulp() const { return max_ulp_; }
  const UlpHistogram& histogram() const { return histogram_; }
  ErrorSummary absolute() { return absolute_.summary(); }
  ErrorSummary relative() { return relative_.summary(); }
  ErrorSummary ulp() const;

 private:
  std::int64_t bit_equal_ = 0;
  std::uint64_t max_ulp_ = 0;
  unsigned __int128 ulp_sum_ = 0;
  UlpHistogram histogram_;
  ErrorSum absolute_, relative_;
};

/// The worst mismatches of one tensor by flat position, the first of equally bad ones first.
class WorstList {
 public:
  explicit WorstList(size_t most) : most_(most) {}
  /// In ascending order.
  void add(std::int64_t element, const Badness& badness) {
    if (list_.size() == most_ && !(list_.back().first < badness)) return;
    insert(element, badness);
  }
  const std::vector<std::pair<Badness, std::int64_t>>& list() const { return list_; }

 private:
  void insert(std::int64_t element, const Badness& badness);

  size_t most_;
  std::vector<std::pair<Badness, std::int64_t>> list_;
};

}  // namespace opref::compare
