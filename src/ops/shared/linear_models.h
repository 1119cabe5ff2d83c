// SPDX-License-Identifier: Apache-2.0
// Linear models of ai.onnx.ml: rows of coefficients that the attribute `coefficients` lists, and a number for each.
// Y[row, t] = Σ_k X[row, k]·coefficients[t, k] + intercepts[t].
#pragma once

#include <vector>

#include "ops/shared/scores.h"
namespace opref::ops {
class LinearRows {
 public:
  /// `count` rows, as many as `coefficients` must have. No intercepts, or one for each. The call outlives it.
  LinearRows(const Call& call, std::int64_t count, std::vector<double> intercepts)
      : call_(call),
        count_(count),
        features_(feature_rows(call).features),
        coefficients_(doubles_of(call, "coefficients")),
        intercepts_(std::move(intercepts)) {
    const std::int64_t needed = checked_multiply(count, features_);
    require(std::ssize(coefficients_) == needed, "coefficients has {}, but {} of {} need {}",
            counted(std::ssize(coefficients_), "value"), counted(count, "score"), counted(features_, "feature"),
            needed);
    require(intercepts_.empty() || std::ssize(intercepts_) == count, "intercepts has {}, but there {} {}",
            counted(std::ssize(intercepts_), "value"), count == 1 ? "is" : "are", counted(count, "score"));
    coefficients_tensor_ = tensor_of(coefficients_), intercepts_tensor_ = tensor_of(intercepts_);
  }

  /// The scores of one row of X, x being a Reader<R>.
  template <class R>
  std::vector<R> operator()(std::int64_t row, const Reader<R>& x) const {
    const Elements X(call_.input("X"));
    std::vector<R> s;
    for (std::int64_t t = 0; t < count_; ++t) {
      require_time();
      SumOf<R> sum;
      for (std::int64_t k = 0; k < features_; ++k)
        sum.add(x(X, row * features_ + k) * R(coefficients_[static_cast<size_t>(t * features_ + k)]));
      if (!intercepts_.empty()) sum.add(R(intercepts_[static_cast<size_t>(t)]));
      s.push_back(sum.total());
    }
    return s;
  }

  /// Not of integers that no double holds.
  bool has_terms() const { return !Elements(call_.input("X")).is_wide(); }
  template <class Sum>
  void terms(std::int64_t row, std::int64_t t, Sum& sum) const {
    const Elements X(call_.input("X")), W(coefficients_tensor_), b(intercepts_tensor_);
    if (features_ > 0) sum.add(X[Run{row * features_, features_}], W[Run{t * features_, features_}]);
    if (!intercepts_.empty()) sum.add(b[t]);
  }

 private:
  static Tensor tensor_of(const std::vector<double>& numbers) {
    const std::vector<float> narrow(numbers.begin(), numbers.end());
    return Tensor::of<float>(DType::float32, {std::ssize(narrow)}, narrow);
  }

  const Call& call_;
  std::int64_t count_, features_;
  std::vector<double> coefficients_, intercepts_;
  Tensor coefficients_tensor_, intercepts_tensor_;  ///< float32
};
}  // namespace opref::ops
