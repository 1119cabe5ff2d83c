// SPDX-License-Identifier: Apache-2.0
// A share of the work, for one of several machines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/rooms.h"

namespace opref::report {

/// Which share of the cases it is: as what that is written.
inline constexpr Remedy kStateShard{"state_shard"};

struct Shard {
  int index = 1, count = 1;  ///< 1 <= index <= count
};

/// "I/N"
std::string to_text(const Shard& shard);

/// The value of an environment variable; nothing if it is not set.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;
Variables process_variables();

/// "I/N", or "auto": what the engine that runs this process says in its environment, 1/1 where there is none.
///   Bazel, GoogleTest  TEST_SHARD_INDEX, TEST_TOTAL_SHARDS; GTEST_SHARD_INDEX, GTEST_TOTAL_SHARDS
///   Slurm array        SLURM_ARRAY_TASK_ID, _MIN, _MAX, _STEP, _COUNT
///   LSF array          LSB_JOBINDEX, LSB_JOBINDEX_END, LSB_JOBINDEX_STEP; it begins with 1
///   SGE array          SGE_TASK_ID, SGE_TASK_FIRST, SGE_TASK_LAST, SGE_TASK_STEPSIZE
///   PBS, Torque array  PBS_ARRAY_INDEX; PBS_ARRAYID
///   Kubernetes         JOB_COMPLETION_INDEX
/// The last two do not say how many there are: "auto/N" does; their indices are 0 to N-1. Faults: `usage`.
Shard parse_shard(std::string_view text, const Variables& variables);

/// Bazel and GoogleTest ask a program that knows shards to touch a file. Fault: `system`.
void acknowledge_sharding(const Variables& variables);

/// Some of the shards of one set, by their indices, and what has each.
using ShardHolders = std::vector<std::pair<int, std::string>>;
/// A `usage` error that names the shards of 1 to `count` that are there twice or not at all.
void require_each_once(const ShardHolders& shards, int count);

/// Something to be done: its name, and what it costs, in about nanoseconds.
struct ShardItem {
  std::string_view name;
  std::uint64_t cost;
};
/// Of each item its shard, 1 to `count`: the items by falling cost, names that come first where they cost alike, each
/// to the shard that has the least to do so far, the first of several. So the shards are disjoint and complete, about
/// as costly as one another, and depend on nothing but the items, in whatever order they are given.
std::vector<int> shards_of(std::span<const ShardItem> items, int count);

}  // namespace opref::report
