// SPDX-License-Identifier: Apache-2.0
#include "check/record.h"

#include <algorithm>

#include "compare/error_map.h"
#include "core/error.h"
#include "ops/operators.h"
#include "run/attributes.h"
#include "run/version.h"

namespace opref::check {
namespace {

/// The first floating one, else the first.
template <class Types>
std::string main_dtype(const Types& types) {
  const auto floating = std::ranges::find_if(types, [](DType dtype) { return info(dtype).kind == Kind::floating; });
  if (floating != types.end()) return std::string(name(*floating));
  return types.empty() ? "" : std::string(name(types.front()));
}

std::string type_text(const Value& value) { return to_text(type_of(value)); }

}  // namespace

void describe_node(CaseRecord& record, const ReadyCase& ready) {
  const Graph& graph = ready.bound.graph;
  if (graph.nodes.empty()) return;
  const Node& node = graph.nodes.front();
  const std::string_view domain = canonical_domain(node.domain);
  record.domain = domain.empty() ? "ai.onnx" : domain;
  record.op_type = node.op_type;
  if (const auto opset = graph.opset_import.find(domain); opset != graph.opset_import.end())
    record.opset = opset->second;
  if (const auto version = find_version(graph.opset_import, node); version && record.opset > 0)
    record.since_version = version->schema.since_version();
  for (const Attribute& attribute : node.attributes)
    record.attributes.emplace_back(attribute.name, attribute_text(attribute));
  std::vector<DType> types;
  for (const ValueInfo& input : graph.inputs) {
    record.inputs.emplace_back(input.name, input.dtype ? to_text(input) : input.type_text);
    if (input.dtype) types.push_back(*input.dtype);
  }
  for (const ValueInfo& output : graph.outputs)
    if (output.dtype) types.push_back(*output.dtype);
  record.dtype = main_dtype(types);
}

void describe_steps(CaseRecord& record, const std::vector<Step>& steps, const std::vector<std::string>& warnings) {
  record.warnings = warnings;
  for (const Step& step : steps)
    for (const Note& note : step.notes)
      if (note.level == Note::Level::warning) record.warnings.push_back(format("{}: {}", note.subject, note.text));
  if (steps.empty()) return;
  const Step& step = steps.front();
  record.opset = step.opset;
  record.since_version = step.call.version();
  record.attributes.clear();
  for (const auto& [name, value] : step.call.attributes()) record.attributes.emplace_back(name, to_text(value));
  for (const Note& note : step.notes) {
    if (note.level != Note::Level::resolved) continue;
    const auto stated = std::ranges::find(record.attributes, note.subject, &std::pair<std::string, std::string>::first);
    if (stated == record.attributes.end())
      record.attributes.emplace_back(note.subject, note.text);
    else
      stated->second = note.text;
  }
  std::ranges::sort(record.attributes);
  record.inputs.clear();
  std::vector<DType> types;
  for (const Input& input : step.call.inputs()) {
    if (input.name.empty()) continue;
    record.inputs.emplace_back(input.name, to_text(input.type));
    types.push_back(input.type.dtype());
  }
  for (const ValueType& type : step.types) types.push_back(type.dtype());
  record.dtype = main_dtype(types);
}

void describe_readings(CaseRecord& record, const std::vector<Step>& steps) {
  const auto texts = [](const std::vector<std::string_view>& names) {
    return std::vector<std::string>(names.begin(), names.end());
  };
  for (const Step& step : steps)
    for (const ReadingReport& report : step.readings)
      record.readings.push_back({std::string(report.name), std::string(report.in_force), std::string(report.stands_for),
                                 report.selected, texts(report.others), texts(report.possible)});
}

void describe_causes(CaseRecord& record, const explain::Explanation& explanation) {
  record.within = explanation.within;
  record.doubt = explanation.doubt;
  for (const explain::Cause& cause : explanation.causes)
    record.causes.push_back({cause.name, cause.meaning, cause.link});
  record.unexplained = explanation.causes.empty() && explanation.complete;
  if (!record.causes.empty()) record.explained_by = report::explained_text(record.causes.front().name, record);
}

OutputRecord record_output(const OutputReport& output) {
  OutputRecord record;
  record.name = output.name;
  record.type = type_text(output.expected);
  record.rule = to_text(output.tolerance);
  record.comparison = output.comparison;
  if (output.comparison.equal()) return record;
  record.description = describe(output.comparison, output.tolerance);
  const Tensor *actual = output.actual.tensor(), *expected = output.expected.tensor();
  if (actual != nullptr && expected != nullptr)
    record.errors = error_map(*actual, *expected, output.tolerance, output.comparison.out_of_bound);
  return record;
}

}  // namespace opref::check
