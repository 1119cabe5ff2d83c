// SPDX-License-Identifier: Apache-2.0
#include "check/bound.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "compare/error_bound.h"
#include "core/error.h"
#include "exact/convert.h"
#include "exact/ratio.h"
#include "exact/rounding.h"
#include "exact/term_sink.h"
#include "kernels/kernels.h"
#include "run/node_subgraphs.h"
#include "system/deadline.h"

namespace opref::check {
namespace {

using Subnormals = BoundedKernel::Subnormals;

/// What was found of elements, by place.
struct Verdicts {
  std::vector<std::pair<std::int64_t, double>> failing;  ///< and the error over its bound; ascending once sorted
  std::vector<std::int64_t> without_bound;
  std::optional<std::int64_t> greatest;  ///< of those that pass: the greatest error over its bound
  double greatest_ratio = 0;

  void add(std::int64_t index, const ErrorBound::Judgement& judgement) {
    if (!judgement.passes)
      failing.emplace_back(index, judgement.ratio);
    else if (!greatest || judgement.ratio > greatest_ratio)
      greatest = index, greatest_ratio = judgement.ratio;
  }
  void sort() {
    std::ranges::sort(failing);
    std::ranges::sort(without_bound);
  }
  bool fails(std::int64_t index) const {
    const auto found = std::ranges::lower_bound(failing, index, {}, &std::pair<std::int64_t, double>::first);
    return found != failing.end() && found->first == index;
  }
  /// The worst of all: one that fails has a greater ratio than all that pass.
  std::pair<std::int64_t, double> worst() const {
    if (failing.empty()) return {greatest.value_or(0), greatest_ratio};
    return *std::ranges::max_element(failing, {}, &std::pair<std::int64_t, double>::second);
  }
  /// Of other elements.
  void join(const Verdicts& other) {
    failing.insert(failing.end(), other.failing.begin(), other.failing.end());
    without_bound.insert(without_bound.end(), other.without_bound.begin(), other.without_bound.end());
    if (other.greatest && (!greatest || other.greatest_ratio > greatest_ratio))
      greatest = other.greatest, greatest_ratio = other.greatest_ratio;
    sort();
  }
  /// Of those that fail here, what other kernels say: each has the least ratio. The greatest of those that pass is then
  /// one that these kernels alone pass. Both are sorted.
  void take(const Verdicts& other) {
    std::vector<std::pair<std::int64_t, double>> left;
    auto next = other.failing.begin();
    for (const auto& [place, ratio] : failing) {
      while (next != other.failing.end() && next->first < place) ++next;
      if (next != other.failing.end() && next->first == place) left.emplace_back(place, std::min(ratio, next->second));
    }
    failing = std::move(left);
    if (other.greatest) greatest = other.greatest, greatest_ratio = other.greatest_ratio;
    std::erase_if(without_bound,
                  [&](std::int64_t place) { return !std::ranges::binary_search(other.without_bound, place); });
  }
};

/// The thread's formulas are of this kernel.
struct WithKernel {
  explicit WithKernel(const KernelModel& kernel) { Faithful::kernel = kernel; }
  WithKernel(const WithKernel&) = delete;
  WithKernel& operator=(const WithKernel&) = delete;
  ~WithKernel() { Faithful::kernel = {}; }
};

/// Judges elements of one output by what formulas say of them.
class Judge {
 public:
  Judge(const BoundedKernel& kernel, const Tensor& foreign, const Tensor& ours)
      : bound_(kernel, has_limits(ours.dtype()) ? ours.dtype() : DType::float32), foreign_(foreign), ours_(ours) {}

  DType dtype() const { return ours_.dtype(); }
  double foreign(std::int64_t index) const { return floating_element(foreign_, index); }
  double right(std::int64_t index) const { return floating_element(ours_, index); }
  /// Elements of the same bits, and NaN beside NaN, need no bound.
  bool differs(std::int64_t index) const {
    if (element_bits(foreign_, index) == element_bits(ours_, index)) return false;
    if (!is_floating(ours_.dtype())) return true;
    return foreign(index) != right(index) && !(std::isnan(foreign(index)) && std::isnan(right(index)));
  }
  void judge(std::int64_t index, const Faithful& y, int sign, Verdicts& verdicts) const {
    if (!is_finite(y)) {
      verdicts.without_bound.push_back(index);
      verdicts.add(index, {false, std::numeric_limits<double>::infinity()});
    } else if (is_floating(ours_.dtype())) {
      verdicts.add(index, bound_.judge_formula(y, sign, foreign(index)));
    } else {
      verdicts.add(index, ErrorBound::judge_integer(y, integer_range(ours_.dtype()), integer_element(foreign_, index)));
    }
  }

