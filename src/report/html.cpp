// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"
#include "report/report_json.h"

namespace opref::report {
namespace {

/// The document without indentation, and so that no HTML parser sees an end of its element in it. In JSON, line ends
/// stand between values only, and these characters in strings only.
std::string script_data(std::string_view json) {
  std::string out;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i);
    if (json[i] == '\n') {
      while (i + 1 < json.size() && json[i + 1] == ' ') ++i;
    } else if (json[i] == '<' || json[i] == '>' || json[i] == '&') {
      out += json[i] == '<' ? "\\u003c" : json[i] == '>' ? "\\u003e" : "\\u0026";
    } else if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) {
      out += json[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += json[i];
    }
  }
  return out;
}

/// The places of the cases that are shown, in their order: failures and errors, what was not judged, then what passes,
/// as long as there is room.
std::vector<std::size_t> shown_cases(const RecordStore& cases) {
  std::vector<std::size_t> places;
  for (const Verdict verdict : {Verdict::fail, Verdict::error, Verdict::unsupported, Verdict::skip, Verdict::pass})
    for (std::size_t i = 0; i < cases.size() && places.size() < kMostShownCases; ++i)
      if (cases.verdict(i) == verdict) places.push_back(i);
  std::ranges::sort(places);
  return places;
}

}  // namespace

void html_document(const CheckReport& report, const Sink& sink) {
  constexpr std::string_view kPlace = "@REPORT@";
  const std::string_view page = html_template();
  const std::size_t at = page.find(kPlace);
  if (at == std::string_view::npos) fail(Fault::internal, "the page has no place for the report");
  sink(page.substr(0, at));
  const RecordStore& cases = report.cases;
  const std::vector<std::size_t> places = shown_cases(cases);
  RunRecord run = report;
  run.missing.clear();
  std::size_t cells = 0;
  const auto shown = [&](std::size_t i) {
    CaseRecord record = cases.at(places[i]);
    for (OutputRecord& output : record.outputs) {
      if (!output.errors) continue;
      cells += output.errors->cells.size();
      if (cells > kMostMapCells) output.errors.reset();
    }
    return record;
  };
  json_document_of(run, cases.tally().verdicts, places.size(), shown,
                   [&](std::string_view text) { sink(script_data(text)); });
  sink(page.substr(at + kPlace.size()));
}

}  // namespace opref::report
