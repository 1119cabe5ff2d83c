// SPDX-License-Identifier: Apache-2.0
// A case's outputs, compared with what it expects.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/bound.h"
#include "check/model_spread.h"
#include "compare/compare.h"
#include "io/case.h"
#include "report/verdict.h"
#include "run/evaluate.h"

namespace opref::check {

/// What the user chose instead of a case's own rule.
struct ToleranceChoice {
  std::optional<Tolerance> rule;
  bool ignore_dtype = false;  ///< whatever the rule
  /// Whose outputs are judged: decides the rule where neither the user nor the case has one.
  enum class Judged : std::uint8_t { reference, backend } judged = Judged::reference;
  bool is_strict = false;  ///< an output that is untypical (typical.h) does not pass
};

/// Whether this case is judged by the rule bound.
bool is_bound(const Case& loaded, const ToleranceChoice& choice);
/// Whether nobody has chosen a rule for a backend: its outputs are judged by the default kernel's bound where one is
/// known, else by tolerance_of.
bool is_bound_by_default(const Case& loaded, const ToleranceChoice& choice);

/// Whether a backend's outputs are judged by ONNX's rule because the case is one of ONNX's own; their shares of the
/// bound stand beside that.
bool has_shares_beside(const Case& loaded, const ToleranceChoice& choice);

struct OutputReport {
  std::string name;
  Tolerance tolerance;
  Comparison comparison;
  Value actual, expected;
};

struct CaseReport {
  Verdict verdict = Verdict::skip;
  std::string reason;           ///< why it did not pass; one line
  bool output_differs = false;  ///< of a failure: the reason is how the first of `outputs` that is not equal differs
  std::vector<OutputReport> outputs;
};

/// The tolerance of a case: its own, else ONNX's rule for folders of its kind that opref has not made and for backends
/// (rtol 1e-3, atol 1e-7; bfloat16: rtol 2^-6), else exact.
Tolerance tolerance_of(const Case& loaded, DType expected, ToleranceChoice::Judged judged);

/// Compares one output by the chosen rule, else by `loaded`'s or by default. `foreign` was not computed by the `steps`,
/// whose terms decide in the rule bound; by default the spread decides where they have no bound, if it is given.
OutputReport compare_output(const Case& loaded, const std::string& name, Value actual, Value expected, Foreign foreign,
                            std::span<const Step> steps, const ToleranceChoice& choice, ModelSpread* spread = nullptr);

/// What an output that does not pass does: "differs in 1 of 2 elements: [1] is 3 instead of 4", "is beyond the bound of
/// float32 in 1 of 2 elements: [1] is 3 instead of 4, share 3.5", …
std::string difference_text(const Comparison& comparison);

/// Takes the shares of `theirs` by the bound of the node that gives `ours`, opref's own value, where one is known.
void add_shares_beside(Comparison& comparison, std::span<const Step> steps, const std::string& name,
                       const Value& theirs, const Value& ours);

/// Compares what was computed elsewhere, and is expected or, as `actual`, judged, with the values in `environment`,
/// which the steps gave it. A `system` error where both together take more than `max_bytes`, said before that is
/// allocated.
CaseReport compare_expected(const Case& loaded, std::span<const NamedSource> given, const Environment& environment,
                            std::span<const Step> steps, const ToleranceChoice& choice, std::int64_t max_bytes,
                            Foreign foreign = Foreign::expected, ModelSpread* spread = nullptr);

/// Whether `error` is what a must-fail case expects; the reason is empty if so.
std::string unexpected_error(const ExpectedError& expected, const Error& error);

}  // namespace opref::check
