// SPDX-License-Identifier: Apache-2.0
// opref check
#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/check_run.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/version.h"
#include "io/json/cases.h"
#include "report/causes.h"
#include "report/name_filter.h"
#include "report/report_json.h"
#include "system/file.h"
#include "system/parallel.h"

namespace opref::cli {
namespace {

using Arguments = CheckArguments;

/// The cases of this shard; nothing found is a `usage` error, unless that is allowed.
Selection select_cases(const Arguments& arguments, const Shard& shard) {
  Selection selection = select(arguments.paths, arguments.filter, shard);
  if (!selection.passed_over.empty()) note("note: not taken for a case: " + printable_names(selection.passed_over));
  if (selection.empty() && !arguments.rules.allow_empty)
    fail(Fault::usage, "no case below {}{}", printable_names(arguments.paths),
         arguments.filter.empty()
             ? ": a case is a .json file, or a folder with layer.xml, model.xml, or model.onnx and test_data_set_0 "
               "(opref help cases)"
             : format(" has a name that matches {}", printable(arguments.filter)));
  return selection;
}

std::string backend_text(const Arguments& arguments) {
  if (!arguments.outputs.empty()) return "outputs " + arguments.outputs;
  return arguments.runner.empty() ? "" : "runner " + arguments.runner;
}

/// "2026-11-21T10:00:00Z"
std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm time{};
  gmtime_r(&now, &time);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &time)};
}

/// What is known of a run before it ends.
RunRecord run_of(const Arguments& arguments, const Shard& shard, const Selection& selection) {
  RunRecord run;
  run.opref = version_number();
  run.commit = version_commit();
  run.started = utc_now();
  run.filtered = !arguments.filter.empty();
  run.backend = backend_text(arguments);
  const ToleranceChoice choice = chosen_tolerance(arguments.tolerance);
  if (choice.rule) run.rule = to_text(*choice.rule);
  run.options = arguments.deciding_options();
  run.shard = shard.index;
  run.shards = shard.count;
  NamesDigest names;
  selection.each_name([&](const std::string& name) { names.add(name); });
  run.all_count = names.count();
  run.all_sha256 = names.finish();
  return run;
}

/// A run, its records so far, and the documents that are made of them.
class Reporter {
 public:
  Reporter(const Arguments& arguments, const Selection& selection, const RunRecord& run, const EarlierRun* earlier,
           const EarlierVerdicts* baseline)
      : arguments_(arguments), selection_(selection), report_{run, {}}, earlier_(earlier), baseline_(baseline) {}

  RecordStore& records() { return report_.cases; }

  /// Writes the JSON report of what is judged so far: for a program that is killed. Trouble is told in the end.
  void keep() {
    const std::string& name = arguments_.reports.json;
    std::error_code ignored;
    const bool is_replaced = is_file(name) || !std::filesystem::exists(name, ignored);
    if (name.empty() || name == "-" || !is_replaced || would_lose_cases()) return;
    bring_up_to_date();
    try {
      write_document(json_document, report_, name);
    } catch (const Error&) {
    }
  }

  /// Prints and writes all that is asked for.
  void finish() {
    bring_up_to_date();
    settle_causes(report_, [this](const auto& visit) { selection_.each_name(visit); });
    if (baseline_ != nullptr) report_.baseline = baseline_->changes(report_, arguments_.rules);
    ReportFiles files = arguments_.reports;
    if (would_lose_cases()) {
      note(format("note: {} keeps its {}: fewer were gone through till now", printable(files.json, 1000),
                  counted(static_cast<std::int64_t>(earlier_->count()), "case")));
      files.json.clear();
    }
    if (arguments_.json) {
      json_document(report_, print);
    } else if (!take_standard_output(arguments_.reports)) {
      if (earlier_ != nullptr)
        print(format("{} of {} taken over from {}\n", report_.cases.tally().taken_over,
                     counted(static_cast<std::int64_t>(report_.cases.size()), "case"),
                     printable(arguments_.resume, 1000)));
      print_summary(report_, arguments_.verbose);
    }
    write_all(report_, files);
  }

  int exit_code() const { return report::exit_code(report_, arguments_.rules); }

 private:
  void bring_up_to_date() {
    const size_t judged = report_.cases.size();
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    report_.complete = judged == selection_.cases.size();
    report_.missing.clear();
    for (size_t i = judged; i < selection_.cases.size(); ++i) report_.missing.push_back(selection_.cases[i].name);
  }

  /// A resumed run that ends before it has gone through all that was judged the last time.
  bool would_lose_cases() const {
    return earlier_ != nullptr && earlier_->why_none().empty() && !arguments_.reports.json.empty() &&
           canonical_name(arguments_.reports.json) == canonical_name(arguments_.resume) &&
           report_.cases.size() < std::min(earlier_->count(), selection_.cases.size());
  }

  const Arguments& arguments_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const Selection& selection_;
  CheckReport report_;
  const EarlierRun* earlier_;
  const EarlierVerdicts* baseline_;
};

void print_list(const std::vector<FoundCase>& cases, bool as_json) {
  Json json = document("check"), names = Json::list();
  for (const FoundCase& found : cases) {
    names.append(found.name);
    if (!as_json) print(printable(found.name, 10000) + "\n");
  }
  if (as_json) print(json.set("names", std::move(names)).text());
}

