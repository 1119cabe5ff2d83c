// SPDX-License-Identifier: Apache-2.0
#include "cli/tensor_text.h"

#include "cli/output.h"
#include "core/text.h"
#include "io/numpy/print.h"

namespace opref::cli {
namespace {

bool has_special(DType dtype) { return info(dtype).kind == Kind::floating || info(dtype).kind == Kind::complex; }

std::string extremes_text(const Tensor& tensor, bool with_zeros) {
  const io::TensorSummary summary = io::summarize(tensor);
  std::string text;
  if (summary.least) text += format("min {}  max {}\n", *summary.least, *summary.greatest);
  if (summary.nan + summary.positive_infinity + summary.negative_infinity > 0 ||
      (with_zeros && has_special(tensor.dtype())))
    text += format("NaN {}  Inf {}  -Inf {}\n", summary.nan, summary.positive_infinity, summary.negative_infinity);
  return text;
}

}  // namespace

std::string tensor_text(const Tensor& tensor, Extremes extremes) {
  const bool is_cut = tensor.count() > io::kMostPrinted;
  std::string text = format("{}\nsha256 {}\n", tensor.type(), io::sha256(tensor));
  if (extremes == Extremes::always || is_cut) text += extremes_text(tensor, extremes == Extremes::if_not_all);
  return text + io::numpy_text(tensor) + "\n";
}

std::string comparison_text(std::string_view name, const Comparison& comparison, const Tolerance& tolerance) {
  const std::string verdict = tolerance.rule == Tolerance::Rule::bound ? bound_verdict(comparison) : "";
  const Tone tone = comparison.equal() ? Tone::good : Tone::bad;
  std::string text;
  if (verdict.empty()) {
    const std::string_view word = comparison.equal() ? "equal" : comparison.has_no_verdict() ? "no verdict" : "differs";
    text = format("{} {}", name, toned(tone, word));
  } else {
    const std::string word = verdict.substr(0, verdict.find(' ')), line = wrapped(format("{} {}", name, verdict), 2);
    const size_t at = line.find(word, name.size());
    text = format("{}{}{}", line.substr(0, at), toned(tone, word), line.substr(at + word.size()));
  }
  text += "\n" + details(comparison, tolerance) + "\n";
  if (comparison.obstacle == Comparison::Obstacle::dtypes && !tolerance.ignore_dtype)
    text += "  --ignore-dtype compares the values\n";
  return text;
}

}  // namespace opref::cli
