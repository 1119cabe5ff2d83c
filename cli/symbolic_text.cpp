// SPDX-License-Identifier: Apache-2.0
#include "cli/symbolic_text.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "cli/output.h"
#include "core/error.h"

namespace opref::cli {
namespace {

using symbols::Rule, symbols::Size;

constexpr std::string_view kBySize = "by size";

std::string node_label(const Graph& graph, size_t node) {
  return node == symbols::kNoNode ? "the graph" : symbols::label(graph.nodes[node]);
}

std::string sizes_text(const SymbolicTypes& types, std::span<const std::int64_t> sizes) {
  std::string text;
  for (size_t s = 0; s < types.symbols.size(); ++s)
    text += format("{}{} = {}", s == 0 ? "" : ", ", types.symbols[s].name, sizes[s]);
  return text;
}

/// "H % 32 in 0, 29..31   else Add 'a' refuses it"
std::string rule_text(const Rule& rule, const Graph& graph) {
  return format("{}   else {} refuses it", rule.text, node_label(graph, rule.node));
}

std::string basis_text(const SymbolicTypes& types) {
  const auto& [is_all, tried, refused, used, confirmed, taken_back, range] = types.survey.basis;
  std::vector<std::string> ranges;
  for (size_t s = 0; s < range.size(); ++s)
    ranges.push_back(format("{} {} to {}", types.symbols[s].name, range[s].first, range[s].second));
  const std::string where = join_text(ranges, ", ");
  if (is_all)
    return format("tried at all {} ({}), {} refused. Certain for these, but for what values decide.",
                  counted(static_cast<long long>(tried), "size"), where, refused);
  return format(
      "tried at {} ({}), {} refused; found at {}, confirmed at {} others{}. Tested, not proved: for one size ask "
      "infer with numbers, for all of a range --sizes.",
      counted(static_cast<long long>(tried), "size"), where, refused, used, confirmed,
      taken_back == 0 ? "" : format(", {} taken back", counted(static_cast<long long>(taken_back), "tensor")));
}

Json example_json(const SymbolicTypes& types, std::span<const std::int64_t> sizes) {
  Json example;
  for (size_t s = 0; s < types.symbols.size(); ++s) example.set(types.symbols[s].name, sizes[s]);
  return example;
}

Json rule_json(const SymbolicTypes& types, const Graph& graph, const Rule& rule) {
  Json json;
  if (!rule.text.empty()) json.set("text", rule.text);
  return std::move(json.set("node", rule.node == symbols::kNoNode ? "" : symbols::label(graph.nodes[rule.node]))
                       .set("message", rule.message)
                       .set("example", example_json(types, rule.example)));
}

Json basis_json(const SymbolicTypes& types) {
  const symbols::Basis& basis = types.survey.basis;
  Json range;
  for (size_t s = 0; s < basis.range.size(); ++s)
    range.set(types.symbols[s].name, std::vector{basis.range[s].first, basis.range[s].second});
  return std::move(Json()
                       .set("kind", basis.is_all ? "all" : "tried")
                       .set("tried", std::int64_t(basis.tried))
                       .set("refused", std::int64_t(basis.refused))
                       .set("used", std::int64_t(basis.used))
                       .set("confirmed", std::int64_t(basis.confirmed))
                       .set("taken_back", std::int64_t(basis.taken_back))
                       .set("range", range));
}

/// The node's steps at all sizes at which its types are known; the first is told.
using StepsOfNode = std::vector<const Step*>;

/// A note's place: what it is of, and how it is told.
using NoteKey = std::pair<Note::Level, std::string>;

NoteKey key_of(const Note& note) { return {note.level, note.subject}; }

/// The texts of the notes with this key.
std::vector<std::string> texts_at(const Step& step, const NoteKey& key) {
  std::vector<std::string> texts;
  for (const Note& note : step.notes)
    if (key_of(note) == key) texts.push_back(note.text);
  return texts;
}

/// Of all sizes: what is alike is as it is; of others it is said that they are by size, with the first text.
std::vector<Note> merged_notes(const StepsOfNode& steps) {
  std::vector<NoteKey> keys;
  for (const Step* step : steps)
    for (const Note& note : step->notes)
      if (std::ranges::find(keys, key_of(note)) == keys.end()) keys.push_back(key_of(note));
  std::vector<Note> notes;
  for (const NoteKey& key : keys) {
    std::set<std::vector<std::string>> all;
    std::set<std::string> different;
    for (const Step* step : steps) {
      const std::vector<std::string> texts = texts_at(*step, key);
      different.insert(texts.begin(), texts.end());
      all.insert(texts);
    }
    const auto& [level, subject] = key;
    const auto with = std::ranges::find_if(steps, [&](const Step* step) { return !texts_at(*step, key).empty(); });
    const std::vector<std::string> first = texts_at(**with, key);
    if (all.size() == 1)
      for (const std::string& text : first) notes.push_back({level, subject, text});
    else if (level == Note::Level::resolved)
      notes.push_back({level, subject, std::string(kBySize)});
    else
      notes.push_back(
          {level, subject, format("{}{}: {}", kBySize, different.size() > 1 ? ", for example" : "", first.front())});
  }
  return notes;
}

/// Of all sizes: one that decides at some of them alone, or otherwise, stands for what is by size.
std::vector<ReadingReport> merged_readings(const StepsOfNode& steps) {
  std::vector<ReadingReport> reports;
  const auto add_once = [](std::vector<std::string_view>& list, const std::vector<std::string_view>& more) {
    for (const std::string_view one : more)
      if (std::ranges::find(list, one) == list.end()) list.push_back(one);
  };
  for (const Step* step : steps)
    for (const ReadingReport& report : step->readings) {
      if (std::ranges::find(reports, report.name, &ReadingReport::name) != reports.end()) continue;
      ReadingReport& merged = reports.emplace_back(report);
      for (const Step* other : steps) {
        const auto same = std::ranges::find(other->readings, report.name, &ReadingReport::name);
        if (same != other->readings.end() && to_text(*same) == to_text(report)) continue;
        merged.stands_for = kBySize;
        if (same == other->readings.end()) continue;
        add_once(merged.others, same->others);
        add_once(merged.possible, same->possible);
      }
    }
  return reports;
}

std::int64_t parse_bound(std::string_view text, std::string_view whole) {
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size() || size < 0)
    fail(Fault::usage, "'{}' is no size from 0 to {}: sizes are written N=1..64,H=32", printable(whole), INT64_MAX);
  return size;
}

}  // namespace

