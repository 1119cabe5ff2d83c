// SPDX-License-Identifier: Apache-2.0
#include "check/bound.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "compare/error_bound.h"
#include "core/error.h"
#include "exact/ratio.h"
#include "exact/rounding.h"
#include "exact/term_sink.h"
#include "system/deadline.h"

namespace opref::check {
namespace {

using Subnormals = BoundedKernel::Subnormals;

/// Judges each element from its terms.
class BoundSink : public TermSink {
 public:
  BoundSink(const Call& call, const BoundedKernel& kernel, const Tensor& foreign, const Tensor& ours,
            std::int64_t most_terms)
      : call_(call), bound_(kernel, foreign.dtype()), foreign_(foreign), ours_(ours), terms_left_(most_terms) {}

  void norms(double p) override {
    power_ = p;
    if (power_ != 1 && power_ != 2)
      fail(Fault::usage, "{} has p = {}: no rigorous bound is known, only for p = 1 and p = 2", call_.title(), power_);
  }
  void begin(std::int64_t index) override {
    index_ = index;
    terms_.clear();
    count_ = 1;
  }
  void add(double x) override {
    count_term();
    if (power_ == 2)
      terms_.add(x, x);
    else
      terms_.add(power_ == 1 ? std::abs(x) : x);
  }
  void add(double a, double b) override {
    count_term();
    terms_.add(a, b);
  }
  void scale(const Ratio& ratio) override {
    constexpr double kMost = 0x1p20;  // times a number of terms, exactly
    const double b = ratio.b;
    if (power_ == 0 && ratio.a == 1 && b >= 0 && b <= kMost && b == std::floor(b)) {
      count_ = b;
      return;
    }
    fail(Fault::usage, "{} scales its sums: no rigorous bound is known", call_.title());
  }
  void end() override {
    has_terms_ = true;
    if (count_ == 0) terms_.add(std::numeric_limits<double>::quiet_NaN());  // 0/0
    if (no_bound_.empty()) no_bound_ = bound_.no_bound(terms_);
    if (!no_bound_.empty()) return;
    const auto [passes, ratio] = judged(floating_element(foreign_, index_));
    if (!passes) failing_.push_back(index_);
    if (ratio > worst_ratio_) {  // one that fails has a greater ratio than all that pass
      worst_ = index_;
      worst_ratio_ = ratio;
    }
  }

  void other() override { fail(Fault::usage, "{} is no sum or norm: no rigorous bound is known", call_.title()); }

  bool has_terms() const { return has_terms_; }
  const std::string& no_bound() const { return no_bound_; }
  const std::vector<std::int64_t>& failing() const { return failing_; }
  const std::vector<std::int64_t>& without_bound() const { return without_bound_; }
  std::int64_t worst() const { return worst_; }
  double worst_ratio() const { return worst_ratio_; }

 private:
  void count_term() {
    require_time();
    if (--terms_left_ < 0) fail(Fault::usage, "{} has too many terms: their bound is not computed", call_.title());
  }
  ErrorBound::Judgement judged(double a) {
    if (terms_.finite() && bound_.may_overflow(terms_)) {
      without_bound_.push_back(index_);
      return ErrorBound::judge_overflow(terms_, a, floating_element(ours_, index_));
    }
    return power_ == 2 ? bound_.judge_root(terms_, a) : bound_.judge_mean(terms_, std::max(count_, 1.0), a);
  }

  const Call& call_;
  ErrorBound bound_;
  const Tensor &foreign_, &ours_;
  std::int64_t terms_left_;
  MagnitudeSum terms_;
  double power_ = 0;  ///< of p-norms
  double count_ = 1;  ///< what the sum is divided by
  std::int64_t index_ = 0, worst_ = 0;
  double worst_ratio_ = 0;
  bool has_terms_ = false;
  std::string no_bound_;
  std::vector<std::int64_t> failing_, without_bound_;
};

/// Takes the terms of no element: what an operator only moves has none, and needs no bound.
class NoTermsSink : public TermSink {
 public:
  NoTermsSink(const Call& call, DType output) : call_(call), output_(output) {}
  void begin(std::int64_t) override { refuse(); }
  void other() override { refuse(); }

 private:
  [[noreturn]] void refuse() const {
    fail(Fault::usage, "{} computes {}: no rigorous bound is known", call_.title(), output_);
  }

  const Call& call_;
  DType output_;
};

/// Sums up magnitudes in double, and takes the bound of error_bound.h from them.
class RoughSink : public TermSink {
 public:
  RoughSink(const BoundedKernel& kernel, const Tensor& ours)
      : accumulator_(limits_of(kernel.accumulator)),
        output_(limits_of(ours.dtype())),
        input_error_(kernel.input_error),
        ours_(ours),
        bounds_(static_cast<size_t>(ours.count())) {}

