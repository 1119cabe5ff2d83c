// SPDX-License-Identifier: Apache-2.0
// Arithmetic progressions: how many numbers start, start + delta, start + 2·delta, … come before a limit.
#pragma once

#include <cstdint>

#include "evaluators/elements.h"
namespace opref::ops {
/// By the exact quotient: the least n >= 0 with start + n·delta at or beyond limit. All are finite, delta is not 0;
/// 2^53 and more are `invalid`.
std::int64_t progression_length(double start, double limit, double delta);
/// The same of integers.
Elements::Wide progression_length(Elements::Wide start, Elements::Wide limit, Elements::Wide delta);
}  // namespace opref::ops
