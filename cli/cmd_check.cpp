// opref check
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "check/comparison_json.h"
#include "check/discover.h"
#include "check/verdict.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program.h"

namespace opref::cli {
namespace {

constexpr HelpText kHelp{"PATH… [OPTIONS]",
                         "  # every case of an operator\n"
                         "  $ opref check testdata/ai.onnx/MaxUnpool\n"
                         "  # Debian's official ONNX cases; unknown operators count as unsupported\n"
                         "  $ opref check /usr/share/libonnx-testdata/data\n"
                         "  # one case, to the bit\n"
                         "  $ opref check --exact testdata/ai.onnx/MaxUnpool/seed-1.json\n",
                         "A case is a folder with model.onnx and test_data_set_0, or a JSON file with\n"
                         "\"op_type\". Each is judged by its own tolerance, else official ONNX cases by\n"
                         "ONNX's rule (rtol 1e-3, atol 1e-7; bfloat16 rtol 2^-6) and JSON cases exactly; a\n"
                         "rule chosen here overrides it. Exit 1: a case failed or is broken. Exit 2: no\n"
                         "case found. Exit 5: nothing was judged.\n"};

constexpr size_t kMostReasons = 12;

struct Arguments {
  std::vector<std::string> paths;
  ToleranceArguments tolerance;
  bool json = false, allow_empty = false, require_all = false, list = false, verbose = false;
};

struct Totals {
  std::map<Verdict, int> verdicts;
  std::map<std::string, int> unsupported;  // by reason
  int outputs = 0, bit_equal = 0, one_ulp = 0;

  void add(const CaseReport& report) {
    ++verdicts[report.verdict];
    if (report.verdict == Verdict::unsupported) ++unsupported[report.reason];
    for (const OutputReport& output : report.outputs) {
      ++outputs;
      bit_equal += output.comparison.bit_equal == output.comparison.count;
      one_ulp += output.comparison.within_one_ulp == output.comparison.count;
    }
  }
};

void print_case(const FoundCase& found, const CaseReport& report, const Arguments& arguments) {
  const bool bad = report.verdict == Verdict::fail || report.verdict == Verdict::error;
  if (!bad && !arguments.verbose) return;
  print(format("{} {}{}\n", toned(bad ? Tone::bad : Tone::good, name(report.verdict)), found.name,
               report.reason.empty() ? "" : ": " + report.reason));
  if (!bad) return;
  for (const OutputReport& output : report.outputs)
    if (!output.comparison.equal()) print(format("{}\n", describe(output.comparison, output.tolerance)));
  print(format("  repeat: opref run {} --expect-case{}\n", shell_quoted(found.path.string()),
               to_options(arguments.tolerance)));
}

void print_totals(const Totals& totals, size_t cases) {
  std::vector<std::pair<int, std::string>> reasons;
  for (const auto& [reason, count] : totals.unsupported) reasons.emplace_back(count, reason);
  std::ranges::sort(reasons, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i)
    print(format("unsupported {}: {}\n", reasons[i].first, reasons[i].second));
  if (reasons.size() > kMostReasons) {
    int rest = 0;
    for (size_t i = kMostReasons; i < reasons.size(); ++i) rest += reasons[i].first;
    print(format("unsupported {}: {} more reasons (--verbose names each case)\n", rest, reasons.size() - kMostReasons));
  }
  if (totals.outputs > 0)
    print(format("{}: {} equal bit for bit, {} within 1 ULP\n", counted(totals.outputs, "output"), totals.bit_equal,
                 totals.one_ulp));
  std::vector<std::string> parts;
  for (const Verdict verdict : {Verdict::pass, Verdict::fail, Verdict::error, Verdict::unsupported, Verdict::skip}) {
    const auto found = totals.verdicts.find(verdict);
    parts.push_back(format("{} {}", found == totals.verdicts.end() ? 0 : found->second, name(verdict)));
  }
  print(format("{}: {}\n", counted(static_cast<long long>(cases), "case"), join_text(parts, ", ")));
}

JsonWriter case_json(const FoundCase& found, const CaseReport& report) {
  JsonWriter json, outputs;
  json.set("name", found.name).set("verdict", name(report.verdict));
  if (!report.reason.empty()) json.set("reason", report.reason);
  if (!report.title.empty()) json.set("operator", report.title);
  for (const OutputReport& output : report.outputs)
    outputs.set(output.name, comparison_json(output.comparison, output.tolerance));
  if (!report.outputs.empty()) json.set("outputs", std::move(outputs));
  return json;
}

int exit_code(const Totals& totals, const Arguments& arguments) {
  const auto number = [&](Verdict verdict) {
    const auto found = totals.verdicts.find(verdict);
    return found == totals.verdicts.end() ? 0 : found->second;
  };
  if (number(Verdict::fail) + number(Verdict::error) > 0) return 1;
  if (arguments.require_all && number(Verdict::unsupported) + number(Verdict::skip) > 0) return 1;
  const bool judged = number(Verdict::pass) > 0;
  return judged || arguments.allow_empty ? 0 : static_cast<int>(Fault::unsupported);
}

int check(const Arguments& arguments) {
  const ToleranceChoice tolerance = chosen_tolerance(arguments.tolerance);
  const std::vector<FoundCase> cases = discover(arguments.paths);
  if (cases.empty() && !arguments.allow_empty) fail(Fault::usage, "no case below {}", join_text(arguments.paths, ", "));
  if (arguments.list) {
    for (const FoundCase& found : cases) print(found.name + "\n");
    return 0;
  }
  EvaluationOptions options;
  options.max_bytes = default_max_bytes();
  Totals totals;
  JsonWriter list = JsonWriter::list();
  for (const FoundCase& found : cases) {
    const CaseReport report = judge(found.path.string(), options, tolerance);
    totals.add(report);
    for (const std::string& warning : report.warnings) warn(format("{}: {}", found.name, warning));
    if (arguments.json)
      list.append(case_json(found, report));
    else
      print_case(found, report, arguments);
  }
  if (arguments.json) {
    JsonWriter json = document("check"), summary;
    for (const auto& [verdict, count] : totals.verdicts) summary.set(name(verdict), count);
    json.set("cases", std::move(list)).set("summary", std::move(summary));
    print(json.text());
  } else {
    print_totals(totals, cases.size());
  }
  return exit_code(totals, arguments);
}

}  // namespace

void add_check(CLI::App& program) {
  CLI::App& command = add_command(program, "check", "evaluate cases and compare with what they expect", kHelp);
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("PATH", arguments->paths, "a case, or a folder with cases at any depth")->required();
  add_tolerance_options(command, arguments->tolerance);
  command.add_flag("--list", arguments->list, "only print the cases' names");
  command.add_flag("--verbose", arguments->verbose, "a line for every case");
  command.add_flag("--require-all", arguments->require_all, "what is unsupported or expects nothing fails too");
  command.add_flag("--allow-empty", arguments->allow_empty, "exit 0 also where nothing was judged");
  command.add_flag("--json", arguments->json, "print one JSON document");
  set_action(command, [arguments] { return check(*arguments); });
}

}  // namespace opref::cli
