// opref check
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <regex>

#include "check/comparison_json.h"
#include "check/discover.h"
#include "check/judge.h"
#include "check/process.h"
#include "check/schedule.h"
#include "check/shard.h"
#include "cli/arguments.h"
#include "cli/check_output.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "core/parallel.h"

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
    "           with \"op_type\". Each is judged by its own tolerance, else official ONNX\n"
    "           cases and backends by ONNX's rule (rtol 1e-3, atol 1e-7; bfloat16 rtol\n"
    "           2^-6), JSON cases exactly; a rule chosen here overrides it.\n"
    "Backends   --outputs DIR: DIR/CASE/output_K.pb, output_K.npy or NAME.npy.\n"
    "           --runner 'CMD {model} {inputs} {outputs}': for each case a shell\n"
    "           command. {model} is model.onnx or layer.xml, {inputs} a folder with\n"
    "           input_0.pb … (ONNX) or NAME.npy (OpenVINO), {outputs} an empty one to\n"
    "           fill as above. Exit code 0: done; 5: unsupported; else an error.\n"
    "           --runner CMD without these words: a worker that stays up. It reads one\n"
    "           {\"id\", \"model\", \"inputs\", \"outputs\"} per line and answers each with a\n"
    "           line {\"id\", \"status\": \"ok\"|\"unsupported\"|\"error\", \"why\"}.\n"
    "Shards     --shard auto takes I/N from Bazel and GoogleTest, from Slurm, LSF and SGE\n"
    "           arrays; --shard auto/N the I alone from PBS arrays and Kubernetes indexed\n"
    "           jobs, which do not say N. Outside all of these it is 1/1.\n"
    "Exit       1: a case failed or is broken. 2: no case found. 5: nothing was judged.\n"
    "           6: the runner cannot be started.\n"};

constexpr double kTimeout = 60;  // seconds

struct Arguments {
  std::vector<std::string> paths;
  ToleranceArguments tolerance;
  std::optional<int> jobs;
  std::string filter, shard, outputs, runner;
  double timeout = kTimeout;
  bool json = false, allow_empty = false, require_all = false, list = false, verbose = false, fail_fast = false;
};

/// The cases of all shards, and those of this one.
struct Selection {
  Shard shard;
  std::vector<std::string> all_names;
  std::vector<FoundCase> cases;
};

std::regex parse_filter(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error& error) {
    fail(Fault::usage, "--filter {}: this is no regular expression: {}", printable(text), error.what());
  }
}

Selection select(const Arguments& arguments) {
  Selection selection;
  const Variables variables = process_variables();
  if (!arguments.shard.empty()) selection.shard = parse_shard(arguments.shard, variables);
  const std::regex filter = parse_filter(arguments.filter);
  if (arguments.shard.starts_with("auto")) acknowledge_sharding(variables);
  const std::vector<FoundCase> found = discover(arguments.paths);
  if (found.empty() && !arguments.allow_empty) fail(Fault::usage, "no case below {}", join_text(arguments.paths, ", "));
  for (const FoundCase& one : found) {
    if (!arguments.filter.empty() && !std::regex_search(one.name, filter)) continue;
    selection.all_names.push_back(one.name);
    if (is_in_shard(one.name, selection.shard)) selection.cases.push_back(one);
  }
  if (selection.all_names.empty() && !arguments.allow_empty)
    fail(Fault::usage, "--filter {}: none of {} has such a name", printable(arguments.filter),
         counted(static_cast<long long>(found.size()), "case"));
  return selection;
}

/// The name as a regular expression that means nothing else.
std::string exact_filter(const std::string& name) {
  std::string regex = "^";
  for (const char c : name) {
    if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) regex += '\\';
    regex += c;
  }
  return regex + "$";
}

/// As an argument that is no option.
std::string path_argument(const std::string& path) { return shell_quoted(path.starts_with('-') ? "./" + path : path); }

std::string repeat_command(const CaseRecord& record, const Arguments& arguments) {
  const std::string rule = to_options(arguments.tolerance);
  if (arguments.outputs.empty() && arguments.runner.empty())
    return format("opref run {} --expect-case{}", path_argument(record.path), rule);
  std::string command = "opref check";
  for (const std::string& path : arguments.paths) command += " " + path_argument(path);
  command += " --filter " + shell_quoted(exact_filter(record.name));
  if (!arguments.outputs.empty()) command += " --outputs " + path_argument(arguments.outputs);
  if (!arguments.runner.empty()) command += " --runner " + shell_quoted(arguments.runner);
  if (arguments.timeout != kTimeout) command += format(" --timeout {}", arguments.timeout);
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
  judged.backend = runner(arguments.runner, {arguments.timeout, &stopped});
  return judged;
}

std::string backend_text(const Arguments& arguments) {
  if (!arguments.outputs.empty()) return "outputs " + arguments.outputs;
  return arguments.runner.empty() ? "" : "runner " + arguments.runner;
}

bool is_bad(Verdict verdict, const Arguments& arguments) {
  const bool not_judged = verdict == Verdict::unsupported || verdict == Verdict::skip;
  return verdict == Verdict::fail || verdict == Verdict::error || (arguments.require_all && not_judged);
}

