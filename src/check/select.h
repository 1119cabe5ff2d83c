// SPDX-License-Identifier: Apache-2.0
// Which cases a run of `check` is about.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "check/discover.h"
#include "report/shard.h"

namespace opref::check {

struct Selection {
  std::vector<FoundCase> cases;          ///< those of this shard, sorted by name
  std::vector<std::string> other_names;  ///< of the cases of all other shards, sorted
  std::vector<std::string> passed_over;  ///< see Discovery

  bool empty() const { return cases.empty() && other_names.empty(); }
  /// The names of all shards' cases, sorted.
  void each_name(const std::function<void(const std::string&)>& visit) const;
};

/// The cases below `paths` whose names `filter` (see NameFilter) matches.
/// Faults: those of discover; `usage` for what is no regular expression.
Selection select(std::span<const std::string> paths, const std::string& filter, const Shard& shard);

}  // namespace opref::check
