// SPDX-License-Identifier: Apache-2.0
#include "exact/root.h"

#include <gmp.h>
#include <mpfr.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"
#include "exact/exact_sum.h"
#include "exact/mpfr.h"
#include "exact/rounding.h"
#include "system/deadline.h"

namespace opref::exact {
namespace {

constexpr double kMostIntegerPower = 0x1p20;
constexpr double kMostOtherPower = 1024;

bool is_integer(double p) { return p == std::floor(p); }

class Real {
 public:
  explicit Real(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  explicit Real(double value) : Real(mpfr_prec_t{53}) { mpfr_set_d(value_, value, MPFR_RNDN); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }

 private:
  mpfr_t value_;
};

class Rational {
 public:
  Rational() { mpq_init(value_); }
  Rational(const Rational&) = delete;
  Rational& operator=(const Rational&) = delete;
  ~Rational() { mpq_clear(value_); }
  operator mpq_ptr() { return value_; }
  mpz_ptr numerator() { return mpq_numref(value_); }
  mpz_ptr denominator() { return mpq_denref(value_); }
  bool is_one() const { return mpq_cmp_ui(value_, 1, 1) == 0; }

 private:
  mpq_t value_;
};

/// A real number between two that were rounded down and up.
struct Enclosure {
  explicit Enclosure(mpfr_prec_t precision) : low(precision), high(precision) {}
  bool is_point() const { return mpfr_equal_p(low, high) != 0; }
  Real low, high;
};

/// Bits of T as the number they mean; those of infinity as the one that would follow the largest finite number.
template <class T>
void set_value(mpfr_ptr to, std::uint64_t bits) {
  if (bits == infinity_bits<T>)
    mpfr_set_ui_2exp(to, 1, Format<T>::max_exponent + 1, MPFR_RNDN);
  else
    mpfr_set_d(to, widen(from_bits<T>(static_cast<BitsOf<T>>(bits))), MPFR_RNDN);
}

/// Compares scale·Σx^p with m^q, m >= 0, where p = q, or one of them is 1; x > 0 unless p is an integer.
class PowerComparison {
 public:
  PowerComparison(std::span<const double> terms, double p, double q, const Ratio& scale)
      : terms_(terms),
        p_(p),
        q_(q),
        scale_(scale),
        first_precision_(kFirstPrecision + std::max(0, -std::ilogb(std::min(p, q)))),
        sum_(first_precision_) {
    enclose_sum(first_precision_);
  }

  /// Close to the root: a small q makes the sum's relative error 1/q times as large, for which its precision pays.
  double guess() const {
    Real root(first_precision_), exponent(first_precision_);
    mpfr_ui_div(exponent, 1, Real(q_), MPFR_RNDN);
    mpfr_div_ui(root, sum_.low, static_cast<unsigned long>(scale_.b), MPFR_RNDN);
    mpfr_pow(root, root, exponent, MPFR_RNDN);
    return mpfr_get_d(root, MPFR_RNDN);
  }

  /// The sign of scale·Σx^p - m^q. Intervals, at doubled precision until they separate; integer powers are points at a
  /// finite one, and for other powers equality is decided by other means.
  int with(const Real& m) {
    bool may_be_equal = true;
    for (mpfr_prec_t precision = first_precision_;; precision *= 2) {
      require_time();
      if (mpfr_get_prec(sum_.low) < precision) enclose_sum(precision);
      Enclosure power(mpfr_get_prec(sum_.low));
      enclose_power(power, m, q_);
      multiply(power, scale_.b);
      if (mpfr_less_p(sum_.high, power.low)) return -1;
      if (mpfr_greater_p(sum_.low, power.high)) return 1;
      if (sum_.is_point() && power.is_point()) return 0;
      if (!(is_integer(p_) && is_integer(q_)) && may_be_equal) {
        if (equal_by_radicals(m)) return 0;
        may_be_equal = false;
      }
    }
  }

 private:
  static constexpr mpfr_prec_t kFirstPrecision = 128;
  /// The 2^12-th power of a rational other than 1 has more bits than a quotient of two doubles.
  static constexpr int kMostRootExponent = 11;

  static void enclose_power(Enclosure& to, const Real& x, double p) {
    const int rounded = is_integer(p) ? mpfr_pow_ui(to.low, x, static_cast<unsigned long>(p), MPFR_RNDD)
                                      : mpfr_pow(to.low, x, Real(p), MPFR_RNDD);
    mpfr_set(to.high, to.low, MPFR_RNDU);
    if (rounded != 0) mpfr_nextabove(to.high);
  }

