// SPDX-License-Identifier: Apache-2.0
// Rows of sums of few numbers that lie anywhere, each with a weight of its own: what is interpolated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/rooms.h"

namespace opref::exact {

/// A term of each result of a row: of result k the number x[at[k]] times a weight, which is factor·weights[k]: exactly
/// that, and a double, where errors is null, else within |factor|·errors[k] of the double next to it. No weight but 0
/// is below 2^-800. X is float, or double, of numbers that are products and sums of floats and weights.
template <class X>
struct WeightedTerm {
  const X* x;
  const std::int32_t* at;
  const double* weights;
  double factor = 1;
  const double* errors = nullptr;  ///< of floats
  const double* lost = nullptr;  ///< of doubles: x[i] is within lost[i]·kWeightedLost of the number; null: it is that
};

/// value[k] = the sum of the terms of result k, k < n, and error[k] · kWeightedLost bounds how wrong it is: what
/// products and sums have lost, in magnitude, and what the numbers and weights lack. 0 where it is exact; never is a
/// value -0. What is not finite has an error that is not. All terms have errors, or none; likewise `lost`.
void row_weighted_sums(std::span<const WeightedTerm<float>> terms, std::size_t n, double* value, double* error);
void row_weighted_sums(std::span<const WeightedTerm<double>> terms, std::size_t n, double* value, double* error);
/// Pays for the roundings of the error itself.
constexpr double kWeightedLost = 1.01;

/// A row of numbers, all of which have one weight: exactly that, and a double.
struct WeightedRow {
  const float* x;
  double weight;
};
/// value[i] = the sum of the rows' products, i < n, and lost[i] what that has lost, as of errors above. Returns whether
/// nothing was lost.
bool row_weighted_rows(std::span<const WeightedRow> rows, std::size_t n, double* value, double* lost);

}  // namespace opref::exact
