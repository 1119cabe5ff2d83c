#include "check/select.h"

#include <regex>

#include "core/error.h"

namespace opref {
namespace {

std::regex parse_filter(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error& error) {
    fail(Fault::usage, "--filter {}: this is no regular expression: {}", printable(text), error.what());
  }
}

}  // namespace

Selection select(std::span<const std::string> paths, const std::string& filter, const Shard& shard) {
  const std::regex regex = parse_filter(filter);
  Selection selection;
  for (FoundCase& found : discover(paths)) {
    if (!filter.empty() && !std::regex_search(found.name, regex)) continue;
    selection.all_names.push_back(found.name);
    if (is_in_shard(found.name, shard)) selection.cases.push_back(std::move(found));
  }
  return selection;
}

std::string filter_for(const std::string& name) {
  std::string regex = "^";
  for (const char c : name) {
    if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) regex += '\\';
    regex += c;
  }
  return regex + "$";
}

}  // namespace opref
