// SPDX-License-Identifier: Apache-2.0
#include "check/record.h"

#include <algorithm>

#include "compare/error_map.h"
#include "core/error.h"
#include "exact/element_text.h"
#include "io/json/maps.h"
#include "ops/operators.h"
#include "run/attributes.h"
#include "run/version.h"
#include "schema/domains.h"

namespace opref::check {
namespace {

/// The types of a node's inputs and outputs, in this order.
class NodeTypes {
 public:
  explicit NodeTypes(const OpSchema* schema) : schema_(schema) {}
  void input(size_t place, const ValueType& type) {
    add(schema_ == nullptr ? nullptr : &schema_->inputs(), place, type);
  }
  void output(size_t place, const ValueType& type) {
    add(schema_ == nullptr ? nullptr : &schema_->outputs(), place, type);
  }
  /// That of a value which the node does not name.
  void other(DType dtype) { first_ = first_.value_or(dtype); }
  /// The first one that the operator leaves open, as golden cases are named by it; else the first of all.
  std::string main() const { return chosen_ ? std::string(name(*chosen_)) : first_ ? std::string(name(*first_)) : ""; }

 private:
  void add(const std::vector<FormalParameter>* formals, size_t place, const ValueType& type) {
    other(type.dtype());
    if (chosen_ || formals == nullptr || formals->empty()) return;
    if (schema_->types_of(OpSchema::formal(*formals, place)).dtypes(type.form, type.key).size() > 1)
      chosen_ = type.dtype();
  }

  const OpSchema* schema_;
  std::optional<DType> first_, chosen_;
};

/// "[[1,2],[3,4]]"; nothing of a tensor that is empty, of strings, or of more elements than a person reads.
std::string elements_text(const Tensor& tensor) {
  constexpr std::int64_t kMost = 32;
  const Dims& shape = tensor.shape();
  std::string text;
  if (tensor.count() > kMost || tensor.dtype() == DType::string) return text;
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    size_t begins = 0, ends = 0;  // how many lists begin and end here
    std::int64_t step = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
      step *= shape[axis];
      begins += i % step == 0;
      ends += (i + 1) % step == 0;
    }
    text += (i == 0 ? "" : ",") + std::string(begins, '[') + element_text(tensor, i) + std::string(ends, ']');
  }
  return text;
}

/// {"a": 0.25}; nothing of a map of more elements than a person reads.
std::string map_text(const Map& map) {
  constexpr std::int64_t kMost = 32;
  return map.keys.count() > kMost ? "" : map_json(map).root().line();
}

std::string type_text(const Value& value) { return to_text(type_of(value)); }

}  // namespace

void describe_node(CaseRecord& record, const ReadyCase& ready) {
  const Graph& graph = ready.bound.graph;
  if (graph.nodes.empty()) return;
  const Node& node = graph.nodes.front();
  const std::string_view domain = canonical_domain(node.domain);
  record.domain = domain_name(domain);
  record.op_type = node.op_type;
  if (const auto opset = graph.opset_import.find(domain); opset != graph.opset_import.end())
    record.opset = opset->second;
  const auto version = find_version(graph.opset_import, node);
  if (version && record.opset > 0) record.since_version = version->schema.since_version();
  for (const Attribute& attribute : node.attributes)
    record.attributes.emplace_back(attribute.name, attribute_text(attribute));
  NodeTypes types(version ? &version->schema : nullptr);
  for (const ValueInfo& input : graph.inputs) {
    record.inputs.emplace_back(input.name, input.dtype ? to_text(input) : input.type_text);
    const auto place = std::ranges::find(node.inputs, input.name) - node.inputs.begin();
    if (input.dtype && place < std::ssize(node.inputs))
      types.input(static_cast<size_t>(place), ValueType(input.form, *input.dtype, input.key));
    else if (input.dtype)
      types.other(*input.dtype);
  }
  for (const ValueInfo& output : graph.outputs) {
    const auto place = std::ranges::find(node.outputs, output.name) - node.outputs.begin();
    if (output.dtype && place < std::ssize(node.outputs))
      types.output(static_cast<size_t>(place), ValueType(output.form, *output.dtype, output.key));
    else if (output.dtype)
      types.other(*output.dtype);
  }
  record.dtype = types.main();
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
  record.values.clear();
  NodeTypes types(&step.call.schema());
  for (size_t i = 0; i < step.call.inputs().size(); ++i) {
    const Input& input = step.call.inputs()[i];
    if (input.name.empty()) continue;
    record.inputs.emplace_back(input.name, to_text(input.type));
    types.input(i, input.type);
    const Tensor* tensor = input.value ? input.value->tensor() : nullptr;
    if (const auto* map = input.value ? std::get_if<Map>(&*input.value) : nullptr)
      if (std::string text = map_text(*map); !text.empty()) record.values.emplace_back(input.name, std::move(text));
    if (std::string text = tensor == nullptr ? "" : elements_text(*tensor); !text.empty())
      record.values.emplace_back(input.name, std::move(text));
  }
  for (size_t i = 0; i < step.types.size(); ++i) types.output(i, step.types[i]);
  record.dtype = types.main();
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

void describe_bug(CaseRecord& record, const Error& bug) {
  record.verdict = Verdict::error;
  record.reason = "a bug in opref, please report it: " + bug.message();
  record.trouble = Trouble::bug_of_opref;
  record.internal = record.transient = true;
}

Trouble trouble_with(const Error& error, Trouble otherwise) {
  if (error.remedy() == kMoreMemory) return Trouble::memory_of_opref;
  if (error.remedy() == kMoreTime) return Trouble::time_of_opref;
  return error.fault() == Fault::internal ? Trouble::bug_of_opref : otherwise;
}

Trouble trouble_of(const Error& error) {
  const bool is_refusal = error.fault() == Fault::invalid, is_unknown = error.fault() == Fault::unsupported;
  return trouble_with(error, is_refusal   ? Trouble::invalid_case
                             : is_unknown ? Trouble::unknown_to_opref
                                          : Trouble::unreadable_case);
}

OutputRecord record_output(const OutputReport& output) {
  OutputRecord record;
  record.name = output.name;
  record.type = type_text(output.expected);
  record.rule = rule_text(output.comparison, output.tolerance);
  record.comparison = output.comparison;
  if (output.comparison.equal()) return record;
  record.description = describe(output.comparison, output.tolerance);
  const Tensor *actual = output.actual.tensor(), *expected = output.expected.tensor();
  if (actual != nullptr && expected != nullptr)
    record.errors = error_map(*actual, *expected, output.tolerance, output.comparison.out_of_bound);
  return record;
}

void add_output(CaseRecord& record, const OutputReport& output) {
  record.outputs.push_back(record_output(output));
  if (const std::string warning = below_atol_text(output.comparison); !warning.empty())
    record.warnings.push_back(format("{}: {}", output.name, warning));
}

}  // namespace opref::check
