// SPDX-License-Identifier: Apache-2.0
#include "report/comparison_json.h"

#include <algorithm>

namespace opref::report {
namespace {

std::int64_t json_integer(std::uint64_t value) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
}

Json mismatch_json(const Mismatch& mismatch) {
  Json json;
  if (!mismatch.place.empty()) json.set("place", mismatch.place);
  json.set("index", mismatch.index).set("actual", mismatch.actual).set("expected", mismatch.expected);
  if (!mismatch.actual_bits.empty())
    json.set("actual_bits", mismatch.actual_bits).set("expected_bits", mismatch.expected_bits);
  json.set("absolute", mismatch.absolute).set("relative", mismatch.relative);
  if (mismatch.ulp) json.set("ulp", json_integer(*mismatch.ulp));
  return json;
}

Json summary_json(const ErrorSummary& summary) {
  return Json().set("max", summary.max).set("mean", summary.mean).set("count", summary.count);
}

}  // namespace

Json comparison_json(const Comparison& comparison, const Tolerance& tolerance) {
  Json json, histogram;
  json.set("equal", comparison.equal()).set("rule", to_text(tolerance));
  if (!comparison.reason.empty()) json.set("reason", comparison.reason);
  json.set("count", comparison.count).set("mismatches", comparison.mismatches).set("bit_equal", comparison.bit_equal);
  json.set("within_one_ulp", comparison.within_one_ulp).set("max_ulp", json_integer(comparison.max_ulp));
  json.set("absolute", summary_json(comparison.absolute)).set("relative", summary_json(comparison.relative));
  json.set("ulp", summary_json(comparison.ulp));
  for (size_t bin = 0; bin < comparison.histogram.bins.size(); ++bin)
    if (comparison.histogram.bins[bin] != 0) histogram.set(UlpHistogram::label(bin), comparison.histogram.bins[bin]);
  json.set("histogram", histogram).set("where", comparison.where);
  if (comparison.bound_ratio) json.set("bound_ratio", *comparison.bound_ratio);
  if (comparison.without_bound > 0)
    json.set("without_bound", comparison.without_bound).set("first_without_bound", comparison.first_without_bound);
  if (comparison.first) json.set("first", mismatch_json(*comparison.first));
  if (comparison.worst) json.set("worst", mismatch_json(*comparison.worst));
  if (!comparison.worst_mismatches.empty()) json.set("worst_mismatches", comparison.worst_mismatches, mismatch_json);
  return json;
}

}  // namespace opref::report
