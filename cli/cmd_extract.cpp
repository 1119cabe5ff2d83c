// SPDX-License-Identifier: Apache-2.0
// opref extract
#include <algorithm>
#include <atomic>
#include <memory>

#include "check/bisect.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/open_backend.h"
#include "cli/output.h"
#include "run/load_inputs.h"
#include "run/node_case.h"
#include "run/part_of_graph.h"
#include "system/file.h"

namespace opref::cli {
namespace {

struct Arguments {
  NodeArguments node;
  std::string name, folder, runner, outputs;
  double timeout = 60;
  std::optional<std::int64_t> max_bytes;
};

/// With what the backend gave the node.
Environment backend_values(const Arguments& arguments, const Bound& bound, size_t place) {
  const std::atomic<bool> stopped = false;
  OpenBackend opened;
  if (!arguments.runner.empty()) opened = open_runner(arguments.runner, {arguments.timeout, &stopped});
  std::vector<std::string> wanted;
  const std::vector<std::string> computed = computed_names(bound.graph);
  for (const ValueInfo& read : node_alone(bound.graph, GraphNames(bound.graph), place).inputs)
    if (std::ranges::find(computed, read.name) != computed.end()) wanted.push_back(read.name);
  const ModelValues values = opened.backend == nullptr
                                 ? ModelValues::in_folder(arguments.outputs, bound.graph, wanted)
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

/// -o net.onnx would be a folder of that name.
void require_folder_name(const std::string& folder) {
  constexpr std::string_view kOfFiles[] = {".onnx", ".onnxtxt", ".xml", ".pb", ".npy", ".npz", ".json"};
  const std::filesystem::path path(folder);
  if (std::ranges::find(kOfFiles, path.extension().string()) != std::end(kOfFiles) && !is_folder(path))
    fail(Fault::usage, "-o {}: the case is a folder, but this is a file's name; the model is model.onnx in it",
         printable(folder));
}

int extract(const Arguments& arguments) {
  require_folder_name(arguments.folder);
  if (!arguments.runner.empty() && !arguments.outputs.empty())
    fail(Fault::usage, "two backends at once: choose one of --outputs and --runner");
  Bound bound = bind_case(arguments.node, read_node(arguments.node, limit_of(arguments.max_bytes), arguments.timeout));
  if (arguments.max_bytes) bound.options.max_bytes = *arguments.max_bytes;
  return at_place([&] { return "in " + bound.read->origin; },
                  [&] {
                    const size_t place = place_of_node(bound.graph, arguments.name);
                    const bool asks = !arguments.runner.empty() || !arguments.outputs.empty();
                    const Environment known =
                        asks ? backend_values(arguments, bound, place) : values_before(bound, place);
                    const auto alone = std::make_shared<const ReadyCase>(ReadyCase{NodeCases(bound).at(place, known)});
                    write_node_case(alone->bound, evaluate(alone, alone->bound.options).environment, arguments.folder);
                    return 0;
                  });
}

}  // namespace

Action add_extract(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_argument(command, "MODEL", arguments->node.node, "anything that 'opref run' takes").required();
  add_argument(command, "NAME", arguments->name, "the node's name, or the name of one of its outputs").required();
  add_argument(command, "NAME=FILE", arguments->node.bindings, "a tensor of the model, as 'opref run' takes it");
  add_option(command, "-o", arguments->folder, "DIR", "the case's folder").required().not_empty();
  add_option(command, "--runner", arguments->runner, "CMD", "take a backend's values: see 'opref bisect --help'")
      .not_empty();
  add_option(command, "--outputs", arguments->outputs, "DIR", "values as NAME.npy, which another program wrote")
      .not_empty();
  add_timeout(command, arguments->timeout, "seconds for an answer of the backend; default 60");
  add_opset(command, arguments->node.opset, "opset in force, instead of the file's");
  add_reading(command, arguments->node.readings);
  add_bytes(command, "--max-bytes", arguments->max_bytes, "limit of tensors and scratch; default half the memory");
  return [arguments] { return extract(*arguments); };
}

}  // namespace opref::cli