  static void multiply(Enclosure& x, double factor) {
    mpfr_mul_ui(x.low, x.low, static_cast<unsigned long>(factor), MPFR_RNDD);
    mpfr_mul_ui(x.high, x.high, static_cast<unsigned long>(factor), MPFR_RNDU);
  }

  /// scale.a·Σx^p
  void enclose_sum(mpfr_prec_t precision) {
    mpfr_set_prec(sum_.low, precision);
    mpfr_set_prec(sum_.high, precision);
    mpfr_set_zero(sum_.low, 1);
    mpfr_set_zero(sum_.high, 1);
    Enclosure power(precision);
    Real x(mpfr_prec_t{53});
    for (const double term : terms_) {
      require_time();
      mpfr_set_d(x, term, MPFR_RNDN);
      enclose_power(power, x, p_);
      mpfr_add(sum_.low, sum_.low, power.low, MPFR_RNDD);
      mpfr_add(sum_.high, sum_.high, power.high, MPFR_RNDU);
    }
    multiply(sum_, scale_.a);
  }

  /// Whether scale·Σx^p = m^q where one of p and q is no integer. Radicals whose ratios are irrational are linearly
  /// independent over the rationals (Besicovitch 1940): if p = q, every (x/m)^p must be rational, and scale·Σ(x/m)^p
  /// = 1; else every x^p and m^q must be.
  bool equal_by_radicals(const Real& m) const {
    Rational unit, target, total, t;
    mpq_set_ui(unit, 1, 1);
    mpq_set_ui(target, 1, 1);
    mpfr_get_q(p_ == q_ ? unit : target, m);
    if (!raise(target, q_)) return false;
    for (const double x : terms_) {
      require_time();
      mpq_set_d(t, x);
      mpq_div(t, t, unit);
      if (!raise(t, p_)) return false;
      mpq_add(total, total, t);
    }
    mpq_set_ui(t, static_cast<unsigned long>(scale_.a), static_cast<unsigned long>(scale_.b));
    mpq_canonicalize(t);
    mpq_mul(total, total, t);
    return mpq_equal(total, target) != 0;
  }

  /// Replaces t, a quotient of two doubles, by t^p where that is rational: for p = a/2^b, a odd or b = 0, where t is
  /// the 2^b-th power of a rational.
  static bool raise(Rational& t, double p) {
    double a = p;
    int b = 0;
    for (; !is_integer(a); a *= 2) ++b;
    if (b > kMostRootExponent) return t.is_one();
    for (mpz_ptr part : {t.numerator(), t.denominator()}) {
      if (b > 0 && mpz_root(part, part, 1UL << b) == 0) return false;
      mpz_pow_ui(part, part, static_cast<unsigned long>(a));
    }
    return true;
  }

