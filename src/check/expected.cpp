// SPDX-License-Identifier: Apache-2.0
#include "check/expected.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "check/bound.h"
#include "check/typical.h"
#include "check/unspecified.h"
#include "core/error.h"
#include "core/value_type.h"
#include "run/memory.h"

namespace opref::check {

namespace {

/// Of ONNX's kind, with published values that are not opref's own, and so not the correctly rounded ones.
bool is_published(const Case& loaded) { return loaded.format == CaseFormat::onnx_folder && loaded.source != "opref"; }

}  // namespace

Tolerance tolerance_of(const Case& loaded, DType expected, ToleranceChoice::Judged judged) {
  if (loaded.tolerance) return *loaded.tolerance;
  if (!is_published(loaded) && judged == ToleranceChoice::Judged::reference) return {};
  return compare::onnx_rule(expected);
}

bool is_bound(const Case& loaded, const ToleranceChoice& choice) {
  return choice.rule.value_or(loaded.tolerance.value_or(Tolerance{})).rule == Tolerance::Rule::bound;
}

bool is_bound_by_default(const Case& loaded, const ToleranceChoice& choice) {
  return !choice.rule && !loaded.tolerance && !is_published(loaded) &&
         choice.judged == ToleranceChoice::Judged::backend;
}

bool has_shares_beside(const Case& loaded, const ToleranceChoice& choice) {
  return !choice.rule && !choice.ignore_dtype && !loaded.tolerance && is_published(loaded) &&
         choice.judged == ToleranceChoice::Judged::backend;
}

void add_shares_beside(Comparison& comparison, std::span<const Step> steps, const std::string& name,
                       const Value& theirs, const Value& ours) {
  const Tensor *a = theirs.tensor(), *b = ours.tensor();
  if (!comparison.reason.empty() || a == nullptr || b == nullptr) return;
  if (const auto by_bound = compare_known_bound(steps, name, *a, *b, Foreign::actual))
    comparison.take_shares(*by_bound);
}

std::string unexpected_error(const ExpectedError& expected, const Error& error) {
  if (expected.fault != error.fault())
    return format("the fault is {} ({}), but {} is expected", name(error.fault()), error.message(),
                  name(expected.fault));
  constexpr size_t kLongest = 1000;
  if (expected.message != error.message())
    return format("the message is \"{}\", but \"{}\" is expected", error.message(),
                  printable(expected.message, kLongest));
  return "";
}

namespace {

/// "in 3 of 108 elements: [0,0,2,0] is 1.087 instead of NaN", of the worst one; a NaN is "NaN" beside a number.
std::string where_text(const Comparison& comparison) {
  const Mismatch& worst = *comparison.worst;
  const auto is_nan = [](std::string_view text) { return text == "NaN" || text.starts_with("0x"); };
  const bool are_both = is_nan(worst.actual) && is_nan(worst.expected);  // whose bits differ
  const auto shown = [&](std::string_view text) { return is_nan(text) && !are_both ? "NaN" : text; };
  return format("in {} of {}: {} is {} instead of {}", comparison.mismatches, counted(comparison.count, "element"),
                compare::where_text(worst), shown(worst.actual), shown(worst.expected));
}

}  // namespace

std::string difference_text(const Comparison& comparison) {
  if (comparison.has_no_verdict()) return "differs, but " + comparison.reason;
  if (!comparison.bound_accumulator && !comparison.reason.empty()) return "differs: " + comparison.reason;
  if (!comparison.reason.empty()) return format("has no error bound: {}", comparison.reason);
  const std::optional<double>& share = comparison.worst->share;
  if (!share) return "differs " + where_text(comparison);
  return format("is beyond the bound of {} {}, {}", *comparison.bound_accumulator, where_text(comparison),
                std::isinf(*share) ? "where no error is allowed" : format("share {}", short_number(*share)));
}

OutputReport compare_output(const Case& loaded, const std::string& name, Value actual, Value expected, Foreign foreign,
                            std::span<const Step> steps, const ToleranceChoice& choice, ModelSpread* spread) {
  leave_out_unspecified(name, actual, expected, foreign, steps);
  const Tensor *a = actual.tensor(), *b = expected.tensor();
  if (is_bound_by_default(loaded, choice) && a != nullptr && b != nullptr) {
    if (same_bits(actual, expected))
      return {name, {}, compare_values(actual, expected, {}), std::move(actual), std::move(expected)};
    auto comparison = compare_known_bound(steps, name, *a, *b, foreign);
    if (!comparison && spread != nullptr && a->type() == b->type()) comparison = spread->compare(name, *a, *b, foreign);
    if (comparison)
      return {name, {.rule = Tolerance::Rule::bound}, *std::move(comparison), std::move(actual), std::move(expected)};
  }
  const DType given = type_of(actual).dtype(), dtype = type_of(expected).dtype();
  Tolerance tolerance = choice.rule.value_or(tolerance_of(loaded, dtype, choice.judged));
  if (!choice.rule && !loaded.tolerance && (is_integer(given) || is_integer(dtype))) tolerance = {};
  tolerance.ignore_dtype |= choice.ignore_dtype;
  tolerance = rule_for(given, dtype, tolerance);
  const bool bound = tolerance.rule == Tolerance::Rule::bound;
  if (bound && (actual.tensor() == nullptr || expected.tensor() == nullptr))
    fail(Fault::unsupported, "'{}' is no tensor: it has no error bound", printable(name));
  Comparison comparison = bound ? compare_bound(steps, name, *actual.tensor(), *expected.tensor(), foreign, tolerance)
                                : compare_values(actual, expected, tolerance);
  if (has_shares_beside(loaded, choice) && foreign == Foreign::actual)
    add_shares_beside(comparison, steps, name, actual, expected);
  return {name, tolerance, std::move(comparison), std::move(actual), std::move(expected)};
}

CaseReport compare_expected(const Case& loaded, std::span<const NamedSource> given, const Environment& environment,
                            std::span<const Step> steps, const ToleranceChoice& choice, std::int64_t max_bytes,
                            Foreign foreign, ModelSpread* spread) {
  CaseReport report;
  report.verdict = given.empty() ? Verdict::skip : Verdict::pass;
  if (given.empty()) report.reason = "nothing is expected";
  const std::string_view how = foreign == Foreign::expected ? "expected" : "judged";
  std::int64_t left = max_bytes - HeldBytes(environment).total();
  for (const NamedSource& named : given) {
    const std::string& output = named.name;
    const auto known = environment.find(output);
    if (known == environment.end() || !known->second.value)
      fail(Fault::malformed, "'{}' is {}, but is no output", printable(output), how);
    at_place([&] { return format("in {} output '{}'", how, printable(output)); },
             [&] {
               Value ours = *known->second.value;
               Value theirs =
                   settle(load(named.source, std::max<std::int64_t>(0, left), named.name), known->second.type.dtype());
               left -= byte_size(theirs);
               if (foreign == Foreign::actual) std::swap(ours, theirs);
               report.outputs.push_back(
                   compare_output(loaded, output, std::move(ours), std::move(theirs), foreign, steps, choice, spread));
             });
    const Comparison& comparison = report.outputs.back().comparison;
    if (report.verdict == Verdict::fail) continue;
    if (!comparison.equal()) {
      report.verdict = Verdict::fail;
      report.output_differs = true;
      report.reason = format("output '{}' {}", printable(output), difference_text(comparison));
    } else if (choice.is_strict && comparison.is_untypical()) {
      report.verdict = Verdict::fail;
      report.reason = untypical_reason(output, comparison);
    }
  }
  return report;
}

}  // namespace opref::check
