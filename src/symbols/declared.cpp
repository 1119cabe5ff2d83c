// SPDX-License-Identifier: Apache-2.0
#include "symbols/declared.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "io/onnx/external.h"
#include "io/onnx/redeclare.h"
#include "run/files_read.h"
#include "run/graph_names.h"
#include "symbols/free_sizes.h"
#include "system/file.h"

namespace opref::symbols {
namespace {

namespace fs = std::filesystem;

/// Values that are read to decide types have at most so many elements.
constexpr std::int64_t kMostDeciding = 4096;

/// Of an identifier.
bool is_word(char c) { return is_identifier(std::string_view(&c, 1)) || (c >= '0' && c <= '9'); }

/// Calls visit(tensor) for what is declared, in the graph's order: inputs, outputs, what nodes give.
template <class Types, class Visit>
void each_declared(Types& types, const Graph& graph, const Visit& visit) {
  const auto look_up = [&](const std::string& name) {
    if (const auto found = types.tensors.find(name); found != types.tensors.end()) visit(found->second);
  };
  for (const auto* infos : {&graph.inputs, &graph.outputs})
    for (const ValueInfo& info : *infos) look_up(info.name);
  for (const Node& node : graph.nodes)
    for (const std::string& output : node.outputs) look_up(output);
}

/// Gives each size that is no number and no identifier one: d1, d2 …, of which none is a word of the sizes already.
class Identifiers {
 public:
  explicit Identifiers(const DeclaredTypes& types) {
    for (const auto& [name, info] : types.tensors)
      for (const DeclaredDim& dim : info.dims.value_or(std::vector<DeclaredDim>{})) add_words(dim.symbol);
  }

  void apply(ValueInfo& info) {
    if (!info.dims) return;
    for (DeclaredDim& dim : *info.dims)
      if (!dim.size && !dim.symbol.empty() && !is_identifier(dim.symbol)) dim.symbol = name_of(dim.symbol);
  }

  /// "d1 = N*H", a line each.
  const std::string& meanings() const { return meanings_; }

 private:
  void add_words(std::string_view text) {
    for (size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      for (end = at; end < text.size() && is_word(text[end]);) ++end;
      if (end > at) words_.emplace(text.substr(at, end - at));
    }
  }

  const std::string& name_of(const std::string& text) {
    const auto [found, is_new] = names_.emplace(text, "");
    if (!is_new) return found->second;
    do found->second = format("d{}", ++last_);
    while (words_.contains(found->second));
    meanings_ += format("{}{} = {}", meanings_.empty() ? "" : "\n", found->second, text);
    return found->second;
  }

  std::set<std::string, std::less<>> words_;
  std::map<std::string, std::string> names_;
  std::string meanings_;
  int last_ = 0;
};

std::string lines(const std::vector<std::string>& texts) { return join_text(texts, "\n"); }

ModelTypes model_types(const DeclaredTypes& types, const Graph& graph, SizeNames names) {
  ModelTypes written{types.tensors, {}};
  const auto add_property = [&](std::string_view key, const std::string& text) {
    if (!text.empty()) written.properties.emplace(format("{}{}", kOwnProperties, key), text);
  };
  if (names == SizeNames::identifiers) {
    Identifiers identifiers(types);
    each_declared(written, graph, [&](ValueInfo& info) { identifiers.apply(info); });
    add_property("sizes", identifiers.meanings());
  }
  add_property("rules", lines(types.rules));
  add_property("basis", types.basis);
  return written;
}

bool is_input(const Graph& graph, std::string_view name) {
  return std::ranges::find(graph.inputs, name, &ValueInfo::name) != graph.inputs.end();
}

/// Arguments replace tensors that the file keeps.
void require_own_tensors(const Bound& bound) {
  for (const NamedSource& source : bound.inputs)
    if (!is_input(bound.read->graph, source.name) && source.source.loaded() == nullptr)
      fail(Fault::usage, "'{}' is given, but is no input: the file with types keeps what the model makes of it",
           printable(source.name));
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

}  // namespace

void declare_known(DeclaredTypes& types, const Environment& environment) {
  for (const auto& [name, known] : environment) {
    ValueInfo info{name, "", {}, {}};
    declare(info, known.type);
    types.tensors.insert_or_assign(name, std::move(info));
  }
}

void declare_given_values(DeclaredTypes& types, const Bound& bound, const Environment& environment) {
  for (const NamedSource& source : bound.inputs) {
    const auto known = environment.find(source.name);
    if (!is_input(bound.graph, source.name) || known == environment.end() || !known->second.value) continue;
    const Tensor* values = known->second.value->tensor();
    if (values != nullptr && values->count() > kMostDeciding) continue;
    const Literal* literal = source.source.literal();
    const bool is_number = literal != nullptr && literal->shape.empty() && literal->elements.size() == 1;
    types.rules.push_back(is_number ? format("{} = {}, as it was given", source.name, literal->elements.front())
                                    : format("{} has the values that were given", source.name));
  }
}

void require_declarable(const Bound& bound, const fs::path& file) {
  if (file.extension() != ".onnx") fail(Fault::usage, "a model with types is a file NAME.onnx");
  if (bound.read->format != CaseFormat::onnx_model || bound.read->file.empty() ||
      !is_onnx_model(read_file(bound.read->file)))
    fail(Fault::usage, "only the file of an ONNX model in protobuf can be written with types, and {} is none",
         printable(bound.read->origin));
  require_own_tensors(bound);
}

std::vector<std::string> write_declared(const Bound& bound, const DeclaredTypes& types, SizeNames names,
                                        const fs::path& file) {
  const fs::path& model = bound.read->file;
  FileWriter writer(file);
  write_redeclared(writer, read_file(model), model_types(types, bound.read->graph, names));
  writer.commit();
  const std::vector<fs::path> data = external_data(model);
  std::error_code ignored;
  if (data.empty() || fs::equivalent(folder_of(model), folder_of(file), ignored)) return {};
  return {format("{} looks for its data in {} beside itself, but they lie beside {}", shown(file),
                 join_some(data, ", ", 4, [](const fs::path& path) { return printable(path.string()); }),
                 shown(model))};
}

}  // namespace opref::symbols
