// SPDX-License-Identifier: Apache-2.0
// opref bisect
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "backend/shell.h"
#include "check/bisect.h"
#include "cli/advice.h"
#include "cli/arguments.h"
#include "cli/captured_names.h"
#include "cli/commands.h"
#include "cli/interrupt_watch.h"
#include "cli/judged_outputs.h"
#include "cli/open_backend.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/remedies.h"
#include "cli/report_files.h"
#include "cli/sensitivity_report.h"
#include "cli/version.h"
#include "compare/tolerance.h"
#include "report/causes.h"
#include "run/load_case.h"
#include "run/node_case.h"
#include "run/part_of_graph.h"
#include "run/readings.h"
#include "run/sound_names.h"
#include "run/taken_branches.h"
#include "run/write_outputs.h"
#include "system/caught_error.h"
#include "system/file.h"
#include "system/folder.h"
#include "system/machine_error.h"

namespace opref::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostInFull = 3, kMostLines = 10;

struct Arguments {
  NodeArguments node;
  ToleranceArguments tolerance;
  std::string runner, outputs, names, extract, report, html;
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

/// "share 0.003, 3 ULP"
std::string distance_text(const JudgedNode& judged) {
  std::string text;
  if (const auto share = judged.record.largest_share(); share && std::isfinite(*share)) {
    const auto is_page = [](const OutputRecord& output) { return output.comparison.bound_class == BoundClass::page; };
    text = format("share {}{}, ", short_number(*share),
                  std::ranges::any_of(judged.record.outputs, is_page) ? " of the bound of the page's formula" : "");
  }
  return text + (std::isinf(judged.ulp) ? "no distance" : format("{} ULP", short_number(judged.ulp)));
}

std::string percent(double share) { return format("{} %", std::round(share * 1000) / 10); }

/// What the node stands for in the graph before it was optimised.
std::string origin_text(const JudgedNode& judged) {
  return judged.in_place_of.empty() ? "" : "in place of " + printable(judged.in_place_of, 1000);
}

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

/// Why a failing node has neither a cause nor the sentence that nothing known is one; empty where it has.
std::string no_cause_text(const JudgedNode& judged) {
  const CaseRecord& record = judged.record;
  if (record.verdict != Verdict::fail || record.unexplained || !record.causes.empty()) return "";
  return judged.sought ? std::string(kSearchNotEnded) : "opref looks for causes of the 10 worst nodes only";
}

void print_failing(const JudgedNode& judged) {
  CaseRecord record = judged.record;
  record.name = title_of(judged);
  record.warnings.clear();
  print_case(record, {});
  for (const std::string& line : {origin_text(judged), no_cause_text(judged), together_text(judged)})
    if (!line.empty()) print(wrapped("  " + line, 4) + "\n");
}

/// Of a node that does not fail: "pass conv2 (Conv-11): 3 ULP".
void print_node(std::string_view verdict, Tone tone, const JudgedNode& judged, std::string_view text) {
  const std::string line = wrapped(format("{} {}: {}", verdict, title_of(judged), text), 4);
  print(format("{}{}\n", toned(tone, verdict), std::string_view(line).substr(verdict.size())));
}

void print_nodes(const Bisection& bisection, bool verbose) {
  size_t failing = 0, passing = 0, others = 0;
  for (const JudgedNode& judged : bisection.nodes) {
    const Verdict verdict = judged.record.verdict;
    if (fails(judged)) {
      if (verbose || failing < kMostInFull)
        print_failing(judged);
      else
        print_node(name(verdict), Tone::bad, judged, distance_text(judged));
      ++failing;
    } else if (verdict == Verdict::pass) {
      const std::string together = together_text(judged);
      if ((verbose || passing < kMostLines) && (verbose || judged.ulp > 0))
        print_node("pass", Tone::good, judged, distance_text(judged) + (together.empty() ? "" : ", " + together));
      ++passing;
    } else {
      if (verbose || others < kMostLines)
        print_node(verdict == Verdict::skip ? "not judged" : name(verdict), Tone::faint, judged,
                   printable(judged.record.reason, 1000));
      ++others;
    }
  }
}

/// "at most 1.2e-07, and at most 3 ULP, from the exact one"; the two may be of different elements.
std::string distance_text(const Comparison& comparison) {
  if (!comparison.reason.empty()) return printable(comparison.reason, 1000);
  if (comparison.bit_equal == comparison.count) return "the exact one, bit for bit";
  const std::string apart = format("at most {}, and at most {} ULP, from the exact one",
                                   short_number(comparison.absolute.max), comparison.max_ulp);
  if (!std::isinf(greatest_ulp(comparison))) return apart;
  const std::int64_t none = comparison.histogram.bins[UlpHistogram::kNoDistance];
  const std::string beyond = format("{} of {} at no distance from the exact one, as NaN is from a number", none,
                                    counted(comparison.count, "element"));
  return none == comparison.count ? beyond : format("{}; the others {}", beyond, apart);
}

/// Both with as many digits as tell them apart, at least four.
std::pair<std::string, std::string> told_apart(double one, double other) {
  constexpr int kShort = 4, kAll = 17;
  const auto text = [](double value, int digits) -> std::string {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
    std::array<char, 32> buffer;
    const auto general = std::chars_format::general;
    return {buffer.data(), std::to_chars(buffer.begin(), buffer.end(), value, general, digits).ptr};
  };
  int digits = kShort;
  while (digits < kAll && text(one, digits) == text(other, digits)) ++digits;
  return {text(one, digits), text(other, digits)};
}

void add_shares(std::vector<std::string>& lines, const Bisection& bisection) {
  const WorstElement& worst = *bisection.worst;
  const auto [actual, exact] = told_apart(worst.actual, worst.exact);
  lines.push_back(format("  the largest distance is that of {}{}: {}, exactly {}", printable(worst.output), worst.index,
                         actual, exact));
  if (!worst.not_shared.empty()) lines.push_back("  which nodes make that is not known: " + worst.not_shared);
  std::vector<const JudgedNode*> sharing;
  for (const JudgedNode& judged : bisection.nodes)
    if (judged.share) sharing.push_back(&judged);
  std::ranges::stable_sort(sharing, std::greater<>(),
                           [](const JudgedNode* judged) { return std::abs(*judged->share); });
  double rest = 1;
  for (const JudgedNode* judged : sharing) {
    const std::string together = together_text(*judged);
    lines.push_back(format("  {} of it from {}{}", percent(*judged->share), title_of(*judged),
                           together.empty() ? "" : ", " + together));
    rest -= *judged->share;
  }
  if (worst.not_shared.empty() && std::abs(rest) >= 0.0005)
    lines.push_back(format("  {} from the others", percent(rest)));
}

/// How the difference compares with what rounding does to the output.
void add_spread(std::vector<std::string>& lines, const ChangedOutput& changed) {
  if (!changed.spread || !changed.spread->is_numeric) return;
  const OutputSpread& spread = *changed.spread;
  const auto share = [&](double rms) { return spread.rms > 0 ? percent_text(rms / spread.rms) : short_number(rms); };
  lines.push_back(format("  the rms of the difference is {} of the output's, and rounding of nodes alone may make {}{}",
                         share(changed.error), share(spread.spread),
                         !changed.is_rounding() ? ""
                         : spread.amplifies()   ? ": the model amplifies rounding, there is no verdict"
                                                : ": the model amplifies rounding"));
}

/// What the backend gives when it is asked for the outputs alone. Nothing of values that were made elsewhere.
void add_alone(std::vector<std::string>& lines, const Bisection& bisection, bool asked) {
  const std::string& why = bisection.not_asked_alone;
  const bool is_known = std::ranges::any_of(bisection.not_returned, [&](const NotReturned& missing) {
    return missing.why == why;  // it stands there
  });
  if (asked && !why.empty())
    lines.push_back("asked for its outputs alone, the backend gives " +
                    (is_known ? "none either" : "no answer to compare: " + printable(why, 1000)));
  if (bisection.changed.empty() && why.empty() && !bisection.outputs.empty())
    lines.push_back("asked for its outputs alone, the backend gives the same");
  for (const ChangedOutput& changed : bisection.changed) {
    const OutputRecord& output = changed.record;
    const Comparison& comparison = output.comparison;
    const std::string how = !comparison.reason.empty()             ? ": " + comparison.reason
                            : std::isinf(greatest_ulp(comparison)) ? ", with elements at no distance"
                                                                   : format(", by up to {} ULP", comparison.max_ulp);
    lines.push_back(format("asked for its outputs alone, the backend gives another {}{}{}", printable(output.name), how,
                           comparison.equal()      ? ""
                           : changed.is_rounding() ? ""
                                                   : "; it computes nodes wrongly that it fuses then"));
    add_spread(lines, changed);
  }
  if (!bisection.no_spread.empty())
    lines.push_back("how far rounding may move the outputs is not known: " + bisection.no_spread);
}

void add_not_returned(std::vector<std::string>& lines, const Bisection& bisection) {
  struct Names {
    std::vector<std::string> outputs, others;
  };
  std::map<std::string, Names> by_reason;
  for (const NotReturned& missing : bisection.not_returned) {
    Names& names = by_reason[missing.why];
    (missing.is_output ? names.outputs : names.others).push_back(missing.name);
  }
  for (const auto& [why, names] : by_reason) {
    std::vector<std::string> what;
    for (const std::string& output : names.outputs) what.push_back(format("the output '{}'", printable(output)));
    if (!names.others.empty())
      what.push_back(format("{} ({})", counted(std::ssize(names.others), "value"), printable_names(names.others)));
    lines.push_back(format("the backend does not return {}: {}",
                           join_some(what, " and ", 20, [](const auto& text) { return text; }), printable(why, 1000)));
  }
}

/// Nodes that pass, but lose more than usual kernels.
void add_untypical(std::vector<std::string>& lines, const Bisection& bisection) {
  constexpr size_t kMost = 10;
  std::vector<std::string> nodes;
  for (const JudgedNode& judged : bisection.nodes)
    for (const OutputRecord& output : judged.record.outputs)
      if (judged.record.verdict == Verdict::pass && output.comparison.is_untypical())
        nodes.push_back(format("{}: {}", title_of(judged), compare::untypical_text(output.comparison)));
  const auto count = std::ssize(nodes);
  if (nodes.empty()) return;
  nodes.resize(std::min(nodes.size(), kMost));
  lines.push_back(format("{} within its bound, but untypical: {}{}", counted(count, "output"), join_text(nodes, "; "),
                         count > std::ssize(nodes) ? "; …" : ""));
}

/// All that is known beside the nodes.
std::vector<std::string> overview(const Arguments& arguments, const Bisection& bisection) {
  std::vector<std::string> lines;
  if (!bisection.no_outputs.empty())
    lines.push_back("the model's exact outputs are not known: " + bisection.no_outputs);
  for (const OutputRecord& output : bisection.outputs)
    lines.push_back(format("output {}: {}", printable(output.name), distance_text(output.comparison)));
  if (bisection.worst) add_shares(lines, bisection);
  add_alone(lines, bisection, !arguments.runner.empty());
  if (bisection.deaths > 0)
    lines.push_back(
        format("asked for all values, the backend died or did not answer {}", counted(bisection.deaths, "time")));
  add_not_returned(lines, bisection);
  if (bisection.returned_nothing && !arguments.runner.empty())
    lines.emplace_back(
        "a runner must write each output of the model {model}, computed from the files in the folder {inputs}, into "
        "the "
        "folder {outputs} as output_0.pb, output_0.npy or NAME.npy: write these three words into the command; without "
        "them it is a worker, which reads the paths from lines of JSON: see 'opref help backends'");
  add_untypical(lines, bisection);
  if (bisection.non_finite) lines.push_back(to_text(*bisection.non_finite));
  for (const std::string& bug : bisection.bugs)
    lines.push_back("a bug in opref, please report it: " + printable(bug, 1000));
  return lines;
}

Json output_json(const OutputRecord& output) {
  const Comparison& comparison = output.comparison;
  Json one;
  one.set("rule", output.rule).set("equal", comparison.equal()).set("reason", comparison.reason);
  one.set("count", comparison.count).set("mismatches", comparison.mismatches);
  one.set("bit_equal", comparison.bit_equal).set("max_ulp", greatest_ulp(comparison));
  one.set("max_absolute", std::isinf(greatest_ulp(comparison)) ? greatest_ulp(comparison) : comparison.absolute.max);
  if (comparison.bound_accumulator) one.set("bound_accumulator", to_text(*comparison.bound_accumulator));
  if (comparison.bound_ratio)
    one.set("bound_ratio", *comparison.bound_ratio).set("bound_median", comparison.bound_median);
  if (comparison.bound_class) one.set("bound_class", to_text(*comparison.bound_class));
  return one;
}

Json outputs_json(std::span<const OutputRecord> outputs) {
  Json json;
  for (const OutputRecord& output : outputs) json.set(output.name, output_json(output));
  return json;
}

Json changed_json(std::span<const ChangedOutput> outputs) {
  Json json;
  for (const ChangedOutput& output : outputs) {
    Json one = output_json(output.record);
    if (output.spread && output.spread->is_numeric)
      one.set("rms_difference", output.error).set("spread", output.spread->spread).set("rms", output.spread->rms);
    json.set(output.record.name, one);
  }
  return json;
}

Json judged_json(const JudgedNode& judged) {
  const CaseRecord& record = judged.record;
  Json json;
  json.set("name", record.name).set("op_type", record.op_type).set("place", judged.place);
  if (record.since_version > 0) json.set("since_version", record.since_version);
  json.set("verdict", name(record.verdict)).set("reason", record.reason).set("ulp", judged.ulp);
  json.set("outputs", outputs_json(record.outputs)).set("together", judged.together);
  if (!judged.in_place_of.empty()) json.set("in_place_of", judged.in_place_of);
  if (!record.causes.empty() || record.unexplained) json.set("explained", causes_json(record));
  if (judged.share) json.set("share", *judged.share);
  if (!record.repeat.empty()) json.set("repeat", record.repeat);
  return json;
}

Json document_of(const Bisection& bisection) {
  Json json = document("bisect"), missing = Json::list();
  json.set("exit_code", bisection.exit_code()).set("nodes", bisection.nodes, judged_json);
  json.set("outputs", outputs_json(bisection.outputs)).set("no_outputs", bisection.no_outputs);
  if (bisection.worst) {
    Json worst;
    worst.set("output", bisection.worst->output).set("index", bisection.worst->index);
    worst.set("actual", bisection.worst->actual).set("exact", bisection.worst->exact);
    worst.set("not_shared", bisection.worst->not_shared);
    json.set("worst", worst);
  }
  json.set("changed", changed_json(bisection.changed)).set("not_asked_alone", bisection.not_asked_alone);
  for (const NotReturned& value : bisection.not_returned)
    missing.append(Json().set("name", value.name).set("why", value.why).set("is_output", value.is_output));
  if (bisection.non_finite) json.set("non_finite", non_finite_json(*bisection.non_finite));
  return std::move(json.set("not_returned", missing));
}

/// The nodes as the cases of a report, in the order of their ranks.
void write_page(const Arguments& arguments, const Bisection& bisection) {
  CheckReport report;
  report.opref = version_number();
  report.commit = version_commit();
  report.backend = arguments.runner.empty() ? "outputs " + arguments.outputs : "runner " + arguments.runner;
  const ToleranceChoice choice = chosen_tolerance(arguments.tolerance);
  if (choice.rule)
    report.rule = to_text(*choice.rule);
  else
    report.rule = "a rigorous error bound where one is known, else a relative rule";
  report.title = "opref bisect " + arguments.node.node;
  report.notes = overview(arguments, bisection);
  const size_t width = std::to_string(bisection.nodes.size()).size();
  std::vector<std::string> names;
  for (const JudgedNode& judged : bisection.nodes) {
    CaseRecord record = judged.record;
    std::string rank = std::to_string(names.size() + 1);
    rank.insert(0, width - rank.size(), '0');
    record.name = format("{} {}", rank, judged.record.name);
    record.path = judged.folder;  // what explains it without the model
    record.warnings.clear();
    if (judged.share && bisection.worst)
      record.warnings.push_back(format("{} of the error of {}{}, the worst element of the model's outputs",
                                       percent(*judged.share), bisection.worst->output, bisection.worst->index));
    for (const std::string& line : {no_cause_text(judged), together_text(judged)})
      if (!line.empty()) record.warnings.push_back(line);
    names.push_back(record.name);
    report.cases.add(record);
  }
  write_node_page(std::move(report), names, arguments.html);
}

/// What --json prints.
void write_report(const Arguments& arguments, const Bisection& bisection) {
  FileWriter file(arguments.report);
  file.write(document_of(bisection).text());
  file.commit();
}

/// The options by which check judges as this rule does.
std::string rule_options(const Tolerance& rule) {
  ToleranceArguments options;
  options.exact = rule.rule == Tolerance::Rule::exact && !rule.strict_nan;
  options.strict_nan = rule.strict_nan;
  options.ignore_dtype = rule.ignore_dtype;
  if (rule.rule == Tolerance::Rule::ulp) options.ulp = rule.ulp;
  if (rule.rule == Tolerance::Rule::relative) options.rtol = rule.rtol, options.atol = rule.atol;
  if (rule.rule == Tolerance::Rule::bound) options.bound = compare::to_text(rule.kernel);
  return to_options(options);
}

/// The name of a node's folder: no longer than file systems take.
std::string folder_name_of(const CaseRecord& record) {
  constexpr size_t kLongest = 200;
  return file_name_of(record.name).substr(0, kLongest);
}

/// What is written beside what is printed: trouble with it costs nothing else.
class Writing {
 public:
  template <class Body>
  void attempt(const Body& body) {
    try {
      body();
    } catch (const Error& error) {
      if (!trouble_) trouble_ = error;
    }
  }
  void finish() const {
    if (trouble_) throw *trouble_;
  }