 private:
  static std::pair<double, double> integer_range(DType dtype) {
    const DTypeInfo& type = info(dtype);
    const bool is_signed = type.kind == Kind::signed_integer;
    const double end = std::ldexp(1.0, type.bits - (is_signed ? 1 : 0));
    return {is_signed ? -end : 0, end - 1};
  }
  static double integer_element(const Tensor& tensor, std::int64_t index) {
    const Number number = number_of(tensor.dtype(), element_bits(tensor, index));
    const double size = std::ldexp(static_cast<double>(number.significand), number.exponent);
    return number.negative ? -size : size;
  }

  ErrorBound bound_;
  const Tensor &foreign_, &ours_;
};

/// Judges some elements by a formula. What tells something else of them says nothing here.
class FormulaSink : public TermSink {
 public:
  FormulaSink(const Judge& judge, std::function<bool(std::int64_t)> asks) : judge_(judge), asks_(std::move(asks)) {}
  bool asks_for_bounds() override { return has_bounds_ = true; }
  bool asks_for_bound(std::int64_t index) const override { return asks_(index); }
  void bound(std::int64_t index, const Faithful& y, int sign) override { judge_.judge(index, y, sign, verdicts_); }

  bool has_bounds() const { return has_bounds_; }
  const Verdicts& verdicts() {
    verdicts_.sort();
    return verdicts_;
  }

 private:
  const Judge& judge_;
  std::function<bool(std::int64_t)> asks_;
  bool has_bounds_ = false;
  Verdicts verdicts_;
};

/// Hears of sums what their bounds are made of; judges elements of other formulas by what these say.
class SumSink : public TermSink {
 public:
  SumSink(const Call& call, const Judge& judge, std::int64_t most_terms)
      : judge_(judge), call_(call), terms_left_(most_terms) {}

  void norms(double p) override {
    power_ = p;
    if (power_ != 1 && power_ != 2)
      fail(Fault::usage, "{} has p = {}: no rigorous bound is known, only for p = 1 and p = 2", call_.title(), power_);
  }
  void begin(std::int64_t index) override {
    index_ = index;
    count_ = 1;
    has_terms_ = true;
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
  bool asks_for_bounds() override { return has_bounds_ = true; }
  bool asks_for_bound(std::int64_t index) const override { return judge_.differs(index); }
  void bound(std::int64_t index, const Faithful& y, int sign) override { judge_.judge(index, y, sign, verdicts_); }
  void other() override { fail(Fault::usage, "{} is no sum or norm: no rigorous bound is known", call_.title()); }
  void exact() override {}

  bool has_terms() const { return has_terms_; }
  bool has_bounds() const { return has_bounds_; }
  const Verdicts& verdicts() {
    verdicts_.sort();
    return verdicts_;
  }

 protected:
  void count_term() {
    require_time();
    if (--terms_left_ < 0) fail(Fault::usage, "{} has too many terms: their bound is not computed", call_.title());
  }

  const Judge& judge_;
  std::int64_t index_ = 0;
  double power_ = 0;  ///< of p-norms
  double count_ = 1;  ///< what the sum is divided by
  Verdicts verdicts_;

 private:
  const Call& call_;
  std::int64_t terms_left_;
  bool has_terms_ = false, has_bounds_ = false;
};

/// Judges sums by magnitudes that doubles add up; what that does not decide is `open`.
class QuickSink final : public SumSink {
 public:
  QuickSink(const Call& call, const BoundedKernel& kernel, const Judge& judge, std::int64_t most_terms)
      : SumSink(call, judge, most_terms), bound_(kernel, judge.dtype()) {}

