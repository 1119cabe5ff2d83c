// SPDX-License-Identifier: Apache-2.0
#include "check/bound.h"

#include <algorithm>
#include <cmath>

#include "check/bound_classes.h"
#include "check/bound_sinks.h"
#include "check/recurrences.h"
#include "check/simulated.h"
#include "check/told_output.h"
#include "check/typical.h"
#include "core/error.h"
#include "kernels/kernels.h"
#include "run/node_subgraphs.h"

namespace opref::check {
namespace {

/// Integers of integers are exact, however they are computed.
bool reads_floats(const Call& call) {
  return std::ranges::any_of(call.inputs(), [](const auto& input) { return is_floating(input.type.tensor.dtype); });
}

}  // namespace

Comparison compare_bound(std::span<const Step> steps, std::string_view output, const Tensor& actual,
                         const Tensor& expected, Foreign foreign, const Tolerance& tolerance, std::int64_t most_terms) {
  if (tolerance.ignore_dtype)
    fail(Fault::usage, "the rule bound needs values of the node's own type: it cannot ignore dtypes");
  // What is not rounded is the same number: right kernels give either zero, as of a maximum of -0 and 0.
  Comparison comparison = compare_values(actual, expected, {.rule = Tolerance::Rule::ulp, .ulp = 0});
  const Kind kind = info(actual.dtype()).kind;
  const bool is_integer = kind == Kind::signed_integer || kind == Kind::unsigned_integer;
  if (!comparison.reason.empty() || (kind != Kind::floating && !is_integer)) return comparison;
  if (is_integer && comparison.mismatches == 0) return comparison;
  const Step& step = step_of(steps, output);
  if (is_integer && !reads_floats(step.call)) return comparison;
  const Tensor& theirs = foreign == Foreign::actual ? actual : expected;
  const Tensor& ours = foreign == Foreign::actual ? expected : actual;
  const BoundedKernel kernel = kernels::kernel_of(tolerance.kernel, step.call, ours.dtype());
  const DType accumulator = kernel.accumulator_of(ours.dtype());
  const Judge judge(kernel, theirs, ours);
  const auto judged = [&](Comparison known, const Verdicts& of_elements) {
    known = with_verdicts(std::move(known), of_elements, actual, expected, foreign, accumulator);
    if (known.equal()) known.typicality = typicality_of(step, output, theirs, ours, kernel, of_elements.worst().first);
    return known;
  };

  Verdicts verdicts;
  {
    const WithKernel with_kernel(model_of(kernel, ours.dtype()));
    if (is_integer || !has_limits(theirs.dtype())) {
      FormulaSink sink(judge, [&](std::int64_t index) { return judge.differs(index); });
      tell(step, output, sink);
      if (!sink.has_bounds()) {
        NoTermsSink none(step.call, theirs.dtype());
        if (!is_integer) tell(step, output, none);
        return comparison;
      }
      verdicts = sink.verdicts();
    } else {
      const KnownStates states(step, output, theirs, kernel);
      QuickSink quick(step.call, kernel, judge, most_terms, states);
      tell(step, output, quick);
      if (quick.needs_spread()) {
        for (const auto& [place, share] : shares_of_spread(step, output, theirs, ours, kernel))
          verdicts.add(place, {share <= 1, share});
        comparison.is_estimate = true;
        return with_verdicts(std::move(comparison), verdicts, actual, expected, foreign, accumulator);
      }
      if (!quick.has_terms() && !quick.has_bounds()) return comparison;  // data movement
      if (quick.is_formula()) {
        SumFormulaSink formula(step.call, judge, most_terms);
        tell(step, output, formula);
        verdicts = formula.verdicts();
        if (verdicts.failing.empty()) comparison.bound_class = BoundClass::accurate;
        return judged(std::move(comparison), verdicts);
      }
      if (quick.has_terms()) {
        constexpr double kFew = 0x1p20;
        const bool are_few = quick.all_terms() <= kFew;
        BoundSink exact(step.call, kernel, judge, are_few ? nullptr : &quick.open());
        if (are_few || !quick.open().empty()) tell(step, output, exact);
        comparison.reason = exact.no_bound();
        verdicts = exact.verdicts();
        if (!are_few) verdicts.join(quick.verdicts());
        if (verdicts.failing.empty()) comparison.bound_class = BoundClass::accurate;
        return judged(std::move(comparison), verdicts);
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
  return judged(std::move(comparison), verdicts);
}

namespace {
constexpr std::int64_t kMostTerms = 400'000'000;
}  // namespace

std::optional<Comparison> compare_known_bound(std::span<const Step> steps, std::string_view output,
                                              const Tensor& actual, const Tensor& expected, Foreign foreign) {
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

bool can_return(const Step& step, std::span<const size_t> places, std::span<const Tensor> actual,
                std::span<const Tensor> right, DType type) {
  if (has_subgraph(*step.node)) return false;
  try {
    for (size_t i = 0; i < actual.size(); ++i) {
      if (actual[i].type() == right[i].type() && same_bits(actual[i], right[i])) continue;
      const std::string& name = step.node->outputs[places[i]];
      Tolerance rule{.rule = Tolerance::Rule::bound, .kernel = {.accumulator = type}};
      if (info(type).bits < info(actual[i].dtype()).bits) rule.kernel.input_error = limits_of(type).unit_roundoff;
      const Comparison comparison =
          compare_bound({&step, 1}, name, actual[i], right[i], Foreign::actual, rule, kMostTerms);
      if (!comparison.equal()) return false;
    }
    return true;
  } catch (const Error& error) {  // no bound is known
    if (error.fault() != Fault::usage) throw;
    return false;
  }
}

std::optional<std::vector<double>> rough_bounds(std::span<const Step> steps, std::string_view output,
                                                const Tensor& ours, const BoundedKernel& kernel) {
  RoughSink sink(kernel, ours);
  tell(step_of(steps, output), output, sink);
  return std::move(sink).bounds();
}

}  // namespace opref::check
