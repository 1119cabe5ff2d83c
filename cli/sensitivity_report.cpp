// SPDX-License-Identifier: Apache-2.0
#include "cli/sensitivity_report.h"

#include <vector>

#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "compare/compare.h"
#include "run/load_inputs.h"
#include "system/deadline.h"

namespace opref::cli {

std::string percent_text(double share) {
  const double percent = share * 100;
  constexpr double kMost = 1e6;
  return percent > kMost ? "more than 1000000 %" : format("{} %", short_number(percent));
}

Json non_finite_json(const NonFinite& found) {
  Json json, inputs;
  for (const NonFinite::Read& read : found.inputs) inputs.set(read.name, read.greatest);
  json.set("node", found.node).set("op_type", found.op_type).set("place", found.place);
  json.set("output", found.output).set("index", found.index).set("value", found.value);
  return std::move(json.set("dtype", name(found.dtype)).set("inputs", std::move(inputs)));
}

namespace {

std::string changes_text(const OutputSpread& output) {
  return output.changed == 0 ? "no element changes"
                             : format("{} of {} change", output.changed, counted(output.count, "element"));
}

std::string spread_text(const OutputSpread& output, int runs) {
  if (!output.is_numeric) return changes_text(output);
  std::string text = output.spread == 0
                         ? "spread 0"
                         : format("spread {} of its rms, greatest difference {} at {}", short_number(output.relative()),
                                  short_number(output.greatest), output.at);
  if (is_integer(output.type.dtype())) text += ", " + changes_text(output);
  if (output.lost > 0)
    text +=
        format(", {} {} Inf or NaN in some run only", counted(output.lost, "element"), output.lost == 1 ? "is" : "are");
  return format("{} ({})", text, counted(runs, "run"));
}

std::vector<std::string> sensitivity_lines(const Sensitivity& sensitivity, int runs) {
  std::vector<std::string> lines;
  for (const OutputSpread& output : sensitivity.outputs) {
    lines.push_back(format("{}: {}", printable(output.name), spread_text(output, runs)));
    if (output.changes_type) lines.emplace_back("  noise changes its shape; such runs do not count");
    if (output.amplifies())
      lines.push_back("  amplifies rounding: outputs of right backends may differ by " +
                      percent_text(output.relative()));
    for (const Amplifier& node : output.amplifiers)
      lines.push_back(format("  {} ({}) amplifies {} times", printable(node.node), printable(node.op_type),
                             short_number(node.factor)));
  }
  if (sensitivity.non_finite) lines.push_back(to_text(*sensitivity.non_finite));
  return lines;
}

Json sensitivity_json(const Sensitivity& sensitivity, int runs) {
  Json json, outputs;
  for (const OutputSpread& output : sensitivity.outputs) {
    Json one;
    one.set("type", to_text(output.type)).set("count", output.count).set("changed", output.changed);
    one.set("changes_type", output.changes_type).set("lost", output.lost);
    if (output.is_numeric) {
      one.set("rms", output.rms).set("spread", output.spread).set("relative", output.relative());
      one.set("greatest", output.greatest).set("at", output.at).set("amplifies", output.amplifies());
    }
    one.set("nodes", output.amplifiers, [](const Amplifier& node) {
      return std::move(Json()
                           .set("name", node.node)
                           .set("op_type", node.op_type)
                           .set("place", node.place)
                           .set("factor", node.factor));
    });
    outputs.set(output.name, std::move(one));
  }
  json.set("runs", runs).set("outputs", std::move(outputs));
  if (sensitivity.non_finite) json.set("non_finite", non_finite_json(*sensitivity.non_finite));
  return json;
}

}  // namespace

int run_sensitivity(Bound bound, int runs, std::optional<double> timeout, bool json) {
  Progress progress(bound.graph.nodes.size() * static_cast<size_t>(runs + 1), "nodes");
  const Sensitivity sensitivity = in_given_time(timeout, "evaluated", [&] {
    std::vector<std::string> warnings;
    Environment given = load_inputs(bound, bound.options, warnings);
    for (const std::string& warning : warnings) warn(warning);
    SensitivityOptions options{.runs = runs};
    options.after_node = [&progress] { progress.advance(); };
    return with_accepted_outputs(bound, given, nullptr,
                                 [&] { return sensitivity_of(bound.graph, given, bound.options, options); });
  });
  progress.erase();
  if (json)
    print(document("run").set("sensitivity", sensitivity_json(sensitivity, runs)).text());
  else
    for (const std::string& line : sensitivity_lines(sensitivity, runs))
      print(wrapped(line, line.find_first_not_of(' ') + 2) + "\n");
  return 0;
}

}  // namespace opref::cli
