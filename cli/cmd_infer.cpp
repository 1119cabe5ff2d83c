// SPDX-License-Identifier: Apache-2.0
// opref infer
#include <algorithm>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/symbolic_text.h"
#include "run/attributes.h"
#include "run/files_read.h"
#include "run/graph_names.h"
#include "run/load_inputs.h"
#include "run/survey.h"
#include "run/taken_branches.h"
#include "run/version.h"
#include "symbols/declared.h"
#include "symbols/open_inputs.h"
#include "symbols/survey.h"
#include "system/deadline.h"
#include "system/parallel.h"

namespace opref::cli {
namespace {

struct Arguments {
  NodeArguments node;
  std::optional<std::int64_t> max_bytes;
  std::optional<double> timeout;
  std::optional<std::int64_t> threads;
  std::string output, sizes;
  bool json = false, identifiers = false, force = false;
};

/// What -o would not be true of.
void require_declarable(const Arguments& arguments, const Bound& bound) {
  if (arguments.output.empty() && arguments.identifiers)
    fail(Fault::usage, "--identifiers says how -o writes sizes, but -o is missing");
  if (arguments.output.empty()) return;
  const NodeArguments& node = arguments.node;
  if (!node.attributes.empty() || !node.only.empty() || node.opset)
    fail(Fault::usage, "-o writes the model's own nodes: it goes without {}",
         !node.attributes.empty() ? "--attribute"
         : node.opset             ? "--opset"
                                  : "--node");
  at_place([&] { return "in -o " + shown(arguments.output); },
           [&] { symbols::require_declarable(bound, arguments.output); });
  if (!arguments.force) require_not_read(arguments.output, files_read(bound));
}

void write_types(const Arguments& arguments, const Bound& bound, const symbols::DeclaredTypes& types) {
  const auto names = arguments.identifiers ? symbols::SizeNames::identifiers : symbols::SizeNames::expressions;
  for (const std::string& warning : symbols::write_declared(bound, types, names, arguments.output)) warn(warning);
}

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

std::string attributes_section(const std::string& lines) {
  return lines.empty() ? "  attributes  none\n" : "  attributes\n" + lines;
}

std::string indented(std::string_view text) {
  std::string lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines += format("    {}", text.substr(at, end - at));
    at = end;
  }
  return lines;
}

std::string step_text(const Step& step, const ShownTypes& types) {
  const OpSchema& schema = step.call.schema();
  std::string text = format("{}{}, opset {}\n", step.call.title(),
                            step.node->name.empty() ? "" : format(" '{}'", printable(step.node->name)), step.opset);
  text += attributes_section(attributes_text(step));
  text += "  inputs\n" + tensors_text(schema.inputs(), step.node->inputs, [&](size_t i) {
            return types.text(step.node->inputs[i], step.call.inputs()[i].type);
          });
  text += "  outputs\n" + tensors_text(schema.outputs(), step.node->outputs,
                                       [&](size_t i) { return types.text(step.node->outputs[i], step.types[i]); });
  for (const ReadingReport& reading : step.readings) text += two_columns("", to_text(reading), 2);
  if (!step.body.empty()) text += "  body\n";
  for (const Step& inner : step.body) text += indented(step_text(inner, {}));
  return text;
}

/// Those in force; of a node that is not known as they are stated.
std::string attributes_text(const SurveyedNode& seen) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    text += two_columns(format("    {}", printable(name)), value, 22);
  };
  if (!seen.version) {
    for (const Attribute& attribute : seen.node->attributes) add(attribute.name, attribute_text(attribute));
    return text;
  }
  for (const AttributeSchema& attribute : seen.version->schema.attributes()) {
    const auto found = seen.attributes.find(attribute.name);
    const bool stated =
        std::ranges::find(seen.node->attributes, attribute.name, &Attribute::name) != seen.node->attributes.end();
    add(attribute.name,
        found == seen.attributes.end() ? "absent" : to_text(found->second) + (stated ? "" : "  (default)"));
  }
  return text;
}

/// Names with their types, where they are known: by the environment, else as far as the graph declares them.
std::string known_tensors_text(const GraphNames& graph, const Environment& environment, const ShownTypes& types,
                               const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    const auto known = environment.find(name);
    const ValueInfo* info = graph.declaration(name);
    const std::string declared = info == nullptr ? "" : to_text(*info);
    const bool has_type = known != environment.end();
    const std::string type = has_type && (known->second.type.has_shape || declared.empty())
                                 ? types.text(name, known->second.type)
                             : declared.empty() ? "type not known"
                                                : declared;
    text += two_columns(format("    {}", printable(name)), type, 22);
  }
  return text;
}

