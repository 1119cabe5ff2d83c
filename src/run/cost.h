// SPDX-License-Identifier: Apache-2.0
// What a case will cost, from its text and its types: nothing is evaluated, no tensor's file is read.
#pragma once

#include <cstdint>
#include <string_view>

#include "io/case.h"

namespace opref::run {

/// In about nanoseconds.
inline constexpr std::uint64_t kCostOfCase = 100'000, kCostOfByte = 3, kCostOfTerm = 1;

/// The terms of all outputs, or the elements of all inputs where those are more, summed over the nodes; 0 where types
/// alone do not tell it.
std::uint64_t terms_of(Case read);

/// The elements of the tensors that a JSON case states by their shapes instead of their values.
std::uint64_t stated_elements(std::string_view json);

}  // namespace opref::run
