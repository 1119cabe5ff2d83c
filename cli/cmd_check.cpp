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
#include "cli/program.h"
#include "cli/version.h"
#include "core/name_filter.h"
#include "io/json/cases.h"
#include "report/causes.h"
#include "report/report_json.h"
#include "system/file.h"
#include "system/parallel.h"

namespace opref::cli {
namespace {

using Arguments = CheckArguments;

constexpr HelpText kHelp{"PATH… [OPTIONS]",
                         "  # every case of an operator\n"
                         "  $ opref check testdata/ai.onnx/MaxUnpool\n"
                         "  # Debian's official ONNX cases; unknown operators count as unsupported\n"
                         "  $ opref check /usr/share/libonnx-testdata/data --filter pool\n"
                         "  # one case, to the bit\n"
                         "  $ opref check --exact testdata/ai.onnx/MaxUnpool/cases.json\n"
                         "  # judge a backend: here opref itself, started for each case\n"
                         "  $ opref check testdata/ai.onnx/MaxUnpool --filter cases --runner \\\n"
                         "      'opref run {inputs} -o {outputs}/'\n"
                         "  # the second of three machines' share\n"
                         "  $ opref check testdata/ai.onnx/MaxUnpool --shard 2/3\n",
                         "Cases      Folders with model.onnx and test_data_set_0, or layer.xml; JSON files\n"
                         "           with \"op_type\"; FILE#2 or FILE#opset=11 for one of several cases in a\n"
                         "           file. opref judges a case by its own tolerance. Without one, it\n"
                         "           judges official ONNX cases and backends by ONNX's rule (rtol 1e-3,\n"
                         "           atol 1e-7; bfloat16 rtol 2^-6), and other cases exactly. A rule that\n"
                         "           you choose here overrides both.\n"
                         "Filter     A regular expression of RE2 (github.com/google/re2/wiki/Syntax) that\n"
                         "           matches anywhere in a case's name.\n"
                         "Backends   --outputs DIR: DIR/CASE/output_K.pb, output_K.npy or NAME.npy. A\n"
                         "           sequence may also be output_K.npz, NAME.npz, or a folder output_K or\n"
                         "           NAME with 0.npy, 1.npy, …\n"
                         "           --runner 'CMD {model} {inputs} {outputs}': a shell command for each\n"
                         "           case. {model} is model.onnx or layer.xml, {inputs} a folder with\n"
                         "           input_0.pb, … (ONNX) or NAME.npy (OpenVINO), {outputs} an empty\n"
                         "           folder that CMD fills as above. Exit code 0: done, 5: unsupported,\n"
                         "           else an error. opref quotes the paths that it puts into CMD.\n"
                         "           CMD without these words is a worker that stays up. For each case it\n"
                         "           reads {\"id\", \"model\", \"inputs\", \"outputs\"} in one line of JSON, and\n"
                         "           answers with a line {\"id\", \"status\", \"why\"}; the status is ok,\n"
                         "           unsupported or error.\n"
                         "           A case that must fail passes if the backend answers error, or ends\n"
                         "           with an exit code other than 0, 5, 6 (a full disk or the like) and 70\n"
                         "           (a bug), and leaves no output. A case that chooses a reading, and has\n"
                         "           another result by it, is unsupported: nobody can tell a backend the\n"
                         "           reading.\n"
                         "           If a worker answers none of its first three cases, the run ends.\n"
                         "Causes     opref prints the first three cases that do not pass in full, and all\n"
                         "           of them with --verbose. For each it looks for what gives the\n"
                         "           backend's outputs: another reading (to the bit, else by the case's\n"
                         "           rule, which it then names), a reading with other arithmetic, other\n"
                         "           arithmetic, then known mistakes about attributes that the node has.\n"
                         "           It lists all that fit equally. The table at the end counts cases by\n"
                         "           cause; of several causes it prefers the one that fits most cases of\n"
                         "           the run.\n"
                         "Interrupt  On Ctrl-C opref writes the reports, with \"complete\": false and what\n"
                         "           it judged till then, and exits with 130. If the disk is full, or the\n"
                         "           system has no thread or open file left, it does the same with exit\n"
                         "           code 6. It also writes --report FILE now and then while the run goes\n"
                         "           on, so that a killed run leaves one.\n"
                         "Resuming   With --resume REPORT, opref does not judge a case again if its record\n"
                         "           is in REPORT and these are the same: opref (version and commit), the\n"
                         "           backend's command, the rule, the options that decide (--node,\n"
                         "           --timeout, --max-bytes) and the case's files (SHA-256). It judges a\n"
                         "           case again if the machine was at fault, or if the runner died or took\n"
                         "           too long. It does not notice a change in a program that the runner's\n"
                         "           command calls: leave the option out after such a change. If REPORT\n"
                         "           does not exist, the run is the first one. If REPORT is of another\n"
                         "           opref, backend or rule, opref says so and takes nothing over. REPORT\n"
                         "           may be the FILE of --report, and of any shards: with both options,\n"
                         "           one command line begins a task and also continues it after it was\n"
                         "           killed.\n"
                         "Shards     Shards are disjoint, together complete, and cost about the same, as\n"
                         "           opref estimates from the cases' files. --shard auto takes I/N from\n"
                         "           Bazel and GoogleTest, and from Slurm, LSF and SGE arrays.\n"
                         "           --shard auto/N takes only I, from PBS arrays and Kubernetes indexed\n"
                         "           jobs, which do not say N; their indices must be 0 to N-1. Elsewhere\n"
                         "           the share is 1/1.\n"
                         "Exit       0: all judged cases pass, or the shard has no case. 1: a case failed\n"
                         "           or is broken. 2: no case found. 5: nothing was judged. 6: the runner\n"
                         "           cannot be started, or the machine has no space, no thread or no more\n"
                         "           files to open; the cases that are left then have no verdict.\n"
                         "Documents  --json prints what --report writes: see opref help report-schema.\n"};

/// The cases of this shard; nothing found is a `usage` error, unless that is allowed.
Selection select_cases(const Arguments& arguments, const Shard& shard) {
  Selection selection = select(arguments.paths, arguments.filter, shard);
  if (selection.empty() && !arguments.rules.allow_empty)
    fail(Fault::usage, "no case below {}{}", printable_names(arguments.paths),
         arguments.filter.empty() ? ": a case is a .json file or a folder with model.onnx (opref help cases)"
                                  : format(" has a name that matches {}", printable(arguments.filter)));
  return selection;
}

std::string backend_text(const Arguments& arguments) {
  if (!arguments.outputs.empty()) return "outputs " + arguments.outputs;
  return arguments.runner.empty() ? "" : "runner " + arguments.runner;
}

/// When a run began.
struct Start {
  std::string utc;
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
};

/// What is known of a run before it ends.
RunRecord run_of(const Arguments& arguments, const Start& start, const Shard& shard, const Selection& selection) {
  RunRecord run;
  run.opref = version_number();
  run.commit = version_commit();
  run.started = start.utc;
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
  Reporter(const Arguments& arguments, const Start& start, const Selection& selection, const RunRecord& run,
           const EarlierRun* earlier)
      : arguments_(arguments), start_(start), selection_(selection), report_{run, {}}, earlier_(earlier) {}

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
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_.time).count();
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
  const Start& start_;
  const Selection& selection_;
  CheckReport report_;
  const EarlierRun* earlier_;
};

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
  if (arguments.list && (has_any(arguments.reports) || !arguments.resume.empty() || !arguments.outputs.empty() ||
                         !arguments.runner.empty()))
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
  const Start start{utc_now()};
  const RunRecord run = run_of(arguments, start, shard, selection);
  std::optional<EarlierRun> earlier;
  if (!arguments.resume.empty()) {
    earlier.emplace(arguments.resume, run);
    if (!earlier->why_none().empty())
      note(format("note: nothing is taken over from {}: {}", printable(arguments.resume, 1000), earlier->why_none()));
  }
  const EarlierRun* const known = earlier ? &*earlier : nullptr;
  Reporter reporter(arguments, start, selection, run, known);
  CheckRun{arguments, selection.cases, known, reporter.records(), [&] { reporter.keep(); }, [&] { reporter.finish(); }}.judge_all();
  reporter.finish();
  require_output();
  return reporter.exit_code();
}

}  // namespace

