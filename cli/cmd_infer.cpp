// opref infer
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace opref::cli {
namespace {

constexpr HelpText kHelp{
    "NODE [NAME=FILE|NAME=DTYPE[DIMS]…] [OPTIONS]",
    "  # types alone are enough where no rule asks for values\n"
    "  $ opref infer MaxUnpool -a kernel_shape=3,3 -a strides=2,2 X=float16[8,64,56,56] I=int64[8,64,56,56]\n"
    "  # the size that output_shape states; pads are then ignored\n"
    "  $ opref infer MaxUnpool --opset 11 -a kernel_shape=2 -a pads=0,1 X=float32[1,2,3] I=int64[1,2,3] "
    "'output_shape=[1,2,5]'\n"
    "  # every node of a model\n"
    "  $ opref infer /usr/share/libonnx-testdata/data/node/test_maxunpool_export_without_output_shape/model.onnx\n",
    "Computes nothing. Prints the attributes in force, the types of inputs and\n"
    "outputs, and the readings that may matter. Where a shape depends on the values\n"
    "of an input (output_shape), give that input's values.\n"};

struct Arguments {
  NodeArguments node;
  bool json = false;
};

std::string attributes_text(const Step& step) {
  std::string text;
  const auto note_on = [&step](std::string_view subject, Note::Level level) -> const Note* {
    const auto found = std::ranges::find_if(
        step.notes, [&](const Note& note) { return note.subject == subject && note.level == level; });
    return found == step.notes.end() ? nullptr : &*found;
  };
  for (const AttributeSchema& attribute : step.call.schema().attributes()) {
    const Note* resolved = note_on(attribute.name, Note::Level::resolved);
    const auto stated = step.call.attributes().find(attribute.name);
    std::string value = "absent";
    if (resolved != nullptr)
      value = resolved->text;
    else if (stated != step.call.attributes().end())
      value = to_text(stated->second);
    const Note* note = note_on(attribute.name, Note::Level::note);
    if (note != nullptr)
      value += "  (" + note->text + ")";
    else if (!step.call.stated(attribute.name) && value != "absent")
      value += "  (default)";
    text += two_columns(format("    {}", attribute.name), value, 22);
  }
  return text;
}

std::string tensors_text(const std::vector<FormalParameter>& formal, const std::vector<std::string>& names,
                         const auto& type_of) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    const std::string_view parameter = OpSchema::formal(formal, i).name;
    text +=
        two_columns(format("    {}", parameter),
                    format("{}{}", type_of(i), parameter == names[i] ? "" : format("  ({})", printable(names[i]))), 22);
  }
  return text;
}

std::string step_text(const Step& step) {
  const OpSchema& schema = step.call.schema();
  std::string text = format("{}{}, opset {}\n", step.call.title(),
                            step.node->name.empty() ? "" : format(" '{}'", printable(step.node->name)), step.opset);
  text += "  attributes\n" + attributes_text(step);
  text += "  inputs\n" + tensors_text(schema.inputs(), step.node->inputs,
                                      [&](size_t i) { return to_text(step.call.inputs()[i].type); });
  text += "  outputs\n" +
          tensors_text(schema.outputs(), step.node->outputs, [&](size_t i) { return to_text(step.types[i]); });
  for (const ReadingReport& reading : step.readings) text += two_columns("", to_text(reading), 2);
  return text;
}

int infer_node(const Arguments& arguments) {
  Bound bound = bind_case(arguments.node, read_case(arguments.node.node, arguments.node.opset));
  bound.options.max_bytes = INT64_MAX;  // nothing is computed
  bound.options.generate = false;
  return at_place([&] { return "in " + bound.read->origin; },
                  [&] {
                    std::vector<std::string> warnings;
                    Environment environment = load_inputs(bound, bound.options, warnings);
                    const std::vector<Step> steps = infer(bound.graph, environment, bound.options);
                    for (const std::string& warning : warnings) warn(warning);
                    warn_of_notes(steps);
                    if (arguments.json) {
                      JsonWriter json = document("infer");
                      json.set("nodes", nodes_json(steps));
                      print(json.text());
                    } else {
                      for (const Step& step : steps) print(step_text(step));
                    }
                    return 0;
                  });
}

}  // namespace

void add_infer(CLI::App& program) {
  add_command(program, "infer", "resolve attributes, types and shapes; compute nothing", kHelp, [](CLI::App& command) {
    const auto arguments = std::make_shared<Arguments>();
    add_node_options(command, arguments->node);
    command.add_flag("--json", arguments->json, "print one JSON document");
    set_action(command, [arguments] { return infer_node(*arguments); });
  });
}

}  // namespace opref::cli
