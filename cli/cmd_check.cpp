// SPDX-License-Identifier: Apache-2.0
// opref check
#include <unistd.h>  // _exit

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "backend/shell.h"
#include "check/judge.h"
#include "check/schedule.h"
#include "check/select.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/interrupt_watch.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "cli/remedies.h"
#include "cli/report_files.h"
#include "cli/version.h"
#include "core/name_filter.h"
#include "io/json/cases.h"
#include "report/causes.h"
#include "report/report_json.h"
#include "system/machine_error.h"
#include "system/parallel.h"
#include "system/process.h"
#include "system/time_limit.h"

namespace opref::cli {
namespace {

constexpr HelpText kHelp{
    "PATH… [OPTIONS]",
    "  # every case of an operator\n"
    "  $ opref check testdata/ai.onnx/MaxUnpool\n"
    "  # Debian's official ONNX cases; unknown operators count as unsupported\n"
    "  $ opref check /usr/share/libonnx-testdata/data\n"
    "  # one case, to the bit\n"
    "  $ opref check --exact testdata/ai.onnx/MaxUnpool/seed-1.json\n"
    "  # judge a backend: here opref itself, started for each case\n"
    "  $ opref check testdata/ai.onnx/MaxUnpool --filter seed --runner 'opref run {inputs} -o {outputs}/'\n"
    "  # the second of three machines' share\n"
    "  $ opref check testdata/ai.onnx/MaxUnpool --shard 2/3\n",
    "Cases      Folders with model.onnx and test_data_set_0, or layer.xml; JSON files\n"
    "           with \"op_type\"; of several cases in one, FILE#2 or FILE#opset=11.\n"
    "           Each is judged by its own tolerance, else official ONNX cases and\n"
    "           backends by ONNX's rule (rtol 1e-3, atol 1e-7; bfloat16 rtol 2^-6),\n"
    "           JSON cases exactly; a rule chosen here overrides it.\n"
    "Filter     A regular expression of RE2 (github.com/google/re2/wiki/Syntax) that\n"
    "           matches anywhere in a case's name.\n"
    "Backends   --outputs DIR: DIR/CASE/output_K.pb, output_K.npy or NAME.npy; of a\n"
    "           sequence also output_K.npz, NAME.npz, or a folder output_K or NAME\n"
    "           with 0.npy, 1.npy, …\n"
    "           --runner 'CMD {model} {inputs} {outputs}': a shell command for each\n"
    "           case. {model} is model.onnx or layer.xml, {inputs} a folder with\n"
    "           input_0.pb, … (ONNX) or NAME.npy (OpenVINO), {outputs} an empty\n"
    "           one to fill as above. Exit code 0: done, 5: unsupported, else an\n"
    "           error. What takes their place is quoted for where it stands.\n"
    "           CMD without these words: a worker that stays up.\n"
    "           It reads {\"id\", \"model\", \"inputs\", \"outputs\"} in one line of JSON\n"
    "           per case, and answers each with a line {\"id\", \"status\", \"why\"};\n"
    "           the status is ok, unsupported or error.\n"
    "           A case that must fail passes if it is answered with error or a\n"
    "           non-zero exit code but 5, 6 (a full disk or the like) and 70 (a\n"
    "           bug), and leaves no output. A case that chooses a reading, by\n"
    "           which its result is another one, is unsupported: no backend can\n"
    "           be told.\n"
    "           A worker that answers none of its first three cases ends the run.\n"
    "Causes     Of what does not pass, the first three cases are printed in full,\n"
    "           all with --verbose. For each opref looks for what reproduces its\n"
    "           outputs: another reading (to the bit, else by the case's rule,\n"
    "           which is then said), a reading with other arithmetic, other\n"
    "           arithmetic, then known mistakes about attributes that the node has.\n"
    "           All that fit equally are listed. The table at the end counts cases\n"
    "           by cause, and prefers the one that fits most cases of the run.\n"
    "Interrupt  Ctrl-C writes the reports, with \"complete\": false and what was\n"
    "           judged till then, and exits with 130. A full disk, no thread or no\n"
    "           more files to open do the same with exit code 6.\n"
    "Shards     Disjoint, complete, and of about one cost, which the cases' files\n"
    "           tell. --shard auto takes I/N from Bazel and GoogleTest, Slurm, LSF\n"
    "           and SGE arrays; --shard auto/N the I alone from PBS arrays and\n"
    "           Kubernetes indexed jobs, which do not say N; their indices must\n"
    "           be 0 to N-1. Outside: 1/1.\n"
    "Exit       0 also for a shard into which no case falls. 1: a case failed or is\n"
    "           broken. 2: no case found. 5: nothing was judged. 6: the runner\n"
    "           cannot be started, or the machine has no space, no thread or no\n"
    "           more files to open: there is no verdict of the cases left then.\n"
    "Documents  --json prints what --report writes: see opref help report-schema.\n"};

constexpr double kTimeout = 60;  // seconds

struct Arguments {
  std::vector<std::string> paths;
  ToleranceArguments tolerance;
  std::optional<std::int64_t> jobs, max_bytes;
  std::string filter, shard, outputs, runner;
  std::vector<std::string> nodes;
  ReportFiles reports;
  double timeout = kTimeout;
  ExitRules rules;
  bool json = false, list = false, verbose = false, fail_fast = false;

