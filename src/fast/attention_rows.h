// SPDX-License-Identifier: Apache-2.0
// Vector loops over the queries of attentions.
#pragma once

#include <cstddef>

#include "exact/real/paired.h"

namespace opref::fast {

/// What a bound's own roundings cost, and terms of higher order.
inline constexpr double kOfBound = 1.02;

/// A mean's numerator is rounded so often beside the additions of past keys and of new ones: a product of a power and a
/// value is, and the sum of past and new ones.
inline constexpr double kMeanRoundings = 2;

/// x = scale·product + added (null: nothing), its greatest so far, and the greatest size of a product.
void row_score(const double* product, const double* added, double scale, std::size_t n, double* x, double* most,
               double* size);
/// Likewise softcap·tanh(scale·product/softcap) + added, which is not null.
void row_score_capped(const double* product, const double* added, double scale, double softcap, std::size_t n,
                      double* x, double* most, double* size);
/// x = e^(x - shift), and sum += x.
void row_power(const double* shift, std::size_t n, double* x, double* sum);
/// Likewise of a query's numbers h + l ± e, for all of its keys: the scores of products, with one shift the powers.
void row_score(const double* added, const Paired& scale, double softcap, std::size_t n, double* h, double* l,
               double* e);
void row_power(double shift, std::size_t n, double* h, double* l, double* e);
/// A mean's numerator v += product, and what it is wrong by, e: the product's scale·norm, what its powers are, times
/// the norms of both, and what clamped powers are.
void row_numerator(const double* product, const double* norms, const double* of_powers, double scale, double values,
                   double clamped, std::size_t n, double* v, double* e);
/// v/sum, and what it is wrong by, given what v is, and of_sum: the sum and all that comes after it, as a part of it.
void row_quotient(const double* sum, const double* of_sum, std::size_t n, double* v, double* e);

}  // namespace opref::fast
