// opref check
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>

#include "check/html.h"
#include "check/judge.h"
#include "check/junit.h"
#include "check/process.h"
#include "check/report_json.h"
#include "check/schedule.h"
#include "check/select.h"
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
    "           with \"op_type\". Each is judged by its own tolerance, else official\n"
    "           ONNX cases and backends by ONNX's rule (rtol 1e-3, atol 1e-7;\n"
    "           bfloat16 rtol 2^-6), JSON cases exactly; a rule chosen here\n"
    "           overrides it.\n"
    "Backends   --outputs DIR: DIR/CASE/output_K.pb, output_K.npy or NAME.npy.\n"
    "           --runner 'CMD {model} {inputs} {outputs}': a shell command for each\n"
    "           case. {model} is model.onnx or layer.xml, {inputs} a folder with\n"
    "           input_0.pb, … (ONNX) or NAME.npy (OpenVINO), {outputs} an empty\n"
    "           one to fill as above. Exit code 0: done, 5: unsupported, else an\n"
    "           error. --runner CMD without these words: a worker that stays up.\n"
    "           It reads {\"id\", \"model\", \"inputs\", \"outputs\"} in one line of JSON\n"
    "           per case, and answers each with a line {\"id\", \"status\", \"why\"};\n"
    "           the status is ok, unsupported or error.\n"
    "Shards     --shard auto takes I/N from Bazel and GoogleTest, from Slurm, LSF\n"
    "           and SGE arrays; --shard auto/N the I alone from PBS arrays and\n"
    "           Kubernetes indexed jobs, which do not say N. Outside: 1/1.\n"
    "Exit       1: a case failed or is broken. 2: no case found. 5: nothing was\n"
    "           judged. 6: the runner cannot be started.\n"};

constexpr double kTimeout = 60;  // seconds

struct Arguments {
  std::vector<std::string> paths;
  ToleranceArguments tolerance;
  std::optional<int> jobs;
  std::string filter, shard, outputs, runner, junit, report, html;
  double timeout = kTimeout;
  bool json = false, allow_empty = false, require_all = false, list = false, verbose = false, fail_fast = false;
};

/// The cases of this shard; nothing found is a `usage` error, unless that is allowed.
Selection select_cases(const Arguments& arguments, const Shard& shard) {
  Selection selection = select(arguments.paths, arguments.filter, shard);
  if (selection.all_names.empty() && !arguments.allow_empty)
    fail(Fault::usage, "no case below {}{}", join_text(arguments.paths, ", "),
         arguments.filter.empty() ? "" : format(" has a name that matches {}", printable(arguments.filter)));
  return selection;
}

Shard chosen_shard(const Arguments& arguments) {
  if (arguments.shard.empty()) return {};
  const Variables variables = process_variables();
  const Shard shard = parse_shard(arguments.shard, variables);
  if (arguments.shard.starts_with("auto")) acknowledge_sharding(variables);
  return shard;
}

/// As an argument that is no option.
std::string path_argument(const std::string& path) { return shell_quoted(path.starts_with('-') ? "./" + path : path); }

std::string repeat_command(const CaseRecord& record, const Arguments& arguments) {
  const std::string rule = to_options(arguments.tolerance);
  if (arguments.outputs.empty() && arguments.runner.empty())
    return format("opref run {} --expect-case{}", path_argument(record.path), rule);
  std::string command = "opref check";
  for (const std::string& path : arguments.paths) command += " " + path_argument(path);
  command += " --filter " + shell_quoted(filter_for(record.name));
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

CheckReport make_report(const Arguments& arguments, const std::string& started, const Shard& shard,
                        std::vector<std::string> all_names, std::vector<CaseRecord> records) {
  CheckReport report;
  report.opref = version_number();
  report.started = started;
  report.backend = backend_text(arguments);
  const ToleranceChoice choice = chosen_tolerance(arguments.tolerance);
  if (choice.rule) report.rule = to_text(*choice.rule);
  report.shard = shard.index;
  report.shards = shard.count;
  report.all_names = std::move(all_names);
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

void print_list(const std::vector<FoundCase>& cases, bool as_json) {
  JsonWriter json = document("check"), names = JsonWriter::list();
  for (const FoundCase& found : cases) {
    names.append(found.name);
    if (!as_json) print(found.name + "\n");
  }
  if (as_json) print(json.set("names", std::move(names)).text());
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

/// "2026-11-21T10:00:00Z"
std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm time{};
  gmtime_r(&now, &time);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &time)};
}

/// Reports are written at the end: that they can be is known before the first case.
void require_writable(const std::string& path) {
  if (path.empty()) return;
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (access(folder.c_str(), W_OK) != 0)
    fail(Fault::system, "cannot write {}: {}", printable(path), std::strerror(errno));
}

int check_cases(const Arguments& arguments) {
  require_sound(arguments);
  for (const std::string* path : {&arguments.report, &arguments.junit, &arguments.html}) require_writable(*path);
  chosen_tolerance(arguments.tolerance);
  const Shard shard = chosen_shard(arguments);
  Selection selection = select_cases(arguments, shard);
  if (arguments.list) {
    print_list(selection.cases, arguments.json);
    return 0;
  }
  const std::string started = utc_now();
  Totals totals;
  std::vector<CaseRecord> records = judge_all(arguments, selection.cases, totals);
  const CheckReport report = make_report(arguments, started, shard, std::move(selection.all_names), std::move(records));
  if (arguments.json) {
    print_json(report, totals);
  } else {
    if (report.shards > 1)
      print(format("shard {} of {}: {} of {}\n", report.shard, report.shards, report.cases.size(),
                   counted(static_cast<long long>(report.all_names.size()), "case")));
    print_totals(totals, report.cases.size());
  }
  if (!arguments.report.empty()) write_report(report, arguments.report);
  if (!arguments.junit.empty()) write_junit(report, arguments.junit);
  if (!arguments.html.empty()) write_html(report, arguments.html);
  return exit_code(totals, arguments);
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
  command.add_option("--report", arguments->report, "write a report as JSON, for opref report")->type_name("FILE");
  command.add_option("--junit", arguments->junit, "write a report as JUnit XML")->type_name("FILE");
  command.add_option("--html", arguments->html, "write a report as one HTML page")->type_name("FILE");
  for (const char* name : {"--runner", "--outputs", "--report", "--junit", "--html"})
    command.get_option(name)->check(
        [](const std::string& text) { return text.empty() ? std::string("it is empty") : std::string(); }, "");
  command.add_flag("--fail-fast", arguments->fail_fast, "stop at the first case that fails");
  command.add_flag("--list", arguments->list, "only print the cases' names");
  command.add_flag("--verbose", arguments->verbose, "a line for every case");
  command.add_flag("--require-all", arguments->require_all, "what is unsupported or expects nothing fails too");
  command.add_flag("--allow-empty", arguments->allow_empty, "exit 0 also where nothing was judged");
  command.add_flag("--json", arguments->json, "print one JSON document");
  set_action(command, [arguments] { return check(*arguments); });
}

}  // namespace opref::cli