 private:
  std::optional<Error> trouble_;
};

void not_extracted(const JudgedNode& judged, const Error& error) {
  note(format("note: {} is not extracted: {}", title_of(judged), error.message()));
}

/// The nodes that fail, each as a case; they learn how to be judged alone.
void extract_failing(const Arguments& arguments, const Bisector& bisector, Bisection& bisection, Writing& writing) {
  constexpr size_t kMostExtracted = 10;
  writing.attempt([&] { make_folder(arguments.extract); });
  std::set<std::string> taken;
  std::int64_t left = 0;
  for (JudgedNode& judged : bisection.nodes) {
    if (!fails(judged)) continue;
    if (taken.size() == kMostExtracted) {
      ++left;
      continue;
    }
    std::string name = folder_name_of(judged.record);
    while (!taken.insert(name).second) name += '_';
    const fs::path folder = fs::path(arguments.extract) / name;
    try {
      const Environment right = bisector.right_values(judged.place);
      writing.attempt([&] {
        write_node_case(bisector.alone(judged.place), right, folder);
        judged.folder = folder.string();
      });
    } catch (const PathError& error) {  // the other nodes may be written
      not_extracted(judged, error);
    } catch (const std::exception&) {
      not_extracted(judged, caught_error());
    }
    if (!arguments.runner.empty() && !judged.folder.empty())
      judged.record.repeat = format("opref check {} --runner {}{}", shell_quoted(judged.folder),
                                    shell_quoted(arguments.runner), judged.rule ? rule_options(*judged.rule) : "");
  }
  if (left > 0)
    note(format("note: {} more {} not extracted: {} are at most", counted(left, "failing node"),
                left == 1 ? "is" : "are", kMostExtracted));
}

void require_sound(const Arguments& arguments) {
  if (arguments.runner.empty() == arguments.outputs.empty())
    fail(Fault::usage, arguments.runner.empty() ? "no backend: give --runner CMD or --outputs DIR"
                                                : "two backends at once: choose one of --outputs and --runner");
  require_outputs_of_names(arguments.names, arguments.outputs);
  const ReportFiles files{arguments.report, "", arguments.html, ""};
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
  if (graph.nodes.empty()) fail(Fault::usage, "the model has no node that could be wrong");
  require_known_readings(graph, bound.options.readings);
  const std::atomic<bool> stopped = false;
  OpenBackend opened;
  if (!arguments.runner.empty()) opened = open_runner(arguments.runner, {arguments.timeout, &stopped});
  const std::vector<std::string> names = computed_names(graph);
  const auto whole = std::make_shared<const ReadyCase>(ReadyCase{bound});
  require_values(*whole);
  Progress progress(graph.nodes.size(), "nodes");
  std::mutex guard;  // of what is printed and written
  size_t nodes_done = 0;
  std::atomic<bool> has_answered = opened.backend == nullptr;
  bool is_judged = false;
  const InterruptWatch watch(guard, [&](int) {
    progress.erase();
    note(is_judged       ? "interrupted while the report was written"
         : !has_answered ? "interrupted while the backend was asked: no report is written"
                         : format("interrupted after {} of {}: no report is written", nodes_done,
                                  counted(std::ssize(graph.nodes), "node")));
  });
  std::optional<ModelValues> alone;
  if (opened.backend != nullptr) {
    progress.say("asking the backend for the model's outputs");
    alone = ModelValues::of_outputs(*opened.backend, bound, opened.scratch->path());
    progress.say(format("asking the backend for {}", counted(std::ssize(names), "value")));
  }
  const ModelValues values =
      opened.backend != nullptr
          ? ModelValues::asked(*opened.backend, bound, names, opened.scratch->path())
          : ModelValues::in_folder(arguments.outputs, graph, names, read_captured(arguments.names, graph));
  has_answered = true;
  BisectOptions options{chosen_tolerance(arguments.tolerance), arguments.timeout};
  options.after_node = [&] {
    const std::lock_guard lock(guard);
    ++nodes_done;
    progress.advance();
  };
  options.begins = [&](std::string_view what) { progress.say(what); };
  Bisector bisector(whole, values, alone ? &*alone : nullptr, options);
  Bisection bisection = bisector.judge();
  const std::lock_guard lock(guard);
  if (InterruptDelay::is_coming()) return 0;  // the watch ends the program: the backend's files are gone
  is_judged = true;
  progress.erase();
  Writing writing;
  if (!arguments.extract.empty()) extract_failing(arguments, bisector, bisection, writing);
  for (JudgedNode& judged : bisection.nodes) {
    judged.record.reason += way_out_text(judged.record.way_out);
    judged.record.advice =
        judged.record.trouble == Trouble::none ? no_cause_text(judged) : advice(judged.record.trouble);
  }
  if (arguments.json) {
    print(document_of(bisection).text());
  } else if (arguments.html != "-" && arguments.report != "-") {
    print_nodes(bisection, arguments.verbose);
    for (const std::string& line : overview(arguments, bisection))
      print(wrapped(line, line.find_first_not_of(' ') + 2) + "\n");
    print(summary_text(bisection));
    if (const Answer& answer = values.answer(); answer.status != Answer::Status::ok && !answer.last_lines.empty())
      note(last_lines_text(answer.last_lines));
  }
  if (!arguments.report.empty()) writing.attempt([&] { write_report(arguments, bisection); });
  if (!arguments.html.empty()) writing.attempt([&] { write_page(arguments, bisection); });
  if (!arguments.outputs.empty() && values.is_empty())
    note(wrapped(format("note: a value NAME is NAME.npy in {}, or what --names MAP.json has for it: see "
                        "'opref help bisecting'",
                        printable(arguments.outputs, 1000)),
                 2));
  if (!values.others().empty() && !bisection.not_returned.empty())
    note(format("note: {} also has files of no value of the model: {}", printable(arguments.outputs, 1000),
                printable_names(values.others())));
  writing.finish();
  return bisection.exit_code();
}

int bisect(const Arguments& arguments) {
  require_sound(arguments);
  chosen_tolerance(arguments.tolerance);
  Bound bound = bind_case(arguments.node, read_node(arguments.node, limit_of(arguments.max_bytes), arguments.timeout));
  if (arguments.max_bytes) bound.options.max_bytes = *arguments.max_bytes;
  note_taken_branches(at_place([&] { return "in " + bound.read->origin; }, [&] { return take_branches(bound); }));
  const size_t all = bound.graph.nodes.size();
  keep_needed(bound, {});
  drop_unread_inputs(bound.graph);
  if (const size_t left = all - bound.graph.nodes.size(); left > 0)
    note(format("note: no output needs {}: not judged", counted(static_cast<std::int64_t>(left), "node")));
  return at_place([&] { return "in " + bound.read->origin; }, [&] { return bisect_bound(arguments, bound); });
}

}  // namespace

