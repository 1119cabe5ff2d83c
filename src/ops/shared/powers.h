// SPDX-License-Identifier: Apache-2.0
// Powers with an exponent that is a number of the node, over any number class.
#pragma once

#include <cmath>
#include <limits>

#include "evaluators/real.h"
namespace opref::ops::powers {
/// x^beta of a finite x, by products and roots where beta is a multiple of 1/4: a rational power is known as such.
template <class R>
R algebraic_power(const R& x, double beta) {
  const double size = std::abs(beta), whole = std::floor(size), rest = size - whole;
  R y(1.0);
  for (double k = 0; k < whole; ++k) y = y * x;
  const R root = sqrt(x + R(0.0));  // of -0 too it is +0
  if (rest >= 0.5) y = y * root;
  if (rest == 0.25 || rest == 0.75) y = y * sqrt(root);
  return beta < 0 ? R(1.0) / y : y;
}
/// IEEE 754's pow.
template <class R>
R power(const R& x, double beta) {
  constexpr double kMostByProducts = 16;
  const bool is_algebraic = std::abs(beta) <= kMostByProducts && beta * 4 == std::floor(beta * 4);
  if (is_finite(x) && is_algebraic) return algebraic_power(x, beta);
  if (!is_finite(x) || beta == std::floor(beta)) return pow(x, R(beta));
  return choose(
      x < R(0.0), [] { return R(std::numeric_limits<double>::quiet_NaN()); }, [&] { return pow(x, R(beta)); });
}
}  // namespace opref::ops::powers
