// SPDX-License-Identifier: Apache-2.0
// What a person reads of a comparison.
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "compare/compare.h"
#include "compare/tolerance.h"

namespace opref::compare {
namespace {

constexpr size_t kColumns = 80;

/// The words of `text` in lines of 80 columns, indented by two, the second one and further by four.
std::string wrapped(std::string_view text) {
  std::string lines = " ";
  size_t column = 1;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (column + 1 + word.size() > kColumns && column > 4) {
      lines += "\n   ";
      column = 3;
    }
    lines += ' ';
    lines += word;
    column += 1 + word.size();
  }
  return lines;
}

std::string mismatch_text(const Mismatch& mismatch, const Tolerance& tolerance) {
  std::string text = where_text(mismatch);
  text += format(": actual {}, expected {}", mismatch.actual, mismatch.expected);
  if (mismatch.allowed) text += format(", allowed ±{}", short_number(*mismatch.allowed));
  if (mismatch.actual_bits.empty()) return text;
  text += format(" ({}, {})", mismatch.actual_bits, mismatch.expected_bits);
  if (tolerance.rule == Tolerance::Rule::relative && std::isfinite(mismatch.absolute))
    text += format(", absolute error {}, relative {}", mismatch.absolute, mismatch.relative);
  else if (mismatch.ulp)
    text += format(", {} ULP", *mismatch.ulp);
  return text;
}

/// "3 of 3136 elements, largest share 41 at [0,4,2,7]: actual 2, expected 1, allowed ±0.02": of the worst one.
std::string beyond_text(const Comparison& comparison) {
  const Mismatch& worst = *comparison.worst;
  const std::string share = worst.share && std::isfinite(*worst.share)
                                ? format("largest share {} at ", short_number(*worst.share))
                                : "no error is allowed at ";
  return format("{} of {}, {}{}", comparison.mismatches, counted(comparison.count, "element"), share,
                mismatch_text(worst, {.rule = Tolerance::Rule::bound}));
}

/// "share 0: 680, to 0.1: 2455, above 10: 1"
std::string histogram_text(const ShareHistogram& histogram) {
  std::vector<std::string> parts;
  for (size_t bin = 0; bin < histogram.bins.size(); ++bin)
    if (histogram.bins[bin] != 0) parts.push_back(format("{}: {}", ShareHistogram::kLabels[bin], histogram.bins[bin]));
  return "share " + join_text(parts, ", ");
}

/// What the share means, for a person who sees the word for the first time.
std::vector<std::string> share_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  if (!comparison.bound_ratio) return lines;
  const DType accumulator = *comparison.bound_accumulator;
  if (comparison.model_spread)
    lines.push_back(
        format("share: the rms of the error over four times that of rounding in the model, which is {} of the output's",
               short_number(*comparison.model_spread)));
  else if (comparison.is_estimate)
    lines.push_back(format("share: an error over four times the spread of simulated {} kernels; median {}", accumulator,
                           short_number(comparison.bound_median)));
  else if (comparison.mismatches == 0)
    lines.push_back(format("the greatest error is {} of what a right {} kernel may lose, the median {}",
                           short_number(*comparison.bound_ratio), accumulator, short_number(comparison.bound_median)));
  else
    lines.push_back(format("share: an error over what a right {} kernel may lose; median {}", accumulator,
                           short_number(comparison.bound_median)));
  if (comparison.bound_class == BoundClass::page)
    lines.push_back(
        format("by opref's own formula, which loses less, the share is {}: the bound by formula=accurate fails it",
               short_number(*comparison.accurate_ratio)));
  if (comparison.bound_class == BoundClass::absolute)
    lines.emplace_back(
        "a weaker kernel may give this, whose functions are exact to 5 ULP of 1, but not of their result: "
        "the bound by functions=absolute passes it");
  if (comparison.bound_class == BoundClass::flush)
    lines.emplace_back(
        "a weaker kernel may give this, which takes subnormal numbers as 0: "
        "the bound by flush=1 passes it, or by functions=absolute,flush=1");
  if (comparison.count > 1) lines.push_back(histogram_text(comparison.bound_histogram));
  return lines;
}

/// "3 elements agree (exact)"; after the verdict by a bound the numbers alone.
std::string agreement_text(const Comparison& comparison, const Tolerance& tolerance) {
  const std::string elements = counted(comparison.count, "element");
  std::string text = tolerance.rule == Tolerance::Rule::bound && comparison.bound_accumulator
                         ? elements
                         : format("{} {} ({})", elements, comparison.count == 1 ? "agrees" : "agree",
                                  rule_text(comparison, tolerance));
  if (comparison.bit_equal == comparison.count) return text;
  text += format(": {} bit-equal, {} within 1 ULP", comparison.bit_equal, comparison.within_one_ulp);
  const std::int64_t apart = comparison.histogram.bins[UlpHistogram::kNoDistance];
  if (apart > 0) text += format(", {} without a distance", apart);
  if (apart < comparison.count)
    text += format(", {}at most {} ULP", apart > 0 ? "the others " : "", comparison.max_ulp);
  return text;
}