  int threads() const { return static_cast<int>(jobs.value_or(available_cores())); }
  /// Of all cases that are evaluated at a time.
  std::int64_t bytes() const { return max_bytes.value_or(default_max_bytes()); }
};

/// The cases of this shard; nothing found is a `usage` error, unless that is allowed.
Selection select_cases(const Arguments& arguments, const Shard& shard) {
  Selection selection = select(arguments.paths, arguments.filter, shard);
  if (selection.all_names.empty() && !arguments.rules.allow_empty)
    fail(Fault::usage, "no case below {}{}", printable_names(arguments.paths),
         arguments.filter.empty() ? "" : format(" has a name that matches {}", printable(arguments.filter)));
  return selection;
}

/// As an argument that is no option.
std::string path_argument(const std::string& path) { return shell_quoted(path.starts_with('-') ? "./" + path : path); }

std::string repeat_command(const CaseRecord& record, const Arguments& arguments) {
  const std::string rule = to_options(arguments.tolerance);
  std::string others = arguments.max_bytes ? format(" --max-bytes {}", *arguments.max_bytes) : "";
  for (const std::string& node : arguments.nodes) others += " --node " + shell_quoted(node);
  const bool own = arguments.outputs.empty() && arguments.runner.empty();
  // `run` compares what is expected, and knows no time limit.
  if (own && record.verdict == Verdict::fail && arguments.timeout == kTimeout)
    return format("opref run {} --expect-case{}{}", path_argument(record.path), others, rule);
  std::string command = "opref check";
  for (const std::string& path : arguments.paths) command += " " + path_argument(path);
  command += " --filter " + shell_quoted(NameFilter::only(record.name));
  if (!arguments.outputs.empty()) command += " --outputs " + path_argument(arguments.outputs);
  if (!arguments.runner.empty()) command += " --runner " + shell_quoted(arguments.runner);
  if (arguments.timeout != kTimeout) command += format(" --timeout {}", arguments.timeout);
  command += others;
  if (arguments.rules.require_all) command += " --require-all";
  return command + rule;
}

/// The backend that is judged, and what it needs; order of destruction: processes, then their files.
struct Judged {
  std::unique_ptr<ScratchFolder> scratch;
  std::unique_ptr<Backend> backend;
};

Judged open_backend(const Arguments& arguments, const std::atomic<bool>& stopped) {
  Judged judged;
  if (!arguments.outputs.empty()) judged.backend = outputs_folder(arguments.outputs);
  if (arguments.runner.empty()) return judged;
  judged.scratch = std::make_unique<ScratchFolder>();
  judged.backend = at_place([&] { return "in --runner " + printable(arguments.runner); },
                            [&] {
                              return runner(arguments.runner, {arguments.timeout, &stopped});
                            });
  return judged;
}

std::string backend_text(const Arguments& arguments) {
  if (!arguments.outputs.empty()) return "outputs " + arguments.outputs;
  return arguments.runner.empty() ? "" : "runner " + arguments.runner;
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

/// When a run began.
struct Start {
  std::string utc;
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
};

/// What a run leaves: its reports and its summary.
using Finish = std::function<void(std::vector<CaseRecord>)>;

/// Judges all cases; prints what is printed of each as soon as it is known and all before it are. An interrupt finishes
/// with those that are.
std::vector<CaseRecord> judge_all(const Arguments& arguments, const std::vector<FoundCase>& cases,
                                  const Finish& finish) {
  std::atomic<bool> stopped = false;
  const Judged judged = open_backend(arguments, stopped);
  JudgeOptions options;
  options.nodes = arguments.nodes;
  options.tolerance = chosen_tolerance(arguments.tolerance);
  options.evaluation.max_bytes = arguments.bytes();
  options.timeout = arguments.timeout;
  options.backend = judged.backend.get();
  CaseReader reader(static_cast<size_t>(arguments.threads()));
  options.reader = &reader;
  if (options.backend != nullptr) options.tolerance.judged = ToleranceChoice::Judged::backend;
  if (judged.scratch) options.scratch = judged.scratch->path();

  std::vector<CaseRecord> records(cases.size());
  std::shared_mutex alone;
  size_t shown = 0;
  const bool quiet = arguments.json || take_standard_output(arguments.reports);
  Progress progress(cases.size());
  FailurePrinter failures(arguments.rules, arguments.verbose);
  std::mutex guard;
  const auto done = [&](size_t i) {
    const std::lock_guard lock(guard);
    if (InterruptDelay::is_coming()) return Next::stop;
    CaseRecord& record = records[i];
    record.reason += way_out_text(record.way_out);
    record.repeat = repeat_command(record, arguments);
    const bool bad = is_failure(record.verdict, arguments.rules);
    if (!quiet && (arguments.verbose || failures.prints(record))) progress.erase();
    if (!quiet && arguments.verbose && !bad) print_case(record, arguments.rules);
    if (!quiet) failures.add(record);
    finish_output();
    progress.advance();
    shown = i + 1;
    return bad && arguments.fail_fast ? Next::stop : Next::go_on;
  };
  const int at_a_time = static_cast<int>(std::clamp<size_t>(cases.size(), 1, static_cast<size_t>(arguments.threads())));
  const auto finish_early = [&] {
    progress.erase();
    if (!quiet) failures.finish();
    finish({records.begin(), records.begin() + static_cast<std::ptrdiff_t>(shown)});
    finish_output();
  };
  const InterruptWatch watch(guard, [&](int) { finish_early(); });
  const auto leave_what_is_known = [&] {
    const std::lock_guard lock(guard);
    if (shown == 0 || InterruptDelay::is_coming()) return;
    try {
      finish_early();
    } catch (const Error& error) {  // beside the one that ends the run
      report(error);
    }
  };
  try {
    run_in_order(
        cases.size(), at_a_time, stopped,
        [&](size_t i) { records[i] = judge_beside_others(cases[i], options, at_a_time, alone); }, done);
  } catch (const MachineError&) {
    leave_what_is_known();
    throw;
  }
  if (!quiet) failures.finish();
  records.resize(shown);
  return records;
}

CheckReport make_report(const Arguments& arguments, const Start& start, const Shard& shard, const Selection& selection,
                        std::vector<CaseRecord> records) {
  CheckReport report;
  report.opref = version_number();
  report.started = start.utc;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start.time).count();
  report.complete = records.size() == selection.cases.size();
  report.filtered = !arguments.filter.empty();
  report.backend = backend_text(arguments);
  const ToleranceChoice choice = chosen_tolerance(arguments.tolerance);
  if (choice.rule) report.rule = to_text(*choice.rule);
  report.shard = shard.index;
  report.shards = shard.count;
  report.all_names = selection.all_names;
  report.cases = std::move(records);
  settle_causes(report);
  return report;
}

void write_and_print(const CheckReport& report, const Arguments& arguments) {
  if (arguments.json)
    print(report_json(report));
  else if (!take_standard_output(arguments.reports))
    print_summary(report, arguments.verbose);
  write_all(report, arguments.reports);
}

void print_list(const std::vector<FoundCase>& cases, bool as_json) {
  JsonWriter json = document("check"), names = JsonWriter::list();
  for (const FoundCase& found : cases) {
    names.append(found.name);
    if (!as_json) print(printable(found.name, 10000) + "\n");
  }
  if (as_json) print(json.set("names", std::move(names)).text());
}

void require_sound(const Arguments& arguments) {
  require_sound(arguments.reports, arguments.json);
  if (!(arguments.timeout > 0 && arguments.timeout <= 1e6))
    fail(Fault::usage, "--timeout {}: it is a number of seconds from above 0 to 1e6", arguments.timeout);
  if (!arguments.outputs.empty() && !arguments.runner.empty())
    fail(Fault::usage, "two backends at once: choose one of --outputs and --runner");
  if (arguments.list && (has_any(arguments.reports) || !arguments.outputs.empty() || !arguments.runner.empty()))
    fail(Fault::usage, "--list judges nothing: leave out backends and reports");
}

/// "2026-11-21T10:00:00Z"
std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm time{};
  gmtime_r(&now, &time);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &time)};
}

