// SPDX-License-Identifier: Apache-2.0
#include "exact/real/faithful.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/infinity.h"
#include "core/random.h"
#include "exact/real/faithful_products.h"
#include "exact/real/inverse_error.h"
#include "exact/real/paired_functions.h"
#include "exact/real/steps_told.h"

namespace opref::exact {
namespace {

/// Pays for what the bound loses while it is worked out in double.
constexpr double kPay = 1.01;
constexpr double kTwoOverRootPi = 1.1284;  ///< from above

// What StepsTold says and hears.
thread_local std::uint32_t steps_heard = 0, steps_left_out = 0;
constexpr std::uint32_t bit_of(StepKind kind) { return std::uint32_t{1} << static_cast<int>(kind); }
/// What a step loses.
double lost(StepKind kind, double error) {
  if (error != 0) steps_heard |= bit_of(kind);
  return (steps_left_out & bit_of(kind)) != 0 ? 0 : error;
}

const KernelModel& model() { return Faithful::kernel; }
double unit() { return model().unit_roundoff(); }
/// What a result may lose below the normal numbers: half a place where a rounding gives it, and all where it is
/// flushed.
double of_product() { return model().flushes ? model().smallest_normal : model().smallest_subnormal; }
double of_sum() { return model().flushes ? model().smallest_normal : 0; }

bool is_exact(const Faithful& x) { return x.error() == 0 && x.low() == 0; }
bool is_power_of_two(const Faithful& x) {
  int exponent = 0;
  return is_exact(x) && std::abs(std::frexp(x.high(), &exponent)) == 0.5;
}
/// As a number of the formula, such as what hides a key from an attention.
bool is_infinite(const Faithful& x) { return std::isinf(x.high()) && x.error() == 0; }
bool is_held(const Paired& y) { return y.l == 0 && model().holds(y.h); }
double size_of(const Paired& y, double e) { return std::abs(y.h) + e; }

// Of doubles, the same on every machine; kPay pays for their errors.
double exp_of(double x) { return exp(Paired(x)).h; }
double expm1_of(double x) { return x == 0 ? 0 : expm1(Paired(x)).h; }
double log1p_of(double x) { return x == 0 ? 0 : log1p(Paired(x)).h; }
double cosh_of(double x) { return (exp_of(x) + exp_of(-x)) / 2; }

/// Of so many bits.
double nearest_of(double x, int bits, double least_place) {
  if (bits >= 53 || !std::isfinite(x)) return x;
  int exponent = 0;
  std::frexp(x, &exponent);
  const double place = std::max(std::ldexp(1.0, exponent - bits), least_place);
  return std::nearbyint(x / place) * place;
}
/// The number y ± e of a kernel; of the simulated one its own.
Faithful number(const Paired& y, double e) {
  if (Faithful::simulated == nullptr) return {y.h, y.l, e};
  return {nearest_held(y.h), 0, 0};
}
/// A number from -1 to 1, by the run and x.
double drawn_of(double x, const SimulatedKernel& kernel) {
  const auto drawn = core::Random(kernel.key).draw(std::bit_cast<std::int64_t>(x), kernel.run);
  return 2 * (static_cast<double>(core::word64(drawn, 0) >> 11) * 0x1p-53) - 1;
}

/// An operation's result y, whose operands' errors make it wrong by `inherited`; rounded, unless it is exact.
Faithful rounded(const Paired& y, double inherited, double underflow, bool is_exact,
                 StepKind kind = StepKind::addition) {
  if (is_exact && inherited == 0 && is_held(y)) return {y.h, 0, 0};
  const double e = (is_exact ? 0 : y.e) + inherited;
  return number(y, (e + lost(kind, unit() * size_of(y, e) + underflow)) * (1 + 0x1p-50));
}
/// A function's result, which is `ulp` ULP off.
Faithful off(const Paired& y, double inherited, double ulp, StepKind kind) {
  const double e = y.e + inherited * kPay, size = size_of(y, e);
  constexpr double kAbsolute = 5;
  const double relative = ulp * std::max(2 * unit() * size, model().smallest_subnormal);
  const double own = model().functions.absolute ? std::max(relative, kAbsolute * 2 * unit()) : relative;
  if (const SimulatedKernel* kernel = Faithful::simulated) {
    const double half_place = std::max(unit() * (size + own), model().smallest_subnormal / 2);
    return number({y.h + std::max(0.0, own - half_place) * drawn_of(y.h, *kernel), 0, 0}, 0);
  }
  return {y.h, y.l, (e + lost(kind, own + of_sum())) * (1 + 0x1p-50)};
}
/// Nothing is known but about where it is.
Faithful unknown(double about) { return number({about, 0, 0}, kInfinity); }

}  // namespace

double nearest_held(double x) {
  const KernelModel& kernel = model();
  if (kernel.flushes && std::abs(x) < kernel.smallest_normal) return std::copysign(0.0, x);
  if (kernel.bits == 24) return static_cast<float>(x);
  return nearest_of(x, kernel.bits, kernel.smallest_subnormal);
}
double simulated_sum(std::span<const double> terms) {
  const SimulatedKernel& kernel = *Faithful::simulated;
  const std::size_t n = terms.size();
  if (n == 0) return 0;
  std::size_t at = kernel.is_reversed() ? n - 1 : 0;
  if (kernel.run > 1) at = core::Random(kernel.key).below(static_cast<std::uint32_t>(n), 0, kernel.run);
  double sum = terms[at];
  for (std::size_t k = 1; k < n; ++k) {
    at = kernel.is_reversed() ? (at == 0 ? n - 1 : at - 1) : (at + 1 == n ? 0 : at + 1);
    sum = nearest_held(sum + terms[at]);
  }
  return sum;
}

double KernelModel::unit_roundoff() const { return std::ldexp(1.0, -bits); }
bool KernelModel::holds(double x) const {
  const std::uint64_t fraction = std::bit_cast<std::uint64_t>(x) & ((std::uint64_t{1} << (53 - bits)) - 1);
  if (bits < 53 && fraction != 0) return false;
  if (x == 0 || std::abs(x) >= smallest_normal) return true;
  const double places = x / smallest_subnormal;
  return !flushes && places == std::trunc(places);
}

Faithful::Faithful(double nearest, double rest) : h_(nearest), l_(rest), e_(0) {
  if (!is_held({nearest, rest, 0}))
    *this = number({h_, l_, 0}, lost(StepKind::constant, unit() * std::abs(nearest) + of_product()));
}
Faithful::Faithful(double exact) : Faithful(exact, 0.0) {}
Faithful Faithful::input(double x) {
  const double error = std::isinf(x) ? 0 : std::abs(x) * model().input_error;
  if (simulated != nullptr) return Faithful(error == 0 ? x : x + error * drawn_of(x, *simulated));
  Faithful y(x);
  y.e_ += lost(StepKind::input, error);
  return y;
}
double Faithful::nearest_to_zero() const { return std::max(0.0, std::abs(h_) * (1 - 0x1p-52) - e_); }
double Faithful::size() const { return std::abs(h_) * (1 + 0x1p-52) + e_; }
Paired Faithful::centre() const { return {h_, l_, 0}; }

bool is_finite(const Faithful& x) { return x.size() < kInfinity; }
Faithful operator-(const Faithful& x) { return {-x.h_, -x.l_, x.e_}; }
Faithful operator+(const Faithful& x, const Faithful& y) {
  if (is_infinite(x) || is_infinite(y)) return {x.h_ + y.h_, 0, 0};
  if (Faithful::simulated != nullptr) return {nearest_held(x.h_ + y.h_), 0, 0};
  return rounded(x.centre() + y.centre(), x.e_ + y.e_, of_sum(), x.l_ == 0 && y.l_ == 0);
}
Faithful operator*(const Faithful& x, const Faithful& y) {
  if (Faithful::simulated != nullptr) return {nearest_held(x.h_ * y.h_), 0, 0};
  if (is_infinite(x) || is_infinite(y)) {
    const bool has_sign = x.nearest_to_zero() > 0 && y.nearest_to_zero() > 0;
    return has_sign ? Faithful{x.h_ * y.h_, 0, 0} : unknown(x.h_ * y.h_);
  }
  const double inherited = std::abs(x.h_) * y.e_ + y.size() * x.e_;
  const Paired product = x.centre() * y.centre();
  const bool whole = x.l_ == 0 && y.l_ == 0 && (product.h == 0 || std::abs(product.h) > 0x1p-900);
  if (is_power_of_two(x) || is_power_of_two(y))
    return {product.h, product.l,
            inherited + (whole ? 0 : product.e) + (model().holds(product.h) ? of_sum() : of_product())};
  return rounded(product, inherited, of_product(), whole, StepKind::product);
}
Faithful operator/(const Faithful& x, const Faithful& y) {
  if (is_infinite(y)) return {x.h_ / y.h_, 0, 0};
  const double room = y.nearest_to_zero();
  const Paired quotient = x.centre() / y.centre();
  if (!(room > 0)) return unknown(quotient.h);
  const double inherited = (x.e_ + std::abs(quotient.h) * y.e_) / room;
  if (is_power_of_two(y)) {
    const bool whole = x.l_ == 0 && (quotient.h == 0 || std::abs(quotient.h) > 0x1p-900);
    const Paired exact = whole ? Paired{x.h_ / y.h_, 0, 0} : quotient;
    return number(exact, inherited * kPay + exact.e + (model().holds(exact.h) ? of_sum() : of_product()));
  }
  return off(quotient, inherited, model().functions.division, StepKind::division);
}
Faithful square(const Faithful& x) { return x * x; }
Faithful abs(const Faithful& x) { return std::signbit(x.h_) ? -x : x; }
Faithful max(const Faithful& x, const Faithful& y) {
  if (is_infinite(x) || is_infinite(y)) return x.h_ > y.h_ ? x : y;
  const PairedDifference d = difference(x.centre(), y.centre());
  if (std::isnan(d.sign)) return unknown(d.sign);
  const Faithful &more = d.sign > 0 ? x : y, &less = d.sign > 0 ? y : x;
  const double h = d.sign == 0 && x.h_ == 0 ? x.h_ + y.h_ : more.h_;  // of two zeros +0
  return {h, more.l_, std::max(more.e_, less.e_ - d.least)};
}
Faithful sqrt(const Faithful& x) {
  if (x.h_ == 0 && is_exact(x)) return x;
  const Paired root = sqrt(x.centre());
  if (!(x.e_ < x.h_)) return unknown(root.h);
  return off(root, x.e_ / (root.h + std::sqrt(x.h_ - x.e_)), model().functions.sqrt, StepKind::sqrt);
}
Faithful exp(const Faithful& x) {
  if (x.h_ == 0 && is_exact(x)) return {1, 0, 0};
  if (is_infinite(x) && x.h_ < 0) return {0, 0, 0};
  if (Faithful::simulated != nullptr && x.h_ > 710) return {kInfinity, 0, 0};  // e^710 is beyond double
  const Paired y = exp(x.centre());
  return off(y, y.h * expm1_of(x.e_), model().functions.exp, StepKind::exp);
}
Faithful expm1(const Faithful& x) {
  const Paired y = expm1(x.centre());
  return off(y, (y.h + 1) * expm1_of(x.e_), model().functions.exp, StepKind::expm1);
}
Faithful log(const Faithful& x) {
  if (x.h_ == 1 && is_exact(x)) return {0, 0, 0};
  const Paired y = log(x.centre());
  if (!(x.e_ < x.h_)) return unknown(y.h);
  return off(y, -log1p_of(-x.e_ / x.h_), model().functions.log, StepKind::log);
}
Faithful log1p(const Faithful& x) {
  const Paired y = log1p(x.centre());
  const double whole = 1 + x.h_;
  if (!(x.e_ < whole * (1 - 0x1p-50))) return unknown(y.h);
  return off(y, -log1p_of(-x.e_ / whole), model().functions.log1p, StepKind::log1p);
}
Faithful sin(const Faithful& x) {
  return off(sin(x.centre()), std::min(x.e_, 2.0), model().functions.sin, StepKind::sin);
}
Faithful cos(const Faithful& x) {
  return off(cos(x.centre()), std::min(x.e_, 2.0), model().functions.sin, StepKind::cos);
}
/// Slopes are 1 + tan², which is greatest where the cosine is least.
Faithful tan(const Faithful& x) {
  const Paired y = tan(x.centre());
  const double least = std::abs(cos(Paired(x.h_)).h) * (1 - 0x1p-40) - x.e_;
  if (x.e_ > 0 && !(least > 0)) return unknown(y.h);
  return off(y, x.e_ == 0 ? 0 : x.e_ / (least * least), model().functions.tan, StepKind::tan);
}
Faithful asin(const Faithful& x) {
  const Paired y = asin(x.centre());
  const double room = 1 - x.size() * x.size();
  if (x.e_ > 0 && !(room > 0)) return unknown(y.h);
  return off(y, x.e_ == 0 ? 0 : x.e_ / std::sqrt(room), model().functions.sin, StepKind::asin);
}
Faithful acos(const Faithful& x) {
  const Paired y = acos(x.centre());
  const double room = 1 - x.size() * x.size();
  if (x.e_ > 0 && !(room > 0)) return unknown(y.h);
  return off(y, x.e_ == 0 ? 0 : x.e_ / std::sqrt(room), model().functions.sin, StepKind::acos);
}
Faithful atan(const Faithful& x) {
  const double least = x.nearest_to_zero();
  return off(atan(x.centre()), x.e_ / (1 + least * least), model().functions.tan, StepKind::atan);
}
Faithful sinh(const Faithful& x) {
  return off(sinh(x.centre()), x.e_ * cosh_of(x.size()), model().functions.sin, StepKind::sinh);
}
Faithful cosh(const Faithful& x) {
  return off(cosh(x.centre()), x.e_ * cosh_of(x.size()), model().functions.sin, StepKind::cosh);
}
Faithful tanh(const Faithful& x) {
  const double slope = 1 / cosh_of(std::min(700.0, x.nearest_to_zero()));
  return off(tanh(x.centre()), slope * slope * x.e_, model().functions.tan, StepKind::tanh);
}
Faithful asinh(const Faithful& x) {
  return off(asinh(x.centre()), x.e_ / std::sqrt(1 + x.nearest_to_zero() * x.nearest_to_zero()), model().functions.sin,
             StepKind::asinh);
}
Faithful acosh(const Faithful& x) {
  const Paired y = acosh(x.centre());
  const double least = x.h_ - x.e_, room = (least - 1) * (least + 1);
  if (x.e_ > 0 && !(least > 1 && room > 0)) return unknown(y.h);
  return off(y, x.e_ == 0 ? 0 : x.e_ / std::sqrt(room), model().functions.sin, StepKind::acosh);
}
Faithful atanh(const Faithful& x) {
  const Paired y = atanh(x.centre());
  const double room = 1 - x.size() * x.size();
  if (x.e_ > 0 && !(room > 0)) return unknown(y.h);
  return off(y, x.e_ == 0 ? 0 : x.e_ / room, model().functions.tan, StepKind::atanh);
}
Faithful erf(const Faithful& x) {
  const double least = x.nearest_to_zero();
  return off(erf(x.centre()), kTwoOverRootPi * exp_of(-least * least) * x.e_, model().functions.erf, StepKind::erf);
}
Faithful erfc(const Faithful& x) {
  const double least = x.nearest_to_zero();
  return off(erfc(x.centre()), kTwoOverRootPi * exp_of(-least * least) * x.e_, model().functions.erf, StepKind::erfc);
}
/// Its slope is (√π/2)·e^(y²), which rises with |x|.
Faithful erfinv(const Faithful& x) {
  const Paired y = erfinv(Paired(x.high()));
  const double moved = std::abs(x.low()) + x.error();
  if (moved == 0 && std::isinf(y.h)) return {y.h, 0, 0};
  if (moved == 0) return off(y, 0, model().functions.erf, StepKind::erfinv);
  if (!(x.size() < 1)) return unknown(y.h);
  const double most = erfinv(Bounded(x.size())).v;
  return off(y, exp_of(most * most) / kTwoOverRootPi * moved, model().functions.erf, StepKind::erfinv);
}
/// |x|^y, which moves with both operands' errors by at most a factor of e^(|y|·a + |ln |x||·y.e), a = -ln(1 - x.e/|x|).
Faithful pow(const Faithful& x, const Faithful& y) {
  if (y.h_ == 0 && is_exact(y)) return {1, 0, 0};
  if (x.h_ == 0) {
    const double power = y.h_ > 0 ? 0 : kInfinity;
    return x.e_ == 0 && y.e_ == 0 && std::isfinite(power) ? Faithful{power, 0, 0} : unknown(power);
  }
  const Paired power = pow(x.centre(), y.centre());
  if (x.e_ == 0 && y.e_ == 0) return off(power, 0, model().functions.pow, StepKind::pow);
  const double part = x.e_ / std::abs(x.h_);
  if (!(part < 1) || (x.h_ < 0 && y.e_ > 0)) return unknown(power.h);
  const double moved = -y.size() * log1p_of(-part) + std::abs(log(Paired(std::abs(x.h_))).h) * y.e_;
  return off(power, std::abs(power.h) * expm1_of(moved * kPay), model().functions.pow, StepKind::pow);
}
Faithful pi(const Faithful&) { return rounded(pi(Paired(0.0)), 0, 0, false, StepKind::pi); }

Faithful rounded_to(const Faithful& x, std::optional<DType> dtype) {
  if (!dtype) return x;
  const bool is_double = *dtype == DType::float64;
  const int bits = is_double ? 53 : *dtype == DType::float32 ? 24 : *dtype == DType::float16 ? 11 : 8;
  if (bits >= Faithful::kernel.bits) return x;
  if (Faithful::simulated != nullptr) return {nearest_of(x.high(), bits, 0), 0, 0};
  return {x.high(), x.low(), x.error() + lost(StepKind::rounding, std::ldexp(x.size(), -bits))};
}
namespace {
Faithful whole_by(double (*rule)(double), const Faithful& x) {
  const double least = rule(x.high() - x.error() - std::abs(x.low())),
               most = rule(x.high() + x.error() + std::abs(x.low()));
  return {(least + most) / 2, 0, (most - least) / 2};
}
}  // namespace
Faithful round(const Faithful& x) { return whole_by(std::nearbyint, x); }
Faithful truncate(const Faithful& x) { return whole_by(std::trunc, x); }

Faithful::Truth operator<(const Faithful& x, const Faithful& y) {
  using Truth = Faithful::Truth;
  const PairedDifference d = difference(x.centre(), y.centre());
  const double e = x.e_ + y.e_;
  if (e == 0) return d.sign < 0 ? Truth::yes : Truth::no;
  if (!(d.least > e * kPay)) return Truth::unknown;
  return d.sign < 0 ? Truth::yes : Truth::no;
}
Faithful Faithful::either(const Faithful& x, const Faithful& y) {
  const double apart = std::abs(x.h_ - y.h_) * (1 + 0x1p-50) + std::abs(x.l_) + std::abs(y.l_);
  return {x.h_, x.l_, std::max(x.e_, apart + y.e_)};
}

void FaithfulSum::add(const Faithful& x) {
  if (x.high() == 0 && is_exact(x)) return;  // which no sum rounds
  if (Faithful::simulated != nullptr) return terms_.push_back(x.high());
  n_ += 1;
  if (is_infinite(x)) return void(h_ += x.high());
  const Pair s = two_sum(h_, x.high());
  h_ = s.h;
  l_ += s.l + x.low();
  e_ += x.error();
  size_ += x.size();
}
namespace {
/// h + l, the sum of n terms of this total size, which kernels have wrong by e before they are added.
Faithful total_of(double h, double l, double e, double size, double n) {
  const Pair total = two_sum(h, l);
  if (n < 2) return {total.h, total.l, e};
  const double of_order = expm1_of((n - 1) * log1p_of(unit())), of_pairs = n * 0x1p-104;
  return {total.h, total.l, (e + lost(StepKind::sum, (of_order + of_pairs) * size + n * of_sum())) * (1 + 0x1p-40)};
}
}  // namespace
Faithful FaithfulSum::total() const {
  if (Faithful::simulated != nullptr) return {simulated_sum(terms_), 0, 0};
  if (std::isinf(h_) && std::isfinite(size_)) return {h_, 0, 0};  // by a term that is infinite
  return total_of(h_, l_, e_, size_, n_);
}

FaithfulProducts::FaithfulProducts() {
  const KernelModel& kernel = model();
  constexpr int kBits = 24;
  is_plain_ = kernel.bits >= kBits && kernel.input_error == 0 && !kernel.flushes;
  least_ = is_plain_ && Faithful::simulated == nullptr ? kernel.smallest_normal : kInfinity;
  fraction_ = kernel.bits < 53 ? (std::uint64_t{1} << (53 - kernel.bits)) - 1 : 0;
}
void FaithfulProducts::add(const Faithful& term) {
  if (term.high() == 0 && is_exact(term)) return;
  if (Faithful::simulated != nullptr) return terms_.push_back(term.high());
  n_ += 1;
  if (is_infinite(term)) return void(h_ += term.high());
  const Pair s = two_sum(h_, term.high());
  h_ = s.h;
  l_ += s.l + term.low();
  e_ += term.error();
  other_size_ += term.size();
}
void FaithfulProducts::add_other(double a, double b) {
  if (!is_plain_ || Faithful::simulated == nullptr) return add(Faithful::input(a) * Faithful::input(b));
  const double product = nearest_held(a * b);
  if (product != 0) terms_.push_back(product);
}
Faithful FaithfulProducts::total() const {
  if (Faithful::simulated != nullptr) return {simulated_sum(terms_), 0, 0};
  if (std::isinf(h_) && std::isfinite(size_ + other_size_)) return {h_, 0, 0};  // by a term that is infinite
  const double pay = 1 + 0x1p-50 + n_ * 0x1p-52;                                // for what the sums of magnitudes lose
  const double of_products = lost(StepKind::product, unit() * rounded_size_ + rounded_ * of_product()) * pay;
  return total_of(h_, l_, e_ + of_products, (size_ + of_products) * pay + other_size_, n_);
}

std::string_view to_text(StepKind kind) {
  constexpr std::string_view kTexts[] = {"rounding the input",
                                         "rounding a constant",
                                         "additions",
                                         "products",
                                         "the additions of a sum",
                                         "divisions",
                                         "sqrt",
                                         "exp",
                                         "expm1",
                                         "log",
                                         "log1p",
                                         "sin",
                                         "cos",
                                         "tan",
                                         "asin",
                                         "acos",
                                         "atan",
                                         "sinh",
                                         "cosh",
                                         "tanh",
                                         "asinh",
                                         "acosh",
                                         "atanh",
                                         "erf",
                                         "erfc",
                                         "erfinv",
                                         "pow",
                                         "rounding pi",
                                         "rounding between steps"};
  return kTexts[static_cast<std::size_t>(kind)];
}
StepsTold::StepsTold(std::optional<StepKind> without) {
  steps_heard = 0;
  steps_left_out = without ? bit_of(*without) : 0;
}
StepsTold::~StepsTold() { steps_left_out = 0; }
std::vector<StepKind> StepsTold::heard() const {
  std::vector<StepKind> kinds;
  for (int i = 0; i < 32; ++i)
    if ((steps_heard >> i & 1) != 0) kinds.push_back(static_cast<StepKind>(i));
  return kinds;
}

}  // namespace opref::exact
