// SPDX-License-Identifier: Apache-2.0
// A whole number as the nearest double: for guesses, for ranges of attributes, for what other programs do wrong. A
// number of a formula is exact: R::whole(n), Ratio.
#pragma once

#include <concepts>

#include "core/rooms.h"

namespace opref::core {

template <std::integral N>
constexpr double nearly(N whole) {
  return static_cast<double>(whole);
}

}  // namespace opref::core
