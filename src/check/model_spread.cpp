// SPDX-License-Identifier: Apache-2.0
#include "check/model_spread.h"

#include <algorithm>
#include <cmath>

#include "check/element_verdicts.h"
#include "core/error.h"
#include "run/load_inputs.h"
#include "system/deadline.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

constexpr double kTimesGreatest = 16, kTimesRoundoff = 4;

/// Errors of elements, against the spread of their output.
class SpreadJudge {
 public:
  SpreadJudge(const Tensor& theirs, const Tensor& ours, const OutputSpread& spread)
      : theirs_(theirs),
        ours_(ours),
        roundoff_(kTimesRoundoff * compare::limits_of(ours.dtype()).unit_roundoff),
        most_(kTimesGreatest * spread.greatest),
        most_rms_(OutputSpread::kTimes * spread.spread + roundoff_ * spread.rms),
        share_(rms_difference(Value(theirs), Value(ours)).value_or(0) / most_rms_) {
    if (std::isnan(share_)) share_ = 0;  // 0/0: finite numbers agree
  }

  /// Of the rms.
  double share() const { return share_; }
  Verdicts verdicts() const {
    Verdicts verdicts;
    for (std::int64_t i = 0; i < ours_.count(); ++i) {
      require_time();
      const double a = floating_element(theirs_, i), y = floating_element(ours_, i);
      if (a == y || (std::isnan(a) && std::isnan(y))) continue;
      const bool has_difference = std::isfinite(a) && std::isfinite(y);
      const double most = share_ > 1 ? most_rms_ : most_ + roundoff_ * std::abs(y);
      const double share =
          has_difference && most > 0 ? std::abs(a - y) / most : std::numeric_limits<double>::infinity();
      verdicts.add(i, {share <= 1, share, has_difference ? most : NAN});
    }
    verdicts.sort();
    return verdicts;
  }

 private:
  const Tensor &theirs_, &ours_;
  double roundoff_, most_, most_rms_, share_;
};

}  // namespace

const OutputSpread* ModelSpread::of(std::string_view output) {
  if (!is_tried_) {
    is_tried_ = true;
    try {
      found_ = within(seconds_, [&] {
        std::vector<std::string> warnings;
        const Environment given = load_inputs(bound_, bound_.options, warnings);
        return sensitivity_of(bound_.graph, given, bound_.options);
      });
      if (!found_) why_not_ = format("that takes longer than {} s", seconds_);
    } catch (const Error& error) {
      pass_on(error);
      why_not_ = error.message();
    }
  }
  if (!found_) return nullptr;
  const auto spread = std::ranges::find(found_->outputs, output, &OutputSpread::name);
  return spread == found_->outputs.end() ? nullptr : &*spread;
}

/// Why nothing can be said of values that differ; empty: something can.
std::string ModelSpread::no_verdict(std::string_view output, bool is_float) {
  constexpr std::string_view kRounding = "rounding in the nodes before alone ";
  const OutputSpread* spread = of(output);
  if (spread == nullptr) return "how far rounding moves it is not known: " + why_not_;
  if (spread->changes_type) return format("{}changes its shape", kRounding);
  if (!is_float && spread->changed > 0)
    return format("{}changes {} of its {} elements", kRounding, spread->changed, spread->count);
  if (spread->lost > 0)
    return format("{}makes {} of its {} elements Inf or NaN, or numbers of these", kRounding, spread->lost,
                  spread->count);
  if (!is_float || !spread->amplifies()) return "";
  return spread->rms > 0 ? format("{}moves it by {} % of its size", kRounding, short_number(100 * spread->relative()))
                         : format("{}makes zeros other numbers", kRounding);
}

Comparison ModelSpread::compare(std::string_view output, const Tensor& actual, const Tensor& expected,
                                Foreign foreign) {
  Comparison comparison = compare_values(actual, expected, {.rule = Tolerance::Rule::ulp, .ulp = 0});
  if (comparison.equal() || !comparison.reason.empty()) return comparison;
  const bool is_float = is_floating(actual.dtype()) && compare::has_limits(actual.dtype());
  if (const std::string why = no_verdict(output, is_float); !why.empty()) {
    comparison.obstacle = Comparison::Obstacle::no_verdict;
    comparison.reason = "there is no verdict: " + why;
    return comparison;
  }
  if (!is_float) return comparison;
  const Tensor &theirs = foreign == Foreign::actual ? actual : expected,
               &ours = foreign == Foreign::actual ? expected : actual;
  const OutputSpread& spread = *of(output);
  const SpreadJudge judge(theirs, ours, spread);
  comparison.is_estimate = true;
  comparison.model_spread = spread.relative();
  comparison = with_verdicts(std::move(comparison), judge.verdicts(), actual, expected, foreign,
                             BoundedKernel().accumulator_of(ours.dtype()));
  comparison.bound_ratio = std::max(comparison.bound_ratio.value_or(0), judge.share());
  return comparison;
}

}  // namespace opref::check
