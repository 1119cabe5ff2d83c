// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/error.h"
#include "report/causes.h"
#include "report/document.h"
#include "report/report_summary.h"

namespace opref::report {
namespace {

constexpr std::size_t kLongest = 1000;

/// Text of a cell: what Markdown or HTML would take as markup stands for itself.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : printable(text, kLongest)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else if (std::string_view("\\`*_[]()|#~!>").find(c) != std::string_view::npos)
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

/// The same in the font of code; longer texts, which nobody copies, are left out.
std::string code(std::string_view text) {
  const std::string shown = printable(text, kLongest);
  if (text.size() > kLongest) return "too long: see the JSON report";
  std::string out = "<code>";
  for (const char c : shown) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        if (std::string_view("\\`*_[]()|#~!").find(c) != std::string_view::npos)
          out += format("&#{};", static_cast<int>(c));
        else
          out += c;
    }
  }
  return out + "</code>";
}

/// A filter of many names is folded.
std::string filter_cell(const std::string& filter) {
  constexpr std::size_t kShort = 60;
  if (filter.size() <= kShort) return filter.empty() ? "" : code(filter);
  return "<details><summary>filter</summary>" + code(filter) + "</details>";
}

/// "specification" of the specifications' own pages, else "source".
std::string_view link_word(std::string_view link) {
  const std::string_view rest = link.substr(std::min(link.find("://") + 3, link.size()));
  const std::string_view host = rest.substr(0, rest.find('/'));
  const auto is_of = [&](std::string_view domain) {
    return host == domain || (host.ends_with(domain) && host[host.size() - domain.size() - 1] == '.');
  };
  return is_of("onnx.ai") || is_of("docs.openvino.ai") ? "specification" : "source";
}

std::string cause_cell(const CauseGroup& group) {
  std::string text = "**" + cell(printable(group.cause, kLongestCause)) + "**";
  if (const std::string but = restriction(group); !but.empty()) text += format(" ({})", but);
  if (!group.meaning.empty()) text += "<br>" + cell(group.meaning);
  const bool is_address = group.link.starts_with("https://") && group.link.find_first_of(" <>()|") == std::string::npos;
  if (is_address) text += format(" ([{}]({}))", link_word(group.link), group.link);
  return text;
}

std::string causes_table(const CheckReport& report) {
  std::string text = "| cases | verdict | cause | for example | filter |\n| ---: | --- | --- | --- | --- |\n";
  for (const CauseGroup& group : report.causes)
    text += format("| {} | {} | {} | {} | {} |\n", group.count, name(group.verdict), cause_cell(group),
                   code(group.example), filter_cell(group.filter));
  return text + "\n";
}

/// What differs from an earlier run.
std::string changes_section(const Baseline& baseline) {
  constexpr std::size_t kMost = 50;  // of each kind
  std::string text = format("### Compared with {}\n\n**{}**\n\n", code(baseline.file), cell(changes_text(baseline)));
  for (const std::string& difference : baseline.differences) text += format("- {}\n", cell(difference));
  if (!baseline.differences.empty()) text += "\n";
  if (baseline.changes.empty()) return text;
  text += "| change | case | |\n| --- | --- | --- |\n";
  for (const Change change : kChanges) {
    std::size_t told = 0;
    for (const CaseChange& one : baseline.changes)
      if (one.change == change && ++told <= kMost)
        text += format("| {} | {} | {} |\n", heading(change), code(one.name), cell(change_text(one)));
    if (told > kMost) text += format("| {} | … {} more | |\n", heading(change), told - kMost);
  }
  return text + "\n";
}

std::string unsupported_list(const CheckReport& report) {
  const auto& reasons = report.cases.tally().unsupported;
  if (reasons.empty()) return "";
  std::string text = "<details><summary>Unsupported</summary>\n\n";
  for (const auto& [reason, count] : reasons) text += format("- {}: {}\n", count, cell(reason));
  return text + "\n</details>\n";
}

}  // namespace

void markdown_document(const CheckReport& report, const Sink& sink) {
  std::string text = format("## opref check\n\n**{}**\n\n", summary_text(report.cases.tally().verdicts));
  text += format("judged: {}, rule: {}", report.backend.empty() ? "opref itself" : code(report.backend),
                 report.rule.empty() ? "each case's own" : cell(report.rule));
  if (report.shards > 1) text += format(", shard {} of {}", report.shard, report.shards);
  if (report.seconds > 0)
    text += format(", {} s", static_cast<double>(static_cast<std::int64_t>(report.seconds * 10)) / 10);
  text += "\n\n";
  if (!report.complete) text += "**Not complete: some cases were not judged.**\n\n";
  if (report.baseline) text += changes_section(*report.baseline);
  if (!report.causes.empty()) text += causes_table(report);
  sink(text + unsupported_list(report));
}

}  // namespace opref::report
