// SPDX-License-Identifier: Apache-2.0
// opref bisect
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "backend/shell.h"
#include "check/bisect.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/judged_outputs.h"
#include "cli/open_backend.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "cli/remedies.h"
#include "cli/report_files.h"
#include "cli/version.h"
#include "compare/comparison_json.h"
#include "report/causes.h"
#include "run/load_case.h"
#include "run/node_case.h"
#include "run/sound_names.h"
#include "run/write_outputs.h"
#include "system/folder.h"

namespace opref::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostInFull = 3, kMostLines = 10;

struct Arguments {
  NodeArguments node;
  ToleranceArguments tolerance;
  std::string runner, outputs, extract, html;
  double timeout = 60;
  std::optional<std::int64_t> max_bytes;
  bool json = false, verbose = false;
};

/// "conv2 (Conv-11)"
std::string title_of(const JudgedNode& judged) {
  const CaseRecord& record = judged.record;
  const std::string op =
      record.since_version > 0 ? format("{}-{}", record.op_type, record.since_version) : record.op_type;
  return record.name == record.op_type ? op : format("{} ({})", printable(record.name), printable(op));
}

std::string ulp_text(const JudgedNode& judged) {
  return std::isinf(judged.ulp) ? "no distance" : format("{} ULP", short_number(judged.ulp));
}

std::string percent(double share) { return format("{} %", std::round(share * 1000) / 10); }

std::string together_text(const JudgedNode& judged) {
  return judged.together.empty() ? "" : format("judged together with {}", printable_names(judged.together));
}

bool fails(const JudgedNode& judged) {
  return judged.record.verdict == Verdict::fail || judged.record.verdict == Verdict::error;
}

std::string summary_text(const Bisection& bisection) {
  const auto count = [&](auto&& is) { return std::ranges::count_if(bisection.nodes, is); };
  const auto of = [&](Verdict verdict) {
    return count([verdict](const JudgedNode& judged) { return judged.record.verdict == verdict; });
  };
  return format("{}: {} right, {} wrong, {} not judged\n",
                counted(static_cast<std::int64_t>(bisection.nodes.size()), "node"), of(Verdict::pass),
                of(Verdict::fail) + of(Verdict::error), of(Verdict::unsupported) + of(Verdict::skip));
}

void print_failing(const JudgedNode& judged) {
  CaseRecord record = judged.record;
  record.name = title_of(judged);
  record.warnings.clear();
  print_case(record, {});
  if (const std::string together = together_text(judged); !together.empty()) print("  " + together + "\n");
}

void print_nodes(const Bisection& bisection, bool verbose) {
  size_t failing = 0, passing = 0, others = 0;
  for (const JudgedNode& judged : bisection.nodes) {
    const Verdict verdict = judged.record.verdict;
    if (fails(judged)) {
      if (verbose || failing < kMostInFull)
        print_failing(judged);
      else
        print(format("{} {}: {}\n", toned(Tone::bad, name(verdict)), title_of(judged), ulp_text(judged)));
      ++failing;
    } else if (verdict == Verdict::pass) {
      if ((verbose || passing < kMostLines) && (verbose || judged.ulp > 0))
        print(format("{} {}: {}\n", toned(Tone::good, "pass"), title_of(judged), ulp_text(judged)));
      ++passing;
    } else {
      if (verbose || others < kMostLines)
        print(format("{} {}: {}\n", name(verdict), title_of(judged), printable(judged.record.reason, 1000)));
      ++others;
    }
  }
}

/// Both with as many digits as tell them apart, at least four.
std::pair<std::string, std::string> told_apart(double one, double other) {
  constexpr int kShort = 4, kAll = 17;
  const auto text = [](double value, int digits) {
    std::array<char, 32> buffer;
    const auto general = std::chars_format::general;
    return std::string(buffer.data(), std::to_chars(buffer.begin(), buffer.end(), value, general, digits).ptr);
  };
  int digits = kShort;
  while (digits < kAll && text(one, digits) == text(other, digits)) ++digits;
  return {text(one, digits), text(other, digits)};
}

