// SPDX-License-Identifier: Apache-2.0
// Functions of pairs, bare, against MPFR's numbers of 200 bits: of exact arguments, of pairs, and of pairs that are
// wrong by what they say. Each uses a part of its bound at least, so that a claim that is far too small is seen here.
#include "exact/real/paired_functions.h"

#include <mpfr.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>
#include <string>

#include "exact/oracle_testing.h"

namespace opref::exact::paired_functions_test {
namespace {

using oracle::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kStep = 0.021660849392498290;  // ln 2/32
constexpr double kHalfPi = 1.5707963267948966;
constexpr mpfr_prec_t kBits = 200;

/// A number of kBits.
class Wide {
 public:
  Wide(double x = 0) { mpfr_init2(v_, kBits), mpfr_set_d(v_, x, MPFR_RNDN); }
  Wide(const Wide& other) { mpfr_init2(v_, kBits), mpfr_set(v_, other.v_, MPFR_RNDN); }
  Wide& operator=(const Wide& other) { return mpfr_set(v_, other.v_, MPFR_RNDN), *this; }
  ~Wide() { mpfr_clear(v_); }
  Wide& operator+=(double x) { return mpfr_add_d(v_, v_, x, MPFR_RNDN), *this; }
  Wide& operator-=(double x) { return mpfr_sub_d(v_, v_, x, MPFR_RNDN), *this; }
  double nearest() const { return mpfr_get_d(v_, MPFR_RNDN); }
  double up() const { return std::abs(mpfr_get_d(v_, MPFR_RNDA)); }
  bool is_finite() const { return mpfr_number_p(v_) != 0; }
  bool is_zero() const { return mpfr_zero_p(v_) != 0; }
  mpfr_ptr number() { return v_; }

