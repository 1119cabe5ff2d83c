// SPDX-License-Identifier: Apache-2.0
#include "io/json/cases.h"
#include "io/json/parse.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "io/json/fields.h"
#include "io/json/json.h"
#include "io/json/members.h"

namespace opref::io {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShownNames = 12;

void require_few(size_t count, std::string_view what) {
  if (count > kMostCasesOfFile)
    fail(Fault::unsupported, "{} has more than {} cases: split the file", what, kMostCasesOfFile);
}

void require_list(const JsonValue& list, std::string_view items) {
  if (list.size() == 0) fail(Fault::malformed, "{} is an empty list, but must have {}", place(list), items);
  require_few(list.size(), place(list));
}

void add_cases(const JsonValue& object, const std::string& name, std::vector<JsonCase>& cases) {
  const auto stated = object.find("opset");
  if (!stated || stated->kind() != JsonKind::list) return cases.push_back({name, object, {}});
  require_list(*stated, "opsets");
  std::set<std::int64_t> seen;
  for (const JsonValue item : *stated) {
    const std::int64_t opset = opset_number(item);
    if (!seen.insert(opset).second) fail(Fault::malformed, "{} is {} for the second time", place(item), opset);
    cases.push_back({format("{}#opset={}", name, opset), object, opset});
  }
}

std::string names_of(const std::vector<JsonCase>& cases) {
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(cases.size(), kShownNames); ++i) names.push_back(cases[i].name);
  if (cases.size() > kShownNames) names.push_back(format("… and {} more", cases.size() - kShownNames));
  return join_text(names, ", ");
}

/// Of a case without a list of opsets, what its object says.
std::optional<std::int64_t> opset_of(const JsonCase& one) {
  const auto stated = one.opset ? std::nullopt : one.object.find("opset");
  return stated ? opset_number(*stated) : one.opset;
}

/// What alone has this member, in a text that is a list or an object.
std::optional<OtherJson> other_with(const JsonMember& member, bool is_list) {
  const auto starts = [&](std::string_view key, std::string_view value) {
    return member.key == key && member.rest.starts_with(value);
  };
  if (starts("each", "[") || starts("opset", "\"every\"") || starts("dtype", "\"every\"")) return OtherJson::recipe;
  if (is_list && member.depth == 2 && member.key == "mistake") return OtherJson::mistakes;
  if (member.depth != 1) return std::nullopt;
  if (starts("command", "\"golden\"")) return OtherJson::manifest;
  return member.key == "report_format" ? std::optional(OtherJson::report) : std::nullopt;
}

}  // namespace

std::vector<JsonCase> json_cases(const Json& document) {
  const JsonValue root = document.root();
  std::vector<JsonCase> cases;
  if (root.kind() != JsonKind::list) {
    add_cases(root, "", cases);
    return cases;
  }
  require_list(root, "cases");
  size_t number = 0;
  for (const JsonValue item : root) {
    require_kind(item, JsonKind::object);
    add_cases(item, format("#{}", ++number), cases);
    require_few(cases.size(), "the document");
  }
  return cases;
}

JsonCaseFile::JsonCaseFile(std::string_view text)
    : document(parse_json(text)), cases(is_onnx_json(document) ? std::vector<JsonCase>() : json_cases(document)) {}

std::vector<JsonCase> named_cases(const std::vector<JsonCase>& cases, std::string_view name) {
  std::vector<JsonCase> named;
  const std::string several = std::string(name) + "#";
  for (const JsonCase& one : cases)
    if (name.empty() || one.name == name || one.name.starts_with(several)) named.push_back(one);
  if (named.empty())
    fail(Fault::usage, "there is no case {} in it{}", printable(name),
         cases.size() == 1 && cases.front().name.empty() ? ", it is one case" : ", only " + names_of(cases));
  return named;
}

JsonCase chosen_case(const std::vector<JsonCase>& cases, const CaseChoice& choice) {
  const std::vector<JsonCase> named = named_cases(cases, choice.name);
  if (named.size() == 1) return named.front();
  const std::string whole = choice.name.empty() ? "the file" : printable(choice.name);
  if (!choice.opset)
    fail(Fault::usage, "{} has {} cases: name one, as in FILE{} ({})", whole, named.size(), named.front().name,
         names_of(named));
  std::vector<JsonCase> left = named;
  std::erase_if(left, [&](const JsonCase& one) { return opset_of(one) != choice.opset; });
  if (left.size() == 1) return left.front();
  if (left.empty())
    fail(Fault::usage,
         "none of the {} cases of {} is for opset {}: name the one to evaluate as that, as in FILE{} ({})",
         named.size(), whole, *choice.opset, named.front().name, names_of(named));
  fail(Fault::usage, "{} of the {} cases of {} are for opset {}: name one, as in FILE{} ({})", left.size(),
       named.size(), whole, *choice.opset, left.front().name, names_of(left));
}

CaseOfFile split_case_name(const std::string& argument) {
  std::error_code ignored;
  const auto is_a_file = [&](const std::string& file) {
    return fs::exists(file, ignored) && !fs::is_directory(file, ignored);
  };
  if (fs::exists(argument, ignored)) return {argument, ""};
  for (size_t hash = argument.rfind('#'); hash != std::string::npos && hash > 0; hash = argument.rfind('#', hash - 1))
    if (const std::string file = argument.substr(0, hash); is_a_file(file)) return {file, argument.substr(hash)};
  return {argument, ""};
}

JsonGlance::JsonGlance(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (begin == std::string_view::npos || (text[begin] != '{' && text[begin] != '[')) return;
  has_operator = false;
  const bool is_list = text[begin] == '[';
  may_be_several = is_list;
  each_member(text, [&](const JsonMember& member) {
    has_operator |= member.key == "op_type";
    may_be_several |= member.key == "opset" && member.rest.starts_with('[');
    other = other_with(member, is_list);
    return !other;
  });
}

}  // namespace opref::io
