// SPDX-License-Identifier: Apache-2.0
#include "core/hints.h"

#include <algorithm>
#include <map>
#include <string>

namespace opref::core {
namespace {

/// Removes what stands before the first `separator`, which is removed too.
std::string_view take(std::string_view& text, std::string_view separator) {
  const std::string_view taken = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), taken.size() + separator.size()));
  return taken;
}

std::string_view take_column(std::string_view& line) {
  std::string_view column = take(line, "|");
  column.remove_prefix(std::min(column.size(), column.find_first_not_of(' ')));
  return column.substr(0, column.find_last_not_of(' ') + 1);
}

std::map<std::string_view, std::vector<Hint>> read_rows() {
  std::map<std::string_view, std::vector<Hint>> kinds;
  for (std::string_view left = kHintRows; !left.empty();) {
    std::string_view line = take(left, "\n");
    if (line.starts_with('#')) continue;
    Hint hint;
    for (std::string_view* column : {&hint.kind, &hint.written, &hint.where, &hint.meant, &hint.more})
      *column = take_column(line);
    kinds[hint.kind].push_back(hint);
  }
  return kinds;
}

}  // namespace

const std::vector<Hint>& hints(std::string_view kind) {
  static const std::map<std::string_view, std::vector<Hint>> kinds = read_rows();
  return kinds.at(kind);
}

std::string_view meant(std::string_view kind, std::string_view written) {
  const std::vector<Hint>& all = hints(kind);
  const auto found = std::ranges::find(all, written, &Hint::written);
  return found == all.end() ? "" : found->meant;
}

}  // namespace opref::core
