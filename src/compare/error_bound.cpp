// SPDX-License-Identifier: Apache-2.0
#include "compare/error_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/infinity.h"
#include "exact/rounding.h"

namespace opref::compare {
namespace {

template <class T>
FloatLimits limits() {
  using F = Format<T>;
  const double unit = std::ldexp(1.0, -F::precision), top = std::ldexp(1.0, F::max_exponent);
  return {unit, std::ldexp(1.0, F::min_exponent - F::precision + 1), std::ldexp(1.0, F::min_exponent),
          (2 - 2 * unit) * top, unit * top};
}

/// (x + y)², where both may be as large as doubles are.
void add_square(double x, double y, ExactSum& to) {
  to.add(x, x);
  to.add(x, y);
  to.add(x, y);
  to.add(y, y);
}

/// `sum` times (1 + a)²(1 + b)²; `spare` is scratch.
void multiply_by_squares(ExactSum& sum, double a, double b, ExactSum& spare) {
  for (const double factor : {1 + a, 1 + b}) {
    spare.clear();
    spare.add_multiple(sum, factor);
    sum.clear();
    sum.add_multiple(spare, factor);
  }
}

/// What an operation may lose where its result is nearly zero.
double least_kept(const FloatLimits& limits, BoundedKernel::Subnormals subnormals) {
  return subnormals == BoundedKernel::Subnormals::flushed ? limits.smallest_normal : limits.smallest_subnormal;
}

ErrorBound::Judgement judgement(bool passes, double error, double bound) {
  if (std::isinf(error) && std::isinf(bound)) return {passes, passes ? 1 : kInfinity, bound};  // beyond double's range
  const double ratio = error == 0 ? 0 : bound > 0 ? error / bound : kInfinity;
  return {passes, passes ? std::min(ratio, 1.0) : std::max(ratio, std::nextafter(1.0, 2.0)), bound};
}

/// Whether it is a number of that format; NaN is none.
bool is_held(double x, const FloatLimits& format) {
  const double place = std::max(std::ldexp(format.unit_roundoff, x == 0 || !std::isfinite(x) ? 0 : std::ilogb(x) + 1),
                                format.smallest_subnormal);
  return std::abs(x) <= format.largest && std::nearbyint(x / place) * place == x;
}

}  // namespace

bool has_limits(DType dtype) {
  return std::ranges::find(BoundedKernel::kAccumulators, dtype) != BoundedKernel::kAccumulators.end();
}

FloatLimits limits_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return limits<Half>();
    case DType::bfloat16:
      return limits<BFloat16>();
    case DType::float32:
      return limits<float>();
    case DType::float64:
      return limits<double>();
    default:
      fail(Fault::internal, "error bounds of {} are not known", dtype);
  }
}

KernelModel model_of(const BoundedKernel& kernel, DType output) {
  const FloatLimits accumulator = limits_of(kernel.accumulator_of(output));
  return {.bits = -std::ilogb(accumulator.unit_roundoff),
          .smallest_subnormal = accumulator.smallest_subnormal,
          .smallest_normal = accumulator.smallest_normal,
          .flushes = kernel.subnormals == BoundedKernel::Subnormals::flushed,
          .input_error = kernel.input_error,
          .functions = kernel.functions};
}

ErrorBound::ErrorBound(const BoundedKernel& kernel, DType output)
    : accumulator_(limits_of(kernel.accumulator_of(output))),
      output_(limits_of(output)),
      kernel_(kernel),
      dtype_(output),
      u_(accumulator_.unit_roundoff),
      eta_(least_kept(accumulator_, kernel.subnormals)),
      eta_T_(least_kept(output_, kernel.subnormals)),
      delta_square_(kernel.input_error * kernel.input_error),
      delta_square_rest_(std::fma(kernel.input_error, kernel.input_error, -delta_square_)) {}

std::string ErrorBound::no_bound(const MagnitudeSum& terms) const {
  if (k(terms) >= 0.5) {
    return format("an element has {} terms, and a sum of so many in {} has no error bound", terms.terms(),
                  kernel_.accumulator_of(dtype_));
  }
  if (kernel_.subnormals == BoundedKernel::Subnormals::flushed &&
      terms.least_factor() < std::max(accumulator_.smallest_normal, output_.smallest_normal))
    return "an input is subnormal, and what flushes it to zero has no error bound";
  return "";
}

/// (1-k)·((1+γ)·((1+δ)²M + nη) - threshold) >= 0; of the terms of one sign M is (Σ|terms| ± Σterms)/2.
bool ErrorBound::may_overflow(MagnitudeSum& terms, int sign) {
  const double rest = 1 - k(terms);
  total_.clear();
  for (const double part : {1.0, 2 * kernel_.input_error, delta_square_, delta_square_rest_}) {
    total_.add_multiple(terms.magnitude(), sign == 0 ? part : part / 2);
    if (sign != 0) total_.add_multiple(terms.sum(), sign * part / 2);
  }
  total_.add(terms.terms(), eta_);
  total_.add(-rest, accumulator_.largest);
  total_.add(-rest, accumulator_.half_place);
  return total_.sign() >= 0;
}

