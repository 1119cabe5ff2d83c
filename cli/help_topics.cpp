// SPDX-License-Identifier: Apache-2.0
#include "cli/help_topics.h"

#include <algorithm>

#include "cli/json_schemas.h"
#include "cli/output.h"
#include "io/generate.h"
#include "io/json/json.h"
#include "ops/operators.h"
#include "report/report_json.h"

namespace opref::cli {
namespace {

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
      {"manifest-schema", "JSON Schema of golden's manifest.json", [] { return manifest_schema(); }},
      {"report-schema", "JSON Schema of reports", [] { return std::string(report_schema()); }},
      {"schema", "JSON Schema of cases and recipes", [] { return std::string(json_schema()); }},
  };
  return topics;
}

}  // namespace opref::cli
