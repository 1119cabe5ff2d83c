// SPDX-License-Identifier: Apache-2.0
#include "report/name_filter.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/utf8.h"

namespace opref::report {

NameFilter::NameFilter(const std::string& expression)
    : expression_(expression, code_points(expression) ? ExpressionUnit::code_point : ExpressionUnit::byte) {
  if (!expression_.complaint().empty())
    fail(Fault::usage, "'{}' is {}: {}{}", printable(expression),
         expression_.is_too_large() ? "too large a regular expression" : "no regular expression",
         printable(expression_.complaint()), expression.starts_with('*') ? "; any text is written .*" : "");
}

bool NameFilter::matches(const std::string& name) const { return expression_.matches_part_of(name); }

namespace {

std::string escaped(std::string_view text) {
  std::string expression;
  for (const char c : text) {
    if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) expression += '\\';
    expression += c;
  }
  return expression;
}

bool is_separator(char c) { return std::string_view("/_#.-@=").find(c) != std::string_view::npos; }

/// All runs of whole words, the shortest first.
std::vector<std::string> parts_of(const std::string& name) {
  constexpr size_t kLeast = 3;
  std::vector<size_t> begins{0}, ends;
  for (size_t i = 0; i < name.size(); ++i)
    if (is_separator(name[i])) ends.push_back(i), begins.push_back(i + 1);
  ends.push_back(name.size());
  std::vector<std::string> parts;
  for (size_t i = 0; i < begins.size(); ++i)
    for (size_t j = i; j < ends.size(); ++j)
      if (ends[j] - begins[i] >= kLeast) parts.push_back(name.substr(begins[i], ends[j] - begins[i]));
  std::ranges::stable_sort(parts, {}, &std::string::size);
  return parts;
}

/// What follows the first `done` characters of sorted names that share these.
std::string alternatives(std::span<const std::string> names, size_t done) {
  const std::string &first = names.front(), &last = names.back();
  size_t shared = done;
  while (shared < first.size() && shared < last.size() && first[shared] == last[shared]) ++shared;
  std::string expression = escaped(std::string_view(first).substr(done, shared - done));
  if (names.size() == 1) return expression;
  std::string choices;
  if (first.size() == shared) names = names.subspan(1);
  const bool may_end = first.size() == shared;
  while (!names.empty()) {
    const char next = names.front()[shared];
    const auto end = std::ranges::find_if(names, [&](const std::string& name) { return name[shared] != next; });
    const auto same = static_cast<size_t>(end - names.begin());
    choices += (choices.empty() ? "" : "|") + alternatives(names.first(same), shared);
    names = names.subspan(same);
  }
  return expression + "(" + choices + ")" + (may_end ? "?" : "");
}

}  // namespace

std::string NameFilter::only(const std::string& name) { return "^" + escaped(name) + "$"; }

void NameFilter::Search::add(const std::string& name) {
  if (++count_ == 1)
    parts_ = parts_of(name);
  else
    std::erase_if(parts_, [&](const std::string& part) { return name.find(part) == std::string::npos; });
  if (count_ <= kMostNamed)
    names_.push_back(name);
  else
    names_ = {};
}

void NameFilter::Search::avoid(const std::string& name) {
  if (count_ > 1) std::erase_if(parts_, [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

std::string NameFilter::Search::expression() const {
  return count_ > 1 && !parts_.empty() ? escaped(parts_.front()) : exact_expression();
}

std::string NameFilter::Search::exact_expression() const { return names_.empty() ? "" : each_of(names_); }

std::string NameFilter::each_of(std::span<const std::string> names) {
  if (names.size() == 1) return only(names.front());
  const auto is_ascii = [](const std::string& name) {
    return std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  };
  if (std::ranges::all_of(names, is_ascii)) return "^" + alternatives(names, 0) + "$";
  std::string expression;  // bytes of one character must stay together
  for (const std::string& name : names) expression += (expression.empty() ? "^(" : "|") + escaped(name);
  return expression + ")$";
}

}  // namespace opref::report
