// SPDX-License-Identifier: Apache-2.0
#include "report/earlier_verdicts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "compare/compare.h"
#include "core/text.h"
#include "report/causes.h"
#include "report/report_json.h"
#include "report/shard.h"

namespace opref::report {
namespace {

CaseState state_of(const CaseRecord& record) {
  CaseState state{.verdict = record.verdict};
  if (record.verdict != Verdict::pass) state.cause = cause_of(record);
  if (const auto share = record.largest_share(); share && !std::isnan(*share)) state.share = share;
  return state;
}

/// Whether all cases of the run are in its report.
bool is_whole(const RunRecord& run) { return run.shards == 1 && !run.filtered && run.complete; }

/// Whether both went through the same cases to the end.
bool are_of_same_cases(const RunRecord& before, const RunRecord& now) {
  return before.all_sha256 == now.all_sha256 && before.shard == now.shard && before.shards == now.shards &&
         before.complete && now.complete;
}

std::vector<std::string> differences(const RunRecord& before, const RunRecord& now) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view what, const std::string& was, const std::string& is, std::string_view none) {
    const auto shown = [&](const std::string& text) { return text.empty() ? std::string(none) : text; };
    if (was != is) lines.push_back(format("{} is {}, was {}", what, shown(is), shown(was)));
  };
  add("the version of opref", before.opref, now.opref, "unknown");
  add("the commit of opref", before.commit, now.commit, "unknown");
  add("the backend", before.backend, now.backend, "opref itself");
  add("the rule", before.rule, now.rule, "each case's own");
  add("what options say", before.options, now.options, "nothing");
  add("the shard", to_text({before.shard, before.shards}), to_text({now.shard, now.shards}), "");
  if (are_of_same_cases(before, now)) return lines;
  if (!is_whole(before))
    lines.emplace_back("the earlier report has some of its run's cases only: what was added is not known");
  if (!is_whole(now)) lines.emplace_back("this run has some of its cases only: what is gone is not known");
  return lines;
}

/// By how much a share grew.
double growth(const CaseChange& change) {
  if (change.change != Change::other_share) return 0;
  const double before = *change.before->share, now = *change.now->share;
  return now == before ? 1 : now / before;
}

}  // namespace

/// Goes through the cases of both runs in the order of their names.
class EarlierVerdicts::Comparison {
 public:
  Comparison(const EarlierVerdicts& earlier, const CheckReport& now, const ExitRules& rules)
      : earlier_(earlier), now_(now), rules_(rules) {}

  Baseline result() {
    found_.file = earlier_.file_;
    found_.differences = differences(earlier_.run_, now_);
    auto before = earlier_.cases_.begin();
    const auto end = earlier_.cases_.end();
    for (std::size_t i = 0; i < now_.cases.size(); ++i) {
      const CaseRecord record = now_.cases.at(i);
      for (; before != end && before->name < record.name; ++before) add_gone(*before);
      if (before != end && before->name == record.name)
        compare(*before++, record);
      else
        add_added(record);
    }
    for (; before != end; ++before) add_gone(*before);
    std::ranges::stable_sort(found_.changes, [](const CaseChange& a, const CaseChange& b) {
      return std::tuple(a.change, -growth(a)) < std::tuple(b.change, -growth(b));
    });
    return std::move(found_);
  }

 private:
  void add_gone(const EarlierCase& before) {
    if (is_whole(now_)) found_.changes.push_back({Change::gone, before.name, before.state, {}});
  }

  void add_added(const CaseRecord& record) {
    const bool fails = is_failure(record.verdict, rules_);
    if (fails || is_whole(earlier_.run_))
      found_.changes.push_back({fails ? Change::new_failure : Change::added, record.name, {}, state_of(record)});
  }

  void compare(const EarlierCase& before, const CaseRecord& record) {
    const CaseState now = state_of(record);
    const auto add = [&](Change change) { found_.changes.push_back({change, record.name, before.state, now}); };
    const bool failed = is_failure(before.state.verdict, rules_), fails = is_failure(now.verdict, rules_);
    found_.known_failures += failed && fails ? 1 : 0;
    if (fails && !failed)
      add(Change::new_failure);
    else if (failed && now.verdict == Verdict::pass)
      add(Change::fixed);
    else if (now.verdict != before.state.verdict)
      add(Change::other_verdict);
    else if (now.verdict != Verdict::pass && !has_cause(record, before.key))
      add(Change::other_cause);
    else if (now.share && before.state.share &&
             compare::short_number(*now.share) != compare::short_number(*before.state.share))
      add(Change::other_share);
  }

  const EarlierVerdicts& earlier_;
  const CheckReport& now_;
  const ExitRules& rules_;
  Baseline found_;
};

EarlierVerdicts::EarlierVerdicts(const std::filesystem::path& path, std::string file) : file_(std::move(file)) {
  RecordStore cases;
  run_ = read_report(path, cases);
  cases_.reserve(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CaseRecord record = cases.at(i);
    cases_.push_back({record.name, record.verdict == Verdict::pass ? "" : cause_key(record), state_of(record)});
  }
}

bool EarlierVerdicts::is_new_failure(const std::string& name, Verdict now, const ExitRules& rules) const {
  if (!is_failure(now, rules)) return false;
  const auto found = std::ranges::lower_bound(cases_, name, {}, &EarlierCase::name);
  return found == cases_.end() || found->name != name || !is_failure(found->state.verdict, rules);
}

Baseline EarlierVerdicts::changes(const CheckReport& now, const ExitRules& rules) const {
  return Comparison(*this, now, rules).result();
}

}  // namespace opref::report
