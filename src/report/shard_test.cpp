// SPDX-License-Identifier: Apache-2.0
#include "report/shard.h"

#include <catch2/catch.hpp>
#include <map>

#include "core/error.h"

namespace shard_test {

using namespace opref::report;

namespace {

Variables variables(const std::map<std::string, std::string>& values) {
  return [values](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

/// "2/3", or the error's message.
std::string shard(const std::string& text, const std::map<std::string, std::string>& values = {}) {
  try {
    const Shard parsed = parse_shard(text, variables(values));
    return format("{}/{}", parsed.index, parsed.count);
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.message();
  }
}

}  // namespace

TEST_CASE("a shard is stated as I/N", "[system]") {
  CHECK(shard("1/1") == "1/1");
  CHECK(shard("3/3") == "3/3");
  for (const char* wrong : {"", "3", "0/3", "4/3", "-1/3", "1/0", "1/3x", " 1/3", "1//3", "1/", "/3", "Auto", "auto/0"})
    CHECK(shard(wrong) == format("'{}' is no share: it is I/N with I from 1 to N, auto, or auto/N", wrong));
}

TEST_CASE("a shard is what the engine says", "[system]") {
  // Bazel and GoogleTest count from 0.
  CHECK(shard("auto", {{"TEST_TOTAL_SHARDS", "4"}, {"TEST_SHARD_INDEX", "0"}}) == "1/4");
  CHECK(shard("auto", {{"GTEST_TOTAL_SHARDS", "4"}, {"GTEST_SHARD_INDEX", "3"}}) == "4/4");
  // sbatch --array=10-16:2
  const auto slurm = [](const std::string& id) {
    return std::map<std::string, std::string>{{"SLURM_ARRAY_TASK_ID", id},
                                              {"SLURM_ARRAY_TASK_MIN", "10"},
                                              {"SLURM_ARRAY_TASK_MAX", "16"},
                                              {"SLURM_ARRAY_TASK_STEP", "2"},
                                              {"SLURM_ARRAY_TASK_COUNT", "4"}};
  };
  CHECK(shard("auto", slurm("10")) == "1/4");
  CHECK(shard("auto", slurm("16")) == "4/4");
  // bsub -J "name[1-9:2]"; 0 means no array
  CHECK(shard("auto", {{"LSB_JOBINDEX", "5"}, {"LSB_JOBINDEX_END", "9"}, {"LSB_JOBINDEX_STEP", "2"}}) == "3/5");
  CHECK(shard("auto", {{"LSB_JOBINDEX", "0"}, {"LSB_JOBINDEX_END", "0"}, {"LSB_JOBINDEX_STEP", "0"}}) == "1/1");
  // qsub -t 1-6:1; outside arrays SGE says "undefined"
  CHECK(shard("auto",
              {{"SGE_TASK_ID", "6"}, {"SGE_TASK_FIRST", "1"}, {"SGE_TASK_LAST", "6"}, {"SGE_TASK_STEPSIZE", "1"}}) ==
        "6/6");
  CHECK(shard("auto", {{"SGE_TASK_ID", "undefined"}, {"SGE_TASK_LAST", "undefined"}}) == "1/1");
  CHECK(shard("auto") == "1/1");
}

TEST_CASE("engines that do not say how many shards there are need auto/N", "[system]") {
  for (const char* index : {"PBS_ARRAY_INDEX", "PBS_ARRAYID", "JOB_COMPLETION_INDEX"}) {
    CHECK(shard("auto", {{index, "1"}}) == format("{} does not say how many shards there are", index));
    for (const int i : {0, 1, 2}) CHECK(shard("auto/3", {{index, std::to_string(i)}}) == format("{}/3", i + 1));
    // Two jobs of one share would judge it twice and another one never.
    CHECK(shard("auto/3", {{index, "3"}}) == format("{} makes this shard 4 of 3", index));
  }
  CHECK(shard("auto/1") == "1/1");
  CHECK(shard("auto/2") == "no variable says which of 2 shards this is");
}

TEST_CASE("an engine that contradicts itself is refused", "[system]") {
  CHECK(shard("auto", {{"TEST_TOTAL_SHARDS", "4"}}) == "TEST_TOTAL_SHARDS is set, but TEST_SHARD_INDEX is not");
  CHECK(shard("auto", {{"TEST_SHARD_INDEX", "1"}}) == "TEST_SHARD_INDEX is set, but TEST_TOTAL_SHARDS is not");
  CHECK(shard("auto", {{"TEST_TOTAL_SHARDS", "2"}, {"TEST_SHARD_INDEX", "2"}}) ==
        "TEST_SHARD_INDEX makes this shard 3 of 2");
  CHECK(shard("auto", {{"TEST_TOTAL_SHARDS", "two"}, {"TEST_SHARD_INDEX", "1"}}) ==
        "TEST_TOTAL_SHARDS is 'two', but must be a number");
  CHECK(shard("auto/3", {{"TEST_TOTAL_SHARDS", "2"}, {"TEST_SHARD_INDEX", "1"}}) ==
        "by TEST_SHARD_INDEX and its like there are 2 shards, but 3 are stated");
  // sbatch --array=1,3,7
  CHECK(shard("auto", {{"SLURM_ARRAY_TASK_ID", "3"},
                       {"SLURM_ARRAY_TASK_MIN", "1"},
                       {"SLURM_ARRAY_TASK_MAX", "7"},
                       {"SLURM_ARRAY_TASK_STEP", "1"},
                       {"SLURM_ARRAY_TASK_COUNT", "3"}}) ==
        "the array's indices are not 1 to 7 in steps of 1 (3 of them, this is 3)");
}

TEST_CASE("shards are disjoint and complete, whatever the order, and about as costly", "[system]") {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back(format("node/test_case_{}", i));
  std::vector<ShardItem> items;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    items.push_back({names[i], 1000 + i * i % 7919});
    all += items.back().cost;
  }
  for (const int count : {1, 2, 3, 10, 100}) {
    const std::vector<int> shards = shards_of(items, count);
    std::map<int, std::uint64_t> costs;
    for (std::size_t i = 0; i < items.size(); ++i) costs[shards[i]] += items[i].cost;
    REQUIRE(costs.size() == static_cast<std::size_t>(count));
    CHECK(costs.begin()->first == 1);
    for (const auto& [shard, cost] : costs)
      CHECK(std::abs(static_cast<double>(cost) * count / static_cast<double>(all) - 1) < 0.02);
    std::vector<ShardItem> reversed(items.rbegin(), items.rend());
    std::vector<int> again = shards_of(reversed, count);
    std::ranges::reverse(again);
    CHECK(again == shards);
  }
}

TEST_CASE("a shard for what costs more than all else; shards without work", "[system]") {
  const std::vector<ShardItem> items = {{"d", 1}, {"c", 1}, {"huge", 1000}, {"b", 1}, {"a", 1}};
  // huge to 1; then a to 2, b to 3, c to 2, d to 3.
  CHECK(shards_of(items, 3) == std::vector<int>{3, 2, 1, 3, 2});
  CHECK(shards_of(items, 1'000'000'000) == std::vector<int>{5, 4, 1, 3, 2});
  CHECK(shards_of({}, 7).empty());
}

}  // namespace shard_test
