// SPDX-License-Identifier: Apache-2.0
// opref extract
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "check/bisect.h"
#include "cli/arguments.h"
#include "cli/captured_names.h"
#include "cli/commands.h"
#include "cli/open_backend.h"
#include "cli/output.h"
#include "cli/symbolic_text.h"
#include "run/files_read.h"
#include "run/load_inputs.h"
#include "run/node_case.h"
#include "run/part_of_graph.h"
#include "run/survey.h"
#include "run/taken_branches.h"
#include "run/write_case.h"
#include "run/write_outputs.h"
#include "symbols/declared.h"
#include "symbols/open_inputs.h"
#include "symbols/survey.h"
#include "system/file.h"
#include "system/parallel.h"

namespace opref::cli {
namespace {

struct Arguments {
  NodeArguments node;
  std::string name, folder, runner, outputs, names;
  std::vector<std::string> from, to;  ///< tensors between which a part lies
  double timeout = 60;
  std::optional<std::int64_t> max_bytes;

  bool takes_part() const { return !from.empty() || !to.empty(); }
  bool asks_backend() const { return !runner.empty() || !outputs.empty(); }
  /// Of the part alone, for which types are enough.
  bool is_model_file() const { return takes_part() && (folder.ends_with(".onnx") || folder.ends_with(".xml")); }
};

/// What the case is given, and what the backend gives of these tensors.
Environment backend_values(const Arguments& arguments, const Bound& bound, const std::vector<ValueInfo>& read) {
  const std::atomic<bool> stopped = false;
  OpenBackend opened;
  if (!arguments.runner.empty()) opened = open_runner(arguments.runner, {arguments.timeout, &stopped});
  std::vector<std::string> wanted;
  const std::vector<std::string> computed = computed_names(bound.graph);
  for (const ValueInfo& info : read)
    if (std::ranges::find(computed, info.name) != computed.end()) wanted.push_back(info.name);
  const ModelValues values =
      opened.backend == nullptr
          ? ModelValues::in_folder(arguments.outputs, bound.graph, wanted, read_captured(arguments.names, bound.graph))
          : ModelValues::asked(*opened.backend, bound, wanted, opened.scratch->path());
  for (const std::string& name : wanted)
    if (values.find(name) == nullptr)
      fail(Fault::system, "the node reads '{}', but there is no value of it: {}", printable(name),
           values.why_not(name));
  std::vector<std::string> warnings;
  Environment known = load_inputs(bound, bound.options, warnings);
  for (const std::string& name : wanted) {
    const ValueInfo* declared = declaration(bound.graph, name);
    Value value = read_backend_value(*values.find(name), declared == nullptr ? ValueInfo{name, "", {}, {}} : *declared,
                                     bound.options.max_bytes);
    const ValueType type = type_of(value);
    known.insert_or_assign(name, Input{name, type, std::move(value), {}, true});
  }
  return known;
}

void write_evaluated(Bound alone, const std::string& folder) {
  const auto ready = std::make_shared<const ReadyCase>(ReadyCase{std::move(alone)});
  write_node_case(ready->bound, evaluate(ready, ready->bound.options).environment, folder);
}

int extract_node(const Arguments& arguments, const Bound& bound) {
  const size_t place = place_of_node(bound.graph, arguments.name);
  const NodeCases cases(bound);
  const Environment known = arguments.asks_backend()
                                ? backend_values(arguments, bound, node_alone(bound.graph, cases.names(), place).inputs)
                                : values_before(bound, place);
  write_evaluated(cases.at(place, known), arguments.folder);
  return 0;
}

/// "a,b" where no tensor has a comma in its name.
std::vector<std::string> tensors_named(const Bound& bound, const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view text) {
    const auto known = known_tensor(bound, text, Names::any);
    if (!known) unknown_tensor(bound, text, Names::any);
    if (std::ranges::find(names, *known) == names.end()) names.push_back(*known);
  };
  for (const std::string& text : texts)
    if (known_tensor(bound, text, Names::any))
      add(text);
    else
      for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        add(std::string_view(text).substr(begin, end - begin));
        begin = end + 1;
      }
  return names;
}

void require_no_weights(const Bound& bound, const std::vector<std::string>& from) {
  for (const std::string& name : from)
    if (std::ranges::find(bound.inputs, name, &NamedSource::name) != bound.inputs.end() &&
        std::ranges::find(bound.graph.inputs, name, &ValueInfo::name) == bound.graph.inputs.end())
      fail(Fault::usage, "--from {}: it is a constant of the model, which comes along by itself", printable(name));
}

/// Types of tensors between nodes, as far as they can be found out; sizes may be expressions.
TypesOfTensors types_between(Bound bound, double seconds) {
  bound.options.generate = false;
  symbols::OpenInputs open = symbols::take_open_inputs(bound);
  symbols::DeclaredTypes declared;
  Environment environment;
  if (open.symbols.empty()) {
    std::vector<std::string> warnings;
    environment = load_inputs(bound, bound.options, warnings);
    try {
      survey(bound.graph, environment, bound.options);
    } catch (const Error& error) {
      if (error.fault() != Fault::usage) throw;
    }
    symbols::declare_known(declared, environment);
    return declared.tensors;
  }
  SymbolicTypes types{std::move(open.symbols), {}};
  const std::vector<std::string> names = types.names();
  symbols::Trials trials(bound, std::move(open.inputs));
  symbols::SurveyOptions options{.bounds = parse_bounds("", names)};
  options.threads = available_cores();
  options.seconds = seconds;
  types.survey = survey(trials, names, options);
  for (const symbols::Assignment& sizes : types.survey.examples) trials.nodes_at(sizes, environment);
  return declared_types(types, bound.graph, environment).tensors;
}

