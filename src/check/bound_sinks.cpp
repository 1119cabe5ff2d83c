// SPDX-License-Identifier: Apache-2.0
#include "check/bound_sinks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "system/deadline.h"

namespace opref::check {
namespace {

constexpr double kMostWhole = 0x1p53;  // integers that doubles all have

bool is_float32(double x) { return widen(static_cast<float>(x)) == x; }
Faithful divisor_of(const Ratio& ratio) { return Faithful(ratio.b, ratio.b_rest, 0); }

}  // namespace

void FormulaSink::rounds(const Integers& how) {
  if (how.rounding != Integers::Rounding::wrap && how.rounding != Integers::Rounding::saturate) how_ = how;
}
void FormulaSink::begin(std::int64_t index) {
  index_ = index;
  is_asked_ = how_ && asks_(index);
  sum_ = 0, is_exact_ = true, ratio_ = {};
}
void FormulaSink::add(double x) {
  if (!is_asked_) return;
  require_time();
  sum_ += x;
  is_exact_ &= std::abs(x) <= kMostWhole && std::abs(sum_) <= kMostWhole;
}
void FormulaSink::end() {
  if (!is_asked_) return;
  has_bounds_ = true;
  using Rounding = Integers::Rounding;
  const Faithful zero_point = Faithful(static_cast<double>(how_->zero_point), 0, 0),
                 y = Faithful(sum_).moved_by(is_exact_ ? 0 : std::numeric_limits<double>::infinity()) *
                     (Faithful(ratio_.a) / divisor_of(ratio_));
  const auto moved = [&](const Faithful& whole) {
    return Faithful(whole.high() + zero_point.high(), 0, whole.error());
  };
  const Faithful integer = how_->rounding == Rounding::truncate                  ? moved(truncate(y))
                           : how_->rounding == Rounding::nearest_with_zero_point ? round(y + zero_point)
                                                                                 : moved(round(y));
  judge_.judge(index_, integer, {}, verdicts_);
}

void SumSink::scale(const Ratio& ratio) {
  constexpr double kMost = 0x1p20;  // times a number of terms, exactly
  const double b = ratio.b;
  if (power_ == 0 && ratio.a == 1 && b >= 0 && b <= kMost && b == std::floor(b)) {
    count_ = b;
    ratio_ = ratio;
    return;
  }
  is_formula_ = true;
  ratio_ = ratio;
}
void SumSink::other() {
  if (!needs_spread_) fail(Fault::usage, "{} has no rigorous bound that is known", call_.title());
}
void SumSink::count_term() {
  require_time();
  if (--terms_left_ < 0) fail(Fault::usage, "{} has too many terms: their bound is not computed", call_.title());
}
void SumSink::judged(const ErrorBound::Judgement& judgement) {
  if (!judgement.passes || judge_.differs(index_)) verdicts_.add(index_, judgement);
}

void QuickSink::begin(std::int64_t index) {
  SumSink::begin(index);
  all_terms_ += terms_;
  terms_ = magnitude_ = 0;
}
void QuickSink::end() {
  if (is_formula()) return;
  const auto judgement =
      count_ == 0 || power_ == 2
          ? std::nullopt
          : bound_.judge_roughly(terms_, magnitude_, count_, judge_.right(index_), judge_.foreign(index_));
  judgement ? judged(*judgement) : void(open_.insert(index_));
}

void BoundSink::begin(std::int64_t index) {
  SumSink::begin(index);
  is_asked_ = only_ == nullptr || only_->contains(index);
  terms_.clear();
}
void BoundSink::add(double x) {
  count_term();
  if (!is_asked_) return;
  if (power_ == 2)
    terms_.add(x, x);
  else
    terms_.add(power_ == 1 ? std::abs(x) : x);
}
void BoundSink::add(double a, double b) {
  count_term();
  if (is_asked_) terms_.add(a, b);
}
void BoundSink::end() {
  if (!is_asked_) return;
  if (count_ == 0) terms_.add(std::numeric_limits<double>::quiet_NaN());  // 0/0
  if (no_bound_.empty()) no_bound_ = bound_.no_bound(terms_);
  if (no_bound_.empty()) judged(judge_terms(judge_.foreign(index_)));
}
ErrorBound::Judgement BoundSink::judge_terms(double a) {
  const int infinity = terms_.finite() ? 0 : terms_.sum().sign();
  const bool overflows = terms_.finite() ? bound_.may_overflow(terms_)
                                         : infinity != 0 && std::isnan(a) && bound_.may_overflow(terms_, -infinity);
  if (overflows) {
    verdicts_.without_bound.push_back(index_);
    const ErrorBound::Judgement overflown = ErrorBound::judge_overflow(terms_, a, judge_.right(index_));
    if (overflown.passes) return overflown;  // else it is in the bound of a kernel that did not overflow, or wrong
  }
  return power_ == 2 ? bound_.judge_root(terms_, a) : bound_.judge_mean(terms_, std::max(count_, 1.0), a);
}

void SumFormulaSink::begin(std::int64_t index) {
  SumSink::begin(index);
  is_asked_ = judge_.differs(index);
  terms_ = {};
}
void SumFormulaSink::add(double x) {
  count_term();
  if (!is_asked_) return;
  const Faithful number = Faithful::input(x);
  terms_.add(power_ == 0   ? number
             : power_ == 1 ? abs(number)
             : power_ == 2 ? square(number)
                           : pow(abs(number), Faithful(power_)));
}
void SumFormulaSink::add(double a, double b) {
  count_term();
  if (!is_asked_) return;
  if (is_float32(a) && is_float32(b))
    terms_.add_narrow(a, b);
  else
    terms_.add(Faithful::input(a) * Faithful::input(b));
}
void SumFormulaSink::end() {
  if (!is_asked_) return;
  Faithful y = terms_.total();
  if (!ratio_.is_one()) y = y * Faithful(ratio_.a) / divisor_of(ratio_);
  const bool is_zero = y.high() == 0 && y.error() == 0;
  if (power_ == 2) y = sqrt(y);
  if (power_ != 0 && power_ != 1 && power_ != 2 && !is_zero) y = pow(y, Faithful(1.0) / Faithful(power_));
  judge_.judge(index_, y, power_ == 0 ? ResultRange() : ResultRange{.least = 0}, verdicts_);
}

void NoTermsSink::refuse() const {
  fail(Fault::usage, "{} computes {}: no rigorous bound is known", call_.title(), output_);
}

RoughSink::RoughSink(const BoundedKernel& kernel, const Tensor& ours)
    : bound_(kernel, ours.dtype()),
      accumulator_(limits_of(kernel.accumulator_of(ours.dtype()))),
      output_(limits_of(ours.dtype())),
      ours_(ours),
      bounds_(static_cast<size_t>(ours.count())) {}
void RoughSink::count_term(double x) {
  require_time();
  ++terms_;
  magnitude_ += std::abs(x);
}
void RoughSink::end() {
  const double size = std::abs(floating_element(ours_, index_));
  double error = bound_.rough_error(terms_, magnitude_, count_);
  is_known_ &= std::isfinite(error) || !std::isfinite(magnitude_);
  if (power_ == 2) error = std::sqrt(size * size + error) - std::sqrt(std::max(0.0, size * size - error));
  error += (accumulator_.unit_roundoff + output_.unit_roundoff) * (size + error) + output_.smallest_subnormal;
  bounds_[static_cast<size_t>(index_)] = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

}  // namespace opref::check
