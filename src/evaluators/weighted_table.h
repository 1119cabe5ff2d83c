// SPDX-License-Identifier: Apache-2.0
// What loops over rows of weighted sums (exact/weighted_rows.h) read: the numbers as floats, the terms as a table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluators/element_rows.h"
#include "evaluators/weighted_sums.h"
#include "exact/weighted_rows.h"
#include "system/deadline.h"

namespace opref::evaluators {

constexpr std::size_t kMostWeightedTerms = 256;  ///< of an element
/// How wrong a weight may be, relatively, where weights along axes are multiplied.
constexpr double kMostOffWeight = 0x1p-50;
constexpr double kLeastWeight = 0x1p-300;  ///< but for 0

/// Whether rows of Y are such sums of X.
inline bool serves_weighted(const TensorType& y, const Tensor& x) {
  return x.count() > 0 && x.dtype() == y.dtype && is_floating(y.dtype) && is_in_float32(y.dtype);
}

/// The numbers of a tensor as floats, which its dtype's are.
class FloatNumbers {
 public:
  explicit FloatNumbers(const Tensor& x) {
    if (x.dtype() == DType::float32) {
      all_ = x.values<float>().data();
      return;
    }
    widened_.resize(static_cast<std::size_t>(x.count()));
    const Elements elements(x);
    constexpr std::int64_t kPart = std::int64_t{1} << 16;
    for (std::int64_t i = 0; i < x.count(); i += kPart) {
      require_time();
      read_row(elements, Run{i, std::min(kPart, x.count() - i)}, widened_.data() + i);
    }
    all_ = widened_.data();
  }
  const float* data() const { return all_; }

 private:
  std::vector<float> widened_;
  const float* all_ = nullptr;
};

/// The terms of a row of elements, term by term: as many of each, those that are missing with weight 0.
class WeightedTable {
 public:
  explicit WeightedTable(const WeightedPlaces& places) : size_(places.size()) {
    for (std::size_t k = 0; k < size_; ++k) count_ = std::max(count_, places[k].size());
    at_.resize(count_ * size_), weights_.resize(count_ * size_), errors_.resize(count_ * size_);
    for (std::size_t k = 0; k < size_; ++k) {
      const auto of = places[k];
      if (of.empty()) left_.push_back(static_cast<std::int64_t>(k));
      for (std::size_t t = 0; t < count_; ++t) {
        const std::size_t i = t * size_ + k;
        const WeightedPlace place = t < of.size() ? of[t] : WeightedPlace{of.empty() ? 0 : of[0].at, 0.0};
        at_[i] = static_cast<std::int32_t>(place.at);
        weights_[i] = place.weight.v, errors_[i] = place.weight.e;
        are_exact_ = are_exact_ && place.weight.e == 0;
        serves_ = serves_ && (place.weight.v == 0 || std::abs(place.weight.v) >= kLeastWeight);
      }
    }
  }
  std::size_t size() const { return size_; }
  std::size_t terms() const { return count_; }
  bool are_exact() const { return are_exact_; }
  /// Whether no weight is tiny.
  bool serves() const { return serves_; }
  /// Elements without terms.
  std::span<const std::int64_t> left() const { return left_; }
  /// As of weights that are to be multiplied by those of other axes, at most kMostOffWeight wrong, all products
  /// rounded.
  void take_errors() {
    are_exact_ = false;
    for (std::size_t i = 0; i < errors_.size(); ++i) errors_[i] += std::abs(weights_[i]) * (32 * kMostOffWeight);
  }
  WeightedTerm<float> term(std::size_t t, const float* x, double factor = 1) const {
    const std::size_t i = t * size_;
    return {x, &at_[i], &weights_[i], factor, are_exact_ ? nullptr : &errors_[i]};
  }
  /// Of exact weights, x being wrong by as much as is lost.
  WeightedTerm<double> term(std::size_t t, const double* x, const double* lost) const {
    const std::size_t i = t * size_;
    return {x, &at_[i], &weights_[i], 1, nullptr, lost};
  }

 private:
  std::size_t size_, count_ = 0;
  std::vector<std::int32_t> at_;
  std::vector<double> weights_, errors_;
  std::vector<std::int64_t> left_;
  bool are_exact_ = true, serves_ = true;
};

}  // namespace opref::evaluators
