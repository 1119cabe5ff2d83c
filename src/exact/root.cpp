#include "exact/root.h"

#include <gmp.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"
#include "exact/exact_sum.h"
#include "exact/rounding.h"

namespace opref {
namespace {

constexpr double kMostIntegerPower = 0x1p20;
constexpr double kMostOtherPower = 1024;

bool is_integer(double p) { return p == std::floor(p); }

/// The calling thread's exponent range, and the end of what MPFR keeps for the thread. Its own range, to 2^30, is too
/// narrow: (2^-1074)^(2^20) has the exponent -1.1e9.
class MpfrThread {
 public:
  MpfrThread() {
    mpfr_set_emin(-kExponents);
    mpfr_set_emax(kExponents);
  }
  MpfrThread(const MpfrThread&) = delete;
  MpfrThread& operator=(const MpfrThread&) = delete;
  ~MpfrThread() { mpfr_free_cache(); }

 private:
  static constexpr mpfr_exp_t kExponents = mpfr_exp_t{1} << 40;
};

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

/// Compares scale·Σx^p, x > 0, with m^p.
class PowerComparison {
 public:
  PowerComparison(std::span<const double> terms, double p, Scale scale)
      : terms_(terms),
        p_(p),
        power_(p),
        scale_(scale),
        first_precision_(kFirstPrecision + std::max(0, -std::ilogb(p))),
        sum_(first_precision_) {
    enclose_sum(first_precision_);
  }

  /// Close to the root: a small p makes the sum's relative error 1/p times as large, for which its precision pays.
  double guess() const {
    Real root(first_precision_), exponent(first_precision_);
    mpfr_ui_div(exponent, 1, power_, MPFR_RNDN);
    mpfr_div_ui(root, sum_.low, static_cast<unsigned long>(scale_.denominator), MPFR_RNDN);
    mpfr_pow(root, root, exponent, MPFR_RNDN);
    return mpfr_get_d(root, MPFR_RNDN);
  }

  /// The sign of scale·Σx^p - m^p. Intervals, at doubled precision until they separate; integer powers are points at a
  /// finite one, and for other powers equality is decided by other means.
  int with(const Real& m) {
    bool may_be_equal = true;
    for (mpfr_prec_t precision = first_precision_;; precision *= 2) {
      if (mpfr_get_prec(sum_.low) < precision) enclose_sum(precision);
      Enclosure power(mpfr_get_prec(sum_.low));
      enclose_power(power, m);
      multiply(power, scale_.denominator);
      if (mpfr_less_p(sum_.high, power.low)) return -1;
      if (mpfr_greater_p(sum_.low, power.high)) return 1;
      if (sum_.is_point() && power.is_point()) return 0;
      if (!is_integer(p_) && may_be_equal) {
        if (equal_by_radicals(m)) return 0;
        may_be_equal = false;
      }
    }
  }

 private:
  static constexpr mpfr_prec_t kFirstPrecision = 128;
  /// The 2^12-th power of a rational other than 1 has more bits than a quotient of two doubles.
  static constexpr int kMostRootExponent = 11;

  void enclose_power(Enclosure& to, const Real& x) const {
    const int rounded = is_integer(p_) ? mpfr_pow_ui(to.low, x, static_cast<unsigned long>(p_), MPFR_RNDD)
                                       : mpfr_pow(to.low, x, power_, MPFR_RNDD);
    mpfr_set(to.high, to.low, MPFR_RNDU);
    if (rounded != 0) mpfr_nextabove(to.high);
  }

  static void multiply(Enclosure& x, std::int64_t factor) {
    mpfr_mul_ui(x.low, x.low, static_cast<unsigned long>(factor), MPFR_RNDD);
    mpfr_mul_ui(x.high, x.high, static_cast<unsigned long>(factor), MPFR_RNDU);
  }

  /// scale.numerator·Σx^p
  void enclose_sum(mpfr_prec_t precision) {
    mpfr_set_prec(sum_.low, precision);
    mpfr_set_prec(sum_.high, precision);
    mpfr_set_zero(sum_.low, 1);
    mpfr_set_zero(sum_.high, 1);
    Enclosure power(precision);
    Real x(mpfr_prec_t{53});
    for (const double term : terms_) {
      mpfr_set_d(x, term, MPFR_RNDN);
      enclose_power(power, x);
      mpfr_add(sum_.low, sum_.low, power.low, MPFR_RNDD);
      mpfr_add(sum_.high, sum_.high, power.high, MPFR_RNDU);
    }
    multiply(sum_, scale_.numerator);
  }

  /// Whether scale·Σx^p = m^p for p = a/2^b, b >= 1. Radicals whose ratios are irrational are linearly independent over
  /// the rationals (Besicovitch 1940), so every x/m must be the 2^b-th power of a rational t, and scale·Σt^a = 1.
  bool equal_by_radicals(const Real& m) const {
    double a = p_;
    int b = 0;
    for (; !is_integer(a); a *= 2) ++b;
    Rational midpoint, total, t;
    mpfr_get_q(midpoint, m);
    for (const double x : terms_) {
      mpq_set_d(t, x);
      mpq_div(t, t, midpoint);
      if (b > kMostRootExponent) {
        if (!t.is_one()) return false;
      } else {
        const unsigned long index = 1UL << b, exponent = static_cast<unsigned long>(a);
        for (mpz_ptr part : {t.numerator(), t.denominator()}) {
          if (mpz_root(part, part, index) == 0) return false;
          mpz_pow_ui(part, part, exponent);
        }
      }
      mpq_add(total, total, t);
    }
    mpq_set_ui(t, static_cast<unsigned long>(scale_.numerator), static_cast<unsigned long>(scale_.denominator));
    mpq_canonicalize(t);
    mpq_mul(total, total, t);
    return total.is_one();
  }

  std::span<const double> terms_;
  double p_;
  Real power_;
  Scale scale_;
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

template <class T>
T general_norm(std::span<const double> terms, double p, Scale scale) {
  static thread_local const MpfrThread thread;
  PowerComparison comparison(terms, p, scale);
  return nearest_by_steps<T>(comparison.guess(), [&](std::uint64_t u) {
    Real midpoint(mpfr_prec_t{56}), next(mpfr_prec_t{56});
    set_value<T>(midpoint, u);
    set_value<T>(next, u + 1);
    mpfr_add(midpoint, midpoint, next, MPFR_RNDN);
    mpfr_div_2ui(midpoint, midpoint, 1, MPFR_RNDN);
    return comparison.with(midpoint);
  });
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

}  // namespace

void require_supported_power(double p) {
  require(std::isfinite(p) && p > 0, "p is {}, but must be finite and > 0", p);
  if (p > (is_integer(p) ? kMostIntegerPower : kMostOtherPower))
    fail(Fault::unsupported, "p = {} is not supported: only integers up to {} and other numbers up to {} are", p,
         kMostIntegerPower, kMostOtherPower);
}

template <class T>
T lp_norm(std::span<const double> window, double p, Scale scale) {
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

template Half lp_norm<Half>(std::span<const double>, double, Scale);
template BFloat16 lp_norm<BFloat16>(std::span<const double>, double, Scale);
template float lp_norm<float>(std::span<const double>, double, Scale);
template double lp_norm<double>(std::span<const double>, double, Scale);

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

template bool settle_root<Half>(double, const Power&, double, Half&);
template bool settle_root<BFloat16>(double, const Power&, double, BFloat16&);
template bool settle_root<float>(double, const Power&, double, float&);

}  // namespace opref
