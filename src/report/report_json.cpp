// SPDX-License-Identifier: Apache-2.0
#include "report/report_json.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "io/json/fields.h"
#include "report/record_json.h"
#include "system/file.h"

namespace opref::report {
namespace {

constexpr std::string_view kCases = "cases";

void require_readable_format(const JsonStream::Part& part) {
  const JsonDocument document = parse_json(part.text, kMostDocumentBytes, part.origin);
  const std::int64_t number = integer_of(document.root(), 1);
  if (number > RunRecord::kFormat)
    fail(Fault::unsupported, "the report has format {}, but this opref reads format {}", number, RunRecord::kFormat);
  if (number < RunRecord::kFormat)
    fail(Fault::unsupported,
         "the report has format {}, of an older opref; this one reads format {}: judge the cases again", number,
         RunRecord::kFormat);
}

/// What a report has beside its cases, as one document.
class Members {
 public:
  void add(const JsonStream::Part& part) {
    parse_json(part.text, kMostDocumentBytes, part.origin);  // for its faults and their lines
    text_ += format("{}{}: {}", text_.empty() ? "{" : ",\n", json_string(part.key), part.text);
  }
  std::string text() const { return text_ + "}"; }

 private:
  std::string text_;
};

/// A summary that says something else than the cases is no work of this program.
void require_summary(const ReadRun& read, const RecordStore& cases, std::size_t begin) {
  if (!read.counts) return;
  VerdictCounts counts = no_verdicts();
  for (std::size_t i = begin; i < cases.size(); ++i) count(counts, cases.verdict(i));
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (const auto [verdict, number] = (*read.counts)[i]; number != counts[i].second)
      fail(Fault::malformed, "'summary.{}' is {}, but of the cases it is {}", name(verdict), number, counts[i].second);
}

RunRecord read_stream(JsonStream stream, RecordStore& cases) {
  const std::size_t begin = cases.size();
  if (!stream.is_object())
    fail(Fault::malformed, "line 1, column 1: this is no report of 'opref check': it is no JSON object");
  Members others;
  bool knows_format = false;
  std::string last;
  for (JsonStream::Part part; stream.next(part);) {
    knows_format |= part.key == kFormatKey;
    if (part.key == kFormatKey) require_readable_format(part);
    if (part.key == kCases && !knows_format)
      fail(Fault::malformed, "this is no report of 'opref check': it has no '{}' before its cases", kFormatKey);
    if (!part.is_item) {
      others.add(part);
      continue;
    }
    const CaseRecord record = read_record(part.text, part.origin);
    if (record.name < last)
      fail(Fault::malformed, "'{}' is not sorted: '{}' stands before '{}'", kCases, printable(last),
           printable(record.name));
    last = record.name;
    cases.add(record);
  }
  if (!knows_format) fail(Fault::malformed, "this is no report of 'opref check': the document has no '{}'", kFormatKey);
  const ReadRun read = read_run(others.text());
  require_summary(read, cases, begin);
  return read.run;
}

}  // namespace

void json_document_of(const RunRecord& run, const VerdictCounts& counts, std::size_t cases,
                      const std::function<std::string(std::size_t)>& line, const Sink& sink) {
  std::string text = run_text(run, counts);
  text.resize(text.rfind('\n', text.size() - 2));  // "\n}\n"
  sink(text + ",\n  \"" + std::string(kCases) + "\": [");
  for (std::size_t i = 0; i < cases; ++i) sink((i == 0 ? "\n    " : ",\n    ") + line(i));
  sink(cases == 0 ? "]\n}\n" : "\n  ]\n}\n");
}

void json_document(const CheckReport& report, const Sink& sink) {
  json_document_of(
      report, report.cases.tally().verdicts, report.cases.size(), [&](std::size_t i) { return report.cases.line(i); },
      sink);
}

RunRecord read_report(const ByteSource& source, std::string_view origin, RecordStore& cases) {
  return at_place([&] { return "in " + printable(origin); },
                  [&] { return read_stream(JsonStream(source, kCases), cases); });
}

RunRecord read_report(const std::filesystem::path& path, RecordStore& cases) {
  FileReader file(path);
  return read_report([&](std::span<char> to) { return file.read(to); }, shown(path), cases);
}

}  // namespace opref::report