  void begin(std::int64_t index) override {
    SumSink::begin(index);
    all_terms_ += terms_;
    terms_ = magnitude_ = 0;
  }
  void add(double x) override { count_term(), ++terms_, magnitude_ += std::abs(x); }
  void add(double a, double b) override { count_term(), ++terms_, magnitude_ += std::abs(a * b); }
  void end() override {
    const auto judgement =
        count_ == 0 || power_ == 2
            ? std::nullopt
            : bound_.judge_roughly(terms_, magnitude_, count_, judge_.right(index_), judge_.foreign(index_));
    judgement ? verdicts_.add(index_, *judgement) : void(open_.insert(index_));
  }

  const std::set<std::int64_t>& open() const { return open_; }
  double all_terms() const { return all_terms_ + terms_; }

 private:
  ErrorBound bound_;
  double all_terms_ = 0, terms_ = 0, magnitude_ = 0;
  std::set<std::int64_t> open_;
};

/// Judges sums, or some of them, exactly.
class BoundSink final : public SumSink {
 public:
  /// `only` these, or all.
  BoundSink(const Call& call, const BoundedKernel& kernel, const Judge& judge, const std::set<std::int64_t>* only)
      : SumSink(call, judge, INT64_MAX), bound_(kernel, judge.dtype()), only_(only) {}

  void begin(std::int64_t index) override {
    SumSink::begin(index);
    is_asked_ = only_ == nullptr || only_->contains(index);
    terms_.clear();
  }
  void add(double x) override {
    count_term();
    if (!is_asked_) return;
    if (power_ == 2)
      terms_.add(x, x);
    else
      terms_.add(power_ == 1 ? std::abs(x) : x);
  }
  void add(double a, double b) override {
    count_term();
    if (is_asked_) terms_.add(a, b);
  }
  void end() override {
    if (!is_asked_) return;
    if (count_ == 0) terms_.add(std::numeric_limits<double>::quiet_NaN());  // 0/0
    if (no_bound_.empty()) no_bound_ = bound_.no_bound(terms_);
    if (no_bound_.empty()) verdicts_.add(index_, judge_terms(judge_.foreign(index_)));
  }

  const std::string& no_bound() const { return no_bound_; }

 private:
  ErrorBound::Judgement judge_terms(double a) {
    if (terms_.finite() && bound_.may_overflow(terms_)) {
      verdicts_.without_bound.push_back(index_);
      return ErrorBound::judge_overflow(terms_, a, judge_.right(index_));
    }
    return power_ == 2 ? bound_.judge_root(terms_, a) : bound_.judge_mean(terms_, std::max(count_, 1.0), a);
  }

  ErrorBound bound_;
  const std::set<std::int64_t>* only_;
  bool is_asked_ = true;
  MagnitudeSum terms_;
  std::string no_bound_;
};

/// Takes the terms of no element: what an operator only moves has none, and needs no bound.
class NoTermsSink : public TermSink {
 public:
  NoTermsSink(const Call& call, DType output) : call_(call), output_(output) {}
  void begin(std::int64_t) override { refuse(); }
  void other() override { refuse(); }
  void exact() override {}

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
      : bound_(kernel, ours.dtype()),
        accumulator_(limits_of(kernel.accumulator_of(ours.dtype()))),
        output_(limits_of(ours.dtype())),
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
    const double size = std::abs(floating_element(ours_, index_));
    double error = bound_.rough_error(terms_, magnitude_, count_);
    is_known_ &= std::isfinite(error) || !std::isfinite(magnitude_);
    if (power_ == 2) error = std::sqrt(size * size + error) - std::sqrt(std::max(0.0, size * size - error));
    error += (accumulator_.unit_roundoff + output_.unit_roundoff) * (size + error) + output_.smallest_subnormal;
    bounds_[static_cast<size_t>(index_)] = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  void other() override { is_known_ = false; }
  void exact() override {}

  std::optional<std::vector<double>> bounds() && {
    return is_known_ ? std::optional(std::move(bounds_)) : std::nullopt;
  }

 private:
  void count_term(double x) {
    require_time();
    ++terms_;
    magnitude_ += std::abs(x);
  }

