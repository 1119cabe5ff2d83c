// SPDX-License-Identifier: Apache-2.0
#include "report/report_json.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/error.h"
#include "io/json/fields.h"
#include "io/json/parse.h"
#include "report/record_json.h"
#include "system/file.h"

namespace opref::report {
namespace {

void require_readable_format(const JsonValue& format) {
  const std::int64_t number = integer_of(format, 1);
  if (number > RunRecord::kFormat)
    fail(Fault::unsupported, "the report has format {}, but this opref reads format {}", number, RunRecord::kFormat);
  if (number < RunRecord::kFormat)
    fail(Fault::unsupported,
         "the report has format {}, of an older opref; this one reads format {}: judge the cases again", number,
         RunRecord::kFormat);
}

/// A summary that says something else than the cases is no work of this program.
void require_summary(const ReadRun& read, const RecordStore& cases, std::size_t begin) {
  if (!read.counts) return;
  VerdictCounts counts;
  for (std::size_t i = begin; i < cases.size(); ++i) ++counts[cases.verdict(i)];
  for (const Verdict verdict : kVerdicts)
    if (const auto stated = (*read.counts)[verdict]; stated != counts[verdict])
      fail(Fault::malformed, "'summary.{}' is {}, but of the cases it is {}", name(verdict), stated, counts[verdict]);
}

RunRecord read_text(JsonText text, RecordStore& cases) {
  constexpr std::string_view kNoReport = "this is no report of 'opref check'";
  const std::size_t begin = cases.size();
  if (!text.is_object()) fail(Fault::malformed, kGiveReport, "line 1, column 1: {}: it is no JSON object", kNoReport);
  bool knows_format = false;
  std::string last;
  const auto read_format = [&](const JsonValue& document, std::string_view without) {
    const auto format = document.find(kFormatKey);
    if (!format) fail(Fault::malformed, kGiveReport, "{}: {}", kNoReport, without);
    require_readable_format(*format);
    knows_format = true;
  };
  const Json others = parse_json(text, kCasesKey, [&](const JsonValue& document, const JsonValue& item) {
    if (!knows_format) read_format(document, format("it has no '{}' before its cases", kFormatKey));
    const CaseRecord record = read_record(item);
    if (record.name < last)
      fail(Fault::malformed, "'{}' is not sorted: '{}' stands before '{}'", kCasesKey, printable(last),
           printable(record.name));
    last = record.name;
    cases.add(record);
  });
  read_format(others.root(), format("the document has no '{}'", kFormatKey));
  const ReadRun read = read_run(others.root());
  require_summary(read, cases, begin);
  return read.run;
}

}  // namespace

void json_document_of(const RunRecord& run, const VerdictCounts& counts, std::size_t cases,
                      const std::function<CaseRecord(std::size_t)>& record, const Sink& sink) {
  std::string text = run_json(run, counts).text();
  text.resize(text.rfind('\n', text.size() - 2));  // "\n}\n"
  sink(text + ",\n  \"" + std::string(kCasesKey) + "\": [");
  for (std::size_t i = 0; i < cases; ++i) sink((i == 0 ? "\n    " : ",\n    ") + record_json(record(i)).root().line());
  sink(cases == 0 ? "]\n}\n" : "\n  ]\n}\n");
}

void json_document(const CheckReport& report, const Sink& sink) {
  json_document_of(
      report, report.cases.tally().verdicts, report.cases.size(), [&](std::size_t i) { return report.cases.at(i); },
      sink);
}

void write_document(Document document, const CheckReport& report, const std::filesystem::path& path) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  FileWriter file(path);
  std::string piece;
  document(report, [&](std::string_view text) {
    piece += text;
    if (piece.size() < kPiece) return;
    file.write(piece);
    piece.clear();
  });
  file.write(piece);
  file.commit(Sync::yes);
}

RunRecord read_report(const ByteSource& source, std::string_view origin, RecordStore& cases) {
  return at_place([&] { return "in " + printable(origin); }, [&] { return read_text(JsonText(source), cases); });
}

RunRecord read_report(const std::filesystem::path& path, RecordStore& cases) {
  FileReader file(path);
  return read_report([&](std::span<char> to) { return file.read(to); }, shown(path), cases);
}

bool is_report(const std::filesystem::path& path) {
  if (!is_file(path)) return false;
  std::array<char, 64> start{};
  const std::size_t size = FileReader(path).read(start);
  return std::string_view(start.data(), size).find(format("\"{}\"", kFormatKey)) != std::string_view::npos;
}

}  // namespace opref::report
