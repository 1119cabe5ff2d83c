// How far the elements of an output are off, for a heat map.
#pragma once

#include <optional>

#include "check/report.h"

namespace opref {

/// Of two tensors whose types can be compared (difference_of_types); nothing where they cannot, or where every element
/// passes. Distances of elements with the same bits are not looked at, so that this costs what compare costs; -0
/// against +0 and other NaN payloads are cells of 0. Strings have no distance. An invalid tolerance is a `usage` error.
std::optional<ErrorMap> error_map(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance);

}  // namespace opref
