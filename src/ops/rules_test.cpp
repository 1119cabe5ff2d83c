// SPDX-License-Identifier: Apache-2.0
// Has each rule of an operator a case that breaks it?
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "core/content_testing.h"
#include "core/text.h"
#include "io/json/cases.h"
#include "io/json/parse.h"
#include "io/json/tree.h"
#include "ops/operators.h"

namespace fs = std::filesystem;
using namespace opref::io;

namespace opref::ops {
namespace {

const fs::path kSource = OPREF_SOURCE_DIR;

/// A sentence of the sources with which something is `invalid`: "axis is {}, but …".
struct Rule {
  std::string place;               ///< "src/ops/onnx/tile.cpp: TEXT"
  std::vector<std::string> parts;  ///< the text between the values
  size_t size;                     ///< of the parts
};

/// The string literals that follow one another at `at`, put together; `at` moves behind them.
std::string literal(const std::string& text, size_t& at) {
  std::string whole;
  const auto skip_space = [&] { at = std::min(text.find_first_not_of(" \n", at), text.size()); };
  for (skip_space(); at < text.size() && text[at] == '"'; ++at, skip_space())
    for (++at; text[at] != '"'; ++at) {
      if (text[at] == '\\') ++at;
      whole += text[at];
    }
  return whole;
}

std::vector<std::string> parts_of(const std::string& pattern) {
  std::vector<std::string> parts(1);
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool is_doubled = i + 1 < pattern.size() && pattern[i] == pattern[i + 1];
    if (pattern[i] != '{' && pattern[i] != '}')
      parts.back() += pattern[i];
    else if (is_doubled)
      parts.back() += pattern[i++];
    else if (pattern[i] == '{')
      parts.emplace_back();
  }
  return parts;
}

/// All rules of a source: require(CONDITION, "TEXT", …), fail(Fault::invalid, "TEXT", …).
std::vector<Rule> rules_of(const fs::path& file) {
  const std::string text = std::regex_replace(content(file), std::regex(R"((^|\s)//[^\n]*)"), "$1");
  const std::regex call(R"(\b(require\(|fail\(Fault::invalid,))");
  std::vector<Rule> rules;
  for (std::sregex_iterator it(text.begin(), text.end(), call); it != std::sregex_iterator(); ++it) {
    const bool has_condition = it->str().starts_with("require");
    auto at = static_cast<size_t>(it->position() + it->length());
    for (int depth = 1; has_condition && (depth > 1 || text[at] != ','); ++at) {
      if (text[at] == '"') {
        literal(text, at);
        --at;
      }
      depth += text[at] == '(' || text[at] == '{' || text[at] == '[' ? 1 : 0;
      depth -= text[at] == ')' || text[at] == '}' || text[at] == ']' ? 1 : 0;
    }
    at = text.find('"', at);
    const std::string pattern = literal(text, at);
    Rule rule{format("{}: {}", file.lexically_relative(kSource).generic_string(), pattern), parts_of(pattern), 0};
    for (const std::string& part : rule.parts) rule.size += part.size();
    rules.push_back(std::move(rule));
  }
  return rules;
}

/// Whether the message is the rule's text with some values in it.
bool says(const Rule& rule, std::string_view message) {
  if (!message.starts_with(rule.parts.front()) || !message.ends_with(rule.parts.back())) return false;
  if (rule.parts.size() == 1) return message == rule.parts.front();
  if (message.size() < rule.parts.front().size() + rule.parts.back().size()) return false;
  message.remove_suffix(rule.parts.back().size());
  for (size_t i = 0; i + 1 < rule.parts.size(); ++i) {
    const size_t found = message.find(rule.parts[i]);
    if (found == std::string_view::npos) return false;
    message.remove_prefix(found + rule.parts[i].size());
  }
  return true;
}

/// Messages with which cases in testdata must fail, by the operator's folder: "ai.onnx/Tile".
std::map<std::string, std::set<std::string>> expected_messages() {
  std::map<std::string, std::set<std::string>> messages;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "testdata")) {
    const fs::path relative = entry.path().lexically_relative(kSource / "testdata");
    if (entry.path().extension() != ".json" || std::distance(relative.begin(), relative.end()) < 3) continue;
    if (entry.path().filename() == "recipe.json") continue;
    const Json document = parse_json(content(entry.path()));
    auto& own = messages[(*relative.begin() / *std::next(relative.begin())).generic_string()];
    if (const auto message =
            document.root().kind() == JsonKind::object ? document.root().find("message") : std::nullopt)
      own.emplace(message->text());
    for (const JsonCase& one : json_cases(document))
      if (const auto error = one.object.find("expect_error"))
        if (const auto message = error->find("message")) own.emplace(message->text());
  }
  return messages;
}

}  // namespace

