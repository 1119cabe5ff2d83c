// SPDX-License-Identifier: Apache-2.0
#include "cli/check_run.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "backend/shell.h"
#include "check/judge.h"
#include "check/schedule.h"
#include "cli/advice.h"
#include "cli/interrupt_watch.h"
#include "cli/open_backend.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/remedies.h"
#include "report/name_filter.h"
#include "schema/remedies.h"
#include "system/machine_error.h"
#include "system/parallel.h"
#include "system/process.h"

namespace opref::cli {
namespace {

/// As an argument that is no option.
std::string path_argument(const std::string& path) { return shell_quoted(path.starts_with('-') ? "./" + path : path); }

std::string repeat_command(const CaseRecord& record, const CheckArguments& arguments) {
  const std::string rule = to_options(arguments.tolerance);
  std::string others = arguments.max_bytes ? format(" --max-bytes {}", *arguments.max_bytes) : "";
  for (const std::string& node : arguments.nodes) others += " --node " + shell_quoted(node);
  if (arguments.fix_names) others += " --fix-names";
  const bool own = arguments.outputs.empty() && arguments.runner.empty();
  // `run` compares what is expected, and knows no time limit.
  if (own && record.verdict == Verdict::fail && arguments.timeout == kTimeout && !arguments.exact_tier)
    return format("opref run {} --expect-case{}{}", path_argument(record.path), others, rule);
  std::string command = "opref check";
  for (const std::string& path : arguments.paths) command += " " + path_argument(path);
  command += " --filter " + shell_quoted(NameFilter::only(record.name));
  if (!arguments.outputs.empty()) command += " --outputs " + path_argument(arguments.outputs);
  if (!arguments.runner.empty()) command += " --runner " + shell_quoted(arguments.runner);
  if (arguments.timeout != kTimeout) command += format(" --timeout {}", arguments.timeout);
  if (arguments.exact_tier) command += " --exact-tier";
  command += others;
  if (arguments.rules.require_all) command += " --require-all";
  return command + rule;
}

/// A case has its part of the memory; one for which that is too little is judged again, alone and with all of it. So
/// no verdict depends on how many cases are judged at a time.
CaseRecord judge_beside_others(const FoundCase& found, JudgeOptions options, int at_a_time, std::shared_mutex& alone) {
  const std::int64_t bytes = options.evaluation.max_bytes;
  options.evaluation.max_bytes = bytes / at_a_time;
  {
    const std::shared_lock with_others(alone);
    CaseRecord record = judge(found, options);
    if (at_a_time == 1 || !record.lacks_memory) return record;
  }
  const std::unique_lock nobody_else(alone);
  options.evaluation.max_bytes = bytes;
  return judge(found, options);
}

JudgeOptions judge_options(const CheckArguments& arguments) {
  JudgeOptions options;
  options.nodes = arguments.nodes;
  options.fix_names = arguments.fix_names;
  options.tolerance = chosen_tolerance(arguments.tolerance);
  options.evaluation.max_bytes = arguments.bytes();
  options.timeout = arguments.timeout;
  options.exact_tier = arguments.exact_tier;
  return options;
}

/// Says when what is judged is written again: every 5 seconds, or seldom enough that it takes a twentieth of the time.
class Clock {
 public:
  bool is_due() const { return std::chrono::steady_clock::now() >= next_; }
  /// After it was done.
  void restart(std::chrono::steady_clock::time_point begin) {
    const auto now = std::chrono::steady_clock::now();
    next_ = now + std::max<std::chrono::steady_clock::duration>(kLeast, 20 * (now - begin));
  }