/// "max error 1 absolute, 0.5 relative, 8388608 ULP; mean 0.25, 0.125, 2.097e+06"; measures that no element has are
/// left out. What is not finite stands before: "max error Inf or NaN (2 of 12 elements), of the others 1 absolute, …".
std::string error_text(const Comparison& comparison) {
  std::vector<std::string> most, mean;
  const auto add = [&](const ErrorSummary& summary, const std::string& text) {
    if (summary.count == 0) return;
    most.push_back(text);
    mean.push_back(short_number(summary.mean));
  };
  // Of a wrong element where 0 is expected it has no end, and is not among those that are summed up.
  const bool is_endless = comparison.relative.count < comparison.absolute.count;
  add(comparison.absolute, short_number(comparison.absolute.max) + " absolute");
  if (!is_endless) add(comparison.relative, short_number(comparison.relative.max) + " relative");
  if (is_endless) most.push_back("inf relative"), mean.push_back("inf");
  add(comparison.ulp, format("{} ULP", comparison.max_ulp));
  const bool numbers = comparison.first && !comparison.first->actual_bits.empty();
  const std::int64_t infinite = numbers ? comparison.count - comparison.absolute.count : 0;
  const std::string beyond =
      infinite == 0 ? "" : format("Inf or NaN ({} of {})", infinite, counted(comparison.count, "element"));
  if (most.empty()) return beyond.empty() ? "" : "max error " + beyond;
  return format("max error {}{}; mean {}", beyond.empty() ? "" : beyond + ", of the others ", join_text(most, ", "),
                join_text(mean, ", "));
}

/// "ULP 0: 22, 3-4: 1, above 1024: 2, no distance: 1"
std::string histogram_text(const UlpHistogram& histogram) {
  constexpr size_t kLarge = 12;  // the bin of 1025-2048
  std::vector<std::string> parts;
  for (size_t bin = 0; bin < kLarge; ++bin)
    if (histogram.bins[bin] != 0) parts.push_back(format("{}: {}", UlpHistogram::label(bin), histogram.bins[bin]));
  const auto* const end = histogram.bins.data() + UlpHistogram::kNoDistance;
  if (const auto large = std::accumulate(histogram.bins.data() + kLarge, end, std::int64_t{0}); large != 0)
    parts.push_back(format("above 1024: {}", large));
  if (*end != 0) parts.push_back(format("no distance: {}", *end));
  return "ULP " + join_text(parts, ", ");
}

}  // namespace

std::string where_text(const Mismatch& mismatch) {
  if (mismatch.place.starts_with('[')) return mismatch.place;
  return to_text(mismatch.index) + (mismatch.place.empty() ? "" : " of " + mismatch.place);
}

std::string short_number(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 4).ptr;
  return {text.data(), end};
}

std::string to_text(const Tolerance& tolerance) {
  std::string text = "exact";
  if (tolerance.rule == Tolerance::Rule::ulp) text = format("{} ULP", tolerance.ulp);
  if (tolerance.rule == Tolerance::Rule::relative) text = format("rtol {}, atol {}", tolerance.rtol, tolerance.atol);
  if (tolerance.rule == Tolerance::Rule::bound) {
    const std::string kernel = to_text(tolerance.kernel);
    text = kernel.empty() ? "bound" : "bound " + kernel;
  }
  if (tolerance.strict_nan) text += ", strict NaN";
  if (tolerance.ignore_dtype) text += ", any dtype";
  return text;
}

std::string below_atol_text(const Comparison& comparison) {
  if (comparison.below_atol == 0) return "";
  const bool is_one = comparison.below_atol == 1;
  return format("{}, most of those that are not 0, {} no greater than atol: this rule cannot tell {} from 0",
                counted(comparison.below_atol, "expected number"), is_one ? "is" : "are", is_one ? "it" : "them");
}

std::string without_bound_text(const Comparison& comparison) {
  if (comparison.without_bound == 0) return "";
  std::vector<std::string> places;
  for (const Dims& index : comparison.first_without_bound) places.push_back(to_text(index));
  const std::int64_t more = comparison.without_bound - static_cast<std::int64_t>(places.size());
  return format("{} {} no bound of {} own, because such a kernel may meet Inf or NaN there: {}{}",
                counted(comparison.without_bound, "element"), comparison.without_bound == 1 ? "has" : "have",
                comparison.without_bound == 1 ? "its" : "their", join_text(places, ", "),
                more > 0 ? format(" and {} more", more) : "");
}

