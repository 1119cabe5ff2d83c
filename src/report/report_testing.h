// SPDX-License-Identifier: Apache-2.0
// Reports made by hand for tests of what is written from them.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/report_json.h"

namespace opref::report {

inline OutputRecord failing_output() {
  OutputRecord output{
      .name = "Y", .type = "float32[2,2,3]", .rule = "exact", .comparison = {}, .description = "", .errors = {}};
  const Mismatch off{.place = "",
                     .index = {1, 0, 2},
                     .actual = "2",
                     .expected = "1",
                     .actual_bits = "0x40000000",
                     .expected_bits = "0x3f800000",
                     .absolute = 1,
                     .relative = 1,
                     .ulp = 8388608,
                     .allowed = 0.25,
                     .share = 4};
  Mismatch nan = off;
  nan.index = {1, 1, 0};
  nan.actual = "NaN";
  nan.absolute = nan.relative = std::numeric_limits<double>::infinity();
  nan.ulp.reset();
  nan.allowed.reset();
  nan.share = std::numeric_limits<double>::infinity();
  output.description = "  2 of 12 elements differ (exact)\n  both mismatches have n == 1";
  output.comparison.count = 12;
  output.comparison.mismatches = 2;
  output.comparison.bit_equal = 9;
  output.comparison.within_one_ulp = 10;
  output.comparison.max_ulp = 18437736874454810623u;  // from the lowest to the largest float64
  output.comparison.first = off;
  output.comparison.worst = nan;
  output.comparison.worst_mismatches = {nan, off};
  output.comparison.absolute = {1, 0.125, 11};
  output.comparison.relative = {2, 0.25, 10};
  output.comparison.ulp = {1.8e19, 1e18, 9};
  output.comparison.histogram.bins[0] = 9;
  output.comparison.histogram.bins[1] = 1;
  output.comparison.histogram.bins[24] = 1;
  output.comparison.histogram.bins[UlpHistogram::kNoDistance] = 1;
  output.comparison.bound_accumulator = DType::float32;
  output.comparison.bound_ratio = 3.5;
  output.comparison.bound_median = 0.125;
  output.comparison.bound_histogram.bins = {9, 1, 0, 1, 1};
  output.comparison.bound_class = BoundClass::absolute;
  output.comparison.accurate_ratio = 700;
  output.comparison.without_bound = 3;
  output.comparison.first_without_bound = {{0, 0, 1}, {1, 1, 2}};
  output.comparison.where = {"both mismatches have n == 1"};
  output.errors = ErrorMap{.outer = {2},
                           .rows = 2,
                           .columns = 3,
                           .row_step = 1,
                           .column_step = 1,
                           .planes = 1,
                           .plane_indices = {1},
                           .cells = {0, 1, 128 + 24, 128 + 65, 0, 0}};
  return output;
}

inline CaseRecord named_case(std::string name, Verdict verdict) {
  CaseRecord record;
  record.path = "cases/" + name + ".json";
  record.name = std::move(name);
  record.verdict = verdict;
  record.domain = "ai.onnx";
  record.op_type = "LpPool";
  record.since_version = 18;
  record.opset = 20;
  record.dtype = "float32";
  record.seconds = 0.25;
  if (verdict != Verdict::pass) record.reason = "it is " + record.name;
  return record;
}

/// A report whose cases can be changed.
struct PlainReport : RunRecord {
  std::vector<CaseRecord> cases;
};

inline CheckReport stored(const PlainReport& plain) {
  CheckReport report{plain, {}};
  for (const CaseRecord& record : plain.cases) report.cases.add(record);
  return report;
}

inline PlainReport plain(const CheckReport& report) {
  PlainReport plain{report, {}};
  for (std::size_t i = 0; i < report.cases.size(); ++i) plain.cases.push_back(report.cases.at(i));
  return plain;
}

inline std::string text_of(Document document, const CheckReport& report) {
  std::string text;
  document(report, [&](std::string_view part) { text += part; });
  return text;
}
inline std::string text_of(Document document, const PlainReport& plain) { return text_of(document, stored(plain)); }

inline PlainReport read_plain(std::string_view text, std::string_view origin) {
  CheckReport report;
  static_cast<RunRecord&>(report) = read_report(bytes_of(text), origin, report.cases);
  return plain(report);
}

/// These are the cases of all shards.
inline void set_names(RunRecord& run, const std::vector<std::string>& names) {
  NamesDigest digest;
  for (const std::string& name : names) digest.add(name);
  run.all_count = digest.count();
  run.all_sha256 = digest.finish();
}

/// Every member has another than its default value in one case or the other.
inline PlainReport full_report() {
  PlainReport report;
  report.opref = "0.1.0";
  report.commit = "0123456789ab";
  report.options = "--timeout 5";
  report.backend = "runner ./board {model}";
  report.rule = "4 ULP";
  report.started = "2026-11-21T10:00:00Z";
  report.seconds = 1.5;
  report.complete = false;
  report.causes = {
      {Verdict::fail, 1, "mistake float32 accumulation in order", "it adds in float32", "a.b", "b", "^b$"}};
  report.shard = 2;
  report.shards = 3;
  set_names(report, {"a", "b", "c", "d", "e"});
  report.missing = {"e"};
  report.baseline = Baseline{"old.json",
                             {"the rule is exact, was 4 ULP"},
                             3,
                             {{Change::other_share, "b", CaseState{Verdict::fail, "A", 2.5}, CaseState{Verdict::pass}},
                              {Change::gone, "f", CaseState{Verdict::pass}, {}}}};
  CaseRecord failing = named_case("b", Verdict::fail);
  failing.attributes = {{"kernel_shape", "[2,2]"}, {"p", "2"}};
  failing.inputs = {{"X", "float32[2,4,6]"}, {"X", "twice"}};
  failing.values = {{"X", "[1,2]"}};
  failing.outputs = {failing_output()};
  failing.outputs[0].comparison.first->place = "sequence element 1";
  failing.readings = {{"lp_pool.nan", "auto", "keep", true, {"skip"}, {"count"}}};
  failing.warnings = {"one", "two"};
  failing.explained_by = "mistake float32 accumulation in order (rtol 0.001, atol 0)";
  failing.causes = {{"mistake float32 accumulation in order", "it adds in float32", "a.b"}};
  failing.within = "rtol 0.001, atol 0";
  failing.unexplained = true;
  failing.cause = failing.causes[0].name;
  failing.stderr_tail = "line 1\nline 2\n";
  failing.advice = "What to do.";
  failing.repeat = "opref run cases/b.json --expect-case";
  failing.files = "00ff";
  CaseRecord refused = named_case("d", Verdict::error);
  refused.transient = refused.internal = true;
  refused.outputs = {
      {.name = "Y", .type = "float32[1]", .rule = "exact", .comparison = {}, .description = "", .errors = {}}};
  refused.outputs[0].description = "  the shape is [2], but [1] is expected";
  refused.outputs[0].comparison.reason = "the shape is [2], but [1] is expected";
  report.cases = {std::move(failing), std::move(refused)};
  return report;
}

}  // namespace opref::report
