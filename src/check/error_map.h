// How far the elements of an output are off, for a heat map.
#pragma once

#include <optional>
#include <span>

#include "check/report.h"

namespace opref {

/// Of two tensors whose types can be compared (difference_of_types); nothing where they cannot, or where every element
/// passes. Distances of elements with the same bits are not looked at, so that this costs what compare costs; -0
/// against +0 and other NaN payloads are cells of 0. Strings have no distance. By the rule bound the elements
/// `out_of_bound`, ascending, do not pass; if it is empty, none with other bits does. An invalid tolerance is a `usage`
/// error.
std::optional<ErrorMap> error_map(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance,
                                  std::span<const std::int64_t> out_of_bound = {});

}  // namespace opref
