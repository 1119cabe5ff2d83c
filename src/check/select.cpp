// SPDX-License-Identifier: Apache-2.0
#include "check/select.h"

#include "check/cost.h"
#include "report/name_filter.h"

namespace opref::check {

Selection select(std::span<const std::string> paths, const std::string& filter, const Shard& shard) {
  const NameFilter chosen(filter);
  Discovery discovery = discover_all(paths);
  std::vector<FoundCase>& all = discovery.cases;
  std::erase_if(all, [&](const FoundCase& found) { return !chosen.matches(found.name); });
  if (shard.count == 1) return {std::move(all), {}, std::move(discovery.passed_over)};
  Selection selection;
  selection.passed_over = std::move(discovery.passed_over);
  std::vector<ShardItem> items;
  Costs costs;
  for (const FoundCase& found : all) items.push_back({found.name, costs.of(found)});
  const std::vector<int> shards = shards_of(items, shard.count);
  for (size_t i = 0; i < all.size(); ++i)
    if (shards[i] == shard.index)
      selection.cases.push_back(std::move(all[i]));
    else
      selection.other_names.push_back(std::move(all[i].name));
  return selection;
}

void Selection::each_name(const std::function<void(const std::string&)>& visit) const {
  auto other = other_names.begin();
  for (const FoundCase& found : cases) {
    for (; other != other_names.end() && *other < found.name; ++other) visit(*other);
    visit(found.name);
  }
  for (; other != other_names.end(); ++other) visit(*other);
}

}  // namespace opref::check
