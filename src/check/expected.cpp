// SPDX-License-Identifier: Apache-2.0
#include "check/expected.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "check/bound.h"
#include "check/typical.h"
#include "core/error.h"
#include "core/value_type.h"
#include "run/memory.h"

namespace opref::check {

Tolerance tolerance_of(const Case& loaded, DType expected, ToleranceChoice::Judged judged) {
  if (loaded.tolerance) return *loaded.tolerance;
  if (loaded.format != CaseFormat::onnx_folder && judged == ToleranceChoice::Judged::reference) return {};
  return {.rule = Tolerance::Rule::relative, .rtol = expected == DType::bfloat16 ? 0x1p-6 : 1e-3, .atol = 1e-7};
}

bool is_bound(const Case& loaded, const ToleranceChoice& choice) {
  return choice.rule.value_or(loaded.tolerance.value_or(Tolerance{})).rule == Tolerance::Rule::bound;
}

bool is_bound_by_default(const Case& loaded, const ToleranceChoice& choice) {
  return !choice.rule && !choice.ignore_dtype && !loaded.tolerance && loaded.format != CaseFormat::onnx_folder &&
         choice.judged == ToleranceChoice::Judged::backend;
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

/// "differs in 3 of 108 elements: [0,0,2,0] is 1.087 instead of NaN", of the worst one; a NaN is "NaN" beside a
/// number.
std::string differing_text(const Comparison& comparison) {
  const Mismatch& worst = *comparison.worst;
  const auto is_nan = [](std::string_view text) { return text == "NaN" || text.starts_with("0x"); };
  const bool are_both = is_nan(worst.actual) && is_nan(worst.expected);  // whose bits differ
  const auto shown = [&](std::string_view text) { return is_nan(text) && !are_both ? "NaN" : text; };
  return format("differs in {} of {}: {}{} is {} instead of {}", comparison.mismatches,
                counted(comparison.count, "element"), worst.index, worst.place.empty() ? "" : " of " + worst.place,
                shown(worst.actual), shown(worst.expected));
}

}  // namespace

std::string difference_text(const Comparison& comparison) {
  if (!comparison.bound_ratio && !comparison.reason.empty()) return "differs: " + comparison.reason;
  if (!comparison.bound_ratio) return differing_text(comparison);
  if (!comparison.reason.empty()) return format("has no error bound: {}", comparison.reason);
  if (std::isinf(*comparison.bound_ratio)) return "differs where no error is allowed";
  return format("has an error of {} times its bound", short_number(*comparison.bound_ratio));
}

OutputReport compare_output(const Case& loaded, const std::string& name, Value actual, Value expected, Foreign foreign,
                            std::span<const Step> steps, const ToleranceChoice& choice) {
  const Tensor *a = actual.tensor(), *b = expected.tensor();
  if (is_bound_by_default(loaded, choice) && a != nullptr && b != nullptr) {
    if (same_bits(actual, expected))
      return {name, {}, compare_values(actual, expected, {}), std::move(actual), std::move(expected)};
    if (auto comparison = compare_known_bound(steps, name, *a, *b, foreign))
      return {name, {.rule = Tolerance::Rule::bound}, *std::move(comparison), std::move(actual), std::move(expected)};
  }
  Tolerance tolerance = choice.rule.value_or(tolerance_of(loaded, type_of(expected).dtype(), choice.judged));
  tolerance.ignore_dtype |= choice.ignore_dtype;
  const bool bound = tolerance.rule == Tolerance::Rule::bound;
  if (bound && (actual.tensor() == nullptr || expected.tensor() == nullptr))
    fail(Fault::unsupported, "'{}' is no tensor: it has no error bound", printable(name));
  Comparison comparison = bound ? compare_bound(steps, name, *actual.tensor(), *expected.tensor(), foreign, tolerance)
                                : compare_values(actual, expected, tolerance);
  return {name, tolerance, std::move(comparison), std::move(actual), std::move(expected)};
}

CaseReport compare_expected(const Case& loaded, std::span<const NamedSource> given, const Environment& environment,
                            std::span<const Step> steps, const ToleranceChoice& choice, std::int64_t max_bytes,
                            Foreign foreign) {
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
                   compare_output(loaded, output, std::move(ours), std::move(theirs), foreign, steps, choice));
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