/// Judges all cases; prints each as soon as it is known and all before it are printed.
std::vector<CaseRecord> judge_all(const Arguments& arguments, const std::vector<FoundCase>& cases, Totals& totals) {
  std::atomic<bool> stopped = false;
  const Judged judged = open_backend(arguments, stopped);
  JudgeOptions options;
  options.tolerance = chosen_tolerance(arguments.tolerance);
  options.evaluation.max_bytes = default_max_bytes();
  options.timeout = arguments.timeout;
  options.backend = judged.backend.get();
  if (options.backend != nullptr) options.tolerance.judged = ToleranceChoice::Judged::backend;
  if (judged.scratch) options.scratch = judged.scratch->path();

  std::vector<CaseRecord> records(cases.size());
  size_t shown = 0;
  Progress progress(cases.size());
  const auto done = [&](size_t i) {
    CaseRecord& record = records[i];
    record.repeat = repeat_command(record, arguments);
    totals.add(record);
    const bool bad = is_bad(record.verdict, arguments);
    const bool prints = !arguments.json && (bad || arguments.verbose);
    if (prints) {
      progress.erase();
      for (const std::string& warning : record.warnings) warn(format("{}: {}", record.name, warning));
      print_case(record, bad ? Good::no : Good::yes);
      finish_output();
    }
    progress.advance();
    shown = i + 1;
    return bad && arguments.fail_fast ? Next::stop : Next::go_on;
  };
  run_in_order(
      cases.size(), arguments.jobs.value_or(available_cores()), stopped,
      [&](size_t i) { records[i] = judge(cases[i], options); }, done);
  records.resize(shown);
  return records;
}

CheckReport make_report(const Arguments& arguments, Selection selection, std::vector<CaseRecord> records) {
  CheckReport report;
  report.opref = version_number();
  report.backend = backend_text(arguments);
  const ToleranceChoice choice = chosen_tolerance(arguments.tolerance);
  if (choice.rule) report.rule = to_text(*choice.rule);
  report.shard = selection.shard.index;
  report.shards = selection.shard.count;
  report.all_names = std::move(selection.all_names);
  report.cases = std::move(records);
  return report;
}

void print_json(const CheckReport& report, const Totals& totals) {
  JsonWriter json = document("check"), summary, list = JsonWriter::list();
  for (const auto& [verdict, count] : totals.verdicts) summary.set(name(verdict), count);
  for (const CaseRecord& record : report.cases) list.append(case_json(record));
  json.set("cases", std::move(list)).set("summary", std::move(summary));
  print(json.text());
}

int exit_code(const Totals& totals, const Arguments& arguments) {
  for (const auto& [verdict, count] : totals.verdicts)
    if (count > 0 && is_bad(verdict, arguments)) return 1;
  const bool judged = totals.number(Verdict::pass) > 0;
  return judged || arguments.allow_empty ? 0 : static_cast<int>(Fault::unsupported);
}

void require_sound(const Arguments& arguments) {
  if (arguments.jobs && *arguments.jobs < 1) fail(Fault::usage, "-j {}: it is a number from 1 on", *arguments.jobs);
  if (!(arguments.timeout > 0 && arguments.timeout <= 1e6))
    fail(Fault::usage, "--timeout {}: it is a number of seconds from above 0 to 1e6", arguments.timeout);
  if (!arguments.outputs.empty() && !arguments.runner.empty())
    fail(Fault::usage, "two backends at once: choose one of --outputs and --runner");
}

int check(const Arguments& arguments) {
  require_sound(arguments);
  chosen_tolerance(arguments.tolerance);
  Selection selection = select(arguments);
  if (arguments.list) {
    for (const FoundCase& found : selection.cases) print(found.name + "\n");
    return 0;
  }
  Totals totals;
  std::vector<CaseRecord> records = judge_all(arguments, selection.cases, totals);
  const CheckReport report = make_report(arguments, std::move(selection), std::move(records));
  if (arguments.json) {
    print_json(report, totals);
  } else {
    if (report.shards > 1)
      print(format("shard {} of {}: {} of {}\n", report.shard, report.shards, report.cases.size(),
                   counted(static_cast<long long>(report.all_names.size()), "case")));
    print_totals(totals, report.cases.size());
  }
  const int code = exit_code(totals, arguments);
  if (abandoned_threads() == 0) return code;
  finish_output();  // threads that still evaluate use what the program's end would destroy
  _exit(code);
}

}  // namespace

void add_check(CLI::App& program) {
  CLI::App& command = add_command(program, "check", "evaluate cases and compare with what they expect", kHelp);
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("PATH", arguments->paths, "a case, or a folder with cases at any depth")->required();
  add_tolerance_options(command, arguments->tolerance);
  command.add_option("--runner", arguments->runner, "judge a program: see --help")->type_name("CMD");
  command.add_option("--outputs", arguments->outputs, "judge outputs that were produced elsewhere")->type_name("DIR");
  command.add_option("--timeout", arguments->timeout, "seconds for one case, 60")->type_name("S");
  command.add_option("-j", arguments->jobs, "cases at a time; the cores")->type_name("N");
  command.add_option("--filter", arguments->filter, "only cases whose name matches")->type_name("REGEX");
  command.add_option("--shard", arguments->shard, "only the I-th of N shares of the cases; auto: see --help")
      ->type_name("I/N");
  command.add_flag("--fail-fast", arguments->fail_fast, "stop at the first case that fails");
  command.add_flag("--list", arguments->list, "only print the cases' names");
  command.add_flag("--verbose", arguments->verbose, "a line for every case");
  command.add_flag("--require-all", arguments->require_all, "what is unsupported or expects nothing fails too");
  command.add_flag("--allow-empty", arguments->allow_empty, "exit 0 also where nothing was judged");
  command.add_flag("--json", arguments->json, "print one JSON document");
  set_action(command, [arguments] { return check(*arguments); });
}

}  // namespace opref::cli
