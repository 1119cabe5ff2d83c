// SPDX-License-Identifier: Apache-2.0
#include "report/report_json.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "core/error.h"
#include "io/folder_testing.h"
#include "io/json/parse.h"
#include "io/json/tree.h"
#include "report/report_testing.h"

using namespace opref::report;
using Catch::Contains;

namespace {

/// `text` with the one occurrence of `from` replaced.
std::string with(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

void refuses(const std::string& text, Fault fault, const std::string& message) {
  INFO(message);
  try {
    read_plain(text, "r.json");
    FAIL("it is read");
  } catch (const Error& error) {
    CHECK(error.fault() == fault);
    CHECK_THAT(error.message(), Contains(message));
    CHECK(error.places() == std::vector<std::string>{"in r.json"});
  }
}

void collect_keys(const JsonValue& value, std::set<std::string>& keys) {
  for (const JsonValue item : value) {
    if (value.kind() == JsonKind::object) keys.insert(std::string(item.key()));
    if (value.kind() == JsonKind::object && item.key() == "histogram") continue;  // its keys are a pattern
    collect_keys(item, keys);
  }
}

}  // namespace

TEST_CASE("report: what is written comes back", "[report]") {
  const PlainReport report = full_report();
  const PlainReport back = read_plain(text_of(json_document, report), "r.json");
  CHECK(text_of(json_document, back) == text_of(json_document, report));
  // Not through report_json, so that a member that it forgot would be seen.
  CHECK(back.opref == "0.1.0");
  CHECK(back.backend == report.backend);
  CHECK(back.rule == "4 ULP");
  CHECK(back.started == "2026-11-21T10:00:00Z");
  CHECK((back.shard == 2 && back.shards == 3));
  CHECK((back.all_count == 5 && back.all_sha256 == report.all_sha256 && back.all_sha256.size() == 64));
  CHECK(back.missing == std::vector<std::string>{"e"});
  CHECK((back.commit == "0123456789ab" && back.options == "--timeout 5"));
  REQUIRE(back.cases.size() == 2);
  const CaseRecord& failing = back.cases[0];
  CHECK((failing.name == "b" && failing.path == "cases/b.json" && failing.reason == "it is b"));
  CHECK((failing.verdict == Verdict::fail && back.cases[1].verdict == Verdict::error));
  CHECK((failing.domain == "ai.onnx" && failing.op_type == "LpPool" && failing.dtype == "float32"));
  CHECK((failing.since_version == 18 && failing.opset == 20 && failing.seconds == 0.25));
  CHECK((failing.attributes == report.cases[0].attributes && failing.inputs == report.cases[0].inputs));
  CHECK((failing.causes == report.cases[0].causes && failing.within == report.cases[0].within));
  CHECK((failing.unexplained && failing.cause == report.cases[0].cause));
  CHECK((back.causes == report.causes && back.seconds == 1.5 && !back.complete));
  CHECK((failing.warnings == report.cases[0].warnings && failing.explained_by == report.cases[0].explained_by));
  CHECK((failing.stderr_tail == "line 1\nline 2\n" && failing.advice == "What to do." &&
         failing.repeat == report.cases[0].repeat));
  CHECK((failing.files == "00ff" && !failing.transient && back.cases[1].transient));
  CHECK((!failing.internal && back.cases[1].internal));
  REQUIRE(failing.readings.size() == 1);
  const ReadingRecord& reading = failing.readings[0];
  CHECK((reading.name == "lp_pool.nan" && reading.in_force == "auto" && reading.stands_for == "keep"));
  CHECK((reading.selected && reading.others == std::vector<std::string>{"skip"}));
  CHECK(reading.possible == std::vector<std::string>{"count"});
  REQUIRE(failing.outputs.size() == 1);
  const OutputRecord& output = failing.outputs[0];
  CHECK((output.name == "Y" && output.type == "float32[2,2,3]" && output.rule == "exact"));
  CHECK(output.description == "  2 of 12 elements differ (exact)\n  both mismatches have n == 1");
  const Comparison& comparison = output.comparison;
  CHECK((comparison.count == 12 && comparison.mismatches == 2 && comparison.bit_equal == 9));
  CHECK((comparison.within_one_ulp == 10 && comparison.max_ulp == 18437736874454810623u));
  CHECK(back.cases[1].outputs[0].comparison.reason == "the shape is [2], but [1] is expected");
  REQUIRE((comparison.first && comparison.worst && comparison.worst_mismatches.size() == 2));
  CHECK((comparison.first->place == "sequence element 1" && comparison.first->index == Dims{1, 0, 2}));
  CHECK((comparison.first->actual == "2" && comparison.first->expected == "1"));
  CHECK((comparison.first->actual_bits == "0x40000000" && comparison.first->expected_bits == "0x3f800000"));
  CHECK((comparison.first->absolute == 1 && comparison.first->relative == 1 && comparison.first->ulp == 8388608));
  CHECK((std::isinf(comparison.worst->absolute) && !comparison.worst->ulp));
  CHECK((comparison.absolute.max == 1 && comparison.absolute.mean == 0.125 && comparison.absolute.count == 11));
  CHECK((comparison.relative.max == 2 && comparison.relative.mean == 0.25 && comparison.relative.count == 10));
  CHECK((comparison.ulp.max == 1.8e19 && comparison.ulp.mean == 1e18 && comparison.ulp.count == 9));
  CHECK(comparison.histogram.bins == failing_output().comparison.histogram.bins);
  CHECK(comparison.where == std::vector<std::string>{"both mismatches have n == 1"});
  CHECK((comparison.bound_ratio == 3.5 && comparison.without_bound == 3));
  CHECK((comparison.bound_accumulator == DType::float32 && comparison.bound_median == 0.125));
  CHECK(comparison.bound_histogram.bins == std::array<std::int64_t, 5>{9, 1, 0, 1, 1});
  CHECK((comparison.first->share == 4 && comparison.first->allowed == 0.25));
  CHECK((comparison.bound_class == BoundClass::absolute && comparison.accurate_ratio == 700));
  CHECK(comparison.first_without_bound == std::vector<Dims>{{0, 0, 1}, {1, 1, 2}});
  REQUIRE(output.errors);
  CHECK((output.errors->outer == Dims{2} && output.errors->rows == 2 && output.errors->columns == 3));
  CHECK((output.errors->row_step == 1 && output.errors->column_step == 1 && output.errors->planes == 1));
  CHECK(output.errors->plane_indices == std::vector<std::int64_t>{1});
  CHECK(output.errors->cells == failing_output().errors->cells);
}

TEST_CASE("report: any bytes in names and texts are valid JSON", "[report]") {
  PlainReport report = full_report();
  report.cases[0].name = "a quote\" back\\ tab\t null" + std::string(1, '\0') + " </script> \xe2\x80\xa8 \xff";
  const PlainReport back = read_plain(text_of(json_document, report), "r.json");
  std::string expected = report.cases[0].name;
  expected.replace(expected.size() - 1, 1, "\xef\xbf\xbd");
  CHECK(back.cases[0].name == expected);
}

TEST_CASE("report: other documents and damaged ones are refused with their place", "[report]") {
  const std::string good = text_of(json_document, full_report());
  refuses("{", Fault::malformed, "line 1");
  refuses("", Fault::malformed, "line 1");
  refuses(R"({"op_type": "LpPool"})", Fault::malformed, "no report");
  refuses("[]", Fault::malformed, "no report");
  refuses(good.substr(0, good.size() / 2), Fault::malformed, "line ");
  refuses(with(good, R"("report_format": 3)", R"("report_format": 4)"), Fault::unsupported,
          "the report has format 4, but this opref reads format 3");
  refuses(with(good, R"("report_format": 3)", R"("report_format": 2)"), Fault::unsupported,
          "the report has format 2, of an older opref; this one reads format 3: judge the cases again");
  refuses(with(good, R"("report_format": 3,)", ""), Fault::malformed, "it has no 'report_format' before its cases");
  refuses(with(good, R"("report_format": 3)", R"("report_format": "3")"), Fault::malformed, "'report_format'");
  refuses(with(good, R"("verdict": "fail","reason")", R"("verdict": "fial","reason")"), Fault::malformed,
          "'cases[0].verdict' is 'fial', which is no verdict, did you mean 'fail'?");
  refuses(with(good, R"("opset": 20)", R"("opsett": 20)"), Fault::malformed,
          "unknown key 'cases[0].opsett', did you mean 'opset'?");
  refuses(with(good, R"("opset": 20)", R"("opset": -1)"), Fault::malformed, "'cases[0].opset' is -1");
  refuses(with(good, R"("seconds": 0.25)", R"("seconds": "soon")"), Fault::malformed, "'cases[0].seconds'");
  refuses(with(good, R"("shard": 2)", R"("shard": 4)"), Fault::malformed, "'shard' is 4, but must be from 1 to 3");
  refuses(with(good, R"("shard": 2)", R"("shard": 9999999999)"), Fault::malformed, "'shard'");
  refuses(with(good, R"({"name": "d")", R"({"name": "a")"), Fault::malformed,
          "'cases' is not sorted: 'b' stands before 'a'");
  refuses(with(good, "\n  ]\n}\n", "\n  ]\n"), Fault::malformed, "line ");
  refuses(good + "x", Fault::malformed, "expected end of input");
  refuses(with(good, R"("shard": 2,)", R"("shard": 2, "shard": 2,)"), Fault::malformed, "'shard' is there twice");
  refuses(with(good, R"("fail": 1)", R"("fail": 0)"), Fault::malformed,
          "'summary.fail' is 0, but of the cases it is 1");
  refuses(with(good, R"("fail": 1,)", ""), Fault::malformed, "'summary.fail' is 0, but of the cases it is 1");
  refuses(with(good, R"("skip": 0)", R"("skip": 0, "skipped": 0)"), Fault::malformed, "unknown key 'summary.skipped'");
  refuses(with(good, R"("selected": true)", R"("selected": 1)"), Fault::malformed, "'cases[0].readings[0].selected'");
  refuses(with(good, R"("none": 1)", R"("nan": 1)"), Fault::malformed, "histogram.nan' is no bin");
  refuses(with(good, R"(["p", "2"])", R"(["p"])"), Fault::malformed, "'cases[0].attributes[1]'");
}

TEST_CASE("report: an error map whose numbers do not fit is refused", "[report]") {
  const std::string good = text_of(json_document, full_report());
  refuses(with(good, R"("rows": 2)", R"("rows": 3)"), Fault::malformed, "has 6 cells and 1 plane_indices");
  refuses(with(good, R"("rows": 2)", R"("rows": 9223372036854775807)"), Fault::malformed, "are shown");
  refuses(with(good, R"("columns": 3)", R"("columns": 129)"), Fault::malformed, "are shown");
  refuses(with(good, R"("planes": 1)", R"("planes": 33)"), Fault::malformed, "are shown");
  refuses(with(good, R"("row_step": 1)", R"("row_step": 0)"), Fault::malformed, "a step is 0");
  refuses(with(good, R"("plane_indices": [1])", R"("plane_indices": [2])"), Fault::malformed,
          "shows plane 2, but the tensor has 2");
  refuses(with(good, R"("plane_indices": [1])", R"("plane_indices": [])"), Fault::malformed, "0 plane_indices");
  const std::string cells = R"("cells": "AAGYwQAA")";
  refuses(with(good, cells, R"("cells": "AAGYwQA")"), Fault::malformed, "it is no base64");
  refuses(with(good, cells, R"("cells": "AAGYwQBC")"), Fault::malformed, "has a cell 66");
}

TEST_CASE("report: files", "[report]") {
  const TemporaryFolder folder;
  write_document(json_document, stored(full_report()), folder / "r.json");
  CHECK(content_of(folder / "r.json") == text_of(json_document, full_report()));
  CheckReport back;
  static_cast<RunRecord&>(back) = read_report(folder / "r.json", back.cases);
  CHECK(text_of(json_document, back) == text_of(json_document, full_report()));
  CHECK_THROWS_AS(read_report(folder / "none.json", back.cases), Error);
}

TEST_CASE("report: the schema names every key that is written", "[report]") {
  std::set<std::string> written, described;
  const Json document = parse_json(text_of(json_document, full_report()));
  collect_keys(document.root(), written);
  const Json schema = parse_json(content_of(OPREF_SOURCE_DIR "/cli/help/report-schema.json"));
  collect_keys(schema.root(), described);
  for (const std::string& key : written) {
    INFO(key);
    CHECK(described.contains(key));
  }
}