Action add_bisect(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_argument(command, "MODEL", arguments->node.node, "a model or a case folder").required();
  add_argument(command, "NAME=FILE", arguments->node.bindings, "a tensor of the model, as 'opref run' takes it");
  add_option(command, "--runner", arguments->runner, "CMD", "the backend: see Backend in --help").not_empty();
  add_option(command, "--outputs", arguments->outputs, "DIR", "all values as NAME.npy, which another program wrote")
      .not_empty();
  add_names(command, arguments->names);
  add_fix_names(command, arguments->node.fix_names);
  add_tolerance_options(command, arguments->tolerance);
  add_strict(command, arguments->tolerance);
  add_option(command, "--extract", arguments->extract, "DIR", "write the nodes that fail as cases").not_empty();
  add_option(command, "--report", arguments->report, "FILE", "write the document of --json").not_empty();
  add_option(command, "--html", arguments->html, "FILE", "write the nodes as one HTML page, the worst first")
      .not_empty();
  add_timeout(command, arguments->timeout, "seconds for an answer, and for a node; default 60");
  add_opset(command, arguments->node.opset, "opset in force, instead of the file's");
  add_reading(command, arguments->node.readings);
  add_bytes(command, "--max-bytes", arguments->max_bytes, "limit of tensors and scratch; default half the memory");
  add_flag(command, "--verbose", arguments->verbose, "print all nodes, and every failure in full");
  add_flag(command, "--json", arguments->json, "print one JSON document");
  return [arguments] { return bisect(*arguments); };
}

}  // namespace opref::cli