std::vector<std::string> SymbolicTypes::names() const {
  std::vector<std::string> all;
  for (const symbols::NamedSymbol& symbol : symbols) all.push_back(symbol.name);
  return all;
}

const symbols::SymbolicTensor* ShownTypes::tensor(const std::string& name) const {
  if (symbolic_ == nullptr) return nullptr;
  const auto found = symbolic_->survey.tensors.find(name);
  return found == symbolic_->survey.tensors.end() ? nullptr : &found->second;
}

std::string ShownTypes::text(const std::string& name, const ValueType& type) const {
  const symbols::SymbolicTensor* known = tensor(name);
  if (known == nullptr || type.form != Form::tensor) return to_text(type);
  return known->sizes ? kind_text(type) + to_text(std::span<const Size>(*known->sizes))
                      : format("{}, {}", kind_text(type), known->why);
}

Json ShownTypes::json(const std::string& name, const ValueType& type) const {
  const symbols::SymbolicTensor* known = tensor(name);
  if (known == nullptr || type.form != Form::tensor) return type_json(type);
  Json json = type_json(ValueType::of_unknown_shape(type.dtype()));
  if (!known->sizes) return std::move(json.set("why", known->why));
  Json shape = Json::list();
  for (const Size& size : *known->sizes) {
    if (!size)
      shape.append(nullptr);
    else if (size->is_number())
      shape.append(size->value());
    else
      shape.append(size->text());
  }
  return std::move(json.set("shape", shape));
}

std::vector<SurveyedNode> merged(std::vector<std::vector<SurveyedNode>> at_sizes) {
  std::vector<SurveyedNode> first = std::move(at_sizes.front());
  for (size_t k = 0; k < first.size(); ++k) {
    if (!first[k].step) continue;
    StepsOfNode steps = {&*first[k].step};
    for (size_t other = 1; other < at_sizes.size(); ++other)
      if (const auto& step = at_sizes[other][k].step) steps.push_back(&*step);
    std::vector<Note> notes = merged_notes(steps);
    std::vector<ReadingReport> readings = merged_readings(steps);
    first[k].step->notes = std::move(notes);
    first[k].step->readings = std::move(readings);
  }
  return first;
}

