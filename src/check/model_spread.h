// SPDX-License-Identifier: Apache-2.0
// Outputs that several nodes make, or graphs inside a node: no rigorous bound is of use through many nodes, so that
// the spread of right backends decides (see sensitivity.h).
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "check/bound.h"
#include "check/sensitivity.h"
#include "run/bind.h"

namespace opref::check {

/// What rounding does to the outputs of a graph. It is worked out when it is first asked for.
class ModelSpread {
 public:
  /// `bound` must outlive it. It takes at most `seconds`.
  ModelSpread(const Bound& bound, double seconds) : bound_(bound), seconds_(seconds) {}

  /// Nothing where it cannot be worked out: it takes too long or too much memory, or noise leads to what a node
  /// refuses.
  const OutputSpread* of(std::string_view output);
  /// Why there is nothing.
  const std::string& why_not() const { return why_not_; }

 private:
  const Bound& bound_;
  double seconds_;
  bool is_tried_ = false;
  std::optional<Sensitivity> found_;
  std::string why_not_;
};

/// Whether a right backend can give the foreign values of one output, of one type with opref's own. They pass if the
/// rms of the error is at most 4 times the spread and 4 u of the output's type, and no error is greater than 16 times
/// the greatest one of the spread and 4 u of its element. An element's share is its error over what it may be; the
/// comparison's is at least that of the rms. Integers and all else that is no float are compared exactly.
/// Where rounding alone changes integers, makes numbers Inf or NaN, changes the shape, or more than
/// OutputSpread::kLargest of the output, there is no verdict: the comparison's obstacle is `amplification`.
Comparison compare_by_spread(const Tensor& actual, const Tensor& expected, Foreign foreign, const OutputSpread& spread);
/// The same where the spread is not known, for this reason: there is no verdict.
Comparison compare_without_spread(const Tensor& actual, const Tensor& expected, const std::string& why_not);

}  // namespace opref::check
