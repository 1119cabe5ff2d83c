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
#include "run/node_subgraphs.h"

namespace opref::check {
namespace {

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

/// What is said of all elements' shares; those that were not judged have the same bits.
void set_shares(Comparison& comparison, const Verdicts& verdicts) {
  std::vector<double> shares = verdicts.passing;
  for (const Verdicts::Failing& one : verdicts.failing) shares.push_back(one.share);
  const std::int64_t equal = comparison.count - std::ssize(shares), middle = (comparison.count - 1) / 2;
  for (const double share : shares) comparison.bound_histogram.add(share);
  comparison.bound_histogram.bins[0] += equal;
  if (middle >= equal) {
    const auto median = shares.begin() + (middle - equal);
    std::ranges::nth_element(shares, median);
    comparison.bound_median = *median;
  }
}

/// The elements of both at these places, which all differ, in their order.
std::vector<Mismatch> mismatches_at(std::span<const Verdicts::Failing> places, const Tensor& actual,
                                    const Tensor& expected) {
  const auto some = [&](const Tensor& tensor) {
    return tensor_of_bits({tensor.dtype(), Dims{std::ssize(places)}},
                          [&](std::int64_t i) { return element_bits(tensor, places[static_cast<size_t>(i)].place); });
  };
  std::vector<Mismatch> list = compare_values(some(actual), some(expected), Tolerance{}).worst_mismatches;
  std::ranges::sort(list, {}, [](const Mismatch& mismatch) { return mismatch.index[0]; });
  for (Mismatch& mismatch : list) {
    const Verdicts::Failing& one = places[static_cast<size_t>(mismatch.index[0])];
    mismatch.index = coordinates(one.place, actual.shape());
    mismatch.share = one.share;
    if (std::isfinite(one.allowed)) mismatch.allowed = one.allowed;
  }
  return list;
}

/// The comparison of all elements, of which these verdicts are known, by the bound of such an accumulator.
Comparison with_verdicts(Comparison comparison, const Verdicts& verdicts, const Tensor& actual, const Tensor& expected,
                         Foreign foreign, DType accumulator) {
  const bool has_none = static_cast<std::int64_t>(verdicts.without_bound.size()) == actual.count();
  comparison.bound_accumulator = accumulator;
  if (!has_none || !verdicts.failing.empty()) {
    comparison.bound_ratio = verdicts.worst().second;
    set_shares(comparison, verdicts);
  }
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
  for (const Verdicts::Failing& one : verdicts.failing) comparison.out_of_bound.push_back(one.place);
  const bool is_actual = foreign == Foreign::actual;
  const Tensor some =
      with_elements(is_actual ? expected : actual, is_actual ? actual : expected, comparison.out_of_bound);
  const Comparison failing =
      is_actual ? compare_values(some, expected, Tolerance{}) : compare_values(actual, some, Tolerance{});
  comparison.mismatches = failing.mismatches;
  comparison.where = failing.where;
  std::vector<Verdicts::Failing> worst = verdicts.failing;
  const auto most = std::min(worst.size(), Comparison::kMostMismatches);
  std::ranges::partial_sort(worst, worst.begin() + static_cast<std::ptrdiff_t>(most), [](const auto& a, const auto& b) {
    return a.share > b.share || (a.share == b.share && a.place < b.place);
  });
  comparison.worst_mismatches = mismatches_at(std::span(worst).first(most), actual, expected);
  comparison.worst = comparison.worst_mismatches.front();
  comparison.first = mismatches_at(std::span(verdicts.failing).first(1), actual, expected).front();
  return comparison;
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
  const BoundedKernel& kernel = tolerance.kernel;
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
    if (is_integer) {
      FormulaSink sink(judge, [&](std::int64_t index) { return judge.differs(index); });
      tell(step, output, sink);
      if (!sink.has_bounds()) return comparison;
      verdicts = sink.verdicts();
    } else if (!has_limits(theirs.dtype())) {
      NoTermsSink sink(step.call, theirs.dtype());
      tell(step, output, sink);
      return comparison;
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
  tell(step_of(steps, output), output, sink);
  return std::move(sink).bounds();
}

}  // namespace opref::check
