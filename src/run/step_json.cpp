// SPDX-License-Identifier: Apache-2.0
#include "run/step_json.h"

namespace opref::run {

Json node_json(const Step& step, std::int64_t most_elements) {
  Json node, attributes, resolved, inputs, outputs;
  for (const auto& [attribute, value] : step.call.attributes()) {
    const auto* tensor = std::get_if<Tensor>(&value.value);
    if (tensor != nullptr && tensor->count() > most_elements)
      attributes.set(attribute, type_json(tensor->type()));
    else
      attributes.set(attribute, value);
  }
  for (const Note& note : step.notes)
    if (note.level == Note::Level::resolved) resolved.set(note.subject, note.text);
  for (const Input& input : step.call.inputs())
    if (!input.name.empty()) inputs.set(input.name, type_json(input.type));
  for (size_t i = 0; i < step.types.size() && i < step.node->outputs.size(); ++i)
    outputs.set(step.node->outputs[i], type_json(step.types[i]));
  node.set("op_type", step.node->op_type).set("domain", step.call.op().domain()).set("opset", step.opset);
  node.set("since_version", step.call.version());
  node.set("attributes", std::move(attributes)).set("resolved", std::move(resolved));
  node.set("inputs", std::move(inputs)).set("outputs", std::move(outputs));
  return node;
}

Json reading_json(const ReadingReport& report) {
  Json reading;
  reading.set("name", report.name).set("in_force", report.in_force);
  if (!report.stands_for.empty()) reading.set("stands_for", report.stands_for);
  return std::move(reading.set("others", report.others));
}

}  // namespace opref::run
