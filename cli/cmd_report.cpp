// SPDX-License-Identifier: Apache-2.0
// opref report
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/report_files.h"
#include "core/error.h"
#include "report/merge.h"

namespace opref::cli {
namespace {

struct Arguments {
  std::string action;
  std::vector<std::string> files;
  ReportFiles reports;
  bool json = false, verbose = false;
  ExitRules rules;
};

int merge_files(const Arguments& arguments) {
  require_sound(arguments.reports, arguments.json);
  for (const std::string& file : arguments.files) require_others_than(arguments.reports, file);
  Merge merge;
  for (const std::string& file : arguments.files) merge.add(std::filesystem::path(file), printable(file, 1000));
  const CheckReport merged = merge.finish();
  if (has_any(arguments.reports)) defer_broken_output();
  if (arguments.json) {
    json_document(merged, print);
  } else if (!take_standard_output(arguments.reports)) {
    FailurePrinter failures(arguments.rules, arguments.verbose);
    for (std::size_t i = 0; i < merged.cases.size(); ++i)
      if (is_failure(merged.cases.verdict(i), arguments.rules)) failures.add(merged.cases.at(i));
    failures.finish();
    print_summary(merged, arguments.verbose);
  }
  write_all(merged, arguments.reports);
  require_output();
  return exit_code(merged, arguments.rules);
}

int report(const Arguments& arguments) {
  constexpr std::string_view kActions[] = {"merge"};
  if (arguments.action != kActions[0])
    fail(Fault::usage, "'{}' is not what report does (opref report merge FILE…){}", printable(arguments.action),
         did_you_mean(arguments.action, kActions));
  if (arguments.files.empty()) fail(Fault::usage, "FILE is missing (see 'opref report -h')");
  return merge_files(arguments);
}

}  // namespace

Action add_report(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_argument(command, "ACTION", arguments->action, "merge").required().offers({"merge"});
  add_argument(command, "FILE", arguments->files, "JSON reports of check");
  add_option(command, "-o,--output", arguments->reports.json, "OUT.json",
             "the joined JSON report; - is standard output");
  add_option(command, "--junit", arguments->reports.junit, "OUT.xml", "JUnit XML for CI servers");
  add_option(command, "--html", arguments->reports.html, "OUT.html", "one page that needs no network");
  add_option(command, "--markdown", arguments->reports.markdown, "OUT.md", "a summary for CI servers' pages");
  add_flag(command, "--verbose", arguments->verbose, "print all cases that do not pass, and all causes");
  add_flag(command, "--require-all", arguments->rules.require_all, "unsupported and skipped cases fail too");
  add_flag(command, "--allow-empty", arguments->rules.allow_empty, "exit 0 also if nothing was judged");
  add_flag(command, "--json", arguments->json, "print the joined report instead of text");
  return [arguments] { return report(*arguments); };
}

}  // namespace opref::cli