/// Of what another program drew, which no case has: src/check/drawn_test.cpp breaks these rules.
bool judges_draws(const std::string& place) {
  return std::ranges::any_of(std::array{"src/ops/shared/random.", "src/ops/onnx/bernoulli.cpp: output"},
                             [&](std::string_view begin) { return place.starts_with(begin); });
}

TEST_CASE("data: each rule of the operators has a case that breaks it", "[ops][release]") {
  std::vector<Rule> rules;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "src/ops")) {
    const std::string file = entry.path().filename().string();
    const bool is_source = (file.ends_with(".cpp") && !file.ends_with("_test.cpp")) ||
                           (file.ends_with(".h") && !file.ends_with("_testing.h"));
    if (!is_source) continue;
    const std::vector<Rule> more = rules_of(entry.path());
    rules.insert(rules.end(), more.begin(), more.end());
  }
  CHECK(rules.size() > 400);
  // A message proves the rule whose words are most of it: "{} is {}, but must be {}" is said of much.
  std::set<std::string> broken, all;
  for (const Rule& rule : rules)
    if (!judges_draws(rule.place)) all.insert(rule.place);
  for (const auto& [folder, messages] : expected_messages())
    for (const std::string& message : messages) {
      size_t most = 0;
      for (const Rule& rule : rules)
        if (rule.size > most && says(rule, message)) most = rule.size;
      for (const Rule& rule : rules)
        if (rule.size == most && says(rule, message)) broken.insert(rule.place);
    }
  std::vector<std::string> missing;
  std::ranges::set_difference(all, broken, std::back_inserter(missing));
  CHECK(missing == std::vector<std::string>{});
}

TEST_CASE("data: each range of an attribute has a case that leaves it", "[ops][release]") {
  const auto messages = expected_messages();
  std::vector<std::string> missing;
  size_t ranges = 0;
  for (const OperatorRow& row : operator_rows()) {
    std::set<std::string> attributes;
    for (const OpSchema& schema : find_operator(row.domain, row.op_type)->versions())
      for (const AttributeSchema& attribute : schema.attributes())
        if (attribute.range != Range{}) attributes.emplace(attribute.name);
    ranges += attributes.size();
    const auto own = messages.find(format("{}/{}", row.domain, row.op_type));
    for (const std::string& attribute : attributes) {
      const std::string begin = format("attribute '{}' is ", attribute);
      if (own == messages.end() || std::ranges::none_of(own->second, [&](const std::string& message) {
            return message.starts_with(begin) && message.find(", but ") != std::string::npos;
          }))
        missing.push_back(format("{} {}", row.op_type, attribute));
    }
  }
  CHECK(ranges > 200);
  CHECK(missing == std::vector<std::string>{});
}

TEST_CASE("an attribute that is an element type takes the types' names", "[ops]") {
  std::set<std::string> without;
  size_t count = 0;
  for (const OperatorRow& row : operator_rows())
    for (const OpSchema& schema : find_operator(row.domain, row.op_type)->versions())
      for (const AttributeSchema& attribute : schema.attributes()) {
        const bool is_type = attribute.name == "to" || attribute.name == "precision" ||
                             attribute.name.ends_with("type") || attribute.name.ends_with("_precision");
        const bool counts_axes = attribute.name == "mask_index_type";  // of com.microsoft: 0 or 1
        if (!is_type || counts_axes || attribute.type != AttributeType::INT) continue;
        ++count;
        if (attribute.range.words.empty()) without.emplace(format("{} {}", row.op_type, attribute.name));
      }
  CHECK(count >= 50);
  CHECK(without == std::set<std::string>{});
}

}  // namespace opref::ops
