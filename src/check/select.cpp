// SPDX-License-Identifier: Apache-2.0
#include "check/select.h"

#include "check/cost.h"
#include "core/name_filter.h"

namespace opref::check {

Selection select(std::span<const std::string> paths, const std::string& filter, const Shard& shard) {
  const NameFilter chosen(filter);
  std::vector<FoundCase> all = discover(paths);
  std::erase_if(all, [&](const FoundCase& found) { return !chosen.matches(found.name); });
  Selection selection;
  std::vector<ShardItem> items;
  Costs costs;
  for (const FoundCase& found : all) {
    selection.all_names.push_back(found.name);
    items.push_back({found.name, shard.count == 1 ? 0 : costs.of(found)});
  }
  const std::vector<int> shards = shards_of(items, shard.count);
  for (size_t i = 0; i < all.size(); ++i)
    if (shards[i] == shard.index) selection.cases.push_back(std::move(all[i]));
  return selection;
}

}  // namespace opref::check
