// SPDX-License-Identifier: Apache-2.0
// Real formulas as a machine evaluates them that rounds each operation to a type.
#pragma once

#include <optional>

#include "core/dtype.h"

namespace opref::exact {

/// While it lives, what this thread's operations on Intervals give is the nearest number of the type, not the interval
/// in which the result lies: what a backend may have computed, and never a result.
class Steps {
 public:
  explicit Steps(std::optional<DType> type) : before_(type_) { type_ = type; }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  ~Steps() { type_ = before_; }

  /// Nothing: operations round outward.
  static std::optional<DType> type() { return type_; }

 private:
  static inline thread_local std::optional<DType> type_ = {};
  std::optional<DType> before_;
};

}  // namespace opref::exact
