// SPDX-License-Identifier: Apache-2.0
// opref report
#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/report_files.h"
#include "core/error.h"
#include "report/earlier_verdicts.h"
#include "report/merge.h"
#include "report/record_json.h"
#include "report/report_json.h"

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

/// The second report, with what differs from the first one.
CheckReport compared(const Arguments& arguments, const EarlierVerdicts& earlier) {
  CheckReport now;
  static_cast<RunRecord&>(now) = read_report(std::filesystem::path(arguments.files[1]), now.cases);
  now.baseline = earlier.changes(now, arguments.rules);
  return now;
}

Json changes_json(const Arguments& arguments, const CheckReport& now) {
  Json counts;
  for (const Change change : kChanges) counts.set(name(change), now.baseline->count(change));
  Json json = document("report diff");
  json.set("now", printable(arguments.files[1], 1000));
  return std::move(json.set("counts", std::move(counts)).set("baseline", baseline_json(*now.baseline)));
}

void tell_changes(const Arguments& arguments, const EarlierVerdicts& earlier, const CheckReport& now) {
  FailurePrinter failures(arguments.rules, arguments.verbose, &earlier);
  for (std::size_t i = 0; i < now.cases.size(); ++i)
    if (earlier.is_new_failure(now.cases.name(i), now.cases.verdict(i), arguments.rules)) failures.add(now.cases.at(i));
  failures.finish();
  print_changes(*now.baseline, arguments.verbose);
}

int diff_files(const Arguments& arguments) {
  require_sound(arguments.reports, arguments.json);
  if (arguments.files.size() != 2)
    fail(Fault::usage,
         "{} given, but two reports are compared: opref report diff OLD NEW; 'opref report merge' joins shards",
         counted(static_cast<std::int64_t>(arguments.files.size()), "FILE"));
  for (const std::string& file : arguments.files) require_others_than(arguments.reports, file);
  const EarlierVerdicts earlier(std::filesystem::path(arguments.files[0]), printable(arguments.files[0], 1000));
  const CheckReport now = compared(arguments, earlier);
  if (has_any(arguments.reports)) defer_broken_output();
  if (arguments.json)
    print(changes_json(arguments, now).text());
  else if (!take_standard_output(arguments.reports))
    tell_changes(arguments, earlier, now);
  write_all(now, arguments.reports);
  require_output();
  return exit_code(now, arguments.rules);
}

int report(const Arguments& arguments) {
  constexpr std::string_view kActions[] = {"merge", "diff"};
  if (arguments.action == "diff") return diff_files(arguments);
  constexpr std::string_view kForms[] = {"junit", "html", "markdown"};
  if (std::ranges::count(kForms, arguments.action) > 0)
    fail(Fault::usage, "'{0}' is not what report does, but one of its forms: opref report merge FILE --{0} OUT",
         arguments.action);
  if (std::error_code ignored; std::filesystem::exists(arguments.action, ignored)) {
    Merge().add(std::filesystem::path(arguments.action), printable(arguments.action, 1000));  // fails of no report
    fail(Fault::usage,
         "'{0}' is not what report does, did you mean 'opref report merge {0}'? (opref report diff OLD NEW compares "
         "two)",
         printable(arguments.action));
  }
  if (arguments.action != "merge")
    fail(Fault::usage, "'{}' is not what report does (opref report merge FILE… or opref report diff OLD NEW){}",
         printable(arguments.action), did_you_mean(arguments.action, kActions));
  if (arguments.files.empty()) fail(Fault::usage, "FILE is missing (see 'opref report -h')");
  return merge_files(arguments);
}

}  // namespace

Action add_report(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_argument(command, "ACTION", arguments->action, "merge or diff").required().offers({"merge", "diff"});
  add_argument(command, "FILE", arguments->files, "JSON reports of check; of diff OLD and NEW");
  add_option(command, "-o,--output", arguments->reports.json, "OUT.json",
             "the joined JSON report, of diff NEW's with the changes; - is standard output");
  add_option(command, "--junit", arguments->reports.junit, "OUT.xml", "JUnit XML for CI servers");
  add_option(command, "--html", arguments->reports.html, "OUT.html", "one page that needs no network");
  add_option(command, "--markdown", arguments->reports.markdown, "OUT.md", "a summary for CI servers' pages");
  add_flag(command, "--verbose", arguments->verbose, "print all cases that do not pass, and all causes");
  add_flag(command, "--require-all", arguments->rules.require_all, "unsupported and skipped cases fail too");
  add_flag(command, "--allow-empty", arguments->rules.allow_empty, "exit 0 also if nothing was judged");
  add_flag(command, "--json", arguments->json, "print the joined report, or the changes, as JSON");
  return [arguments] { return report(*arguments); };
}

}  // namespace opref::cli
