// SPDX-License-Identifier: Apache-2.0
#include "run/node_case.h"

#include <algorithm>

#include "core/error.h"
#include "run/load_inputs.h"
#include "run/part_of_graph.h"
#include "run/version.h"
#include "run/write_case.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::run {
namespace {

namespace fs = std::filesystem;

/// Whether no input decides it: an initializer, or what a node gives that reads nothing.
bool is_constant(const Bound& whole, const std::string& name) {
  const auto gives = [&](const Node& node) {
    return std::ranges::find(node.outputs, name) != node.outputs.end() && names_read(node).empty();
  };
  if (std::ranges::any_of(whole.graph.nodes, gives)) return true;
  return std::ranges::find(whole.inputs, name, &NamedSource::name) != whole.inputs.end() &&
         std::ranges::find(whole.graph.inputs, name, &ValueInfo::name) == whole.graph.inputs.end();
}

/// Of the choices those that are about the node's operator.
ReadingChoices readings_of(const Node& node, const OpsetImport& opsets, const ReadingChoices& all) {
  const auto version = find_version(opsets, node);
  ReadingChoices own;
  for (const auto& [name, alternative] : all)
    if (version && std::ranges::find(version->op.readings(), name, &Reading::name) != version->op.readings().end())
      own.emplace(name, alternative);
  return own;
}

/// A folder beside `folder` that takes its place once all is in it.
class UnfinishedFolder {
 public:
  explicit UnfinishedFolder(const fs::path& folder)
      : folder_(folder.has_filename() ? folder : folder.parent_path()), path_(folder_) {
    path_ += ".unfinished";
    std::error_code ignored;
    if (fs::exists(folder, ignored) && !(is_folder(folder) && entries_of(folder).empty()))
      fail(Fault::usage, "{} is there already, and is no empty folder", shown(folder));
    fs::remove_all(path_, ignored);
    make_folder(path_);
  }
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;
  ~UnfinishedFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  void finish() { rename_path(path_, folder_); }

 private:
  fs::path folder_, path_;
};

}  // namespace

Bound node_case(const Bound& whole, size_t place, const Environment& known) {
  const Node& node = whole.graph.nodes[place];
  Bound alone{whole.read, node_alone(whole.graph, place), {}, {}, {}, nullptr, whole.options};
  alone.options.readings = readings_of(node, alone.graph.opset_import, whole.options.readings);
  for (const ValueInfo& info : alone.graph.inputs) {
    TensorSource source;
    source.from = TensorSource::Loaded{[value = value_of(known, info.name)](std::int64_t) { return value; }};
    alone.inputs.push_back({info.name, std::move(source)});
  }
  if (canonical_domain(node.domain) == "openvino") return alone;
  std::erase_if(alone.graph.inputs, [&](const ValueInfo& info) {
    return value_of(known, info.name).tensor() != nullptr && is_constant(whole, info.name);
  });
  return alone;
}

Environment values_before(const Bound& whole, size_t place) {
  Bound before = whole;
  std::vector<std::string> read;
  for (const ValueInfo& info : node_alone(whole.graph, place).inputs) read.push_back(info.name);
  before.graph = needed_for(whole.graph, read);
  std::vector<std::string> warnings;
  Environment values = load_inputs(before, before.options, warnings);
  // What is given is no output of the graph.
  std::erase_if(before.graph.outputs, [&](const ValueInfo& info) { return values.contains(info.name); });
  require_known_operators(before.graph);
  before.options.keep = Keep::results;
  run_graph(before.graph, values, before.options);
  return values;
}

void write_node_case(const Bound& alone, const Environment& expected, const fs::path& folder) {
  UnfinishedFolder unfinished(folder);
  const CaseFiles files = write_case(alone, alone.options, unfinished.path());
  write_expected(files, alone.graph, expected);
  unfinished.finish();
}

}  // namespace opref::run
