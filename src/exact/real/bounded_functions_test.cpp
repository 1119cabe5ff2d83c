// SPDX-License-Identifier: Apache-2.0
// Claimed errors of functions against MPFR's numbers. A kernel's worst error is between a tenth and six tenths of what
// it claims, so that a claim eight times too small, or a worse kernel, is seen here: nothing later would see it.
#include "exact/real/bounded_functions.h"

#include <mpfr.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "exact/oracle_testing.h"

namespace opref::exact::bounded_functions_test {
namespace {

using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Exact = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/// |y - f(x + side·error)| / y.e, rounded upwards; side is -1, 0 or 1.
double use_of(const Bounded& y, const Bounded& x, int side, Exact f) {
  mpfr_t exact, error;
  mpfr_inits2(400, exact, error, nullptr);
  mpfr_set_d(error, x.e, MPFR_RNDN);
  mpfr_mul_si(error, error, side, MPFR_RNDN);
  mpfr_add_d(exact, error, x.v, MPFR_RNDN);
  f(exact, exact, MPFR_RNDN);
  mpfr_sub_d(exact, exact, y.v, MPFR_RNDA);
  const bool is_zero = mpfr_zero_p(exact) != 0;
  mpfr_div_d(exact, exact, y.e, MPFR_RNDA);
  const double use = is_zero ? 0 : std::abs(mpfr_get_d(exact, MPFR_RNDA));
  mpfr_clears(exact, error, nullptr);
  return use;
}

struct Function {
  std::string name;
  Bounded (*bounded)(const Bounded&);
  Exact exact;
  double least, most;   ///< arguments of which something is claimed
  bool is_kernel;       ///< claims an error of its own
  double centre = 0.0;  ///< arguments close to it are tried
};

const Function kFunctions[] = {
    {"exp", [](const Bounded& x) { return exp(x); }, mpfr_exp, -690, 690, true},
    {"expm1", [](const Bounded& x) { return expm1(x); }, mpfr_expm1, -690, 690, true},
    {"log", [](const Bounded& x) { return log(x); }, mpfr_log, 0x1p-900, 0x1p900, true, 1.0},
    {"log1p", [](const Bounded& x) { return log1p(x); }, mpfr_log1p, -0.999, 0x1p900, true},
    {"sin", [](const Bounded& x) { return sin(x); }, mpfr_sin, -0x1p20, 0x1p20, true},
    {"cos", [](const Bounded& x) { return cos(x); }, mpfr_cos, -0x1p20, 0x1p20, true, 1.5707963267948966},
    {"tan", [](const Bounded& x) { return tan(x); }, mpfr_tan, -0x1p20, 0x1p20, false},
    {"atan", [](const Bounded& x) { return atan(x); }, mpfr_atan, -0x1p900, 0x1p900, true},
    {"asin", [](const Bounded& x) { return asin(x); }, mpfr_asin, -0.999999, 0.999999, false},
    {"acos", [](const Bounded& x) { return acos(x); }, mpfr_acos, -0.999999, 0.999999, false},
    {"sinh", [](const Bounded& x) { return sinh(x); }, mpfr_sinh, -680, 680, false},
    {"cosh", [](const Bounded& x) { return cosh(x); }, mpfr_cosh, -680, 680, false},
    {"tanh", [](const Bounded& x) { return tanh(x); }, mpfr_tanh, -300, 300, false},
    {"asinh", [](const Bounded& x) { return asinh(x); }, mpfr_asinh, -0x1p400, 0x1p400, false},
    {"acosh", [](const Bounded& x) { return acosh(x); }, mpfr_acosh, 1.0000001, 0x1p400, false, 1.0},
    {"atanh", [](const Bounded& x) { return atanh(x); }, mpfr_atanh, -0.9999999, 0.9999999, false},
    {"erf", [](const Bounded& x) { return erf(x); }, mpfr_erf, -26, 26, true},
    {"erfc", [](const Bounded& x) { return erfc(x); }, mpfr_erfc, -26, 26, true},
    {"sqrt", [](const Bounded& x) { return sqrt(x); }, mpfr_sqrt, 0x1p-900, 0x1p900, false}};

/// In its domain, of every size.
double argument(Random& random, const Function& f) {
  for (;;) {
    const double spread = std::ldexp(random.normal(), static_cast<int>(random.in(-40, 6)));
    double x = random.one_in(3)   ? random.normal() * std::ldexp(1.0, static_cast<int>(random.in(-60, 900)))
               : random.one_in(2) ? spread
                                  : f.centre + spread;
    if (random.one_in(12)) x = std::ldexp(random.normal(), static_cast<int>(random.in(-1074, -940)));
    if (random.one_in(4)) x = static_cast<double>(random.in(-2000, 2000)) * 0.34657359027997264 + spread * 0x1p-20;
    if (x >= f.least && x <= f.most) return x;
  }
}

}  // namespace

TEST_CASE("bounded: functions of exact numbers stay within their bounds, kernels use a third of theirs", "[real]") {
  const Function& f = GENERATE(from_range(std::begin(kFunctions), std::end(kFunctions)));
  CAPTURE(f.name);
  Random random(3);
  double worst = 0, worst_tiny = 0;  // of tiny arguments the bound is what underflow may cost
  for (int i = 0; i < 30000; ++i) {
    const double x = i < 2 ? (i == 0 ? f.most : f.least) : argument(random, f);
    const Bounded y = f.bounded(Bounded(x));
    if (!(y.e <= std::abs(y.v) * 0x1p-20 + 0x1p-900)) worst = kInfinity;  // something is claimed
    double& worst_of_these = std::abs(x) < 0x1p-940 ? worst_tiny : worst;
    worst_of_these = std::max(worst_of_these, use_of(y, x, 0, f.exact));
  }
  CHECK(worst <= 1);
  CHECK(worst_tiny <= 1);
  if (f.is_kernel) CHECK(worst < 0.6);
  if (f.is_kernel) CHECK(worst > 0.1);
}

TEST_CASE("bounded: functions of numbers with errors", "[real]") {
  const Function& f = GENERATE(from_range(std::begin(kFunctions), std::end(kFunctions)));
  CAPTURE(f.name);
  Random random(4);
  double worst = 0, nearest = 0;
  for (int i = 0; i < 10000; ++i) {
    const double v = argument(random, f), e = std::ldexp(std::abs(v), -static_cast<int>(random.in(-1, 60)));
    if (v - e < f.least || v + e > f.most) continue;
    const Bounded y = f.bounded(Bounded(v, e));
    if (!(y.e < kInfinity)) continue;
    const double used = std::max(use_of(y, {v, e}, -1, f.exact), use_of(y, {v, e}, 1, f.exact));
    worst = std::max(worst, used);
    nearest = std::max(nearest, y.e < std::abs(y.v) ? used : 0);
  }
  CHECK(worst <= 1 + 0x1p-40);  // the roundings of e itself, for which whoever rounds pays
  CHECK(nearest > 0.25);        // errors of arguments are hardly overstated
}

TEST_CASE("bounded: functions claim nothing of what is not finite or out of reach", "[real]") {
  const auto says_nothing = [](const Bounded& y) { return !std::isfinite(y.v) || !std::isfinite(y.e); };
  for (const Function& f : kFunctions) {
    CAPTURE(f.name);
    CHECK(says_nothing(f.bounded(kNaN)));
    CHECK(says_nothing(f.bounded(Bounded(0.5, kInfinity))));
    CHECK(says_nothing(f.bounded(Bounded(0.5, kNaN))));
  }
  for (const Bounded& x : {Bounded(kInfinity), Bounded(691), Bounded(1e300), Bounded(-kInfinity, kInfinity),
                           Bounded(-800, kNaN), Bounded(1, 0x1p-9), Bounded(-1000, 1)}) {
    CHECK(says_nothing(exp(x)));
    CHECK(says_nothing(expm1(x)));
  }
  for (const double x : {0.0, -0.0, -1.0, kInfinity, -kInfinity, 0x1p-1074}) CHECK(says_nothing(log(Bounded(x))));
  for (const double x : {-1.0, -2.0, kInfinity, -kInfinity}) CHECK(says_nothing(log1p(Bounded(x))));
  for (const double x : {0x1.000001p20, kInfinity, -kInfinity}) {
    CHECK(says_nothing(sin(Bounded(x))));
    CHECK(says_nothing(cos(Bounded(x))));
    CHECK(says_nothing(tan(Bounded(x))));
  }
  for (const double x : {-1.5, 2.0, kInfinity, -kInfinity}) {
    CHECK(says_nothing(asin(Bounded(x))));
    CHECK(says_nothing(acos(Bounded(x))));
    CHECK(says_nothing(atanh(Bounded(x))));
  }
  CHECK(says_nothing(acosh(Bounded(0.5))));
  for (const double x : {-1.0, 0x1p-1074, kInfinity}) CHECK(says_nothing(sqrt(Bounded(x))));
}

TEST_CASE("bounded: zeros keep their sign, and are exact", "[real]") {
  for (const double zero : {0.0, -0.0})
    for (const Function& f : kFunctions) {
      if (f.name == "exp" || f.name.starts_with("log") || f.name.starts_with("cos") || f.name.starts_with("ac") ||
          f.name == "erfc" || f.name == "sqrt" || f.name == "tan")
        continue;
      CAPTURE(f.name, zero);
      const Bounded y = f.bounded(zero);
      CHECK((y.v == 0 && y.e == 0 && std::signbit(y.v) == std::signbit(zero)));
    }
  CHECK((log(Bounded(1)).v == 0 && log(Bounded(1)).e == 0));
}

TEST_CASE("bounded: far out a function is next to its limit", "[real]") {
  CHECK((exp(Bounded(-kInfinity)).e > exp(Bounded(-kInfinity)).v && exp(Bounded(-kInfinity)).e < 0x1p-900));
  const Bounded tail = erfc(Bounded(100)), whole = erfc(Bounded(-100));
  CHECK((tail.e >= tail.v && tail.e < 0x1p-900));
  CHECK((whole.v == 2 && whole.e < 0x1p-40));
  CHECK(!std::isfinite(erfc(Bounded(kInfinity, kInfinity)).e));
  CHECK(!std::isfinite(erfc(sin(Bounded(3.4e38))).e));  // 1.5395…
  const Bounded one = erf(Bounded(-1e30));
  CHECK((one.v == -1 && one.e < 0x1p-40));
}

TEST_CASE("bounded: pi", "[real]") {
  const Bounded y = pi(Bounded(1));
  mpfr_t exact;
  mpfr_init2(exact, 400);
  mpfr_const_pi(exact, MPFR_RNDN);
  mpfr_sub_d(exact, exact, y.v, MPFR_RNDN);
  const double error = mpfr_get_d(exact, MPFR_RNDA);
  mpfr_clear(exact);
  CHECK((std::abs(error) <= y.e && y.e < 0x1p-52));
}

TEST_CASE("bounded: the greater of two, and choices", "[real]") {
  const Bounded apart = max(Bounded(0.0), Bounded(-1e30, 3));
  CHECK((apart.v == 0 && apart.e == 0));
  CHECK(max(Bounded(1, 0.5), Bounded(1.25, 0.25)).e == 0.5);
  CHECK(!std::signbit(max(Bounded(-0.0), Bounded(0.0)).v));
  CHECK(!std::signbit(max(Bounded(0.0), Bounded(-0.0)).v));
  CHECK(std::signbit(min(Bounded(0.0), Bounded(-0.0)).v));
  CHECK(!std::isfinite(max(Bounded(kNaN), Bounded(1)).e));
  CHECK(!std::isfinite(min(Bounded(1), Bounded(kNaN)).e));
  // Of a number of which nothing is known nothing is known either, though that of the greater value is exact.
  CHECK(!std::isfinite(max(Bounded(0.0) * Bounded(1, kInfinity), Bounded(-1)).e));
  CHECK(!std::isfinite(max(Bounded(-1), Bounded(0.0) * Bounded(1, kInfinity)).e));
  CHECK(!std::isfinite(max(atanh(Bounded(-26)), Bounded(7)).e));
  CHECK(!std::isfinite(min(acosh(Bounded(-0.3)), Bounded(6.5)).e));
  const auto chosen = [](const Bounded& x) {
    return choose(
        x < Bounded(1), [] { return Bounded(2); }, [] { return Bounded(3); });
  };
  CHECK((chosen(0.5).v == 2 && chosen(0.5).e == 0));
  CHECK((chosen(1).v == 3 && chosen(1).e == 0));
  CHECK(!std::isfinite(chosen({1.5, 0.6}).e));
  CHECK(!std::isfinite(chosen(kNaN).e));
}

}  // namespace opref::exact::bounded_functions_test