 private:
  mpfr_t v_;
};

void sigmoid_of(mpfr_ptr y, mpfr_srcptr x) {
  mpfr_neg(y, x, MPFR_RNDN), mpfr_exp(y, y, MPFR_RNDN), mpfr_add_ui(y, y, 1, MPFR_RNDN);
  mpfr_ui_div(y, 1, y, MPFR_RNDN);
}
void softplus_of(mpfr_ptr y, mpfr_srcptr x) {
  Wide t;
  mpfr_abs(t.number(), x, MPFR_RNDN), mpfr_neg(t.number(), t.number(), MPFR_RNDN);
  mpfr_exp(t.number(), t.number(), MPFR_RNDN), mpfr_log1p(t.number(), t.number(), MPFR_RNDN);
  if (mpfr_sgn(x) < 0)
    mpfr_set(y, t.number(), MPFR_RNDN);
  else
    mpfr_add(y, x, t.number(), MPFR_RNDN);
}
void phi_of(mpfr_ptr y, mpfr_srcptr x) {
  Wide half(0.5);
  mpfr_sqrt(half.number(), half.number(), MPFR_RNDN), mpfr_mul(y, x, half.number(), MPFR_RNDN);
  mpfr_neg(y, y, MPFR_RNDN), mpfr_erfc(y, y, MPFR_RNDN), mpfr_div_ui(y, y, 2, MPFR_RNDN);
}
void gelu_of(mpfr_ptr y, mpfr_srcptr x) {
  Wide factor;
  mpfr_set(factor.number(), x, MPFR_RNDN);
  phi_of(y, x), mpfr_mul(y, y, factor.number(), MPFR_RNDN);
}
template <int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
void of_mpfr(mpfr_ptr y, mpfr_srcptr x) {
  f(y, x, MPFR_RNDN);
}

struct Function {
  std::string name;
  Paired (*paired)(const Paired&);
  void (*exact)(mpfr_ptr, mpfr_srcptr);
  double least, most;  ///< arguments of which something is claimed
  double centre;       ///< zeros, poles or steps of tables lie at multiples of it
  double use;          ///< at least so much of the bound is used
  bool of_doubles = false;
};
const Function kFunctions[] = {
    {"exp", exp, of_mpfr<mpfr_exp>, -690, 690, kStep, 0.1},
    {"expm1", expm1, of_mpfr<mpfr_expm1>, -690, 690, kStep, 0.1},
    {"exp2", exp2, of_mpfr<mpfr_exp2>, -990, 990, 0x1p-5, 0.1},
    {"log", log, of_mpfr<mpfr_log>, 0x1p-960, 0x1p1000, 1, 0.1},
    {"log1p", log1p, of_mpfr<mpfr_log1p>, -1 + 0x1p-53, 0x1p1000, 1, 0.08},
    {"log2", log2, of_mpfr<mpfr_log2>, 0x1p-960, 0x1p1000, 1, 0.1},
    {"sin", sin, of_mpfr<mpfr_sin>, -0x1p20, 0x1p20, kHalfPi, 0.07},
    {"cos", cos, of_mpfr<mpfr_cos>, -0x1p20, 0x1p20, kHalfPi, 0.07},
    {"tan", tan, of_mpfr<mpfr_tan>, -0x1p20, 0x1p20, kHalfPi, 0.05},
    {"sin_far", sin_far, of_mpfr<mpfr_sin>, -1.7e308, 1.7e308, kHalfPi, 0.05, true},
    {"cos_far", cos_far, of_mpfr<mpfr_cos>, -1.7e308, 1.7e308, kHalfPi, 0.05, true},
    {"atan", atan, of_mpfr<mpfr_atan>, -0x1p1000, 0x1p1000, 0x1p-6, 0.08},
    {"asin", asin, of_mpfr<mpfr_asin>, -1, 1, 0x1p-6, 0.05},
    {"acos", acos, of_mpfr<mpfr_acos>, -1, 1, 0x1p-6, 0.05},
    {"sqrt", sqrt, of_mpfr<mpfr_sqrt>, 0x1p-850, 0x1p1000, 1, 0.1},
    {"cbrt", cbrt, of_mpfr<mpfr_cbrt>, 0x1p-960, 0x1p1000, 1, 0.1},
    {"erf", erf, of_mpfr<mpfr_erf>, -1e300, 1e300, 0.5, 0.05},
    {"erfc", erfc, of_mpfr<mpfr_erfc>, -1e300, 26, 0.5, 0.05},
    {"phi", [](const Paired& x) { return phi(x.h); }, phi_of, -36, 36, 0.7071067811865475, 0.05, true},
    {"gelu", [](const Paired& x) { return gelu(x.h); }, gelu_of, -36, 36, 0.7071067811865475, 0.05, true},
    {"sinh", sinh, of_mpfr<mpfr_sinh>, -690, 690, kStep, 0.05},
    {"cosh", cosh, of_mpfr<mpfr_cosh>, -690, 690, kStep, 0.05},
    {"tanh", tanh, of_mpfr<mpfr_tanh>, -1e300, 1e300, kStep, 0.05},
    {"asinh", asinh, of_mpfr<mpfr_asinh>, -0x1p450, 0x1p450, 1, 0.05},
    {"acosh", acosh, of_mpfr<mpfr_acosh>, 1, 0x1p450, 1, 0.05},
    {"atanh", atanh, of_mpfr<mpfr_atanh>, -1, 1, 1, 0.05},
    {"sigmoid", sigmoid, sigmoid_of, -690, 1e300, kStep, 0.05},
    {"softplus", softplus, softplus_of, -690, 1e300, kStep, 0.05}};

// Arguments for which a result is known to be near the middle between two doubles, and others that were found hard.
constexpr double kHard[] = {0x1.9e9cbbfd6080bp-31,
                            -0x1.ed318efb627eap-27,
                            -0x1.c8a9f8e2d6a4cp-30,
                            0x1.62a88613629b6p+678,
                            0x1.c7e1077f9aec1p-2,
                            0x1.921fb54442d18p+0,
                            0x1.921fb54442d18p+1,
                            0x1.6ac5b262ca1ffp+849,
                            0x1.e13ca35p+18,
                            0x1.0p-1074,
                            0x1.8p-1023,
                            0x1.fffffffffffffp+1023,
                            0x1.0000000000001p+0,
                            0x1.fffffffffffffp-1,
                            0.5,
                            1,
                            2,
                            3,
                            4,
                            10,
                            0,
                            26,
                            26.1,
                            0x1.6a09e667f3bcdp+0};

double neighbour(Random& random, double x, int most) {
  for (std::int64_t k = random.in(0, most); k > 0; --k) x = std::nextafter(x, random.one_in(2) ? 1e308 : -1e308);
  return x;
}
double unit(Random& random) { return static_cast<double>(random.in(0, (std::int64_t{1} << 53) - 1)) * 0x1p-53; }
double sign(Random& random) { return random.one_in(2) ? 1 : -1; }

/// Of every size; next to zeros, poles, steps of tables and other places.
double argument(Random& random, const Function& f, int i) {
  if (i < 2 * static_cast<int>(std::size(kHard))) return i % 2 != 0 ? kHard[i / 2] : -kHard[i / 2];
  const double spread = std::ldexp(random.normal(), static_cast<int>(random.in(-60, 6)));
  switch (random.in(0, 9)) {
    case 0:
      return std::ldexp(unit(random) + 1, static_cast<int>(random.in(-1074, 1022))) * sign(random);
    case 1:
      return random.normal() * 3;
    case 2:
      return static_cast<double>(random.in(-40, 40)) * f.centre + spread;
    case 3:
      return neighbour(random, static_cast<double>(random.in(-1400000, 1400000) >> random.in(0, 20)) * f.centre / 2, 3);
    case 4:
      return 1 + spread;
    case 5:
      return (unit(random) * 2 - 1) * (std::abs(f.most) < 1e6 ? f.most : 1000);
    case 6:
      return static_cast<double>(static_cast<float>(random.normal() * 4));
    case 7:
      return std::abs(f.most) < 2e6 ? f.most * (unit(random) * 0.001 + 0.9995) : std::ldexp(random.normal(), 20);
    case 8:
      return neighbour(random,
                       std::ldexp(static_cast<double>(random.in(256, 511)),
                                  static_cast<int>(random.one_in(8) ? random.in(-1000, 1000) : random.in(-13, 0))) *
                           sign(random),
                       2);
    default:
      return static_cast<double>(random.in(-4096, 4096)) * 0x1p-6 + spread * 0x1p-8;
  }
}
double low_part(Random& random, double h) {
  if (!(std::abs(h) > 0x1p-900 && std::abs(h) < 0x1p1000)) return 0;
  const double spacing = std::abs(h) - std::nextafter(std::abs(h), 0.0);  // the lesser one
  return spacing * 0.499 * (unit(random) * 2 - 1) * (random.one_in(4) ? 0x1p-20 : 1);
}

/// What a function does with arguments: how much of its bound it uses, and what it says nothing of.
struct Found {
  double use = 0, use_of_tiny = 0;
  int silent = 0;
  int wrong = 0;  ///< doubles that are not the nearest
};
void judge(const Paired& y, Wide exact, Found& found) {
  if (!(y.e < kInfinity) || !std::isfinite(y.h)) return;
  const double size = exact.up();
  exact -= y.h, exact -= y.l;
  if (exact.is_zero()) return;
  // Of tiny results the bound is what underflow may cost; of vague ones it says how vague the argument is.
  double& use = size < 0x1p-800 || y.e > size * 0x1p-60 ? found.use_of_tiny : found.use;
  mpfr_div_d(exact.number(), exact.number(), y.e, MPFR_RNDA);
  use = std::max(use, exact.up());
}
enum class Of { doubles, pairs, wrong_pairs };
Found found(const Function& f, Of of, int count) {
  Random random(static_cast<unsigned>(of) + 5);
  Found result;
  for (int i = 0; i < count; ++i) {
    const double h = argument(random, f, i), l = of == Of::doubles ? 0 : low_part(random, h);
    const Paired y = f.paired({h, l, of == Of::wrong_pairs ? std::abs(l) : 0.0});
    Wide exact(h);
    if (l != 0) exact += l;  // -0 + 0 would be +0
    if (l != 0 && of == Of::wrong_pairs) exact += i % 2 == 0 ? l : -l;
    f.exact(exact.number(), exact.number());
    if (!exact.is_finite()) {
      result.silent += y.e < kInfinity && std::isfinite(y.h) ? 1 : 0;
      continue;
    }
    const double size = exact.up();
    const bool is_claimed = h >= f.least && h <= f.most && size < 0x1p900 && (size > 0x1p-900 || h == 0);
    if (is_claimed && of != Of::wrong_pairs && !(y.e <= size * 0x1p-90 + 0x1p-1050)) ++result.silent;
    const NearestDouble nearest = nearest_double(y);
    if (nearest.open == 0)
      result.wrong +=
          std::bit_cast<std::uint64_t>(nearest.value) == std::bit_cast<std::uint64_t>(exact.nearest()) ? 0 : 1;
    judge(y, exact, result);
  }
  return result;
}
/// Arguments of each kind.
int count() {
  const char* stated = std::getenv("OPREF_PAIRS");
  return stated != nullptr ? std::atoi(stated) : 4000;
}

}  // namespace

TEST_CASE("paired: functions stay within their bounds, and use a part of them", "[real][pairs]") {
  const Function& f = GENERATE(from_range(std::begin(kFunctions), std::end(kFunctions)));
  CAPTURE(f.name);
  for (const Of of : {Of::doubles, Of::pairs, Of::wrong_pairs}) {
    if (f.of_doubles && of != Of::doubles) continue;
    CAPTURE(static_cast<int>(of));
    const Found result = found(f, of, count());
    const double allowed = of == Of::wrong_pairs ? 1 + 0x1p-40 : 1;  // the roundings of e, for which settling pays
    CHECK(result.use <= allowed);
    CHECK(result.use_of_tiny <= allowed);
    CHECK(result.use > f.use);
    CHECK(result.silent == 0);
    CHECK(result.wrong == 0);
  }
}

TEST_CASE("paired: arctan of a quotient, powers", "[real][pairs]") {
  Random random(9);
  Found of_arc, of_pow;
  for (int i = 0; i < 4 * count(); ++i) {
    const double x = std::ldexp(unit(random) + 1, static_cast<int>(random.in(-9, 9)));
    const double y = random.one_in(2) ? x * static_cast<double>(random.in(1, 90)) * 0x1p-6 : unit(random) * 3;
    Wide exact(y), other(x);
    mpfr_atan2(exact.number(), exact.number(), other.number(), MPFR_RNDN);
    judge(arc(Paired(y), Paired(x)), exact, of_arc);
    const double z = random.one_in(4) ? static_cast<double>(random.in(-20, 20)) * 0.5
                                      : (unit(random) * 2 - 1) * 990 / std::max(std::abs(std::log2(x)), 0.01);
    const double base = z == std::floor(z) && random.one_in(2) ? -x : x;
    Wide power(base), exponent(z);
    mpfr_pow(power.number(), power.number(), exponent.number(), MPFR_RNDN);
    const Paired y_z = pow(Paired(base), Paired(z));
    if (power.up() < 0x1p900 && power.up() > 0x1p-900) of_pow.silent += y_z.e <= power.up() * 0x1p-85 ? 0 : 1;
    judge(y_z, power, of_pow);
  }
  CHECK((of_arc.use <= 1 && of_arc.use > 0.07));
  CHECK((of_pow.use <= 1 && of_pow.use_of_tiny <= 1 && of_pow.use > 0.05));
  CHECK(of_pow.silent == 0);
}

TEST_CASE("paired: operations stay within their bounds", "[real][pairs]") {
  struct Operation {
    std::string name;
    Paired (*paired)(const Paired&, const Paired&);
    int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  };
  const Operation operations[] = {
      {"+", [](const Paired& a, const Paired& b) { return a + b; }, mpfr_add},
      {"-", [](const Paired& a, const Paired& b) { return a - b; }, mpfr_sub},
      {"*", [](const Paired& a, const Paired& b) { return a * b; }, mpfr_mul},
      {"/", [](const Paired& a, const Paired& b) { return a / b; }, mpfr_div},
      {"max", [](const Paired& a, const Paired& b) { return max(a, b); }, mpfr_max},
      {"min", [](const Paired& a, const Paired& b) { return min(a, b); }, mpfr_min},
  };
  const Operation& operation = GENERATE_REF(from_range(std::begin(operations), std::end(operations)));
  CAPTURE(operation.name);
  Random random(11);
  Found result;
  for (int i = 0; i < 5 * count(); ++i) {
    const auto number = [&] {
      const int exponent = static_cast<int>(random.one_in(3) ? random.in(-1050, 1000) : random.in(-3, 3));
      const double h = std::ldexp(random.normal(), exponent), l = low_part(random, h);
      return Paired(h, l, random.one_in(2) ? 0 : std::ldexp(std::abs(h), -static_cast<int>(random.in(12, 110))));
    };
    const Paired a = number();
    Paired b = number();
    if (random.one_in(6)) b = {a.h, low_part(random, a.h), random.one_in(2) ? a.e : 0};  // what nearly cancels
    const Paired y = operation.paired(a, b);
    const auto either_end = [&](const Paired& x) {
      Wide end(x.h);
      end += x.l, end += random.one_in(2) ? x.e : -x.e;
      return end;
    };
    Wide exact = either_end(a), other = either_end(b);
    operation.exact(exact.number(), exact.number(), other.number(), MPFR_RNDN);
    if (exact.is_finite() && exact.up() < 0x1p900) judge(y, exact, result);
  }
  CHECK(result.use <= 1 + 0x1p-40);
  CHECK(result.use_of_tiny <= 1 + 0x1p-40);
  CHECK(result.use_of_tiny > 0.3);
}

TEST_CASE("paired: a sum of two doubles is exact", "[real][pairs]") {
  const Paired sum = Paired(1) + Paired(0x1p-80), cancelled = Paired(3) - Paired(3);
  CHECK((sum.h == 1 && sum.l == 0x1p-80 && sum.e == 0));
  CHECK((cancelled.h == 0 && !std::signbit(cancelled.h) && cancelled.e == 0));
  CHECK((sum + Paired(1)).e > 0);
  CHECK((Paired(1) + sum).e > 0);
  CHECK((Paired(1, 0, 0x1p-60) + Paired(2)).e == 0x1p-60);
  CHECK(!std::isfinite((Paired(1.7e308) + Paired(1.7e308)).e));
  const Paired infinite = Paired(-kInfinity) + Paired(1);
  CHECK((infinite.h == -kInfinity && infinite.e == 0));
  CHECK((Paired(1) + Paired(-kInfinity)).e == 0);
}

TEST_CASE("paired: of numbers so near that rounding hides it, the greater one", "[real][pairs]") {
  // One and the same midpoint but for 2^-107, from both sides: the difference of the low parts rounds to that of the
  // high ones.
  const double half = 0x1p-53 - 0x1p-107;
  const Paired less(1, half, 0), more(1 + 0x1p-52, -half, 0);
  CHECK((max(less, more).h == more.h && max(less, more).l == more.l));
  CHECK((min(more, less).h == less.h && min(more, less).l == less.l));
  CHECK(((less < more).holds && (less < more).blur == 0));
  CHECK(!(more < less).holds);
  const Paired same = max(less, less);
  CHECK((same.h == 1 && same.l == half && same.e == 0));
  CHECK(max(Paired(1.7e308), Paired(1.7e308)).h == 1.7e308);
  CHECK(!std::signbit(max(Paired(-0.0), Paired(0.0)).h));
  CHECK(std::signbit(min(Paired(0.0), Paired(-0.0)).h));
  CHECK(std::signbit((Paired(-0.0) + Paired(-0.0)).h));
  CHECK(!std::signbit((Paired(-0.0) + Paired(0.0)).h));
  CHECK(std::signbit((Paired(-0.0) * Paired(3)).h));
  CHECK(max(Paired(0.0), Paired(-1e30, 0, 3)).e == 0);
  CHECK(!std::isfinite(max(Paired(kNaN), Paired(1)).e));
  CHECK(!std::isfinite(min(Paired(1), Paired(kNaN)).e));
  CHECK(!std::isfinite((Paired(1, 0, 0x1p-20) < Paired(1)).blur));
}

TEST_CASE("paired: nothing is claimed of what is not finite or out of reach", "[real][pairs]") {
  const auto says_nothing = [](const Paired& y) { return !std::isfinite(y.h) || !std::isfinite(y.e); };
  for (const Function& f : kFunctions) {
    CAPTURE(f.name);
    CHECK(says_nothing(f.paired(kNaN)));
    if (f.of_doubles) continue;
    CHECK(says_nothing(f.paired({0.5, 0, kInfinity})));
    CHECK(says_nothing(f.paired({0.5, 0, kNaN})));
  }
  for (const double x : {691.0, 1e300, kInfinity})
    CHECK((says_nothing(exp(Paired(x))) && says_nothing(expm1(Paired(x)))));
  for (Paired (*f)(const Paired&) : {exp, expm1, exp2}) CHECK(says_nothing(f({-kInfinity, 0, kInfinity})));
  for (const double x : {0.0, -1.0, kInfinity, -kInfinity, 0x1p-1074}) CHECK(says_nothing(log(Paired(x))));
  for (const double x : {0x1.000001p20, kInfinity, -kInfinity}) CHECK(says_nothing(sin(Paired(x))));
  CHECK(says_nothing(sin_far(Paired(kInfinity))));
  CHECK(says_nothing(Paired(kInfinity) - Paired(1)));
  CHECK(says_nothing(Paired(1) / Paired(0.0)));
}

}  // namespace opref::exact::paired_functions_test
