// SPDX-License-Identifier: Apache-2.0
// Values as another right kernel may have rounded them.
#pragma once

#include <cstdint>

#include "core/random.h"
#include "run/evaluate.h"

namespace opref::check {

/// The number n of roundings of an element of a step's output, whose error a kernel's is about u·√n: the terms of a
/// sum; of another formula its operations, at most as many as the longest axis of an input has elements. 0 where right
/// kernels agree: what only moves, converts or is exact, and what is no float16, bfloat16, float32 or float64. The
/// greatest of three elements, those after the begin, the first and the second third that are not zero.
std::int64_t roundings_of(const Step& step, size_t output, const Tensor& value);

/// Each element y of a type that roundings_of counts becomes one of its neighbours: y + d, rounded up or down at random
/// so that its expectation is y + d, where d is uniform and has the rms u·√n·|y|. u is 2^-53 for float64, else 2^-24,
/// that of float32. 0, Inf and NaN stay, and nothing becomes one of these. `number` tells apart what is drawn.
Tensor with_noise(const Tensor& y, std::int64_t roundings, const Random& random, std::uint32_t number);

}  // namespace opref::check
