// SPDX-License-Identifier: Apache-2.0
// What a kernel of a recurrence may compute. A bound over all steps says nothing: each step multiplies it, though what
// kernels lose stays at an ULP or two.
//
// Where the output lists the states, each step is judged by itself, from the kernel's own state before it; what a step
// keeps beside that, as the cell of LSTM, goes on with its bound. That is rigorous.
//
// Else an element is compared with the spread of simulated kernels, an estimate: with s the rms of what eight of them
// are off over the last axis, and u_T the output's unit roundoff, a passes iff |a - y| <= 4·(s + u_T·|y|).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/tolerance.h"
#include "run/evaluate.h"

namespace opref::check {

/// Outputs that a kernel gave, as what its next steps begin with.
class KnownStates {
 public:
  /// `foreign` is that output of the step; one of a type without limits has no states.
  KnownStates(const Step& step, std::string_view output, const Tensor& foreign, const BoundedKernel& kernel);
  /// TermSink::known
  std::optional<Faithful> known(size_t output, std::int64_t index) const;
  /// Whether states that stand in output 0 are known.
  bool has_states() const { return place_ == 0; }

 private:
  size_t place_;
  const Tensor& foreign_;
  bool is_known_;
  double relative_ = 0, absolute_ = 0;  ///< how far the kernel's own number may be from it
};

/// The error of each element that differs from `ours` in its value, over what the spread allows.
std::vector<std::pair<std::int64_t, double>> shares_of_spread(const Step& step, std::string_view output,
                                                              const Tensor& foreign, const Tensor& ours,
                                                              const BoundedKernel& kernel);

}  // namespace opref::check
