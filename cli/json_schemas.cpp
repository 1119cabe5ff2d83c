// SPDX-License-Identifier: Apache-2.0
#include "cli/json_schemas.h"

#include "io/json/json.h"
#include "io/json/tree.h"
#include "report/report_json.h"

namespace opref::cli {
namespace {

/// All members but those that only stand at the top of a schema.
JsonWriter inner_schema(const JsonValue& schema) {
  JsonWriter inner;
  for (const JsonValue member : schema)
    if (member.key() != "$schema" && member.key() != "title" && member.key() != "$defs")
      inner.set(member.key(), member);
  return inner;
}

}  // namespace

std::string document_schema() {
  const JsonDocument document = parse_json(document_schema_text()), report = parse_json(report_schema());
  JsonWriter json, definitions;
  const auto add_definitions = [&definitions](const JsonValue& schema) {
    const JsonValue all = schema.find("$defs").value();
    for (const JsonValue member : all) definitions.set(member.key(), member);
  };
  add_definitions(document.root());
  definitions.set("report", inner_schema(report.root()));
  add_definitions(report.root());
  for (const JsonValue member : document.root())
    if (member.key() != "$defs") json.set(member.key(), member);
  return json.set("$defs", std::move(definitions)).text();
}

std::string manifest_schema() { return std::string(manifest_schema_text()); }

}  // namespace opref::cli
