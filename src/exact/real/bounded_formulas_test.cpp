// SPDX-License-Identifier: Apache-2.0
// Random formulas of Bounded against MPFR's numbers: whatever stands in whatever, what is claimed is true.
#include <mpfr.h>

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "exact/mpfr.h"
#include "exact/oracle_testing.h"
#include "exact/real/bounded_functions.h"

namespace opref::exact::bounded_formulas_test {
namespace {

using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kBits = 760;  ///< of MPFR's numbers; erf and erfc of MPFR 4.2.0 may abort from 1,024 bits on

/// A number of MPFR's.
class Exact {
 public:
  Exact(double x = 0) {
    mpfr_init2(x_, kBits);
    mpfr_set_d(x_, x, MPFR_RNDN);
  }
  Exact(const Exact& other) : Exact() { mpfr_set(x_, other.x_, MPFR_RNDN); }
  Exact& operator=(const Exact& other) {
    mpfr_set(x_, other.x_, MPFR_RNDN);
    return *this;
  }
  ~Exact() { mpfr_clear(x_); }
  mpfr_ptr get() { return x_; }
  mpfr_srcptr get() const { return x_; }

 private:
  mpfr_t x_;
};

struct Number {
  Bounded bounded;
  Exact exact;
  std::string text;
};

/// The second operand is for those that have two.
struct Operation {
  std::string name;
  Bounded (*bounded)(const Bounded&, const Bounded&);
  void (*exact)(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b);
};

template <int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
void of_one(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr) {
  f(y, a, MPFR_RNDN);
}
template <int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>
void of_two(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b) {
  f(y, a, b, MPFR_RNDN);
}
/// NaN where one is.
template <int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>
void extreme(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b) {
  if (mpfr_nan_p(a) != 0 || mpfr_nan_p(b) != 0) return mpfr_set_nan(y);
  f(y, a, b, MPFR_RNDN);
}
int less_of(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t direction) {
  return mpfr_less_p(a, b) != 0 ? mpfr_set(y, a, direction) : mpfr_neg(y, b, direction);
}

const Operation kOperations[] = {
    {"+", [](const Bounded& a, const Bounded& b) { return a + b; }, of_two<mpfr_add>},
    {"-", [](const Bounded& a, const Bounded& b) { return a - b; }, of_two<mpfr_sub>},
    {"*", [](const Bounded& a, const Bounded& b) { return a * b; }, of_two<mpfr_mul>},
    {"/", [](const Bounded& a, const Bounded& b) { return a / b; }, of_two<mpfr_div>},
    {"max", [](const Bounded& a, const Bounded& b) { return max(a, b); }, extreme<mpfr_max>},
    {"min", [](const Bounded& a, const Bounded& b) { return min(a, b); }, extreme<mpfr_min>},
    {"a < b ? a : -b",
     [](const Bounded& a, const Bounded& b) {
       return choose(
           a < b, [&] { return a; }, [&] { return -b; });
     },
     of_two<less_of>},
    {"square", [](const Bounded& a, const Bounded&) { return square(a); }, of_one<mpfr_sqr>},
    {"sqrt", [](const Bounded& a, const Bounded&) { return sqrt(a); }, of_one<mpfr_sqrt>},
    {"abs", [](const Bounded& a, const Bounded&) { return abs(a); }, of_one<mpfr_abs>},
    {"exp", [](const Bounded& a, const Bounded&) { return exp(a); }, of_one<mpfr_exp>},
    {"expm1", [](const Bounded& a, const Bounded&) { return expm1(a); }, of_one<mpfr_expm1>},
    {"log", [](const Bounded& a, const Bounded&) { return log(a); }, of_one<mpfr_log>},
    {"log1p", [](const Bounded& a, const Bounded&) { return log1p(a); }, of_one<mpfr_log1p>},
    {"sin", [](const Bounded& a, const Bounded&) { return sin(a); }, of_one<mpfr_sin>},
    {"cos", [](const Bounded& a, const Bounded&) { return cos(a); }, of_one<mpfr_cos>},
    {"tan", [](const Bounded& a, const Bounded&) { return tan(a); }, of_one<mpfr_tan>},
    {"asin", [](const Bounded& a, const Bounded&) { return asin(a); }, of_one<mpfr_asin>},
    {"acos", [](const Bounded& a, const Bounded&) { return acos(a); }, of_one<mpfr_acos>},
    {"atan", [](const Bounded& a, const Bounded&) { return atan(a); }, of_one<mpfr_atan>},
    {"sinh", [](const Bounded& a, const Bounded&) { return sinh(a); }, of_one<mpfr_sinh>},
    {"cosh", [](const Bounded& a, const Bounded&) { return cosh(a); }, of_one<mpfr_cosh>},
    {"tanh", [](const Bounded& a, const Bounded&) { return tanh(a); }, of_one<mpfr_tanh>},
    {"asinh", [](const Bounded& a, const Bounded&) { return asinh(a); }, of_one<mpfr_asinh>},
    {"acosh", [](const Bounded& a, const Bounded&) { return acosh(a); }, of_one<mpfr_acosh>},
    {"atanh", [](const Bounded& a, const Bounded&) { return atanh(a); }, of_one<mpfr_atanh>},
    {"erf", [](const Bounded& a, const Bounded&) { return erf(a); }, of_one<mpfr_erf>},
    {"erfc", [](const Bounded& a, const Bounded&) { return erfc(a); }, of_one<mpfr_erfc>}};

/// An element, at times with an error within which the number lies anywhere, or with one that is not known.
Number leaf(Random& random) {
  static constexpr double kSpecial[] = {0.0, -0.0, 1,      -1,      0.5,      2,         26,         -26,
                                        690, -700, 3.4e38, -3.4e38, 0x1p-149, kInfinity, -kInfinity, kNaN};
  const double v = random.one_in(4) ? random.of(kSpecial)
                   : random.one_in(3)
                       ? oracle::rounded<float>(std::ldexp(random.normal(), static_cast<int>(random.in(-140, 120))))
                   : random.one_in(3) ? std::ldexp(random.normal(), static_cast<int>(random.in(-1074, 500)))
                                      : oracle::rounded<float>(4 * random.normal());
  if (!std::isfinite(v) || !random.one_in(3)) return {v, v, format("{}", v)};
  if (random.one_in(4)) {
    const double e = random.of(std::vector<double>{kInfinity, kNaN});
    return {{v, e}, random.normal(), format("({} ± {})", v, e)};
  }
  const double e = std::ldexp(std::abs(v), -static_cast<int>(random.in(1, 60)));
  Exact exact(e);
  mpfr_mul_d(exact.get(), exact.get(), static_cast<double>(random.in(-16, 16)) / 16, MPFR_RNDN);
  mpfr_add_d(exact.get(), exact.get(), v, MPFR_RNDN);
  return {{v, e}, exact, format("({} ± {})", v, e)};
}

bool claims_something(const Bounded& y) { return std::isfinite(y.v) && std::isfinite(y.e); }

/// Whether the number is within the bound, but for the roundings of e itself, for which whoever rounds pays, and for
/// `noise`, what MPFR's numbers may be wrong by.
bool is_true(const Bounded& y, const Exact& exact, const Exact& noise) {
  if (mpfr_number_p(exact.get()) == 0) return false;
  Exact off, allowed(y.e * (1 + 0x1p-40));
  mpfr_sub_d(off.get(), exact.get(), y.v, MPFR_RNDN);
  if (y.e != 0) mpfr_add(allowed.get(), allowed.get(), noise.get(), MPFR_RNDU);
  return mpfr_cmpabs(off.get(), allowed.get()) <= 0;
}

/// Of so many formulas of up to five operations each.
void check_formulas(std::uint64_t seed, int formulas) {
  MpfrThread::prepare();
  constexpr mpfr_exp_t kFar = 1100;  // beyond all doubles, so that no number there is claimed to be anything
  Random random(seed);
  int claims = 0, wrong = 0;
  for (int i = 0; i < formulas; ++i) {
    std::vector<Number> numbers = {leaf(random), leaf(random), leaf(random)};
    Exact noise(1);
    for (int step = 0; step < 5; ++step) {
      const Operation& operation = kOperations[random.in(0, std::ssize(kOperations) - 1)];
      const Number a = random.of(numbers), b = random.of(numbers);
      Number y{operation.bounded(a.bounded, b.bounded), {}, {}};
      operation.exact(y.exact.get(), a.exact.get(), b.exact.get());
      y.text = format("{} [{}, {}]", operation.name, a.text, b.text);
      if (claims_something(y.bounded)) {
        ++claims;
        for (const Exact& x : {a.exact, b.exact, y.exact})
          if (mpfr_number_p(x.get()) != 0 && mpfr_cmpabs(x.get(), noise.get()) > 0) noise = x;
        Exact part;
        mpfr_mul_2si(part.get(), noise.get(), -700, MPFR_RNDN);
        mpfr_abs(part.get(), part.get(), MPFR_RNDN);
        if (!is_true(y.bounded, y.exact, part) && ++wrong <= 10)
          UNSCOPED_INFO(
              format("{} is {} ± {}, but {}", y.text, y.bounded.v, y.bounded.e, mpfr_get_d(y.exact.get(), MPFR_RNDN)));
      }
      if (mpfr_regular_p(y.exact.get()) == 0 || std::abs(mpfr_get_exp(y.exact.get())) < kFar) numbers.push_back(y);
    }
  }
  CHECK(wrong == 0);
  CHECK(claims > formulas);
}

}  // namespace

TEST_CASE("bounded: random formulas stay within their bounds", "[real][release]") { check_formulas(12, 50000); }

TEST_CASE("bounded: a million random formulas stay within their bounds", "[real][.long]") {
  check_formulas(13, 1000000);
}

}  // namespace opref::exact::bounded_formulas_test