double ErrorBound::rough_error(double terms, double magnitude, double count) const {
  const double k = (terms + (count == 1 ? 1 : 3)) * u_, gamma = k / (1 - k), delta = kernel_.input_error,
               wider = 1 + delta;
  if (!(k < 1)) return kInfinity;
  return ((gamma * wider * wider + 2 * delta + delta * delta) * magnitude + (terms + count - 1) * eta_ * (1 + gamma)) /
         count;
}

std::optional<ErrorBound::Judgement> ErrorBound::judge_roughly(double terms, double magnitude, double count, double y,
                                                               double a) const {
  constexpr double kRoom = 0x1p-20;  // more than doubles lose of 2^30 terms
  if (!((terms + 3) * u_ < 0.25) || terms > 0x1p30 || !std::isfinite(a) ||
      kernel_.subnormals == BoundedKernel::Subnormals::flushed)
    return std::nullopt;
  if (!(4 * magnitude + terms * eta_ < std::min(accumulator_.largest, output_.largest))) return std::nullopt;
  const double E = rough_error(terms, magnitude, count);
  const double of_y = output_.unit_roundoff * std::abs(y) + eta_T_;  // at least what y was rounded by
  const double least = E * (1 - kRoom),
               most = E * (1 + kRoom) + output_.unit_roundoff * (std::abs(y) + of_y + E) + 2 * eta_T_;
  const double apart = std::abs(a - y);
  if (apart + of_y <= least) return judgement(true, apart, E);
  if (apart - of_y > most * (1 + kRoom)) return judgement(false, apart, E);
  return std::nullopt;
}

ErrorBound::Judgement ErrorBound::judge_overflow(MagnitudeSum& terms, double a, double rounded) {
  const int sign = terms.sum().sign();
  const bool meets_infinity = !terms.finite() && sign != 0 && std::isnan(a);
  const bool passes = a == rounded || (a == kInfinity && sign > 0) || (a == -kInfinity && sign < 0) || meets_infinity;
  return {passes, passes ? 0 : kInfinity};
}

ErrorBound::Judgement ErrorBound::judge_formula(const Faithful& y, const ResultRange& range, double a) const {
  if (std::isnan(a)) return {false, kInfinity};
  const double exact = y.error() == 0 && y.low() == 0 ? y.high() : NAN;
  const bool rounds = output_.unit_roundoff != accumulator_.unit_roundoff && !is_held(exact, output_);
  const double E = y.error() + (rounds ? output_.unit_roundoff * y.size() + eta_T_ : 0);
  if (std::isinf(a)) {
    const bool passes = y.size() + E >= output_.largest + output_.half_place && (a < 0) == (y.high() < 0);
    return {passes, passes ? 1 : kInfinity};
  }
  const bool is_possible = range.least <= a && a <= range.most;
  const double difference = std::abs((a - y.high()) - y.low());
  return judgement(is_possible && difference <= E, difference, E);
}

ErrorBound::Judgement ErrorBound::judge_integer(const Faithful& y, std::pair<double, double> range, double a) {
  const auto [least, most] = range;
  const auto clamped = [&](double x) { return std::clamp(x, least, most); };
  return judge_between(clamped(y.high() - y.error()), clamped(y.high()), clamped(y.high() + y.error()), a);
}

ErrorBound::Judgement ErrorBound::judge_between(double low, double middle, double high, double a) {
  return judgement(low <= a && a <= high, std::abs(a - middle), std::max(high - middle, middle - low));
}

ErrorBound::Judgement ErrorBound::judge_special(ExactSum& exact, double a) {
  const auto s = exact.round<double>();  // NaN or infinite
  const bool passes = std::isnan(s) ? std::isnan(a) : a == s;
  return {passes, passes ? 0 : kInfinity};
}

void ErrorBound::add_error(MagnitudeSum& terms, double factor, ExactSum& to) const {
  for (const double part : {k(terms), 2 * kernel_.input_error, delta_square_, delta_square_rest_})
    to.add_multiple(terms.magnitude(), factor * part);
  to.add(factor * (terms.terms() + count_ - 1), eta_);
}

/// E, roughly.
double ErrorBound::error(MagnitudeSum& terms) const {
  const auto M = terms.magnitude().round<double>();
  const double relative = k(terms) + 2 * kernel_.input_error + delta_square_;
  return (relative * M + (terms.terms() + count_ - 1) * eta_) / (1 - k(terms));
}

ErrorBound::Judgement ErrorBound::judge_sum(MagnitudeSum& terms, double a) {
  if (!terms.finite()) return judge_special(terms.sum(), a);
  if (std::isnan(a)) return {false, kInfinity};
  if (std::isinf(a)) {
    const bool passes = may_round_to_infinity(terms, a < 0);
    return {passes, passes ? 1 : kInfinity};
  }
  const auto s = terms.sum().round<double>();
  const double E = error(terms);
  total_.clear();
  total_.add(a, count_);
  total_.add_multiple(terms.sum(), -1);
  const double difference = std::abs(total_.round<double>());
  return judgement(within_sum(terms, a), difference, E + output_.unit_roundoff * (std::abs(s) + E) + count_ * eta_T_);
}

