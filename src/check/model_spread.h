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

/// Judges the outputs of a graph by what rounding does to them, which is worked out when it is first needed.
class ModelSpread {
 public:
  /// `bound` must outlive it. It takes at most `seconds`.
  ModelSpread(const Bound& bound, double seconds) : bound_(bound), seconds_(seconds) {}

  /// Whether a right backend can give the foreign values of this output, of one type with opref's own. They pass if the
  /// rms of the error is at most OutputSpread::kTimes times the spread and 4 u of the output's type, and no error is
  /// greater than 16 times the greatest one of the spread and 4 u of its element. An element's share is its error over
  /// what it may be; the comparison's is at least that of the rms. Integers and all else that is no float are compared
  /// exactly. Where rounding alone changes integers, makes numbers Inf or NaN, changes the shape, or more than
  /// OutputSpread::kLargest of the output, or where the spread cannot be worked out (it takes too long or too much
  /// memory, or noise leads to what a node refuses), there is no verdict on values that differ.
  Comparison compare(std::string_view output, const Tensor& actual, const Tensor& expected, Foreign foreign);

 private:
  /// Nothing where it cannot be worked out.
  const OutputSpread* of(std::string_view output);
  std::string no_verdict(std::string_view output, bool is_float);

  const Bound& bound_;
  double seconds_;
  bool is_tried_ = false;
  std::optional<Sensitivity> found_;
  std::string why_not_;
};

}  // namespace opref::check
