// SPDX-License-Identifier: Apache-2.0
#include "report/shard.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <queue>

#include "core/error.h"
#include "system/file.h"

namespace opref::report {
namespace {

/// What an engine calls its variables. `first`, `step` and `tasks` may be unknown.
struct Engine {
  const char* index;
  const char* count;  ///< how many there are, or
  const char* last;   ///< the greatest index
  const char* first = nullptr;
  const char* step = nullptr;
  const char* tasks = nullptr;  ///< how many there are, where `last` does not say it alone
  std::int64_t first_index = 0;
};

constexpr std::array kEngines = {
    Engine{"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", nullptr},
    Engine{"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", nullptr},
    Engine{"SLURM_ARRAY_TASK_ID", nullptr, "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP",
           "SLURM_ARRAY_TASK_COUNT"},
    Engine{"LSB_JOBINDEX", nullptr, "LSB_JOBINDEX_END", nullptr, "LSB_JOBINDEX_STEP", nullptr, 1},
    Engine{"SGE_TASK_ID", nullptr, "SGE_TASK_LAST", "SGE_TASK_FIRST", "SGE_TASK_STEPSIZE"},
    Engine{"PBS_ARRAY_INDEX", nullptr, nullptr},
    Engine{"PBS_ARRAYID", nullptr, nullptr},
    Engine{"JOB_COMPLETION_INDEX", nullptr, nullptr},
};

constexpr std::int64_t kMostShards = 1'000'000'000;

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc{} || end != text.end() || number < 0 || number > kMostShards) return std::nullopt;
  return number;
}

/// Of a variable; nothing where it is not set or says, as SGE's do outside arrays, that it means nothing.
std::optional<std::int64_t> number_in(const Variables& variables, const char* name) {
  const auto text = name == nullptr ? std::nullopt : variables(name);
  if (!text || text->empty() || *text == "undefined") return std::nullopt;
  const auto number = parse_number(*text);
  if (!number) fail(Fault::usage, "{} is '{}', but must be a number", name, printable(*text));
  return number;
}

/// `set` is the variable that makes this one needed.
std::int64_t required_number(const Variables& variables, const char* name, const char* set) {
  const auto number = number_in(variables, name);
  if (!number) fail(Fault::usage, "{} is set, but {} is not", set, name);
  return *number;
}

Shard checked(std::int64_t zero_based, std::int64_t count, const Engine& engine) {
  if (count < 1 || zero_based < 0 || zero_based >= count)
    fail(Fault::usage, "{} makes this shard {} of {}", engine.index, zero_based + 1, count);
  return {static_cast<int>(zero_based + 1), static_cast<int>(count)};
}

/// Arrays count from `first` to `last` in steps.
Shard array_shard(const Variables& variables, const Engine& engine, std::int64_t index) {
  const std::int64_t last = required_number(variables, engine.last, engine.index);
  const std::int64_t first =
      engine.first != nullptr ? required_number(variables, engine.first, engine.index) : engine.first_index;
  const std::int64_t step = std::max<std::int64_t>(1, number_in(variables, engine.step).value_or(1));
  const std::int64_t count = last < first ? 0 : (last - first) / step + 1;
  const std::int64_t tasks = number_in(variables, engine.tasks).value_or(count);
  if (tasks != count || (index - first) % step != 0)
    fail(Fault::usage, "the array's indices are not {} to {} in steps of {} ({} of them, this is {})", first, last,
         step, tasks, index);
  return checked((index - first) / step, count, engine);
}

Shard automatic_shard(const Variables& variables, std::optional<std::int64_t> stated_count) {
  for (const Engine& engine : kEngines) {
    const auto index = number_in(variables, engine.index);
    const bool in_array = index && !(engine.first_index == 1 && *index == 0);  // LSF: 0 is no array
    if (!in_array) {
      if (engine.count != nullptr && number_in(variables, engine.count))
        required_number(variables, engine.index, engine.count);
      continue;
    }
    if (engine.count == nullptr && engine.last == nullptr) {
      if (!stated_count)
        fail(Fault::usage, {kStateShard, "auto/N"}, "{} does not say how many shards there are", engine.index);
      return checked(*index, *stated_count, engine);
    }
    const Shard shard = engine.count != nullptr
                            ? checked(*index, required_number(variables, engine.count, engine.index), engine)
                            : array_shard(variables, engine, *index);
    if (stated_count.value_or(shard.count) != shard.count)
      fail(Fault::usage, "by {} and its like there are {} shards, but {} are stated", engine.index, shard.count,
           *stated_count);
    return shard;
  }
  if (stated_count && *stated_count > 1)
    fail(Fault::usage, {kStateShard, "I/N"}, "no variable says which of {} shards this is", *stated_count);
  return {};
}

[[noreturn]] void malformed_shard(std::string_view text) {
  fail(Fault::usage, "'{}' is no share: it is I/N with I from 1 to N, auto, or auto/N", printable(text));
}

}  // namespace

std::string to_text(const Shard& shard) { return format("{}/{}", shard.index, shard.count); }

Variables process_variables() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

Shard parse_shard(std::string_view text, const Variables& variables) {
  if (text == "auto") return automatic_shard(variables, std::nullopt);
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) malformed_shard(text);
  const auto count = parse_number(text.substr(slash + 1));
  if (!count || *count < 1) malformed_shard(text);
  if (text.substr(0, slash) == "auto") return automatic_shard(variables, count);
  const auto index = parse_number(text.substr(0, slash));
  if (!index || *index < 1 || *index > *count) malformed_shard(text);
  return {static_cast<int>(*index), static_cast<int>(*count)};
}

void acknowledge_sharding(const Variables& variables) {
  for (const char* name : {"TEST_SHARD_STATUS_FILE", "GTEST_SHARD_STATUS_FILE"}) {
    const auto path = variables(name);
    if (path && !path->empty()) FileWriter(*path).commit();
  }
}

void require_each_once(const ShardHolders& shards, int count) {
  std::map<int, std::string> holders;
  for (const auto& [index, holder] : shards) {
    const auto [known, added] = holders.emplace(index, holder);
    if (!added) fail(Fault::usage, "shard {} of {} is there twice: {} and {}", index, count, known->second, holder);
  }
  constexpr std::size_t kMostNamed = 10;
  std::vector<int> missing;
  for (int index = 1; index <= count && missing.size() < kMostNamed; ++index)
    if (!holders.contains(index)) missing.push_back(index);
  const std::size_t number = static_cast<std::size_t>(count) - holders.size();
  if (number > 0)
    fail(Fault::usage, "of {}, {} {} missing: {}{}", counted(count, "shard"), number, number == 1 ? "is" : "are",
         join_text(missing, ", "), number > missing.size() ? ", …" : "");
}

std::vector<int> shards_of(std::span<const ShardItem> items, int count) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return items[a].cost != items[b].cost ? items[a].cost > items[b].cost : items[a].name < items[b].name;
  });
  using Load = std::pair<std::uint64_t, int>;  // what a shard has to do, and which it is
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int shard = 1; shard <= count && static_cast<std::size_t>(shard) <= items.size(); ++shard)
    loads.push({0, shard});
  std::vector<int> shards(items.size());
  for (const std::size_t item : order) {
    const auto [load, shard] = loads.top();
    loads.pop();
    shards[item] = shard;
    loads.push({load + items[item].cost, shard});
  }
  return shards;
}

}  // namespace opref::report
