// SPDX-License-Identifier: Apache-2.0
#include "explain/element_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "compare/compare.h"
#include "compare/error_bound.h"
#include "core/error.h"
#include "core/infinity.h"
#include "exact/ratio.h"
#include "exact/real/steps_told.h"
#include "exact/real/with_kernel.h"
#include "exact/term_sink.h"
#include "kernels/kernels.h"

namespace opref::explain {
namespace {

using compare::short_number;

/// What a kernel tells of an element's bound.
class BoundListener : public TermSink {
 public:
  explicit BoundListener(std::int64_t index) : index_(index) {}
  bool asks_for_bounds() override { return true; }
  bool asks_for_bound(std::int64_t index) const override { return index == index_; }
  void bound(std::int64_t index, const Faithful& y, const ResultRange&) override {
    if (index == index_) formula = y;
  }
  void norms(double p) override { norm = p; }
  void begin(std::int64_t index) override { is_it_ = index == index_; }
  void add(double x) override { add_term(norm == 2 ? x * x : x); }
  void add(double a, double b) override { add_term(a * b); }
  void scale(const Ratio& ratio) override {
    if (is_it_) count = ratio.b, is_known &= ratio.a == 1 && ratio.b >= 1 && norm == 0;
  }
  void end() override { has_sum |= is_it_; }
  void other() override { is_known = false; }
  void exact() override { is_known = false; }

  std::optional<Faithful> formula;
  bool has_sum = false, is_known = true;
  double norm = 0, count = 1;
  double magnitude = 0, sum = 0, largest = 0, terms = 0;

 private:
  void add_term(double x) {
    if (!is_it_) return;
    ++terms;
    sum += x;
    magnitude += std::abs(x);
    largest = std::max(largest, std::abs(x));
  }

  std::int64_t index_;
  bool is_it_ = false;
};

std::string percent(double part) { return format("{} %", std::round(part * 100)); }

using Facts = std::vector<std::pair<std::string, std::string>>;

class ElementBound {
 public:
  ElementBound(const Call& call, std::span<const ValueType> types, const Asked& asked)
      : call_(call),
        types_(types),
        asked_(asked),
        dtype_(types[asked.output].tensor.dtype),
        kernel_(kernels::kernel_of({}, call, dtype_)),
        accumulator_(kernel_.accumulator_of(dtype_)) {}

  Facts facts() {
    const bool is_floating = info(dtype_).kind == Kind::floating;
    const bool reads_floats = std::ranges::any_of(
        call_.inputs(), [](const Input& input) { return info(input.type.dtype()).kind == Kind::floating; });
    if (!reads_floats || (is_floating && !compare::has_limits(dtype_))) return {};
    BoundListener told(asked_.at);
    std::vector<StepKind> steps;
    {
      const StepsTold hearing;
      listen(told);
      steps = hearing.heard();
    }
    if (told.formula)
      tell_formula(*told.formula, steps);
    else if (told.has_sum && told.is_known && is_floating && (told.norm == 0 || told.norm == 1 || told.norm == 2))
      tell_sum(told);
    return std::move(facts_);
  }

 private:
  void listen(BoundListener& told) const { call_.op().kernel(call_, outputs_of(call_, types_, asked_, &told)); }
  void fact(std::string name, std::string text) { facts_.emplace_back(std::move(name), std::move(text)); }

  /// What the last rounding to the output's type may lose of a number of this size.
  double rounding(double size) const {
    const compare::FloatLimits output = compare::limits_of(dtype_);
    return output.unit_roundoff * size + output.smallest_subnormal;
  }
  /// The same after a formula, whose last operation has rounded to the accumulator's type already.
  double last_rounding(double size) const {
    return info(dtype_).kind != Kind::floating || dtype_ == accumulator_ ? 0 : rounding(size);
  }

  void tell_bound(double bound, double size) {
    if (bound == 0) return fact("bound", format("0: every right {} kernel gives this", accumulator_));
    if (!(bound < kInfinity)) return fact("bound", format("none: a right {} kernel may give anything", accumulator_));
    fact("bound", format("±{} by a right {} kernel{}", short_number(bound), accumulator_,
                         size > 0 ? format("; {} of the value", short_number(bound / size)) : ""));
  }

  void tell_formula(const Faithful& y, const std::vector<StepKind>& steps) {
    const double last = last_rounding(y.size()), bound = y.error() + last;
    tell_bound(bound, std::abs(y.high()));
    if (bound > 0 && bound < kInfinity) {
      std::vector<std::pair<double, std::string>> parts = {{last, format("rounding to {}", dtype_)}};
      for (const StepKind step : steps) {
        const StepsTold without(step);
        BoundListener told(asked_.at);
        listen(told);
        if (told.formula) parts.emplace_back(y.error() - told.formula->error(), to_text(step));
      }
      std::ranges::stable_sort(parts, std::ranges::greater(), [](const auto& part) { return part.first; });
      constexpr size_t kMost = 4;
      constexpr double kLeast = 0.005;
      std::vector<std::string> texts;
      for (const auto& [part, text] : parts)
        if (part >= kLeast * bound && texts.size() < kMost)
          texts.push_back(format("{} {}", percent(part / bound), text));
      fact("lost by", join_text(texts, ", "));
    }
    tell_other_formulas(bound);
  }

  void tell_other_formulas(double bound) {
    for (const kernels::OtherFormula& formula : kernels::other_formulas(call_)) {
      BoundListener told(asked_.at);
      formula.tell(outputs_of(call_, types_, asked_, &told));
      if (!told.formula) continue;
      const double wider = told.formula->error() + last_rounding(told.formula->size());
      if (wider > bound && wider < kInfinity) fact("page", format("±{} by {}", short_number(wider), formula.words));
    }
  }

  void tell_sum(const BoundListener& told) {
    const compare::ErrorBound rule(kernel_, dtype_);
    double error = rule.rough_error(told.terms, told.magnitude, told.count), last = 0;
    const double size = told.norm == 2 ? std::sqrt(told.sum) : std::abs(told.sum / told.count);
    if (told.norm == 2) {
      const double greatest = std::sqrt(told.sum + error);
      error = greatest - size;
      last = compare::limits_of(accumulator_).unit_roundoff * greatest;
    }
    last += rounding(size + error);
    tell_bound(error + last, size);
    if (!(error + last > 0 && error + last < kInfinity)) return;
    std::string text = format("{} adding {}, whose magnitudes add up to {}", percent(error / (error + last)),
                              counted(static_cast<long long>(told.terms), "term"), short_number(told.magnitude));
    if (told.terms > 1 && told.magnitude > 0)
      text += format("; the largest is {} of that", percent(told.largest / told.magnitude));
    fact("lost by", text);
  }

  const Call& call_;
  std::span<const ValueType> types_;
  Asked asked_;
  DType dtype_;
  compare::BoundedKernel kernel_;
  DType accumulator_;
  Facts facts_;
};

}  // namespace

Facts bound_facts(const Call& call, std::span<const ValueType> types, const Asked& asked) {
  const DType dtype = types[asked.output].tensor.dtype;
  if (dtype == DType::string || info(dtype).kind == Kind::complex) return {};
  const WithKernel with_kernel(compare::model_of(kernels::kernel_of({}, call, dtype), dtype));
  return ElementBound(call, types, asked).facts();
}

}  // namespace opref::explain