ErrorBound::Judgement ErrorBound::judge_mean(MagnitudeSum& terms, double count, double a) {
  if (count > 1) terms.add(0.0), terms.add(0.0);  // of the quotient, or of a reciprocal and a product
  count_ = count;
  Judgement judged = judge_sum(terms, a);
  judged.allowed /= count;
  count_ = 1;
  return judged;
}

/// (1-k)·(E + u_T(|s| + E) + η_T - |a - s|) >= 0
bool ErrorBound::within_sum(MagnitudeSum& terms, double a) {
  const double rest = 1 - k(terms), u_T = output_.unit_roundoff;
  total_.clear();
  total_.add(a, count_);
  total_.add_multiple(terms.sum(), -1);
  const int above = total_.sign(), sign = terms.sum().sign();
  total_.clear();
  add_error(terms, 1, total_);
  add_error(terms, u_T, total_);
  total_.add_multiple(terms.sum(), sign * rest * u_T);
  // rest·count may have too many digits.
  total_.add(count_, eta_T_);
  total_.add(-k(terms) * count_, eta_T_);
  total_.add(-above * count_, a);
  total_.add(above * k(terms) * count_, a);
  total_.add_multiple(terms.sum(), above * rest);
  return total_.sign() >= 0;
}

/// (1-k)·(±s + E - threshold) >= 0
bool ErrorBound::may_round_to_infinity(MagnitudeSum& terms, bool negative) {
  const double rest = 1 - k(terms);
  total_.clear();
  total_.add_multiple(terms.sum(), negative ? -rest : rest);
  add_error(terms, 1, total_);
  for (const double part : {output_.largest, output_.half_place}) {
    total_.add(-count_, part);
    total_.add(k(terms) * count_, part);
  }
  return total_.sign() >= 0;
}

ErrorBound::Judgement ErrorBound::judge_root(MagnitudeSum& squares, double a) {
  if (!squares.finite()) return judge_special(squares.sum(), a);
  if (std::isnan(a) || a == -kInfinity) return {false, kInfinity};
  if (a == kInfinity) {
    const bool passes = root_may_round_to_infinity(squares);
    return {passes, passes ? 1 : kInfinity};
  }
  const auto S = squares.sum().round<double>();
  const double E = error(squares), root = std::sqrt(S), u_T = output_.unit_roundoff;
  const double least = std::sqrt(std::max(0.0, S - E)) * ((1 - u_) * (1 - u_T)) - eta_T_;
  const double greatest = std::sqrt(S + E) * ((1 + u_) * (1 + u_T)) + eta_T_;
  return judgement(above_least_root(squares, a) && below_greatest_root(squares, a), std::abs(a - root),
                   a < root ? root - least : greatest - root);
}

/// a + η_T >= 0 and, where S > E, (1-k)·((a + η_T)² - (S-E)·((1-u)(1-u_T))²) >= 0
bool ErrorBound::above_least_root(MagnitudeSum& squares, double a) {
  const double rest = 1 - k(squares);
  if (a < -eta_T_) return false;
  other_.clear();
  other_.add_multiple(squares.sum(), rest);
  add_error(squares, -1, other_);
  if (other_.sign() <= 0) return true;
  multiply_by_squares(other_, -u_, -output_.unit_roundoff, spare_);
  spare_.clear();
  add_square(a, eta_T_, spare_);
  total_.clear();
  total_.add_multiple(spare_, rest);
  total_.add_multiple(other_, -1);
  return total_.sign() >= 0;
}

/// a - η_T <= 0, or (1-k)·((a - η_T)² - (S+E)·((1+u)(1+u_T))²) <= 0
bool ErrorBound::below_greatest_root(MagnitudeSum& squares, double a) {
  const double rest = 1 - k(squares);
  if (a <= eta_T_) return true;
  other_.clear();
  other_.add_multiple(squares.sum(), rest);
  add_error(squares, 1, other_);
  multiply_by_squares(other_, u_, output_.unit_roundoff, spare_);
  spare_.clear();
  add_square(a, -eta_T_, spare_);
  total_.clear();
  total_.add_multiple(spare_, rest);
  total_.add_multiple(other_, -1);
  return total_.sign() <= 0;
}

/// (1-k)·((S+E)·(1+u)² - threshold²) >= 0
bool ErrorBound::root_may_round_to_infinity(MagnitudeSum& squares) {
  const double rest = 1 - k(squares);
  other_.clear();
  other_.add_multiple(squares.sum(), rest);
  add_error(squares, 1, other_);
  multiply_by_squares(other_, u_, 0, spare_);
  spare_.clear();
  add_square(output_.largest, output_.half_place, spare_);
  total_.clear();
  total_.add_multiple(other_, 1);
  total_.add_multiple(spare_, -rest);
  return total_.sign() >= 0;
}

}  // namespace opref::compare
