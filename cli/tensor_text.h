// SPDX-License-Identifier: Apache-2.0
// What run, show and diff print of a tensor, and of two.
#pragma once

#include <string>

#include "compare/compare.h"
#include "core/tensor.h"

namespace opref::cli {

enum class Extremes : std::uint8_t {
  always,     ///< least and greatest element; counts of NaN and infinities where there are some
  if_not_all  ///< only of a tensor whose elements are not all printed; counts of NaN and infinities always
};

/// Type, SHA-256, extremes, and the elements as numpy prints them: of more than 1,000 those at the ends of each axis.
std::string tensor_text(const Tensor& tensor, Extremes extremes);

/// "Y equal" or "Y differs", and how.
std::string comparison_text(std::string_view name, const Comparison& comparison, const Tolerance& tolerance);

}  // namespace opref::cli
