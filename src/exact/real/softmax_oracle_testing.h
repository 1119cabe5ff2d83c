// SPDX-License-Identifier: Apache-2.0
// Softmax by MPFR, as a witness of the tiers of real formulas.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <vector>

#include "exact/oracle_testing.h"

namespace opref::exact::oracle {

/// The bits of e^x / Σ e^x in type T, by 500 bits; x has no NaN, `most` is its greatest number, a finite one.
template <class T>
std::vector<std::uint64_t> softmax_bits(const std::vector<double>& x, double most) {
  std::vector<std::uint64_t> y;
  mpfr_t total, power;
  mpfr_inits2(500, total, power, nullptr);
  const auto set_power = [&](double a) {
    mpfr_set_d(power, a, MPFR_RNDN);
    mpfr_sub_d(power, power, most, MPFR_RNDN);
    mpfr_exp(power, power, MPFR_RNDN);
  };
  mpfr_set_zero(total, 1);
  for (const double a : x) set_power(a), mpfr_add(total, total, power, MPFR_RNDN);
  for (const double a : x) {
    set_power(a);
    mpfr_div(power, power, total, MPFR_RNDN);
    if (mpfr_zero_p(power) != 0 || mpfr_get_exp(power) < -2000)
      y.push_back(0);
    else
      y.push_back(nearest_bits<T>([&](const Rational& q) { return mpfr_cmp_q(power, q.get_mpq_t()); }));
  }
  mpfr_clears(total, power, nullptr);
  return y;
}

}  // namespace opref::exact::oracle