void print_outputs(const Bisection& bisection) {
  if (!bisection.no_outputs.empty())
    print(format("the model's exact outputs are not known: {}\n", bisection.no_outputs));
  for (const OutputRecord& output : bisection.outputs)
    print(format("output {}: {}\n", printable(output.name),
                 output.comparison.bit_equal == output.comparison.count && output.comparison.reason.empty()
                     ? "the exact one, bit for bit"
                     : format("off the exact one by up to {}, {} ULP", short_number(output.comparison.absolute.max),
                              output.comparison.max_ulp)));
  if (bisection.worst) {
    const WorstElement& worst = *bisection.worst;
    const auto [actual, exact] = told_apart(worst.actual, worst.exact);
    print(format("  the worst element is {}{}: {}, exactly {}\n", printable(worst.output), worst.index, actual, exact));
    if (!worst.not_shared.empty()) print(format("  which nodes make that is not known: {}\n", worst.not_shared));
    std::vector<const JudgedNode*> sharing;
    for (const JudgedNode& judged : bisection.nodes)
      if (judged.share) sharing.push_back(&judged);
    std::ranges::stable_sort(sharing, std::greater<>(),
                             [](const JudgedNode* judged) { return std::abs(*judged->share); });
    double rest = 1;
    for (const JudgedNode* judged : sharing) {
      print(format("  {} of it from {}\n", percent(*judged->share), title_of(*judged)));
      rest -= *judged->share;
    }
    if (worst.not_shared.empty() && std::abs(rest) >= 0.0005) print(format("  {} from the others\n", percent(rest)));
  }
  if (bisection.changed.empty() && bisection.not_asked_alone.empty() && !bisection.outputs.empty())
    print("asked for its outputs alone, the backend gives the same\n");
  for (const OutputRecord& output : bisection.changed)
    print(format("asked for its outputs alone, the backend gives another {}, by up to {} ULP{}\n",
                 printable(output.name), output.comparison.max_ulp,
                 output.comparison.equal() ? "" : ": it computes nodes wrongly that it fuses then"));
  for (const NotReturned& missing : bisection.not_returned)
    if (missing.is_output)
      print(format("the backend does not return the output '{}': {}\n", printable(missing.name),
                   printable(missing.why, 1000)));
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const NotReturned& missing : bisection.not_returned)
    if (!missing.is_output) by_reason[missing.why].push_back(missing.name);
  for (const auto& [why, names] : by_reason)
    print(format("the backend does not return {} ({}): {}\n", counted(std::ssize(names), "value"),
                 printable_names(names), printable(why, 1000)));
}

JsonWriter outputs_json(std::span<const OutputRecord> outputs) {
  JsonWriter json;
  for (const OutputRecord& output : outputs) {
    const Comparison& comparison = output.comparison;
    JsonWriter one;
    one.set("rule", output.rule).set("equal", comparison.equal()).set("reason", comparison.reason);
    one.set("count", comparison.count).set("mismatches", comparison.mismatches);
    one.set("bit_equal", comparison.bit_equal).set("max_ulp", static_cast<double>(comparison.max_ulp));
    one.set("max_absolute", comparison.absolute.max);
    if (comparison.bound_ratio) one.set("bound_ratio", *comparison.bound_ratio);
    json.set(output.name, std::move(one));
  }
  return json;
}

JsonWriter judged_json(const JudgedNode& judged) {
  const CaseRecord& record = judged.record;
  JsonWriter json;
  json.set("name", record.name).set("op_type", record.op_type).set("place", judged.place);
  if (record.since_version > 0) json.set("since_version", record.since_version);
  json.set("verdict", name(record.verdict)).set("reason", record.reason).set("ulp", judged.ulp);
  json.set("outputs", outputs_json(record.outputs)).set("together", judged.together);
  if (!record.causes.empty() || record.unexplained) json.set("explained", causes_json(record));
  if (judged.share) json.set("share", *judged.share);
  if (!record.repeat.empty()) json.set("repeat", record.repeat);
  return json;
}