  std::span<const double> terms_;
  double p_, q_;
  Ratio scale_;
  mpfr_prec_t first_precision_;
  Enclosure sum_;
};

/// The number whose midpoints to its neighbours enclose the root, ties to even, by steps from a guess.
/// beyond(u) is the sign of (root - midpoint of the numbers with bits u and u+1).
template <class T, class Beyond>
T nearest_by_steps(double guess, const Beyond& beyond) {
  const auto is_below_next = [](int c, std::uint64_t u) { return c < 0 || (c == 0 && (u & 1) == 0); };
  const auto is_above_previous = [](int c, std::uint64_t u) { return c > 0 || (c == 0 && (u & 1) == 0); };
  std::uint64_t u = to_bits(nearest<T>(guess));
  while (u < infinity_bits<T> && !is_below_next(beyond(u), u)) ++u;
  while (u > 0 && !is_above_previous(beyond(u - 1), u)) --u;
  return from_bits<T>(static_cast<BitsOf<T>>(u));
}

/// The T nearest to the q-th root of what is compared, which is positive.
template <class T>
T nearest_root(PowerComparison& comparison) {
  return nearest_by_steps<T>(comparison.guess(), [&](std::uint64_t u) {
    Real midpoint(mpfr_prec_t{56}), next(mpfr_prec_t{56});
    set_value<T>(midpoint, u);
    set_value<T>(next, u + 1);
    mpfr_add(midpoint, midpoint, next, MPFR_RNDN);
    mpfr_div_2ui(midpoint, midpoint, 1, MPFR_RNDN);
    return comparison.with(midpoint);
  });
}

template <class T>
T general_norm(std::span<const double> terms, double p, const Ratio& scale) {
  MpfrThread::prepare();
  PowerComparison comparison(terms, p, p, scale);
  return nearest_root<T>(comparison);
}

double euclidean_guess(std::span<const double> terms) {
  int exponent = std::numeric_limits<int>::min();
  for (const double x : terms) exponent = std::max(exponent, std::ilogb(x));
  ExactSum sum;  // of terms that are at most 2, so that nothing that matters leaves the range of double
  for (const double x : terms) {
    const double near_one = std::scalbn(x, -exponent);
    sum.add(near_one, near_one);
  }
  return std::scalbn(std::sqrt(sum.round<double>()), exponent);
}

/// By the sign of 4Σx² - (a + c)², a and c the neighbours: all products are exact.
template <class T>
T euclidean_norm(std::span<const double> terms) {
  ExactSum four_squares;
  for (int k = 0; k < 4; ++k)
    for (const double x : terms) four_squares.add(x, x);
  return nearest_by_steps<T>(euclidean_guess(terms), [&](std::uint64_t u) {
    ExactSum difference = four_squares;
    const double a = widen(from_bits<T>(static_cast<BitsOf<T>>(u)));
    const bool overflow = u + 1 == infinity_bits<T>;
    // c², 2ac in multiples of what a double can hold: the number after the largest is 2·2^max_exponent.
    const double c =
        overflow ? std::ldexp(1.0, Format<T>::max_exponent) : widen(from_bits<T>(static_cast<BitsOf<T>>(u + 1)));
    difference.add(-a, a);
    for (int k = 0; k < (overflow ? 4 : 2); ++k) difference.add(-a, c);
    for (int k = 0; k < (overflow ? 4 : 1); ++k) difference.add(-c, c);
    return difference.sign();
  });
}

template <class T>
T linear_norm(std::span<const double> terms) {
  ExactSum sum;
  for (const double x : terms) sum.add(x);
  return sum.round<T>();
}

/// x^p to T, where an estimate leaves no doubt; else false, and y is unchanged.
template <class T>
bool settle_power(double x, const Power& p, T& y) {
  const double estimate = raised(std::abs(x), p), relative = Slack{}.bound(p.roundings());
  if (!(estimate >= 0x1p-900 && estimate <= 0x1p900)) return false;
  const double signed_estimate = x < 0 && p.whole % 2 != 0 ? -estimate : estimate;
  const T candidate = nearest<T>(signed_estimate * (1 - relative));
  if (to_bits(candidate) != to_bits(nearest<T>(signed_estimate * (1 + relative)))) return false;
  y = candidate;
  return true;
}

/// root_of_powers for p = 1 and p = 2 without a scale, by exact sums alone; q is 1 or p.
RoundedReal low_root(std::span<const double> terms, double p, double q) {
  ExactSum sum;
  for (const double x : terms) sum.add(x, p == 1 ? 1 : x);
  if (q == 1) return RoundedReal::of(sum);
  const auto y = euclidean_norm<double>(terms);
  if (std::isinf(y)) return {y};
  sum.add(-y, y);
  return {y, sum.sign()};
}

}  // namespace

void require_supported_power(double p) {
  require(std::isfinite(p) && p > 0, "p is {}, but must be finite and > 0", p);
  if (p > (is_integer(p) ? kMostIntegerPower : kMostOtherPower))
    fail(Fault::unsupported, "p = {} is not supported: only integers up to {} and other numbers up to {} are", p,
         kMostIntegerPower, kMostOtherPower);
}

template <class T>
T lp_norm(std::span<const double> window, double p, const Ratio& scale) {
  require_supported_power(p);
  std::vector<double> terms;
  bool infinite = false;
  for (const double x : window) {
    if (std::isnan(x)) return quiet_nan<T>();
    infinite = infinite || std::isinf(x);
    if (x != 0) terms.push_back(std::abs(x));
  }
  if (infinite) return infinity<T>(false);
  if (terms.empty()) return from_bits<T>(0);
  if (p == 1 && scale.is_one()) return linear_norm<T>(terms);
  if (p == 2 && scale.is_one()) return euclidean_norm<T>(terms);
  return general_norm<T>(terms, p, scale);
}

template Half lp_norm<Half>(std::span<const double>, double, const Ratio&);
template BFloat16 lp_norm<BFloat16>(std::span<const double>, double, const Ratio&);
template float lp_norm<float>(std::span<const double>, double, const Ratio&);
template double lp_norm<double>(std::span<const double>, double, const Ratio&);

RoundedReal root_of_powers(std::span<const double> x, double p, double q, const Ratio& scale) {
  require_supported_power(p);
  require_supported_power(q);
  const bool odd = is_integer(p) && std::fmod(p, 2) != 0;
  std::vector<double> terms;
  for (const double element : x) {
    if (element < 0 && !is_integer(p)) return {std::numeric_limits<double>::quiet_NaN()};
    if (element != 0) terms.push_back(odd ? element : std::abs(element));
  }
  if (scale.is_one() && (p == 1 || p == 2) && (q == 1 || q == p)) return low_root(terms, p, q);
  MpfrThread::prepare();
  PowerComparison comparison(terms, p, q, scale);
  const int sign = comparison.with(Real(0.0));
  if (sign == 0) return {};
  if (sign < 0) {
    if (q != 1) return {std::numeric_limits<double>::quiet_NaN()};
    for (double& term : terms) term = -term;
    const RoundedReal magnitude = root_of_powers(terms, p, q, scale);
    return {-magnitude.nearest, -magnitude.beyond};
  }
  const auto y = nearest_root<double>(comparison);
  return {y, std::isinf(y) ? 0 : comparison.with(Real(y))};
}

template <class T>
T power(double x, double p) {
  if constexpr (!std::is_same_v<T, double>) {
    T y;
    const auto known = Power::of(p);
    if (known && (x > 0 || known->digits == 0) && settle_power(x, *known, y)) return y;
  }
  MpfrThread::prepare();
  constexpr int kBits = 64;
  Real y(mpfr_prec_t{kBits});
  const bool exact = mpfr_pow(y, Real(x), Real(p), MPFR_RNDZ) == 0;
  if (mpfr_regular_p(y) == 0) return nearest<T>(mpfr_get_d(y, MPFR_RNDN));
  const bool negative = mpfr_signbit(y) != 0;
  const int exponent = static_cast<int>(mpfr_get_exp(y)) - kBits;
  mpfr_abs(y, y, MPFR_RNDN);
  mpfr_set_exp(y, kBits);
  return encode<T>(negative, mpfr_get_ui(y, MPFR_RNDN) | (exact ? 0 : 1), exponent);
}

template Half power<Half>(double, double);
template BFloat16 power<BFloat16>(double, double);
template float power<float>(double, double);
template double power<double>(double, double);

template <class T>
T root(double x, double p) {
  if (!(x >= 0)) return quiet_nan<T>();
  if (std::isinf(x)) return infinity<T>(false);
  if constexpr (!std::is_same_v<T, double>) {
    T y;
    if (const auto known = Power::of(p); known && settle_root(x, *known, root_bound(1, *known), y)) return y;
  }
  return root_of_powers(std::array{x}, 1, p).round<T>();
}

double root_bound(double terms, const Power& p, const Slack& slack) {
  const double additions = terms - 1, ends = 2;  // 1 ± relative, and that times the sum
  return slack.bound(additions + 2 * p.roundings() + ends);
}

template <class T>
bool settle_root(double sum, const Power& p, double relative, T& y) {
  if (sum == 0 && p.ceiling() <= 7) {  // up to the seventh power no float number underflows in double
    y = from_bits<T>(0);
    return true;
  }
  if (!(sum >= 0x1p-900 && sum <= 0x1p1000)) return false;
  const double low = sum * (1 - relative), high = sum * (1 + relative);
  if (p.is_one()) {
    const T candidate = nearest<T>(low);
    if (to_bits(candidate) != to_bits(nearest<T>(high))) return false;
    y = candidate;
    return true;
  }
  const T candidate = nearest<T>(std::pow(sum, 1 / p.value()));
  const std::uint64_t u = to_bits(candidate);
  if (u > infinity_bits<T>) return false;
  // The midpoints: numbers of T are far from the limits of double.
  const auto value = [](std::uint64_t bits) {
    return bits == infinity_bits<T> ? std::ldexp(1.0, Format<T>::max_exponent + 1)
                                    : widen(from_bits<T>(static_cast<BitsOf<T>>(bits)));
  };
  if (u > 0 && !(raised((value(u - 1) + value(u)) / 2, p) < low)) return false;
  if (u < infinity_bits<T> && !(high < raised((value(u) + value(u + 1)) / 2, p))) return false;
  y = candidate;
  return true;
}

template Half root<Half>(double, double);
template BFloat16 root<BFloat16>(double, double);
template float root<float>(double, double);
template double root<double>(double, double);

template bool settle_root<Half>(double, const Power&, double, Half&);
template bool settle_root<BFloat16>(double, const Power&, double, BFloat16&);
template bool settle_root<float>(double, const Power&, double, float&);

}  // namespace opref::exact
