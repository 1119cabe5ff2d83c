// SPDX-License-Identifier: Apache-2.0
#include "check/select.h"

#include "core/name_filter.h"

namespace opref::check {

Selection select(std::span<const std::string> paths, const std::string& filter, const Shard& shard) {
  const NameFilter chosen(filter);
  Selection selection;
  for (FoundCase& found : discover(paths)) {
    if (!chosen.matches(found.name)) continue;
    selection.all_names.push_back(found.name);
    if (is_in_shard(found.name, shard)) selection.cases.push_back(std::move(found));
  }
  return selection;
}

}  // namespace opref::check
