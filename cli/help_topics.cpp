// SPDX-License-Identifier: Apache-2.0
#include "cli/help_topics.h"

#include <algorithm>

#include "cli/output.h"
#include "io/generate.h"
#include "io/json/json.h"
#include "io/json/parse.h"
#include "io/json/tree.h"
#include "ops/operators.h"

namespace opref::cli {
namespace {

/// What a newcomer reads, in this order.
constexpr std::string_view kFirstTopics[] = {"formats", "comparing", "causes", "backends", "models", "golden-files"};

/// Those that operators have, each once, with their names.
std::string own_generators_text() {
  std::vector<std::pair<OwnGenerator, std::vector<std::string_view>>> all;
  for (const OperatorRow& row : operator_rows())
    for (const OwnGenerator& own : find_operator(row.domain, row.op_type)->generators()) {
      const auto same = std::ranges::find_if(
          all, [&](const auto& known) { return known.first.name == own.name && known.first.text == own.text; });
      if (same != all.end())
        same->second.push_back(row.op_type);
      else
        all.push_back({own, {row.op_type}});
    }
  std::string text;
  for (const auto& [own, operators] : all)
    text += two_columns(format("  {}", own.name), format("{} ({})", own.text, join_text(operators, ", ")), 24);
  return text;
}

std::string schema(std::string_view name) {
  return std::string(std::ranges::find(schema_files(), name, &HelpFile::name)->text);
}

/// Sets the members of `from`, but for those that only stand at the top of a schema.
void add_members(Json& to, const JsonValue& from) {
  for (const JsonValue member : from)
    if (member.key() != "$schema" && member.key() != "title" && member.key() != "$defs") to.set(member.key(), member);
}

/// Reports and comparisons are what the schema of reports says.
std::string document_schema() {
  const Json document = parse_json(schema("document-schema")), report = parse_json(schema("report-schema"));
  Json json, definitions, report_definition;
  add_members(report_definition, report.root());
  add_members(definitions, document.root().find("$defs").value());
  definitions.set("report", std::move(report_definition));
  add_members(definitions, report.root().find("$defs").value());
  for (const JsonValue member : document.root())
    if (member.key() != "$defs") json.set(member.key(), member);
  return json.set("$defs", std::move(definitions)).text();
}

}  // namespace

std::string_view HelpTopic::meaning() const {
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.substr(line.find(": ") + 2);
}

const std::vector<DataTopic>& data_topics() {
  static const std::vector<DataTopic> topics = {
      {"document-schema", "JSON Schema of what --json prints", [] { return document_schema(); }},
      {"generators", "what NAME=float32[1,3,8,8]:normal:7 can be",
       [] { return std::string(generators_text()) + own_generators_text(); }},
      {"manifest-schema", "JSON Schema of golden's manifest.json", [] { return schema("manifest-schema"); }},
      {"report-schema", "JSON Schema of reports", [] { return schema("report-schema"); }},
      {"schema", "JSON Schema of cases and recipes", [] { return schema("schema"); }},
  };
  return topics;
}

std::string_view topics_text() {
  static const std::string text = [] {
    const auto line = [](const HelpTopic& page) { return two_columns(format("  {}", page.name), page.meaning(), 19); };
    std::string lines = "Topics to start with\n";
    for (const std::string_view first : kFirstTopics)
      lines += line(*std::ranges::find(help_topics(), first, &HelpTopic::name));
    lines += "\nTopics for reference\n";
    for (const HelpTopic& page : help_topics())
      if (std::ranges::find(kFirstTopics, page.name) == std::end(kFirstTopics)) lines += line(page);
    for (const DataTopic& data : data_topics()) lines += two_columns(format("  {}", data.name), data.meaning, 19);
    return lines;
  }();
  return text;
}

}  // namespace opref::cli