void add_check(CLI::App& program) {
  add_command(program, "check", "evaluate cases and compare with what they expect", kHelp, [](CLI::App& command) {
    const auto arguments = std::make_shared<Arguments>();
    add_argument(command, "PATH", arguments->paths, "a case, or a folder with cases at any depth").required();
    add_tolerance_options(command, arguments->tolerance);
    add_option(command, "--runner", arguments->runner, "CMD", "judge a program: see Backends in --help").not_empty();
    add_option(command, "--outputs", arguments->outputs, "DIR", "judge outputs that another program wrote before")
        .not_empty();
    add_option(command, "--timeout", arguments->timeout, "S", "seconds for one case; default 60");
    add_number(command, "-j", arguments->jobs, {1, kMostThreads}, "cases at a time; default the cores");
    add_max_bytes(command, arguments->max_bytes,
                  "limit of the tensors of all cases at a time; default half the memory");
    add_option(command, "--filter", arguments->filter, "REGEX", "only cases whose name matches");
    add_option(command, "--node", arguments->nodes, "NAME",
               "of each case's nodes, the one with this name or output; repeats");
    const char* shares = "only the I-th of N shares of the cases; auto: see Shards in --help";
    add_option(command, "--shard", arguments->shard, "I/N", shares).offers({"auto"});
    add_option(command, "--report", arguments->reports.json, "FILE", "write a report as JSON, for opref report")
        .not_empty();
    add_option(command, "--resume", arguments->resume, "REPORT", "take over what a report has: see Resuming in --help")
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
    add_flag(command, "--allow-empty", arguments->rules.allow_empty, "exit 0 also where nothing was judged");
    add_flag(command, "--json", arguments->json, "print one JSON document");
    set_action(command, [arguments] { return check(*arguments); });
  });
}

}  // namespace opref::cli
