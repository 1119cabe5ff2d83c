// SPDX-License-Identifier: Apache-2.0
// What a case will cost, from its text and its types: nothing is evaluated, no tensor's file is read.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "io/case.h"

namespace opref::run {

/// In about nanoseconds.
inline constexpr std::uint64_t kCostOfCase = 100'000, kCostOfByte = 3, kCostOfTerm = 1;

/// Of a case with so many bytes. A large one is read, for its terms: of all outputs, or the elements of all inputs
/// where those are more, summed over the nodes; none where types alone do not tell it, or where it cannot be read.
std::uint64_t cost_of(std::uint64_t bytes, bool is_large, const std::function<Case()>& read);

/// A JSON case that states so many elements by shapes is large.
inline constexpr std::uint64_t kManyElements = 4096;

/// The elements of the tensors that a JSON case states by their shapes instead of their values.
std::uint64_t stated_elements(std::string_view json);

}  // namespace opref::run