  void norms(double p) override {
    power_ = p;
    is_known_ &= p == 1 || p == 2;
  }
  void begin(std::int64_t index) override {
    index_ = index;
    terms_ = magnitude_ = 0;
    count_ = 1;
  }
  void add(double x) override { count_term(power_ == 2 ? x * x : x); }
  void add(double a, double b) override { count_term(a * b); }
  void scale(const Ratio& ratio) override {
    is_known_ &= ratio.a == 1 && ratio.b >= 1;
    count_ = ratio.b;
  }
  void end() override {
    constexpr double kOfQuotient = 3;
    const double k = (terms_ + kOfQuotient) * accumulator_.unit_roundoff,
                 size = std::abs(floating_element(ours_, index_));
    is_known_ &= k < 1;
    const double wider = 1 + input_error_;
    double error = (k / (1 - k) * wider * wider + 2 * input_error_ * wider) * magnitude_ / count_ +
                   terms_ * accumulator_.smallest_subnormal;
    if (power_ == 2) error = std::sqrt(size * size + error) - std::sqrt(std::max(0.0, size * size - error));
    error += (accumulator_.unit_roundoff + output_.unit_roundoff) * (size + error) + output_.smallest_subnormal;
    bounds_[static_cast<size_t>(index_)] = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  void other() override { is_known_ = false; }

  std::optional<std::vector<double>> bounds() && {
    return is_known_ ? std::optional(std::move(bounds_)) : std::nullopt;
  }

 private:
  void count_term(double x) {
    require_time();
    ++terms_;
    magnitude_ += std::abs(x);
  }

  FloatLimits accumulator_, output_;
  double input_error_;
  const Tensor& ours_;
  std::vector<double> bounds_;
  std::int64_t index_ = 0;
  double power_ = 0, count_ = 1, terms_ = 0, magnitude_ = 0;
  bool is_known_ = true;
};

/// The step that gives `output`, whose inputs are given.
const Step& step_of(std::span<const Step> steps, std::string_view output) {
  const auto giver = [&](std::string_view name) {
    return std::ranges::find_if(steps, [name](const Step& step) {
      return !name.empty() && std::ranges::find(step.node->outputs, name) != step.node->outputs.end();
    });
  };
  const auto found = giver(output);
  if (found == steps.end()) fail(Fault::usage, "no node gives '{}': it has no error bound", printable(output));
  for (const std::string& input : found->node->inputs) {
    if (giver(input) != steps.end())
      fail(Fault::usage, "no rigorous bound of '{}' is known: the input '{}' of its node is itself computed",
           printable(output), printable(input));
  }
  return *found;
}

void tell_terms(const Step& step, std::string_view output, TermSink& sink) {
  const auto place = static_cast<size_t>(std::ranges::find(step.node->outputs, output) - step.node->outputs.begin());
  step.call.op().kernel(step.call, output_of(step.call, step.types, place, sink));
}

/// The least of them, ascending, at most so many.
std::vector<std::int64_t> first_of(std::vector<std::int64_t> places, size_t most) {
  std::ranges::sort(places);
  places.resize(std::min(places.size(), most));
  return places;
}

/// `ours` with the elements of `foreign` at these places.
Tensor with_elements(const Tensor& ours, const Tensor& foreign, std::span<const std::int64_t> places) {
  TensorBuilder tensor(ours.type());
  std::ranges::copy(ours.bytes(), tensor.bytes().begin());
  const auto size = static_cast<size_t>(info(ours.dtype()).bits) / 8;
  for (const std::int64_t place : places) {
    const size_t at = static_cast<size_t>(place) * size;
    std::memcpy(&tensor.bytes()[at], &foreign.bytes()[at], size);
  }
  return std::move(tensor).finish();
}

}  // namespace

Comparison compare_bound(std::span<const Step> steps, std::string_view output, const Tensor& actual,
                         const Tensor& expected, Foreign foreign, const Tolerance& tolerance, std::int64_t most_terms) {
  if (tolerance.ignore_dtype)
    fail(Fault::usage, "the rule bound needs values of the node's own type: it cannot ignore dtypes");
  Comparison comparison = compare_values(actual, expected, Tolerance{});
  if (!comparison.reason.empty() || info(actual.dtype()).kind != Kind::floating) return comparison;
  const Step& step = step_of(steps, output);
  const Tensor& theirs = foreign == Foreign::actual ? actual : expected;
  const Tensor& ours = foreign == Foreign::actual ? expected : actual;

  const Call& call = step.call;
  if (!has_limits(theirs.dtype())) {
    NoTermsSink sink(call, theirs.dtype());
    tell_terms(step, output, sink);
    return comparison;
  }
  BoundSink sink(call, tolerance.kernel, theirs, ours, most_terms);
  tell_terms(step, output, sink);
  if (!sink.has_terms()) return comparison;  // data movement

  comparison.reason = sink.no_bound();
  const bool all_may_overflow = static_cast<std::int64_t>(sink.without_bound().size()) == actual.count();
  if (!all_may_overflow || !sink.failing().empty()) comparison.bound_ratio = sink.worst_ratio();
  if (comparison.reason.empty()) {
    comparison.without_bound = static_cast<std::int64_t>(sink.without_bound().size());
    for (const std::int64_t element : first_of(sink.without_bound(), Comparison::kMostMismatches))
      comparison.first_without_bound.push_back(coordinates(element, actual.shape()));
  }
  const auto only = [&](std::span<const std::int64_t> places) {
    const Tensor some = with_elements(ours, theirs, places);
    return foreign == Foreign::actual ? compare_values(some, expected, Tolerance{})
                                      : compare_values(actual, some, Tolerance{});
  };
  if (sink.failing().empty()) {
    comparison.mismatches = 0;
    comparison.first = comparison.worst = std::nullopt;
    comparison.worst_mismatches.clear();
    comparison.where.clear();
    return comparison;
  }
  comparison.out_of_bound.assign(sink.failing().begin(), sink.failing().end());
  std::ranges::sort(comparison.out_of_bound);
  Comparison failing = only(sink.failing());
  comparison.mismatches = failing.mismatches;
  comparison.first = std::move(failing.first);
  comparison.worst_mismatches = std::move(failing.worst_mismatches);
  comparison.where = std::move(failing.where);
  comparison.worst = only(std::array{sink.worst()}).first;
  return comparison;
}

std::optional<std::vector<double>> rough_bounds(std::span<const Step> steps, std::string_view output,
                                                const Tensor& ours, const BoundedKernel& kernel) {
  RoughSink sink(kernel, ours);
  tell_terms(step_of(steps, output), output, sink);
  return std::move(sink).bounds();
}

}  // namespace opref::check