std::string_view to_text(BoundClass of) {
  switch (of) {
    case BoundClass::accurate:
      return "accurate";
    case BoundClass::page:
      return "page";
    case BoundClass::absolute:
      return "absolute";
    default:
      return "flush";
  }
}

std::string rule_text(const Comparison& comparison, const Tolerance& tolerance) {
  if (comparison.has_no_verdict()) return "0 ULP";
  if (tolerance.rule != Tolerance::Rule::bound || !comparison.reason.empty()) return to_text(tolerance);
  if (!comparison.bound_accumulator) return "0 ULP: nothing is rounded";
  BoundedKernel other = tolerance.kernel;
  other.accumulator.reset();
  const std::string further = to_text(other);
  return format("bound of {}{}{}", *comparison.bound_accumulator, further.empty() ? "" : ", ", further);
}

std::string bound_verdict(const Comparison& comparison) {
  if (!comparison.bound_accumulator || !comparison.reason.empty()) return "";
  const DType accumulator = *comparison.bound_accumulator;
  if (!comparison.bound_ratio) return format("within the bound of {}, as no element has one of its own", accumulator);
  const std::string share = short_number(*comparison.bound_ratio);
  if (*comparison.bound_ratio > 1)
    return format(
        comparison.is_estimate ? "beyond the spread of {} kernels, an estimate{}" : "beyond the bound of {}{}",
        accumulator,
        comparison.worst && comparison.worst->share ? ": " + beyond_text(comparison)
                                                    : format(" (largest share {})", share));
  if (comparison.is_estimate)
    return format("within the spread of {} kernels (share {}, an estimate)", accumulator, share);
  if (!comparison.accurate_ratio) return format("within the bound of {} (share {}, accurate)", accumulator, share);
  return format("within the bound of the page's formula in {} (share {}; accurate {})", accumulator, share,
                short_number(*comparison.accurate_ratio));
}

std::string untypical_text(const Comparison& comparison) {
  if (!comparison.is_untypical()) return "";
  const Typicality& typicality = *comparison.typicality;
  const bool is_median = typicality.median > Typicality::kMost;
  return format("its {} error is {} times that of a usual kernel", is_median ? "median" : "greatest",
                short_number(is_median ? typicality.median : typicality.greatest));
}

std::string details(const Comparison& comparison, const Tolerance& tolerance) {
  std::vector<std::string> lines;
  const bool is_bound = tolerance.rule == Tolerance::Rule::bound && comparison.bound_accumulator;
  if (!comparison.reason.empty()) lines.push_back(comparison.reason);
  if (is_bound && comparison.reason.empty()) lines = share_lines(comparison);
  if (comparison.mismatches > 0) {
    if (!is_bound)
      lines.push_back(format("{} of {} {} ({})", comparison.mismatches, counted(comparison.count, "element"),
                             comparison.mismatches == 1 ? "differs" : "differ", rule_text(comparison, tolerance)));
    const Mismatch &first = *comparison.first, &worst = *comparison.worst;
    const bool are_two = first.place != worst.place || first.index != worst.index;
    if (are_two || !is_bound) lines.push_back("first " + mismatch_text(first, tolerance));
    if (are_two && !is_bound)
      lines.push_back((tolerance.rule == Tolerance::Rule::relative ? "furthest beyond the rule " : "worst ") +
                      mismatch_text(worst, tolerance));
    if (const std::string errors = error_text(comparison); !errors.empty() && comparison.count > 1) {
      lines.push_back(errors);
      lines.push_back(histogram_text(comparison.histogram));
    }
    lines.insert(lines.end(), comparison.where.begin(), comparison.where.end());
  } else if (comparison.reason.empty()) {
    lines.push_back(agreement_text(comparison, tolerance));
  }
  if (comparison.without_bound > 0) lines.push_back(without_bound_text(comparison));
  if (!is_bound && comparison.bound_ratio) lines.push_back("beside this rule: " + bound_verdict(comparison));
  if (const std::string untypical = untypical_text(comparison); !untypical.empty())
    lines.push_back("untypical: " + untypical);
  for (std::string& line : lines) line = wrapped(line);
  return join_text(lines, "\n");
}

std::string describe(const Comparison& comparison, const Tolerance& tolerance) {
  const std::string verdict = tolerance.rule == Tolerance::Rule::bound ? bound_verdict(comparison) : "";
  return (verdict.empty() ? "" : wrapped(verdict) + "\n") + details(comparison, tolerance);
}

}  // namespace opref::compare