  ErrorBound bound_;
  FloatLimits accumulator_, output_;
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

std::vector<Output> output_told(const Step& step, std::string_view output, TermSink& sink) {
  const auto place = static_cast<size_t>(std::ranges::find(step.node->outputs, output) - step.node->outputs.begin());
  return output_of(step.call, step.types, place, sink);
}
void tell_terms(const Step& step, std::string_view output, TermSink& sink) {
  step.call.op().kernel(step.call, output_told(step, output, sink));
}

/// What other kernels than the operator's own formula say of the elements that it does not pass.
void judge_other_formulas(const Step& step, std::string_view output, const Judge& judge, Verdicts& verdicts) {
  for (const kernels::OtherFormula& formula : kernels::other_formulas(step.call)) {
    if (verdicts.failing.empty()) return;
    FormulaSink sink(judge, [&](std::int64_t index) { return verdicts.fails(index); });
    formula.tell(output_told(step, output, sink));
    if (sink.has_bounds()) verdicts.take(sink.verdicts());
  }
}
/// Whether all elements that fail are those of a kernel of any of the formulas. A few are asked first.
bool fits(const Step& step, std::string_view output, const BoundedKernel& kernel, const Tensor& foreign,
          const Tensor& ours, const Verdicts& verdicts) {
  constexpr size_t kFew = 64;
  const WithKernel with_kernel(model_of(kernel, ours.dtype()));
  const Judge judge(kernel, foreign, ours);
  const auto pass = [&](const Verdicts& asked) {
    Verdicts rest = asked;
    FormulaSink sink(judge, [&](std::int64_t index) { return asked.fails(index); });
    tell_terms(step, output, sink);
    rest.take(sink.verdicts());
    judge_other_formulas(step, output, judge, rest);
    return rest.failing.empty();
  };
  Verdicts few = verdicts;
  few.failing.resize(std::min(few.failing.size(), kFew));
  return pass(few) && (verdicts.failing.size() <= kFew || pass(verdicts));
}

/// The class of weaker kernels that these elements are of, if any.
std::optional<BoundClass> weaker_class(const Step& step, std::string_view output, const BoundedKernel& kernel,
                                       const Tensor& foreign, const Tensor& ours, const Verdicts& verdicts) {
  BoundedKernel weaker = kernel;
  weaker.functions.absolute = true;
  if (fits(step, output, weaker, foreign, ours, verdicts)) return BoundClass::absolute;
  weaker.subnormals = Subnormals::flushed;
  if (fits(step, output, weaker, foreign, ours, verdicts)) return BoundClass::flush;
  return std::nullopt;
}

/// Integers of integers are exact, however they are computed.
bool reads_floats(const Call& call) {
  return std::ranges::any_of(call.inputs(), [](const auto& input) { return is_floating(input.type.tensor.dtype); });
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
  for (const std::int64_t place : places)
    set_bits(tensor.bytes(), info(ours.dtype()).bits, place, element_bits(foreign, place));
  return std::move(tensor).finish();
}

/// The comparison of all elements, of which these verdicts are known.
Comparison with_verdicts(Comparison comparison, const Verdicts& verdicts, const Tensor& actual, const Tensor& expected,
                         Foreign foreign) {
  const bool has_none = static_cast<std::int64_t>(verdicts.without_bound.size()) == actual.count();
  if (!has_none || !verdicts.failing.empty()) comparison.bound_ratio = verdicts.worst().second;
  if (comparison.reason.empty()) {
    comparison.without_bound = static_cast<std::int64_t>(verdicts.without_bound.size());
    for (const std::int64_t element : first_of(verdicts.without_bound, Comparison::kMostMismatches))
      comparison.first_without_bound.push_back(coordinates(element, actual.shape()));
  }
  if (verdicts.failing.empty()) {
    comparison.mismatches = 0;
    comparison.first = comparison.worst = std::nullopt;
    comparison.worst_mismatches.clear();
    comparison.where.clear();
    return comparison;
  }
  const auto only = [&](std::span<const std::int64_t> places) {
    const bool is_actual = foreign == Foreign::actual;
    const Tensor some = with_elements(is_actual ? expected : actual, is_actual ? actual : expected, places);
    return is_actual ? compare_values(some, expected, Tolerance{}) : compare_values(actual, some, Tolerance{});
  };
  for (const auto& [place, ratio] : verdicts.failing) comparison.out_of_bound.push_back(place);
  Comparison failing = only(comparison.out_of_bound);
  comparison.mismatches = failing.mismatches;
  comparison.first = std::move(failing.first);
  comparison.worst_mismatches = std::move(failing.worst_mismatches);
  comparison.where = std::move(failing.where);
  comparison.worst = only(std::array{verdicts.worst().first}).first;
  return comparison;
}

}  // namespace

Comparison compare_bound(std::span<const Step> steps, std::string_view output, const Tensor& actual,
                         const Tensor& expected, Foreign foreign, const Tolerance& tolerance, std::int64_t most_terms) {
  if (tolerance.ignore_dtype)
    fail(Fault::usage, "the rule bound needs values of the node's own type: it cannot ignore dtypes");
  Comparison comparison = compare_values(actual, expected, Tolerance{});
  const Kind kind = info(actual.dtype()).kind;
  const bool is_integer = kind == Kind::signed_integer || kind == Kind::unsigned_integer;
  if (!comparison.reason.empty() || (kind != Kind::floating && !is_integer)) return comparison;
  if (is_integer && comparison.mismatches == 0) return comparison;
  const Step& step = step_of(steps, output);
  if (is_integer && !reads_floats(step.call)) return comparison;
  const Tensor& theirs = foreign == Foreign::actual ? actual : expected;
  const Tensor& ours = foreign == Foreign::actual ? expected : actual;
  const BoundedKernel& kernel = tolerance.kernel;
  const Judge judge(kernel, theirs, ours);

  Verdicts verdicts;
  {
    const WithKernel with_kernel(model_of(kernel, ours.dtype()));
    if (is_integer) {
      FormulaSink sink(judge, [&](std::int64_t index) { return judge.differs(index); });
      tell_terms(step, output, sink);
      if (!sink.has_bounds()) return comparison;
      verdicts = sink.verdicts();
    } else if (!has_limits(theirs.dtype())) {
      NoTermsSink sink(step.call, theirs.dtype());
      tell_terms(step, output, sink);
      return comparison;
    } else {
      QuickSink quick(step.call, kernel, judge, most_terms);
      tell_terms(step, output, quick);
      if (!quick.has_terms() && !quick.has_bounds()) return comparison;  // data movement
      if (quick.has_terms()) {
        constexpr double kFew = 0x1p20;
        const bool are_few = quick.all_terms() <= kFew;
        BoundSink exact(step.call, kernel, judge, are_few ? nullptr : &quick.open());
        if (are_few || !quick.open().empty()) tell_terms(step, output, exact);
        comparison.reason = exact.no_bound();
        verdicts = exact.verdicts();
        if (!are_few) verdicts.join(quick.verdicts());
        return with_verdicts(std::move(comparison), verdicts, actual, expected, foreign);
      }
      verdicts = quick.verdicts();
    }
    comparison.bound_class = BoundClass::accurate;
    if (!verdicts.failing.empty() && kernel.formula != BoundedKernel::Formula::accurate) {
      comparison.accurate_ratio = verdicts.worst().second;
      judge_other_formulas(step, output, judge, verdicts);
      comparison.bound_class = BoundClass::page;
    }
  }
  if (!verdicts.failing.empty()) comparison.bound_class = weaker_class(step, output, kernel, theirs, ours, verdicts);
  return with_verdicts(std::move(comparison), verdicts, actual, expected, foreign);
}

std::optional<Comparison> compare_known_bound(std::span<const Step> steps, std::string_view output,
                                              const Tensor& actual, const Tensor& expected, Foreign foreign) {
  constexpr std::int64_t kMostTerms = 400'000'000;
  if (actual.type() != expected.type() || same_bits(actual, expected) || steps.size() != 1 ||
      has_subgraph(*steps.front().node))
    return std::nullopt;
  try {
    const Tolerance rule{.rule = Tolerance::Rule::bound};
    Comparison comparison = compare_bound(steps, output, actual, expected, foreign, rule, kMostTerms);
    if (comparison.reason.empty()) return comparison;
  } catch (const Error& error) {
    if (error.fault() != Fault::usage) throw;
  }
  return std::nullopt;
}

std::optional<std::vector<double>> rough_bounds(std::span<const Step> steps, std::string_view output,
                                                const Tensor& ours, const BoundedKernel& kernel) {
  RoughSink sink(kernel, ours);
  tell_terms(step_of(steps, output), output, sink);
  return std::move(sink).bounds();
}

}  // namespace opref::check
