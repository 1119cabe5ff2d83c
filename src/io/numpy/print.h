// SPDX-License-Identifier: Apache-2.0
// What a person sees of a tensor.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/tensor.h"
#include "io/sha256.h"

namespace opref::io {

/// The tensor as numpy 2.4 prints the array (print(a)): 8 digits, lines of 75 characters, above 1,000 elements three at
/// each end of an axis. Floating types that numpy does not have as it prints its own, with as few digits as read back
/// in that type; strings as an array of objects.
std::string numpy_text(const Tensor& tensor);

/// "sequence of float32, 2 elements", then each with its position; "optional float32, empty"; each tensor as `text`
/// says it, the first kMostPrinted. "map(string,float)", then its hash (see sha256 of values) and `{"a": 0.25}`;
/// "seq(map(string,float))[2]", then each with its position. All lines end.
std::string value_text(const Value& value, const std::function<std::string(const Tensor&)>& text);

/// Tensors of more elements are described without their values; of a longer sequence only so many tensors are.
inline constexpr std::int64_t kMostPrinted = 1000;

/// What `show` prints of a tensor.
struct TensorSummary {
  std::optional<std::string> least, greatest;  ///< of the elements that are no NaN, as `element_text`; absent where
                                               ///< there are none, for complex numbers and for strings
  std::int64_t nan = 0, positive_infinity = 0, negative_infinity = 0;  ///< of complex numbers: their parts
};
TensorSummary summarize(const Tensor& tensor);

}  // namespace opref::io
