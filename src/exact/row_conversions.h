// SPDX-License-Identifier: Apache-2.0
// Vector loops from numbers of one type to another. NaN becomes quiet_nan.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exact/rounding.h"

namespace opref::exact {

/// to[i] = x[i], exactly; T is Half, BFloat16, float, or an integer of 8 or 16 bits.
template <class T>
void row_floats(const T* x, std::size_t n, float* to);

/// to[i] = x
void row_fill(float x, std::size_t n, float* to);

/// to[i] = the T nearest to x[i]; T is Half, BFloat16 or float, From float or double.
template <class From, class T>
void row_nearest(const From* x, std::size_t n, T* to);

/// to[i] = the T nearest to a number of which x[i] is the nearest float. That is not known where x[i] lies half-way
/// between two T and the number is not known to be x[i] (is_inexact): there doubts[i] becomes 1. How many doubts there
/// are. T is Half or BFloat16; one of the same places may serve as both.
template <class T>
std::size_t row_nearest_of_rounded(const float* x, const std::int32_t* is_inexact, std::size_t n, T* to,
                                   std::int32_t* doubts);

/// to[i] = the integer x[i], or the T that is nearest to it; `of_nan` of NaN. T has 8 or 16 bits.
template <class T>
void row_clamped(const float* x, std::size_t n, float of_nan, T* to);
/// to[i] = the low bits of x[i] truncated toward zero. No |x[i]| is 2^31 or more. T is an unsigned integer.
template <class T>
void row_truncated(const float* x, std::size_t n, T* to);
/// to[i] = 1 where x[i] is not 0, else 0.
void row_truths(const float* x, std::size_t n, std::uint8_t* to);

/// to[i] = (condition[i] != 0 ? a : b)[i]; T is an unsigned integer.
template <class T>
void row_chosen(const std::uint8_t* condition, const T* a, const T* b, std::size_t n, T* to);

}  // namespace opref::exact