void require_sound(const Arguments& arguments) {
  require_sound(arguments.reports, arguments.json);
  if (!arguments.outputs.empty() && !arguments.runner.empty())
    fail(Fault::usage, "two backends at once: choose one of --outputs and --runner");
  if (arguments.exact_tier && !backend_text(arguments).empty())
    fail(Fault::usage, "--exact-tier judges opref itself: leave out --outputs and --runner");
  const bool has_backend = !arguments.outputs.empty() || !arguments.runner.empty();
  const bool has_reports = has_any(arguments.reports) || !arguments.resume.empty() || !arguments.baseline.empty();
  if (arguments.list && (has_reports || has_backend))
    fail(Fault::usage, "--list judges nothing: leave out backends and reports");
}

int check(const Arguments& arguments) {
  require_sound(arguments);
  require_filter(arguments.filter);
  chosen_tolerance(arguments.tolerance);
  const Shard shard = chosen_shard(arguments.shard);
  const Selection selection = select_cases(arguments, shard);
  if (arguments.list) {
    print_list(selection.cases, arguments.json);
    return 0;
  }
  for (const FoundCase& found : selection.cases)
    require_others_than(arguments.reports, split_case_name(found.path).file.string());
  if (has_any(arguments.reports)) defer_broken_output();
  const RunRecord run = run_of(arguments, shard, selection);
  std::optional<EarlierRun> earlier;
  if (!arguments.resume.empty()) {
    earlier.emplace(arguments.resume, run);
    if (!earlier->why_none().empty())
      note(format("note: nothing is taken over from {}: {}", printable(arguments.resume, 1000), earlier->why_none()));
  }
  const EarlierRun* const known = earlier ? &*earlier : nullptr;
  std::optional<EarlierVerdicts> compared;
  if (!arguments.baseline.empty()) {
    require_others_than(arguments.reports, arguments.baseline);
    compared.emplace(arguments.baseline, printable(arguments.baseline, 1000));
  }
  const EarlierVerdicts* const baseline = compared ? &*compared : nullptr;
  Reporter reporter(arguments, selection, run, known, baseline);
  CheckRun{arguments,
           selection.cases,
           known,
           baseline,
           reporter.records(),
           [&] { reporter.keep(); },
           [&] { reporter.finish(); }}
      .judge_all();
  reporter.finish();
  require_output();
  return reporter.exit_code();
}

}  // namespace

Action add_check(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_argument(command, "PATH", arguments->paths, "a case, or a folder with cases at any depth").required();
  add_tolerance_options(command, arguments->tolerance);
  add_strict(command, arguments->tolerance);
  add_option(command, "--runner", arguments->runner, "CMD", "judge a program: see Backends in --help").not_empty();
  add_option(command, "--outputs", arguments->outputs, "DIR", "judge outputs that another program wrote before")
      .not_empty();
  add_flag(command, "--exact-tier", arguments->exact_tier,
           "the exact tier alone must give the same bytes: see Tiers in --help");
  add_timeout(command, arguments->timeout, "seconds for one case; default 60");
  add_number(command, "-j", arguments->jobs, {1, kMostThreads}, "cases at a time; default the cores");
  add_bytes(command, "--max-bytes", arguments->max_bytes,
            "limit of the tensors of all cases at a time; default half the memory");
  add_option(command, "--filter", arguments->filter, "REGEX", "only cases whose name matches");
  add_option(command, "--node", arguments->nodes, "NAME",
             "of each case only the node with this name or output; repeat it for several");
  add_fix_names(command, arguments->fix_names);
  const char* shares = "only the I-th of N shares of the cases; auto: see Shards in --help";
  add_option(command, "--shard", arguments->shard, "I/N", shares).offers({"auto"});
  add_option(command, "--report", arguments->reports.json, "FILE", "write a report as JSON, for opref report")
      .not_empty();
  add_option(command, "--resume", arguments->resume, "REPORT", "take over what a report has: see Resuming in --help")
      .not_empty();
  add_option(command, "--baseline", arguments->baseline, "REPORT", "fail by what failed not yet there: see Baseline")
      .not_empty();
  add_option(command, "--junit", arguments->reports.junit, "FILE", "write a report as JUnit XML").not_empty();
  add_option(command, "--html", arguments->reports.html, "FILE", "write a report as one HTML page").not_empty();
  add_option(command, "--markdown", arguments->reports.markdown, "FILE", "write a summary for CI servers' pages")
      .not_empty();
  add_flag(command, "--fail-fast", arguments->fail_fast, "stop at the first case that fails");
  add_flag(command, "--list", arguments->list, "only print the cases' names");
  add_flag(command, "--verbose", arguments->verbose,
           "print a line for every case, and all failures and causes in full");
  add_flag(command, "--require-all", arguments->rules.require_all,
           "unsupported cases and cases that expect nothing fail too");
  add_flag(command, "--allow-empty", arguments->rules.allow_empty, "exit 0 also if nothing was judged");
  add_flag(command, "--json", arguments->json, "print one JSON document");
  return [arguments] { return check(*arguments); };
}

}  // namespace opref::cli