int check_cases(const Arguments& arguments) {
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
    require_others_than(arguments.reports, split_case_name(found.path.string()).file.string());
  if (has_any(arguments.reports)) defer_broken_output();
  const Start start{utc_now()};
  const auto report_of = [&](std::vector<CaseRecord> records) {
    return make_report(arguments, start, shard, selection, std::move(records));
  };
  const Finish finish = [&](std::vector<CaseRecord> records) {
    write_and_print(report_of(std::move(records)), arguments);
  };
  const CheckReport report = report_of(judge_all(arguments, selection.cases, finish));
  write_and_print(report, arguments);
  require_output();
  return exit_code(report, arguments.rules);
}

int check(const Arguments& arguments) {
  int code = 0;
  try {
    code = check_cases(arguments);
    if (abandoned_threads() == 0) return code;
    finish_output();
  } catch (const Error& error) {
    if (abandoned_threads() == 0) throw;
    code = report(error);
  }
  _exit(code);  // threads that still evaluate use what the program's end would destroy
}

}  // namespace

void add_check(CLI::App& program) {
  add_command(program, "check", "evaluate cases and compare with what they expect", kHelp, [](CLI::App& command) {
    const auto arguments = std::make_shared<Arguments>();
    command.add_option("PATH", arguments->paths, "a case, or a folder with cases at any depth")->required();
    add_tolerance_options(command, arguments->tolerance);
    command.add_option("--runner", arguments->runner, "judge a program: see Backends in --help")->type_name("CMD");
    command.add_option("--outputs", arguments->outputs, "judge outputs that were produced elsewhere")->type_name("DIR");
    command.add_option("--timeout", arguments->timeout, "seconds for one case; default 60")->type_name("S");
    add_number(command, "-j", arguments->jobs, {1, kMostThreads}, "cases at a time; default the cores");
    add_max_bytes(command, arguments->max_bytes,
                  "limit of the tensors of all cases at a time; default half the memory");
    command.add_option("--filter", arguments->filter, "only cases whose name matches")->type_name("REGEX");
    command.add_option("--node", arguments->nodes, "of each case's nodes, the one with this name or output; repeats")
        ->allow_extra_args(false)
        ->type_name("NAME");
    const char* shares = "only the I-th of N shares of the cases; auto: see Shards in --help";
    offer(command.add_option("--shard", arguments->shard, shares)->type_name("I/N"), {"auto"});
    command.add_option("--report", arguments->reports.json, "write a report as JSON, for opref report")
        ->type_name("FILE");
    command.add_option("--junit", arguments->reports.junit, "write a report as JUnit XML")->type_name("FILE");
    command.add_option("--html", arguments->reports.html, "write a report as one HTML page")->type_name("FILE");
    command.add_option("--markdown", arguments->reports.markdown, "write a summary for CI servers' pages")
        ->type_name("FILE");
    const auto no_empty = [](const std::string& text) -> std::string { return text.empty() ? "it is empty" : ""; };
    for (const char* name : {"--runner", "--outputs", "--report", "--junit", "--html", "--markdown"})
      command.get_option(name)->check(no_empty, "");
    command.add_flag("--fail-fast", arguments->fail_fast, "stop at the first case that fails");
    command.add_flag("--list", arguments->list, "only print the cases' names");
    command.add_flag("--verbose", arguments->verbose, "a line for every case, all failures and causes in full");
    command.add_flag("--require-all", arguments->rules.require_all, "what is unsupported or expects nothing fails too");
    command.add_flag("--allow-empty", arguments->rules.allow_empty, "exit 0 also where nothing was judged");
    command.add_flag("--json", arguments->json, "print one JSON document");
    set_action(command, [arguments] { return check(*arguments); });
  });
}

}  // namespace opref::cli