 private:
  static constexpr std::chrono::seconds kLeast{5};
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kLeast;
};

}  // namespace

int CheckArguments::threads() const { return static_cast<int>(jobs.value_or(available_cores())); }

std::int64_t CheckArguments::bytes() const { return max_bytes.value_or(default_max_bytes()); }

std::string CheckArguments::deciding_options() const {
  std::string options = to_options(tolerance);
  for (const std::string& node : nodes) options += " --node " + shell_quoted(node);
  if (fix_names) options += " --fix-names";
  if (timeout != kTimeout) options += format(" --timeout {}", timeout);
  if (max_bytes) options += format(" --max-bytes {}", *max_bytes);
  if (exact_tier) options += " --exact-tier";
  return options.empty() ? options : options.substr(1);
}

void CheckRun::judge_all() const {
  std::atomic<bool> stopped = false;
  OpenBackend judged;
  if (!arguments.outputs.empty()) judged.backend = outputs_folder(arguments.outputs);
  if (!arguments.runner.empty()) judged = open_runner(arguments.runner, {arguments.timeout, &stopped});
  JudgeOptions options = judge_options(arguments);
  options.backend = judged.backend.get();
  CaseReader reader(static_cast<size_t>(arguments.threads()));
  options.reader = &reader;
  if (options.backend != nullptr) options.tolerance.judged = ToleranceChoice::Judged::backend;
  if (judged.scratch) options.scratch = judged.scratch->path();
  CaseDigests files(arguments.outputs);
  if (arguments.json || !arguments.reports.json.empty() || earlier != nullptr) options.files = &files;
  options.earlier = earlier;

  std::vector<RecordStore::Kept> judged_cases(cases.size());
  std::shared_mutex alone;
  const bool quiet = arguments.json || take_standard_output(arguments.reports);
  Progress progress(cases.size());
  FailurePrinter failures(arguments.rules, arguments.verbose, baseline);
  Clock clock;
  std::mutex guard;
  const auto done = [&](size_t i) {
    const std::lock_guard lock(guard);
    if (InterruptDelay::is_coming()) return Next::stop;
    const CaseRecord record = records.add(judged_cases[i]);
    const bool bad = failures.counts(record);
    if (!quiet && (arguments.verbose || failures.prints(record))) progress.erase();
    if (!quiet && arguments.verbose && !bad) print_case(record, arguments.rules);
    if (!quiet) failures.add(record);
    finish_output();
    progress.advance();
    if (clock.is_due() && i + 1 < cases.size()) {
      const auto begin = std::chrono::steady_clock::now();
      keep();
      clock.restart(begin);
    }
    return bad && arguments.fail_fast ? Next::stop : Next::go_on;
  };
  const int at_a_time = static_cast<int>(std::clamp<size_t>(cases.size(), 1, static_cast<size_t>(arguments.threads())));
  const auto judge_one = [&](size_t i) {
    CaseRecord record = judge_beside_others(cases[i], options, at_a_time, alone);
    const bool lacks_value = record.way_out.remedy == kGiveValues || record.way_out.remedy == kMakeValues,
               lacks_type = record.way_out.remedy == kGiveOpenInput;
    record.reason +=
        lacks_value || lacks_type
            ? format("; a case has {} in test_data_set_0, beside an IR as NAME.npy, or, in JSON, in 'inputs'",
                     lacks_value ? record.way_out.argument.substr(0, record.way_out.argument.find('=')) : "its inputs")
            : way_out_text(record.way_out);
    if (record.advice.empty()) record.advice = advice(record.trouble);  // a record that is taken over has its own
    record.repeat = repeat_command(record, arguments);
    judged_cases[i] = records.keep(record);
  };
  const auto end_early = [&] {
    progress.erase();
    if (!quiet) failures.finish();
    finish_early();
    finish_output();
  };
  const InterruptWatch watch(guard, [&](int) { end_early(); });
  const auto leave_what_is_known = [&] {
    const std::lock_guard lock(guard);
    if (records.empty() || InterruptDelay::is_coming()) return;
    try {
      end_early();
    } catch (const Error& error) {  // beside the one that ends the run
      report(error);
    }
  };
  try {
    run_in_order(cases.size(), at_a_time, stopped, judge_one, done);
  } catch (const MachineError&) {
    leave_what_is_known();
    throw;
  }
  if (!quiet) failures.finish();
}

}  // namespace opref::cli
