// SPDX-License-Identifier: Apache-2.0
// The quick tier's claims against MPFR's numbers. A kernel's worst error is between a tenth and six tenths of what it
// claims, so that a claim eight times too small, or a worse kernel, is seen here: nothing later would see it.
#include <mpfr.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "exact/oracle_testing.h"
#include "exact/real/static_bound.h"

namespace opref::exact::quick_test {
namespace {

using oracle::Random;

using Exact = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/// |v - f(x)| / (rel·|f(x)| + abs), rounded upwards.
double use_of(double v, double x, Exact f, double rel, double abs) {
  mpfr_t exact, error;
  mpfr_inits2(120, exact, error, nullptr);
  mpfr_set_d(exact, x, MPFR_RNDN);
  f(exact, exact, MPFR_RNDN);
  mpfr_sub_d(error, exact, v, MPFR_RNDA);
  const bool is_right = mpfr_zero_p(error) != 0;
  mpfr_abs(exact, exact, MPFR_RNDZ);
  mpfr_mul_d(exact, exact, rel, MPFR_RNDZ);
  mpfr_add_d(exact, exact, abs, MPFR_RNDZ);
  mpfr_div(error, error, exact, MPFR_RNDA);
  const double use = is_right ? 0 : std::abs(mpfr_get_d(error, MPFR_RNDA));
  mpfr_clears(exact, error, nullptr);
  return use;
}

double uniform(Random& random, double least, double most) {
  return least + (most - least) * std::ldexp(static_cast<double>(random.in(0, (std::int64_t{1} << 53) - 1)), -53);
}
/// Of either sign, |x| between 2^least and 2^most.
double of_any_size(Random& random, double least, double most) {
  return std::exp2(uniform(random, least, most)) * (random.one_in(2) ? 1 : -1);
}

struct Kernel {
  std::string name;
  double claim;
  Quick (*quick)(const Quick&);
  Exact exact;
  double (*argument)(Random& random);
  int tries = 15000;
};
/// Floats of up to 2^20, some of them next to a multiple of π/2.
double turn(Random& random) {
  if (random.one_in(3)) return static_cast<float>(of_any_size(random, -40, 20));
  if (random.one_in(2)) return static_cast<float>(uniform(random, -10, 10));
  return static_cast<float>(static_cast<double>(random.in(-667500, 667500)) * 1.5707963267948966);
}
const Kernel kKernels[] = {
    {"exp", quick::kExpError, [](const Quick& x) { return exp(x); }, mpfr_exp,
     [](Random& r) { return r.one_in(3) ? of_any_size(r, -30, 8) : uniform(r, -350, 350); }},
    {"expm1", quick::kExpm1Error, [](const Quick& x) { return expm1(x); }, mpfr_expm1,
     [](Random& r) {
       return r.one_in(4) ? uniform(r, -350, 350) : r.one_in(3) ? of_any_size(r, -60, 8) : uniform(r, -1, 1);
     }},
    {"log", quick::kLogError, [](const Quick& x) { return log(x); }, mpfr_log,
     [](Random& r) { return std::exp2(r.one_in(3) ? uniform(r, -900, 900) : uniform(r, -1, 1)); }},
    {"log1p", quick::kLogError, [](const Quick& x) { return log1p(x); }, mpfr_log1p,
     [](Random& r) { return r.one_in(3) ? uniform(r, -0.5, 2) : std::exp2(uniform(r, -80, r.one_in(2) ? 4 : 300)); }},
    {"sin", quick::kSinError, [](const Quick& x) { return sin(x); }, mpfr_sin, turn},
    {"cos", quick::kSinError, [](const Quick& x) { return cos(x); }, mpfr_cos, turn},
    {"atan", quick::kAtanError, [](const Quick& x) { return atan(x); }, mpfr_atan,
     [](Random& r) { return r.one_in(2) ? uniform(r, -3, 3) : of_any_size(r, -60, 60); }},
    {"erfc", quick::kErfcError, [](const Quick& x) { return erfc(x); }, mpfr_erfc,
     [](Random& r) { return uniform(r, -3, quick::kErfcMost); }, 1000},
    {"erf", quick::kErfError, [](const Quick& x) { return erf(x); }, mpfr_erf,
     [](Random& r) { return r.one_in(3) ? of_any_size(r, -30, 2.5) : uniform(r, 0, 2); }}};

/// A function with its bound.
struct Function {
  std::string name;
  Quick (*quick)(const Quick&);
  StaticBound (*bound)(const StaticBound&);
  Exact exact;
};
const Function kFunctions[] = {
    {"exp", [](const Quick& x) { return exp(x); }, exp, mpfr_exp},
    {"expm1", [](const Quick& x) { return expm1(x); }, expm1, mpfr_expm1},
    {"log", [](const Quick& x) { return log(x); }, log, mpfr_log},
    {"log1p", [](const Quick& x) { return log1p(x); }, log1p, mpfr_log1p},
    {"sin", [](const Quick& x) { return sin(x); }, sin, mpfr_sin},
    {"cos", [](const Quick& x) { return cos(x); }, cos, mpfr_cos},
    {"tan", [](const Quick& x) { return tan(x); }, tan<StaticBound>, mpfr_tan},
    {"atan", [](const Quick& x) { return atan(x); }, atan, mpfr_atan},
    {"asin", [](const Quick& x) { return asin(x); }, asin<StaticBound>, mpfr_asin},
    {"acos", [](const Quick& x) { return acos(x); }, acos<StaticBound>, mpfr_acos},
    {"sinh", [](const Quick& x) { return sinh(x); }, sinh<StaticBound>, mpfr_sinh},
    {"cosh", [](const Quick& x) { return cosh(x); }, cosh<StaticBound>, mpfr_cosh},
    {"tanh", [](const Quick& x) { return tanh(x); }, tanh<StaticBound>, mpfr_tanh},
    {"asinh", [](const Quick& x) { return asinh(x); }, asinh<StaticBound>, mpfr_asinh},
    {"acosh", [](const Quick& x) { return acosh(x); }, acosh<StaticBound>, mpfr_acosh},
    {"atanh", [](const Quick& x) { return atanh(x); }, atanh<StaticBound>, mpfr_atanh},
    {"erf", [](const Quick& x) { return erf(x); }, erf, mpfr_erf},
    {"erfc", [](const Quick& x) { return erfc(x); }, erfc, mpfr_erfc},
    {"sqrt", [](const Quick& x) { return sqrt(x); }, sqrt, mpfr_sqrt},
    {"cubed", [](const Quick& x) { return x * square(x); }, [](const StaticBound& x) { return x * square(x); },
     [](mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t d) { return mpfr_pow_ui(y, x, 3, d); }},
    {"pow of 2.5", [](const Quick& x) { return pow(x, Quick(2.5)); },
     [](const StaticBound& x) { return pow(x, StaticBound(2.5)); },
     [](mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t d) {
       mpfr_t exponent;
       mpfr_init2(exponent, 53), mpfr_set_d(exponent, 2.5, d);
       const int side = mpfr_pow(y, x, exponent, d);
       return mpfr_clear(exponent), side;
     }},
    {"pow of -3", [](const Quick& x) { return pow(x, Quick(-3.0)); },
     [](const StaticBound& x) { return pow(x, StaticBound(-3.0)); },
     [](mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t d) { return mpfr_pow_si(y, x, -3, d); }}};

/// A float: most of them where functions are not flat.
double any_float(Random& random) {
  const double x = random.one_in(3)   ? uniform(random, -4, 4)
                   : random.one_in(2) ? uniform(random, -120, 120)
                                      : of_any_size(random, -149, 128);
  return static_cast<float>(x);
}

bool is_of_use(const StaticBound& y) { return quick_scale(y) < 1; }

}  // namespace

TEST_CASE("quick: kernels use a third of what they claim", "[real]") {
  const Kernel& f = GENERATE(from_range(std::begin(kKernels), std::end(kKernels)));
  CAPTURE(f.name);
  Random random(5);
  double worst = 0;
  for (int i = 0; i < f.tries; ++i) {
    const double x = f.argument(random), use = use_of(f.quick(x).v, x, f.exact, f.claim, 0);
    if (!(use <= worst)) worst = use;
  }
  CHECK(worst < 0.6);
  CHECK(worst > 0.1);
}

TEST_CASE("quick: functions of floats are within their static bounds", "[real]") {
  const Function& f = GENERATE(from_range(std::begin(kFunctions), std::end(kFunctions)));
  CAPTURE(f.name);
  const StaticBound bound = f.bound(StaticBound::any_input());
  REQUIRE(is_of_use(bound));
  Random random(6);
  double worst = 0;
  int known = 0;
  for (int i = 0; i < 12000; ++i) {
    const double x = any_float(random), v = f.quick(x).v;
    if (!(std::abs(v) < bound.limit)) continue;  // nothing is known, or only that it is great
    ++known;
    const double use = use_of(v, x, f.exact, bound.rel, bound.abs);
    if (!(use <= worst)) worst = use;
    if (std::abs(v) < bound.least && v != 0) FAIL(x << " gives " << v << ", nearer to 0 than " << bound.least);
    if (v < bound.lo - std::abs(bound.lo) * 0x1p-20 || v > bound.hi + std::abs(bound.hi) * 0x1p-20)
      FAIL(x << " gives " << v << ", beyond " << bound.lo << " to " << bound.hi);
  }
  CHECK(worst < 1);
  CHECK(known > 1000);
}

TEST_CASE("quick: zeros keep their sign, and what is not known is no number", "[real]") {
  for (const Function& f : kFunctions) {
    CAPTURE(f.name);
    CHECK(std::isnan(f.quick(quick::kNaN).v));
    mpfr_t exact;
    mpfr_init2(exact, 300);
    for (const double x : {0.0, -0.0, 0x1p-149, -0x1p-149, kInfinity, -kInfinity}) {
      mpfr_set_d(exact, x, MPFR_RNDN), f.exact(exact, exact, MPFR_RNDN);
      const double v = f.quick(x).v;
      CAPTURE(x, v);
      if (std::isfinite(v)) CHECK(std::signbit(v) == (mpfr_signbit(exact) != 0));
      if (std::isfinite(v)) CHECK(mpfr_nan_p(exact) == 0);
    }
    mpfr_clear(exact);
  }
  for (const double x : {0x1.8p20, 1e30}) CHECK((std::isnan(sin(Quick(x)).v) && std::isnan(cos(Quick(-x)).v)));
  CHECK(std::isnan(log(Quick(-1)).v));
  CHECK(std::isnan(log1p(Quick(-1)).v));
  CHECK(std::isnan(pow(Quick(-2), Quick(0.5)).v));
}

TEST_CASE("quick: no float is nearer to a multiple of pi/2 than 2^-40", "[real]") {
  mpfr_t half_pi, multiple, distance;
  mpfr_inits2(200, half_pi, multiple, distance, nullptr);
  mpfr_const_pi(half_pi, MPFR_RNDN), mpfr_div_2ui(half_pi, half_pi, 1, MPFR_RNDN);
  double least = 1;
  for (unsigned long k = 1; k <= 667545; ++k) {  // up to 2^20
    mpfr_mul_ui(multiple, half_pi, k, MPFR_RNDN);
    mpfr_sub_d(distance, multiple, mpfr_get_flt(multiple, MPFR_RNDN), MPFR_RNDN);
    least = std::min(least, std::abs(mpfr_get_d(distance, MPFR_RNDN)));
  }
  mpfr_clears(half_pi, multiple, distance, nullptr);
  CHECK(least > 0x1p-40);
}

TEST_CASE("quick: the greater of two, and choices", "[real]") {
  CHECK(!std::signbit(max(Quick(-0.0), Quick(0.0)).v));
  CHECK(!std::signbit(max(Quick(0.0), Quick(-0.0)).v));
  CHECK(std::signbit(max(Quick(-0.0), Quick(-0.0)).v));
  CHECK(std::signbit(min(Quick(0.0), Quick(-0.0)).v));
  CHECK(max(Quick(3.0), Quick(3.0)).v == 3);
  for (const auto& [a, b] : {std::pair(quick::kNaN, 1.0), std::pair(1.0, quick::kNaN)}) {
    CHECK(std::isnan(max(Quick(a), Quick(b)).v));
    CHECK(std::isnan(min(Quick(a), Quick(b)).v));
  }
  const auto chosen = [](const Quick& x) {
    return choose(
        x < Quick(1), [] { return Quick(2); }, [] { return Quick(3); });
  };
  CHECK((chosen(0.5).v == 2 && chosen(1).v == 3));
}

TEST_CASE("static bound: what may cancel has none", "[real]") {
  const StaticBound x = StaticBound::any_input(), one(1.0);
  for (const StaticBound& y :
       {exp(x), x - one, log(x), sin(-abs(x)), x * x * x, one / (one + exp(-abs(x))), max(x, 0.0) + log1p(exp(-abs(x))),
        StaticBound::whole(3) * x, StaticBound(1.5) * expm1(x) + StaticBound(0.0)})
    CHECK(is_of_use(y));
  const auto on_one_side = [&](const StaticBound& a, const StaticBound& b) {
    return is_of_use(choose(
        a < b, [&] { return x; }, [&] { return one; }));
  };
  CHECK((on_one_side(x, one) && on_one_side(StaticBound(0.3) * x, 0.0) && on_one_side(0.0, x * x)));
  // Products of 24 and 24 or 29 bits are exact, one of 24 and 30 is not.
  CHECK((on_one_side(x * x, one) && on_one_side(StaticBound(0x1p29 - 1) * x, one)));
  CHECK(!on_one_side(StaticBound(0x1p30 - 1) * x, one));
  CHECK(is_of_use(max(StaticBound(0.0), StaticBound(static_cast<double>(0.2F)) * x + StaticBound(0.5))));
  CHECK(!is_of_use(StaticBound(0.2) * x + StaticBound(0.5)));
  CHECK((!on_one_side(StaticBound(0.3) * x, one) && !on_one_side(StaticBound(1e-300) * x, 0.0)));
  CHECK((!on_one_side(nonnegative(x), 0.0) && !on_one_side(at_most(x, 1.0), 0.0)));
  CHECK((!on_one_side(log(x), 0.0) && !on_one_side(x + one, 0.0)));
  for (const StaticBound& y :
       {exp(x) - one, one + erf(x), log(one + exp(x)), sin(x * x), x + tanh(x), one / exp(x) * exp(x),
        exp(StaticBound(-1e30) * exp(x)), log1p(-exp(-abs(x))), pow(x * x * x, x), x / StaticBound(3.0) + one,
        x * x * x * x * x * x * x * x * exp(-abs(x)),
        choose(
            x * x * x < one, [&] { return x; }, [&] { return one; })})
    CHECK(!is_of_use(y));
  // The same number: only sums of exact numbers are left.
  CHECK(!is_of_use(x * max(StaticBound(0.0), min(one, x / StaticBound(6.0) + StaticBound(0.5)))));
  CHECK(is_of_use(x * (max(StaticBound(0.0), min(StaticBound(6.0), x + StaticBound(3.0))) / StaticBound(6.0))));
}

TEST_CASE("static bound: scalars of a slice bring their errors", "[real]") {
  CHECK(StaticBound(Bounded(0.0)).rel == 0);
  CHECK(quick_scale(StaticBound(Bounded(5.0, 0x1p-50))) < 0x1p-50);
  CHECK(StaticBound(Bounded(0x1p-60, 0x1p-50)).abs == 0x1p-50);
  // x - 1 of what is between 2 and 3 is far from zero, whatever x lacks.
  const StaticBound two(2.0, 3.0, 2.0, 0x1p-50);
  CHECK((two - StaticBound(1.0)).rel < 0x1p-47);
  CHECK((StaticBound::any_input() / Bounded(3.0, 0x1p-50)).rel > (StaticBound::any_input() / StaticBound(3.0)).rel);
}

}  // namespace opref::exact::quick_test
