// One case, evaluated and compared with what it expects.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/compare.h"
#include "io/case.h"
#include "run/evaluate.h"

namespace opref {

enum class Verdict : std::uint8_t { pass, fail, error, unsupported, skip };
std::string_view name(Verdict verdict);

/// What the user chose instead of a case's own rule.
struct ToleranceChoice {
  std::optional<Tolerance> rule;
  bool ignore_dtype = false;  ///< whatever the rule
};

struct OutputReport {
  std::string name;
  Tolerance tolerance;
  Comparison comparison;
};

struct CaseReport {
  Verdict verdict = Verdict::skip;
  std::string reason;  ///< why it did not pass; one line
  std::string title;   ///< "MaxUnpool-11" of the first node, where that is known
  std::vector<OutputReport> outputs;
  std::vector<std::string> warnings;
};

/// The tolerance of a case: its own, else ONNX's rule for the official folders (rtol 1e-3, atol 1e-7; bfloat16: rtol
/// 2^-6), else exact.
Tolerance tolerance_of(const Case& loaded, DType expected);

/// Compares what is expected, and in the rule bound was computed elsewhere, with the values in `environment`, which the
/// steps gave it, by the chosen rule, else by `loaded`'s.
CaseReport compare_expected(const Case& loaded, std::span<const NamedSource> expected, const Environment& environment,
                            std::span<const Step> steps, const ToleranceChoice& choice);

/// Whether `error` is what a must-fail case expects; the reason is empty if so.
std::string unexpected_error(const ExpectedError& expected, const Error& error);

/// Evaluates the case at `path` and judges it. No Error leaves this function but `internal` ones.
CaseReport judge(const std::string& path, const EvaluationOptions& options, const ToleranceChoice& choice);

}  // namespace opref
