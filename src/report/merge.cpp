// SPDX-License-Identifier: Apache-2.0
#include "report/merge.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/error.h"
#include "report/causes.h"
#include "report/shard.h"

namespace opref::report {
namespace {

RunFacts facts_of(const RunRecord& run) {
  return {{"version of opref", run.opref},
          {"backend", run.backend},
          {"rule", run.rule},
          {"number of shards", std::to_string(run.shards)},
          {"number of cases in all shards", std::to_string(run.all_count)},
          {"digest of the names of all cases", run.all_sha256}};
}

/// Calls the visitor with the name of each case.
NameWalk names_of(const RecordStore& cases) {
  return [&cases](const std::function<void(const std::string&)>& visit) {
    for (std::size_t i = 0; i < cases.size(); ++i) visit(cases.name(i));
  };
}

}  // namespace

std::string difference(const RunFacts& run, const RunFacts& expected) {
  const auto shown = [](const std::string& text) { return text.empty() ? "(none)" : printable(text, 1000); };
  const auto [here, there] = std::ranges::mismatch(run, expected);
  return here == run.end() ? ""
                           : format("its {} is {}, not {}", here->first, shown(here->second), shown(there->second));
}

void Merge::add(const std::filesystem::path& path, std::string file) {
  const std::size_t begin = cases_.size();
  RunRecord run = read_report(path, cases_);
  inputs_.push_back({std::move(file), std::move(run), begin, cases_.size()});
}

void Merge::require_one_run() const {
  const Input& first = inputs_.front();
  for (const Input& other : inputs_)
    if (const std::string what = difference(facts_of(other.run), facts_of(first.run)); !what.empty())
      fail(Fault::usage, kCompareReports, "{} is of another run than {}: {}", other.file, first.file, what);
}

/// Each report's cases are sorted: the least of the next ones is the next of all.
void Merge::sort_cases() {
  std::map<std::pair<std::string, std::size_t>, std::size_t> heads;  // of each report the next case, by name
  const auto add = [&](std::size_t input, std::size_t place) {
    if (place < inputs_[input].end) heads.emplace(std::pair(cases_.name(place), input), place);
  };
  for (std::size_t i = 0; i < inputs_.size(); ++i) add(i, inputs_[i].begin);
  std::vector<std::uint32_t> order;
  order.reserve(cases_.size());
  while (!heads.empty()) {
    const auto head = heads.extract(heads.begin());
    const auto& [name, input] = head.key();
    order.push_back(static_cast<std::uint32_t>(head.mapped()));
    add(input, head.mapped() + 1);
    if (!heads.empty() && heads.begin()->first.first == name)
      fail(Fault::usage, "case '{}' is there twice: in {} and {}", printable(name), inputs_[input].file,
           inputs_[heads.begin()->first.second].file);
  }
  cases_.reorder(order);
}

void Merge::require_all_cases() const {
  std::vector<std::string> missing;
  for (const Input& input : inputs_) missing.insert(missing.end(), input.run.missing.begin(), input.run.missing.end());
  if (!missing.empty())
    fail(Fault::usage, kWholeShards, "case '{}' is in no report, {} missing in all; a shard ended early",
         printable(*std::ranges::min_element(missing)), missing.size());
  NamesDigest names;
  names_of(cases_)([&](const std::string& name) { names.add(name); });
  const RunRecord& run = inputs_.front().run;
  if (names.count() != run.all_count)
    fail(Fault::usage, "the reports have {}, but the run was of {}", counted(names.count(), "case"), run.all_count);
  if (const std::string digest = names.finish(); digest != run.all_sha256)
    fail(Fault::usage, "the reports have other cases than the run was of: the digest of their names is {}, not {}",
         digest, printable(run.all_sha256));
}

RunRecord Merge::joined_run() const {
  RunRecord joined = inputs_.front().run;
  joined.shard = joined.shards = 1;
  if (inputs_.size() > 1) joined.baseline.reset();  // which was another one for each
  for (const Input& input : inputs_) {
    const RunRecord& run = input.run;
    if (joined.commit != run.commit) joined.commit.clear();
    if (joined.options != run.options) joined.options = "differ";
    joined.started = std::min(joined.started, run.started);
    joined.seconds = std::max(joined.seconds, run.seconds);
    joined.complete &= run.complete;
    joined.filtered |= run.filtered;
  }
  return joined;
}

CheckReport Merge::finish() {
  if (inputs_.empty()) fail(Fault::usage, "there is no report to merge");
  std::ranges::sort(inputs_, {}, [](const Input& input) { return std::tie(input.run.shard, input.file); });
  require_one_run();
  ShardHolders shards;
  for (const Input& input : inputs_) shards.emplace_back(input.run.shard, input.file);
  require_each_once(shards, inputs_.front().run.shards);
  sort_cases();
  require_all_cases();
  CheckReport merged{joined_run(), std::move(cases_)};
  settle_causes(merged, names_of(merged.cases));
  return merged;
}

}  // namespace opref::report
