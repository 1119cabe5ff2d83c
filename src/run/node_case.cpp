// SPDX-License-Identifier: Apache-2.0
#include "run/node_case.h"

#include <algorithm>

#include "core/error.h"
#include "run/load_inputs.h"
#include "run/part_of_graph.h"
#include "run/version.h"
#include "run/write_case.h"
#include "schema/domains.h"
#include "schema/remedies.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::run {
namespace {

namespace fs = std::filesystem;

/// Initializers, and what nodes give that read nothing.
std::set<std::string_view> constants_of(const Bound& whole) {
  std::set<std::string_view> constants;
  for (const NamedSource& source : whole.inputs) constants.insert(source.name);
  for (const ValueInfo& input : whole.graph.inputs) constants.erase(input.name);
  for (const Node& node : whole.graph.nodes)
    if (names_read(node).empty()) constants.insert(node.outputs.begin(), node.outputs.end());
  return constants;
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

/// An input that a node reads.
NamedSource with_value(const Environment& known, const std::string& name) {
  const auto read = known.find(name);
  if (read == known.end() || !read->second.value)
    fail(Fault::usage, {kGiveValues, printable(name)}, "the node reads '{}', which has no value", printable(name));
  TensorSource source;
  source.from = TensorSource::Loaded{[value = *read->second.value](std::int64_t) { return value; }};
  return {name, std::move(source)};
}

/// A new folder beside `folder`, or in it where that is there and empty; all that is in it comes into `folder` at the
/// end.
class UnfinishedFolder {
 public:
  explicit UnfinishedFolder(const fs::path& folder)
      : folder_(folder.has_filename() ? folder : folder.parent_path()), is_there_(is_folder(folder)) {
    std::error_code ignored;
    if (fs::exists(folder, ignored) && !(is_there_ && entries_of(folder).empty()))
      fail(Fault::usage, "{} is there already, and is no empty folder", shown(folder));
    const fs::path base = is_there_ ? folder_ / ".unfinished" : fs::path(folder_.string() + ".unfinished");
    path_ = base;
    for (int k = 2; fs::exists(fs::symlink_status(path_, ignored)); ++k) path_ = base.string() + std::to_string(k);
    make_folder(path_);
  }
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;
  ~UnfinishedFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  void finish() {
    if (!is_there_) return rename_path(path_, folder_);
    for (const fs::path& entry : entries_of(path_)) rename_path(entry, folder_ / entry.filename());
  }

 private:
  fs::path folder_, path_;
  bool is_there_;
};

}  // namespace

std::vector<NamedSource> held_by(const Bound& whole, const Graph& part) {
  std::set<std::string, std::less<>> read;
  for (const Node& node : part.nodes) read.merge(names_read(node));
  std::vector<NamedSource> held;
  for (const NamedSource& source : whole.inputs)
    if (read.contains(source.name) &&
        std::ranges::find(whole.graph.inputs, source.name, &ValueInfo::name) == whole.graph.inputs.end())
      held.push_back(source);
  return held;
}

NodeCases::NodeCases(const Bound& whole) : whole_(whole), names_(whole.graph), constants_(constants_of(whole)) {}

Bound NodeCases::at(size_t place, const Environment& known) const {
  const Node& node = whole_.graph.nodes[place];
  Bound alone{whole_.read, node_alone(whole_.graph, names_, place), {}, {}, {}, nullptr, whole_.options};
  alone.options.readings = readings_of(node, alone.graph.opset_import, whole_.options.readings);
  for (const ValueInfo& info : alone.graph.inputs) alone.inputs.push_back(with_value(known, info.name));
  if (is_of_layers(node.domain)) return alone;
  std::erase_if(alone.graph.inputs, [&](const ValueInfo& info) {
    return value_of(known, info.name).tensor() != nullptr && constants_.contains(info.name);
  });
  return alone;
}

Environment values_before(const Bound& whole, size_t place) {
  std::vector<std::string> read;
  for (const ValueInfo& info : node_alone(whole.graph, GraphNames(whole.graph), place).inputs)
    read.push_back(info.name);
  return values_of(whole, read);
}

Environment values_of(const Bound& whole, std::span<const std::string> tensors) {
  Bound before = whole;
  before.graph = needed_for(whole.graph, tensors);
  std::vector<std::string> warnings;
  Environment values = load_inputs(before, before.options, warnings);
  // What is given is no output of the graph.
  std::erase_if(before.graph.outputs, [&](const ValueInfo& info) { return values.contains(info.name); });
  if (before.graph.outputs.empty()) return values;
  require_known_operators(before.graph);
  before.options.keep = Keep::results;
  run_graph(before.graph, values, before.options);
  return values;
}

Bound part_case(const Bound& whole, Graph part, const Environment& known) {
  Bound alone{whole.read, std::move(part), {}, {}, {}, nullptr, whole.options};
  alone.options.readings.clear();
  for (const Node& node : alone.graph.nodes)
    alone.options.readings.merge(readings_of(node, alone.graph.opset_import, whole.options.readings));
  for (const ValueInfo& info : alone.graph.inputs) alone.inputs.push_back(with_value(known, info.name));
  for (NamedSource& held : held_by(whole, alone.graph)) alone.inputs.push_back(std::move(held));
  return alone;
}

void write_node_case(const Bound& alone, const Environment& expected, const fs::path& folder) {
  UnfinishedFolder unfinished(folder);
  const CaseFiles files = write_case(alone, alone.options, unfinished.path());
  write_expected(files, alone.graph, expected);
  unfinished.finish();
}

}  // namespace opref::run
