// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include "core/error.h"
#include "report/report_json.h"
#include "system/file.h"

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

CheckReport shown_part(const CheckReport& report) {
  CheckReport shown = report;
  shown.all_names.clear();
  std::size_t cells = 0;
  for (CaseRecord& record : shown.cases)
    for (OutputRecord& output : record.outputs) {
      if (!output.errors) continue;
      cells += output.errors->cells.size();
      if (cells > kMostMapCells) output.errors.reset();
    }
  return shown;
}

}  // namespace

std::string html_page(const CheckReport& report) {
  constexpr std::string_view kPlace = "@REPORT@";
  const std::string_view page = html_template();
  const std::size_t at = page.find(kPlace);
  if (at == std::string_view::npos) fail(Fault::internal, "the page has no place for the report");
  std::string text(page.substr(0, at));
  text += script_data(report_json(shown_part(report)));
  return text.append(page.substr(at + kPlace.size()));
}

void write_html(const CheckReport& report, const std::filesystem::path& path) {
  FileWriter file(path);
  file.write(html_page(report));
  file.commit(Sync::yes);
}

}  // namespace opref::report