JsonWriter document_of(const Bisection& bisection) {
  JsonWriter json = document("bisect"), nodes = JsonWriter::list(), missing = JsonWriter::list();
  for (const JudgedNode& judged : bisection.nodes) nodes.append(judged_json(judged));
  json.set("exit_code", bisection.exit_code()).set("nodes", std::move(nodes));
  json.set("outputs", outputs_json(bisection.outputs)).set("no_outputs", bisection.no_outputs);
  if (bisection.worst) {
    JsonWriter worst;
    worst.set("output", bisection.worst->output).set("index", bisection.worst->index);
    worst.set("actual", bisection.worst->actual).set("exact", bisection.worst->exact);
    worst.set("not_shared", bisection.worst->not_shared);
    json.set("worst", std::move(worst));
  }
  json.set("changed", outputs_json(bisection.changed)).set("not_asked_alone", bisection.not_asked_alone);
  for (const NotReturned& value : bisection.not_returned) {
    JsonWriter one;
    one.set("name", value.name).set("why", value.why).set("is_output", value.is_output);
    missing.append(std::move(one));
  }
  json.set("not_returned", std::move(missing));
  return json;
}

/// The nodes as the cases of a report, in the order of their ranks.
void write_page(const Arguments& arguments, const Bisection& bisection) {
  CheckReport report;
  report.opref = version_number();
  report.commit = version_commit();
  report.backend = arguments.runner.empty() ? "outputs " + arguments.outputs : "runner " + arguments.runner;
  const ToleranceChoice choice = chosen_tolerance(arguments.tolerance);
  if (choice.rule) report.rule = to_text(*choice.rule);
  const size_t width = std::to_string(bisection.nodes.size()).size();
  std::vector<std::string> names;
  for (const JudgedNode& judged : bisection.nodes) {
    CaseRecord record = judged.record;
    std::string rank = std::to_string(names.size() + 1);
    rank.insert(0, width - rank.size(), '0');
    record.name = format("{} {}", rank, judged.record.name);
    record.warnings.clear();
    if (judged.share && bisection.worst)
      record.warnings.push_back(format("{} of the error of {}{}, the worst element of the model's outputs",
                                       percent(*judged.share), bisection.worst->output, bisection.worst->index));
    if (const std::string together = together_text(judged); !together.empty()) record.warnings.push_back(together);
    names.push_back(record.name);
    report.cases.add(record);
  }
  report.all_count = std::ssize(names);
  settle_causes(report, [&](const auto& visit) { std::ranges::for_each(names, visit); });
  write_all(report, {"", "", arguments.html, ""});
}

/// The nodes that fail, each as a case; they learn how to be judged alone.
void extract_failing(const Arguments& arguments, const Bound& bound, const Bisector& bisector, Bisection& bisection) {
  constexpr size_t kMostExtracted = 10;
  make_folder(arguments.extract);
  std::set<std::string> taken;
  for (JudgedNode& judged : bisection.nodes) {
    if (!fails(judged) || taken.size() == kMostExtracted) continue;
    std::string name = file_name_of(judged.record.name);
    while (!taken.insert(name).second) name += '_';
    const fs::path folder = fs::path(arguments.extract) / name;
    try {
      write_node_case(node_case(bound, judged.place, bisector.values()), bisector.right_values(judged.place), folder);
      if (!arguments.runner.empty())
        judged.record.repeat =
            format("opref check {} --runner {}", shell_quoted(folder.string()), shell_quoted(arguments.runner));
    } catch (const Error& error) {
      if (error.fault() != Fault::unsupported) throw;
      note(format("note: {} is not extracted: {}", title_of(judged), error.message()));
    }
  }
}

void require_sound(const Arguments& arguments) {
  if (arguments.runner.empty() == arguments.outputs.empty())
    fail(Fault::usage, arguments.runner.empty() ? "no backend: give --runner CMD or --outputs DIR"
                                                : "two backends at once: choose one of --outputs and --runner");
  if (!(arguments.timeout > 0 && arguments.timeout <= 1e6))
    fail(Fault::usage, "--timeout {}: it is a number of seconds from above 0 to 1e6", arguments.timeout);
  const ReportFiles files{"", "", arguments.html, ""};
  require_sound(files, arguments.json);
  require_others_than(files, arguments.node.node);
  std::error_code ignored;
  if (!arguments.extract.empty() && fs::exists(arguments.extract, ignored) &&
      !(fs::is_directory(arguments.extract, ignored) && fs::is_empty(arguments.extract, ignored)))
    fail(Fault::usage, "--extract {}: it is there already, and is no empty folder", printable(arguments.extract, 1000));
}

