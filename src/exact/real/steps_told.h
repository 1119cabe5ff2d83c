// SPDX-License-Identifier: Apache-2.0
// Which kinds of steps make the error of a Faithful number: it is computed once more without one kind after another.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace opref::exact {

/// What loses something in a kernel's arithmetic.
enum class StepKind : std::uint8_t {
  input,
  constant,
  addition,
  product,
  sum,
  division,
  sqrt,
  exp,
  expm1,
  log,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  erfinv,
  pow,
  pi,
  rounding
};
/// "the rounded input", "an addition", "a sum's additions", "exp".
std::string_view to_text(StepKind kind);

/// While it lives, it hears which kinds of steps this thread's Faithful numbers lose something by; those of `without`
/// lose nothing.
class StepsTold {
 public:
  explicit StepsTold(std::optional<StepKind> without = std::nullopt);
  StepsTold(const StepsTold&) = delete;
  StepsTold& operator=(const StepsTold&) = delete;
  ~StepsTold();
  /// In their order in StepKind.
  std::vector<StepKind> heard() const;
};

}  // namespace opref::exact
