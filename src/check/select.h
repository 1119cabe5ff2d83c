// SPDX-License-Identifier: Apache-2.0
// Which cases a run of `check` is about.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "check/discover.h"
#include "system/shard.h"

namespace opref::check {

struct Selection {
  std::vector<std::string> all_names;  ///< those of all shards, sorted
  std::vector<FoundCase> cases;        ///< those of this shard, sorted by name
};

/// The cases below `paths` whose names `filter` (see NameFilter) matches.
/// Faults: those of discover; `usage` for what is no regular expression.
Selection select(std::span<const std::string> paths, const std::string& filter, const Shard& shard);

}  // namespace opref::check