int bisect_bound(const Arguments& arguments, const Bound& bound) {
  if (bound.read->expect_error) fail(Fault::usage, "the case must be refused: it has no values to judge");
  const Graph& graph = bound.graph;
  require_an_output(graph);
  const std::atomic<bool> stopped = false;
  OpenBackend opened;
  if (!arguments.runner.empty()) opened = open_runner(arguments.runner, {arguments.timeout, &stopped});
  const std::vector<std::string> names = computed_names(graph);
  const auto whole = std::make_shared<const ReadyCase>(ReadyCase{bound});
  require_values(*whole);
  std::optional<ModelValues> alone;
  if (opened.backend != nullptr) {
    alone = ModelValues::of_outputs(*opened.backend, bound, opened.scratch->path());
    const Answer& answer = alone->answer();
    if (answer.status != Answer::Status::ok)
      note(format("note: asked for the model's outputs alone the backend does not answer: {}",
                  printable(answer.why, 1000)));
  }
  const ModelValues values = opened.backend != nullptr
                                 ? ModelValues::asked(*opened.backend, bound, names, opened.scratch->path())
                                 : ModelValues::in_folder(arguments.outputs, graph, names);
  BisectOptions options{chosen_tolerance(arguments.tolerance), arguments.timeout};
  Progress progress(graph.nodes.size(), "nodes");
  options.progress = [&](size_t, size_t) { progress.advance(); };
  Bisector bisector(whole, values, alone ? &*alone : nullptr, options);
  Bisection bisection = bisector.judge();
  progress.erase();
  if (!arguments.extract.empty()) extract_failing(arguments, bound, bisector, bisection);
  if (!arguments.html.empty()) write_page(arguments, bisection);
  for (JudgedNode& judged : bisection.nodes) judged.record.reason += way_out_text(judged.record.way_out);
  if (arguments.json) {
    print(document_of(bisection).text());
  } else if (arguments.html != "-") {
    print_nodes(bisection, arguments.verbose);
    print_outputs(bisection);
    print(summary_text(bisection));
    if (const Answer& answer = values.answer(); answer.status != Answer::Status::ok && !answer.last_lines.empty())
      note("the backend's last lines:\n" + answer.last_lines);
  }
  return bisection.exit_code();
}

int bisect(const Arguments& arguments) {
  require_sound(arguments);
  chosen_tolerance(arguments.tolerance);
  Bound bound =
      bind_case(arguments.node, read_case(arguments.node.node, arguments.node.opset, limit_of(arguments.max_bytes)));
  if (arguments.max_bytes) bound.options.max_bytes = *arguments.max_bytes;
  keep_needed(bound, {});
  return at_place([&] { return "in " + bound.read->origin; }, [&] { return bisect_bound(arguments, bound); });
}

}  // namespace

void add_bisect(CLI::App& program) {
  add_command(program, "bisect", [](CLI::App& command) {
    const auto arguments = std::make_shared<Arguments>();
    add_argument(command, "MODEL", arguments->node.node, "a model or a case folder").required();
    add_argument(command, "NAME=FILE", arguments->node.bindings, "a tensor of the model, as 'opref run' takes it");
    add_option(command, "--runner", arguments->runner, "CMD", "the backend: see Backend in --help").not_empty();
    add_option(command, "--outputs", arguments->outputs, "DIR", "all values as NAME.npy, which another program wrote")
        .not_empty();
    add_tolerance_options(command, arguments->tolerance);
    add_option(command, "--extract", arguments->extract, "DIR", "write the nodes that fail as cases").not_empty();
    add_option(command, "--html", arguments->html, "FILE", "write the nodes as one HTML page, the worst first")
        .not_empty();
    add_option(command, "--timeout", arguments->timeout, "S", "seconds for an answer, and for a node; default 60");
    add_opset(command, arguments->node.opset, "opset in force, instead of the file's");
    add_reading(command, arguments->node.readings);
    add_max_bytes(command, arguments->max_bytes, "limit of tensors and scratch; default half the memory");
    add_flag(command, "--verbose", arguments->verbose, "print all nodes, and every failure in full");
    add_flag(command, "--json", arguments->json, "print one JSON document");
    set_action(command, [arguments] { return bisect(*arguments); });
  });
}

}  // namespace opref::cli
