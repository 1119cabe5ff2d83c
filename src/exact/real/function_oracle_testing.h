// SPDX-License-Identifier: Apache-2.0
// Functions of real numbers by MPFR's operations alone, in many bits and rounded once: a witness of the tiers of real
// formulas, which share nothing with it but MPFR's own functions.
#pragma once

#include <mpfr.h>

#include <utility>

#include "exact/oracle_testing.h"

namespace opref::exact::oracle {

/// A number of 600 bits, and IEEE 754's special ones. Each operation rounds.
class Wide {
 public:
  Wide(double x) { mpfr_init2(v_, 600), mpfr_set_d(v_, x, MPFR_RNDN); }
  explicit Wide(const Rational& q) { mpfr_init2(v_, 600), mpfr_set_q(v_, q.get_mpq_t(), MPFR_RNDN); }
  Wide(const Wide& other) { mpfr_init2(v_, 600), mpfr_set(v_, other.v_, MPFR_RNDN); }
  Wide& operator=(Wide other) { return mpfr_swap(v_, other.v_), *this; }
  ~Wide() { mpfr_clear(v_); }
  mpfr_srcptr number() const { return v_; }

  /// f(x) by a function of MPFR.
  static Wide of(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), Wide x) {
    f(x.v_, x.v_, MPFR_RNDN);
    return x;
  }
  friend Wide operator+(Wide a, const Wide& b) { return mpfr_add(a.v_, a.v_, b.v_, MPFR_RNDN), a; }
  friend Wide operator-(Wide a, const Wide& b) { return mpfr_sub(a.v_, a.v_, b.v_, MPFR_RNDN), a; }
  friend Wide operator*(Wide a, const Wide& b) { return mpfr_mul(a.v_, a.v_, b.v_, MPFR_RNDN), a; }
  friend Wide operator/(Wide a, const Wide& b) { return mpfr_div(a.v_, a.v_, b.v_, MPFR_RNDN), a; }
  friend Wide operator-(Wide a) { return mpfr_neg(a.v_, a.v_, MPFR_RNDN), a; }
  friend bool operator<(const Wide& a, const Wide& b) { return mpfr_less_p(a.v_, b.v_) != 0; }

  /// The bits of the nearest T, ties to even.
  template <class T>
  std::uint64_t bits() const {
    constexpr long kBeyondAll = 2000;
    const std::uint64_t sign = mpfr_signbit(v_) != 0 ? std::uint64_t{sign_bit<T>} : 0;
    if (mpfr_nan_p(v_) != 0) return to_bits(quiet_nan<T>());
    if (mpfr_inf_p(v_) != 0 || (mpfr_regular_p(v_) != 0 && mpfr_get_exp(v_) > kBeyondAll))
      return sign | infinity_bits<T>;
    if (mpfr_zero_p(v_) != 0 || mpfr_get_exp(v_) < -kBeyondAll) return sign;
    Wide size = *this;
    mpfr_abs(size.v_, size.v_, MPFR_RNDN);
    return sign | nearest_bits<T>([&](const Rational& q) { return mpfr_cmp_q(size.v_, q.get_mpq_t()); });
  }

 private:
  mpfr_t v_;
};

}  // namespace opref::exact::oracle