std::string node_text(const GraphNames& graph, const Environment& environment, const ShownTypes& types,
                      const SurveyedNode& seen) {
  if (seen.step) return step_text(*seen.step, types);
  const Node& node = *seen.node;
  std::string text =
      format("{}{}: {}\n", printable(node.op_type), node.name.empty() ? "" : format(" '{}'", printable(node.name)),
             seen.is_known ? "types not known" : "not known");
  text += two_columns("", seen.why, 2);
  text += attributes_section(attributes_text(seen));
  text += "  inputs\n" + known_tensors_text(graph, environment, types, node.inputs);
  text += "  outputs\n" + known_tensors_text(graph, environment, types, node.outputs);
  return text;
}

/// Types that are not known are null, and what is known of a type that is not whole is text.
Json known_tensors_json(const GraphNames& graph, const Environment& environment, const ShownTypes& types,
                        const std::vector<std::string>& names) {
  Json tensors;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    const auto known = environment.find(name);
    const ValueInfo* info = graph.declaration(name);
    if (known != environment.end())
      tensors.set(name, types.json(name, known->second.type));
    else if (info != nullptr && !to_text(*info).empty())
      tensors.set(name, to_text(*info));
    else
      tensors.set(name, nullptr);
  }
  return tensors;
}

/// Its types with expressions for sizes.
void set_types(Json& json, const ShownTypes& types, const Step& step) {
  Json inputs, outputs;
  for (const Input& input : step.call.inputs())
    if (!input.name.empty()) inputs.set(input.name, types.json(input.name, input.type));
  for (size_t i = 0; i < step.types.size() && i < step.node->outputs.size(); ++i)
    outputs.set(step.node->outputs[i], types.json(step.node->outputs[i], step.types[i]));
  json.set("inputs", std::move(inputs)).set("outputs", std::move(outputs));
}

Json surveyed_json(const GraphNames& graph, const Environment& environment, const ShownTypes& types,
                   const SurveyedNode& seen) {
  if (seen.step) {
    Json known = step_json(*seen.step);
    set_types(known, types, *seen.step);
    return std::move(known.set("known", true));
  }
  const Node& node = *seen.node;
  Json json, attributes;
  for (const auto& [name, value] : seen.attributes) attributes.set(name, value);
  if (!seen.version)
    for (const Attribute& attribute : node.attributes) attributes.set(attribute.name, attribute_text(attribute));
  json.set("op_type", node.op_type).set("domain", node.domain).set("name", node.name);
  if (seen.version) json.set("opset", seen.version->opset).set("since_version", seen.version->schema.since_version());
  json.set("attributes", std::move(attributes));
  json.set("inputs", known_tensors_json(graph, environment, types, node.inputs));
  json.set("outputs", known_tensors_json(graph, environment, types, node.outputs));
  return std::move(json.set("known", seen.is_known).set("why", seen.why));
}

/// Prints the nodes, or adds them to the document.
void show_nodes(const Arguments& arguments, const Graph& graph, const Environment& environment, const ShownTypes& types,
                const std::vector<SurveyedNode>& nodes, Json& document) {
  const GraphNames names(graph);
  Json list = Json::list();
  for (const SurveyedNode& seen : nodes) {
    if (arguments.json)
      list.append(surveyed_json(names, environment, types, seen));
    else
      print(node_text(names, environment, types, seen));
  }
  if (const auto end = where_types_end(nodes)) warn(*end);
  document.set("nodes", std::move(list));
}

int infer_now(const Arguments& arguments, Bound& bound) {
  std::vector<std::string> warnings;
  Environment environment;
  const std::vector<SurveyedNode> nodes = in_given_time(arguments.timeout, "inferred", [&] {
    environment = load_inputs(bound, bound.options, warnings);
    return with_accepted_outputs(bound, environment, nullptr,
                                 [&] { return survey(bound.graph, environment, bound.options); });
  });
  for (const std::string& warning : warnings) warn(warning);
  for (const SurveyedNode& seen : nodes)
    if (seen.step) warn_of_notes(*seen.step);
  if (!arguments.output.empty()) {
    symbols::DeclaredTypes types;
    symbols::declare_known(types, environment);
    symbols::declare_given_values(types, bound, environment);
    write_types(arguments, bound, types);
  }
  Json document = cli::document("infer");
  show_nodes(arguments, bound.graph, environment, {}, nodes, document);
  if (arguments.json) print(document.text());
  return 0;
}

