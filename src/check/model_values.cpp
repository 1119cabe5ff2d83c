// SPDX-License-Identifier: Apache-2.0
#include "check/model_values.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "backend/output_files.h"
#include "core/error.h"
#include "io/json/parse.h"
#include "run/copy_case.h"
#include "run/graph_names.h"
#include "run/write_case.h"
#include "run/write_outputs.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::check {

namespace fs = std::filesystem;

namespace {

/// The graph with these outputs.
Graph giving(const Graph& graph, std::span<const std::string> names) {
  const GraphNames of_graph(graph);
  Graph copy = graph;
  copy.outputs.clear();
  for (const std::string& name : names) {
    const ValueInfo* info = of_graph.declaration(name);
    copy.outputs.push_back(info == nullptr ? ValueInfo{name, "", {}, {}} : *info);
    copy.outputs.back().dims.reset();  // as the copy's own inference has them
  }
  const std::set<std::string_view> outputs(names.begin(), names.end());
  std::erase_if(copy.declared, [&](const ValueInfo& info) { return outputs.contains(info.name); });
  return copy;
}

std::vector<std::string> output_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueInfo& output : graph.outputs) names.push_back(output.name);
  return names;
}

/// Whether the case's graph, but for nodes that nothing needs, is what its file says.
bool is_as_read(const Bound& bound) {
  const Graph &now = bound.graph, &read = bound.read->graph;
  const CaseFormat format = bound.read->format;
  if ((format != CaseFormat::onnx_model && format != CaseFormat::onnx_folder) || bound.read->file.empty()) return false;
  const auto replaced = [&](const NamedSource& source) {
    return source.source.loaded() == nullptr &&
           std::ranges::find(now.inputs, source.name, &ValueInfo::name) == now.inputs.end();
  };
  return now.inputs.size() == read.inputs.size() && std::ranges::none_of(bound.inputs, replaced) &&
         std::ranges::equal(now.outputs, read.outputs, {}, &ValueInfo::name, &ValueInfo::name);
}

}  // namespace

/// One backend, asked again and again.
struct ModelValues::Asking {
  Backend& backend;
  const Bound& bound;
  const fs::path& scratch;
  ModelValues& values;
  int questions = 0;

  static constexpr int kMostDeaths = 3, kMostQuestions = 200;

  Answer question(std::span<const std::string> names, bool by_own_file) {
    ++questions;
    CaseFolder& folder = *values.folders_.emplace_back(std::make_unique<CaseFolder>(scratch));
    Bound asked = bound;
    if (!by_own_file) asked.graph = giving(bound.graph, names);
    CaseFiles files = write_case(asked, asked.options, folder.path());
    if (by_own_file && is_as_read(bound)) {
      remove_path(files.model);
      files.model = copy_model(bound.read->file, folder.path());
    }
    // An answer that comes late is none to the next question.
    static std::atomic<int> asked_before = 0;
    const HandedCase handed{format("model-{}", ++asked_before), files.model, files.inputs, folder.path() / "outputs"};
    Answer answer = asked_again(handed);
    hide_temporary_names(answer, handed, folder.path());
    if (answer.status == Answer::Status::broken) ++values.deaths_;
    if (answer.status == Answer::Status::ok) values.take(answer.outputs, asked.graph, output_names(asked.graph));
    values.answer_ = answer;
    return answer;
  }

  /// One that was started, and answered nothing so far, is given up by its runner: it died as often as it was asked.
  Answer asked_again(const HandedCase& handed) {
    try {
      return ask(backend, handed);
    } catch (const BackendError& error) {
      if (questions == 1) throw;
      return {Answer::Status::broken, error.message(), values.answer_.last_lines, {}, values.answer_.how};
    }
  }

  void all(std::span<const std::string> names) {
    if (names.empty()) return;
    const bool asks = values.deaths_ < kMostDeaths && questions < kMostQuestions;
    const Answer answer = asks ? question(names, false) : values.answer_;
    if (asks && answer.status == Answer::Status::ok) return;
    if (names.size() == 1 || !asks) {
      for (const std::string& name : names) values.refused_.emplace(name, answer.why);
      return;
    }
    all(names.first(names.size() / 2));
    all(names.subspan(names.size() / 2));
  }
};