int extract_part(const Arguments& arguments, const Bound& bound) {
  const std::vector<std::string> from = tensors_named(bound, arguments.from);
  std::vector<std::string> to = tensors_named(bound, arguments.to);
  require_no_weights(bound, from);
  if (to.empty())
    for (const ValueInfo& output : bound.graph.outputs) to.push_back(output.name);
  Graph part = part_between(bound.graph, from, to);
  std::vector<std::string> others;
  for (const ValueInfo& input : part.inputs)
    if (!from.empty() && std::ranges::find(from, input.name) == from.end()) others.push_back(printable(input.name));
  if (!others.empty()) note(format("note: the part also reads {} of the model", join_text(others, ", ")));
  if (arguments.is_model_file()) {
    write_part_model(bound, std::move(part), types_between(bound, arguments.timeout), arguments.folder);
    return 0;
  }
  std::vector<std::string> read;
  for (const ValueInfo& input : part.inputs) read.push_back(input.name);
  const Environment known =
      arguments.asks_backend() ? backend_values(arguments, bound, part.inputs) : values_of(bound, read);
  write_evaluated(part_case(bound, std::move(part), known), arguments.folder);
  return 0;
}

/// -o net.onnx would be a folder of that name.
void require_folder_name(const std::string& folder) {
  constexpr std::string_view kOfFiles[] = {".onnx", ".onnxtxt", ".xml", ".pb", ".npy", ".npz", ".json"};
  const std::filesystem::path path(folder);
  if (std::ranges::find(kOfFiles, path.extension().string()) != std::end(kOfFiles) && !is_folder(path))
    fail(Fault::usage, "-o {}: the case is a folder, but this is a file's name; the model is model.{} in it",
         printable(folder), path.extension() == ".xml" ? "xml" : "onnx");
}

/// With the node or the tensors named by options, what stands in NAME's place is an input.
void take_name_as_input(Arguments& arguments) {
  const bool is_named = !arguments.node.only.empty() || arguments.takes_part();
  if (is_named && !arguments.name.empty())
    arguments.node.bindings.insert(arguments.node.bindings.begin(), std::exchange(arguments.name, ""));
  if (arguments.node.only.size() > 1 || (!arguments.node.only.empty() && arguments.takes_part()))
    fail(Fault::usage, "one node is extracted by its name; several nodes, as what lies between --from and --to");
  if (!arguments.node.only.empty()) arguments.name = std::exchange(arguments.node.only, {}).front();
  if (arguments.name.empty() && !arguments.takes_part())
    fail(Fault::usage, "what is to be extracted? Name a node or its output, or tensors with --from and --to");
}

int extract(Arguments arguments) {
  take_name_as_input(arguments);
  if (!arguments.is_model_file()) require_folder_name(arguments.folder);
  require_outputs_of_names(arguments.names, arguments.outputs);
  if (!arguments.runner.empty() && !arguments.outputs.empty())
    fail(Fault::usage, "two backends at once: choose one of --outputs and --runner");
  Bound bound = bind_case(arguments.node, read_node(arguments.node, limit_of(arguments.max_bytes), arguments.timeout));
  if (arguments.max_bytes) bound.options.max_bytes = *arguments.max_bytes;
  if (arguments.is_model_file()) require_not_read(arguments.folder, files_read(bound));
  return at_place([&] { return "in " + bound.read->origin; },
                  [&] {
                    note_taken_branches(take_branches(bound));
                    return arguments.takes_part() ? extract_part(arguments, bound) : extract_node(arguments, bound);
                  });
}

}  // namespace

Action add_extract(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_argument(command, "MODEL", arguments->node.node, "anything that 'opref run' takes").required();
  add_argument(command, "NAME", arguments->name, "the node's name, or the name of one of its outputs");
  add_argument(command, "NAME=FILE", arguments->node.bindings, "a tensor of the model, as 'opref run' takes it");
  add_option(command, "-o", arguments->folder, "DIR", "the case's folder; of a part also NAME.onnx, the model alone")
      .required()
      .not_empty();
  add_option(command, "--from", arguments->from, "A,B", "tensors of the model with which a part begins");
  add_option(command, "--to", arguments->to, "Y", "tensors with which it ends");
  add_option(command, "--node", arguments->node.only, "NAME", "the same as NAME");
  add_option(command, "--runner", arguments->runner, "CMD", "take a backend's values: see 'opref bisect --help'")
      .not_empty();
  add_option(command, "--outputs", arguments->outputs, "DIR", "values as NAME.npy, which another program wrote")
      .not_empty();
  add_names(command, arguments->names);
  add_fix_names(command, arguments->node.fix_names);
  add_timeout(command, arguments->timeout, "seconds for an answer of the backend; default 60");
  add_opset(command, arguments->node.opset, "opset in force, instead of the file's");
  add_reading(command, arguments->node.readings);
  add_bytes(command, "--max-bytes", arguments->max_bytes, "limit of tensors and scratch; default half the memory");
  return [arguments] { return extract(*arguments); };
}

}  // namespace opref::cli