/// At sizes that the symbols may have: whether a bare operator has other outputs.
void take_accepted_outputs(Bound& bound) {
  if (bound.graph.nodes.size() != 1) return;
  constexpr std::int64_t kSome = 4;
  Bound some = bound;
  for (NamedSource& source : some.inputs)
    if (source.source.shape && source.source.from.index() == 0)
      for (std::int64_t& size : *source.source.shape) size = size == 1 ? kSome : size;
  std::vector<std::string> ignored;
  if (run::take_accepted_outputs(some, load_inputs(some, some.options, ignored), nullptr)) bound.graph = some.graph;
}

int infer_symbols(const Arguments& arguments, Bound& bound, symbols::OpenInputs open) {
  bound.options.tell_bodies = false;
  take_accepted_outputs(bound);
  SymbolicTypes types{std::move(open.symbols), {}};
  const std::vector<std::string> names = types.names();
  symbols::SurveyOptions options{.bounds = at_place([&] { return "in --sizes " + printable(arguments.sizes); },
                                                    [&] { return parse_bounds(arguments.sizes, names); })};
  options.threads = static_cast<int>(arguments.threads.value_or(available_cores()));
  options.seconds = arguments.timeout;
  const auto model = in_given_time(arguments.timeout, "inferred",
                                   [&] { return std::make_unique<symbols::Trials>(bound, std::move(open.inputs)); });
  symbols::Trials& trials = *model;
  types.survey = survey(trials, names, options);
  std::vector<std::vector<SurveyedNode>> at_sizes;
  Environment environment;
  for (size_t k = types.survey.examples.size(); k-- > 0;)
    at_sizes.insert(at_sizes.begin(), trials.nodes_at(types.survey.examples[k], environment));
  const std::vector<SurveyedNode> nodes = merged(std::move(at_sizes));
  for (const std::string& warning : trials.warnings()) warn(warning);
  for (const SurveyedNode& seen : nodes)
    if (seen.step) warn_of_notes(*seen.step);
  if (const std::string limit = limit_text(types); !limit.empty()) warn(limit);
  if (!arguments.output.empty()) {
    symbols::DeclaredTypes declared = declared_types(types, bound.graph, environment);
    symbols::declare_given_values(declared, bound, environment);
    write_types(arguments, bound, declared);
  }
  Json document = cli::document("infer");
  show_nodes(arguments, bound.graph, environment, ShownTypes(types), nodes, document);
  if (arguments.json) {
    add_symbols(document, types, bound.graph);
    print(document.text());
  } else {
    print(symbols_text(types, bound.graph));
  }
  return 0;
}

int infer_node(const Arguments& arguments) {
  const std::int64_t most = arguments.max_bytes.value_or(INT64_MAX);  // hardly anything is computed
  Bound bound = bind_case(arguments.node, read_node(arguments.node, most, arguments.timeout));
  bound.options.max_bytes = most;
  bound.options.generate = false;
  bound.options.tell_bodies = true;
  require_declarable(arguments, bound);
  return at_place([&] { return "in " + bound.read->origin; },
                  [&] {
                    if (arguments.output.empty()) note_taken_branches(take_branches(bound));
                    symbols::OpenInputs open = symbols::take_open_inputs(bound);
                    if (!open.symbols.empty()) return infer_symbols(arguments, bound, std::move(open));
                    if (!arguments.sizes.empty())
                      fail(Fault::usage, "--sizes bounds sizes that are symbols, and all sizes are numbers");
                    return infer_now(arguments, bound);
                  });
}

}  // namespace

Action add_infer(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_node_options(command, arguments->node);
  arguments->node.takes_unknown = true;
  add_fix_names(command, arguments->node.fix_names);
  add_bytes(command, "--max-bytes", arguments->max_bytes,
            "limit of lists and of values that decide shapes; default: no limit");
  add_timeout(command, arguments->timeout, "seconds for the inference; default: no limit");
  add_option(command, "--sizes", arguments->sizes, "N=1..64,H=32",
             "sizes that symbols may have; all are tried where they are few");
  add_number(command, "--threads", arguments->threads, {1, kMostThreads},
             "threads that try sizes; default all cores; same bytes");
  add_option(command, "-o", arguments->output, "FILE", "write the ONNX model with these types, as NAME.onnx")
      .not_empty();
  add_flag(command, "--identifiers", arguments->identifiers, "with -o: sizes that are expressions as d1, d2 …");
  add_flag(command, "--force", arguments->force, "let -o overwrite what is read");
  add_flag(command, "--json", arguments->json, "print one JSON document");
  return [arguments] { return infer_node(*arguments); };
}

}  // namespace opref::cli