ModelValues ModelValues::in_folder(const fs::path& folder, const Graph& graph, std::span<const std::string> names,
                                   const CapturedNames& captured) {
  if (!is_folder(folder)) fail(Fault::system, "no such folder: {}", printable(folder.string()));
  ModelValues values;
  Graph all = giving(graph, names);
  for (ValueInfo& output : all.outputs)
    if (const auto other = captured.find(output.name); other != captured.end()) output.name = other->second;
  values.take(folder, all, names);
  values.others_ = OutputFiles(folder, all).others();
  values.nothing_ = format("{} has no file of it", printable(folder.string(), 1000));
  return values;
}

ModelValues ModelValues::asked(Backend& backend, const Bound& bound, std::span<const std::string> names,
                               const fs::path& scratch) {
  ModelValues values;
  Asking{backend, bound, scratch, values}.all(names);
  return values;
}

ModelValues ModelValues::of_outputs(Backend& backend, const Bound& bound, const fs::path& scratch) {
  ModelValues values;
  const Answer answer = Asking{backend, bound, scratch, values}.question({}, true);
  if (answer.status != Answer::Status::ok) values.nothing_ = answer.why;
  return values;
}

void ModelValues::take(const fs::path& folder, const Graph& graph, std::span<const std::string> names) {
  const OutputFiles files(folder, graph);
  for (size_t k = 0; k < graph.outputs.size(); ++k)
    if (files.of(k)) files_.insert_or_assign(names[k], *files.of(k));
}

const fs::path* ModelValues::find(const std::string& name) const {
  const auto found = files_.find(name);
  return found == files_.end() ? nullptr : &found->second;
}

std::string ModelValues::why_not(const std::string& name) const {
  if (find(name) != nullptr) return "";
  const auto refused = refused_.find(name);
  return refused == refused_.end() ? nothing_ : refused->second;
}

CapturedNames read_captured_names(std::string_view json, const Graph& graph) {
  const Json document = parse_json(json);
  if (document.root().kind() != JsonKind::object)
    fail(Fault::malformed, "this is no object of names, as {{\"conv1_out\": \"backbone.conv1\"}}");
  const std::vector<std::string> computed = computed_names(graph);
  std::vector<std::string_view> known(computed.begin(), computed.end());
  for (const ValueInfo& input : graph.inputs) known.push_back(input.name);
  CapturedNames names;
  std::map<std::string, std::string, std::less<>> owners;
  for (const JsonValue& value : document.root()) {
    const std::string name(value.key());
    if (value.kind() != JsonKind::string)
      fail(Fault::malformed, "the name for '{}' is no text: a model's tensor stands before the name of its file",
           printable(name));
    const std::string captured(value.text());
    if (std::ranges::find(known, name) == known.end()) {
      const bool is_turned = std::ranges::find(known, captured) != known.end();
      fail(Fault::usage, "no tensor of the model has the name '{}'{}", printable(name),
           is_turned ? format(", but one has '{}': the model's name stands first, then the file's", printable(captured))
                     : did_you_mean(name, known));
    }
    const auto [owner, is_new] = owners.emplace(captured, name);
    if (!is_new)
      fail(Fault::usage, "'{}' and '{}' both have the file of '{}'", printable(owner->second), printable(name),
           printable(captured));
    names.emplace(name, captured);
  }
  return names;
}

std::vector<std::string> computed_names(const Graph& graph) {
  std::vector<std::string> names;
  std::set<std::string_view> known;
  for (const ValueInfo& output : graph.outputs)
    if (known.insert(output.name).second) names.push_back(output.name);
  for (const Node& node : graph.nodes)
    for (const std::string& output : node.outputs)
      if (!output.empty() && known.insert(output).second) names.push_back(output);
  return names;
}

}  // namespace opref::check