std::string symbols_text(const SymbolicTypes& types, const Graph& graph) {
  std::string text = "symbols\n";
  for (const symbols::NamedSymbol& symbol : types.symbols)
    text += two_columns(format("  {}", symbol.name), format("axis {} of {}", symbol.axis, printable(symbol.input)), 22);
  for (const symbols::DecidedSize& decided : types.survey.decided)
    text += two_columns(format("  {}", decided.name),
                        format("axis {} of {}, decided by values in {}: {} to {} in what was tried", decided.axis,
                               printable(decided.output), node_label(graph, decided.node), decided.least, decided.most),
                        22);
  if (!types.survey.rules.empty()) text += "rules\n";
  std::set<size_t> told;
  for (const Rule& rule : types.survey.rules)
    text += wrapped(format("  {}{}", rule_text(rule, graph),
                           told.insert(rule.node).second ? format(": {}", rule.message) : ""),
                    4) +
            "\n";
  if (!types.survey.open.empty()) text += "refused, which no rule explains\n";
  for (const Rule& open : types.survey.open)
    text += wrapped(format("  {}   {} refuses it: {}", sizes_text(types, open.example), node_label(graph, open.node),
                           open.message),
                    4) +
            "\n";
  return text + wrapped(basis_text(types), 2) + "\n";
}

void add_symbols(Json& document, const SymbolicTypes& types, const Graph& graph) {
  Json list = Json::list();
  for (const symbols::NamedSymbol& symbol : types.symbols)
    list.append(Json().set("name", symbol.name).set("input", symbol.input).set("axis", std::int64_t(symbol.axis)));
  for (const symbols::DecidedSize& decided : types.survey.decided) {
    Json by;
    by.set("node", node_label(graph, decided.node)).set("output", decided.output);
    by.set("axis", std::int64_t(decided.axis));
    list.append(
        Json().set("name", decided.name).set("decided_by", by).set("least", decided.least).set("most", decided.most));
  }
  const auto to_json = [&](const Rule& rule) { return rule_json(types, graph, rule); };
  document.set("symbols", list).set("rules", types.survey.rules, to_json).set("open", types.survey.open, to_json);
  document.set("basis", basis_json(types));
}

std::string limit_text(const SymbolicTypes& types) {
  if (types.survey.limit == symbols::Limit::none) return "";
  return format("{}: what is printed is what {} say",
                types.survey.limit == symbols::Limit::time ? "the time is over before all sizes were tried"
                                                           : "the limit of sizes is reached before all agree",
                counted(static_cast<long long>(types.survey.basis.tried), "size"));
}

symbols::DeclaredTypes declared_types(const SymbolicTypes& types, const Graph& graph, const Environment& environment) {
  symbols::DeclaredTypes declared;
  symbols::declare_known(declared, environment);
  for (const auto& [name, tensor] : types.survey.tensors) {
    ValueInfo info{name, "", {}, {}};
    if (const auto known = environment.find(name); known != environment.end()) {
      info.dtype = known->second.type.dtype();
      info.form = known->second.type.form;
      info.key = known->second.type.key;
    }
    if (tensor.sizes) {
      info.dims.emplace();
      for (size_t axis = 0; axis < tensor.sizes->size(); ++axis) {
        DeclaredDim& dim = info.dims->emplace_back();
        const Size& size = (*tensor.sizes)[axis];
        if (!size || tensor.if_equal[axis]) continue;
        if (size->is_number())
          dim.size = size->value();
        else
          dim.symbol = size->text();
      }
    }
    declared.tensors.insert_or_assign(name, std::move(info));
  }
  for (const Rule& rule : types.survey.rules) declared.rules.push_back(rule_text(rule, graph));
  declared.basis = basis_text(types);
  return declared;
}

std::vector<symbols::Bounds> parse_bounds(const std::string& text, std::span<const std::string> names) {
  std::vector<symbols::Bounds> bounds(names.size());
  const std::string_view all = text;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find(',', at), all.size());
    const std::string_view one = all.substr(at, end - at);
    at = end + 1;
    const size_t equals = one.find('='), dots = one.find("..");
    if (equals == std::string_view::npos)
      fail(Fault::usage, "'{}' has no '=': sizes are written N=1..64,H=32", printable(one));
    const auto name = std::ranges::find(names, one.substr(0, equals));
    if (name == names.end())
      fail(Fault::usage, "'{}' is no symbol here: {}", printable(one.substr(0, equals)),
           names.empty() ? "all sizes are numbers" : format("the symbols are {}", join_text(names, ", ")));
    symbols::Bounds& bound = bounds[static_cast<size_t>(name - names.begin())];
    const std::string_view least = one.substr(equals + 1, dots == std::string_view::npos ? dots : dots - equals - 1);
    bound.least = parse_bound(least, one);
    bound.most = dots == std::string_view::npos ? bound.least : parse_bound(one.substr(dots + 2), one);
    if (*bound.most < bound.least)
      fail(Fault::usage, "'{}' has no sizes: {} is below {}", printable(one), *bound.most, bound.least);
  }
  return bounds;
}

}  // namespace opref::cli
