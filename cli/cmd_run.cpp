// SPDX-License-Identifier: Apache-2.0
// opref run
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "check/deciding_readings.h"
#include "check/drawn.h"
#include "check/whole.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/judged_outputs.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/remedies.h"
#include "cli/sensitivity_report.h"
#include "cli/tensor_text.h"
#include "io/numpy/print.h"
#include "report/causes.h"
#include "report/record_json.h"
#include "run/files_read.h"
#include "run/graph_names.h"
#include "run/load_inputs.h"
#include "run/version.h"
#include "run/write_outputs.h"
#include "system/deadline.h"
#include "system/parallel.h"

namespace opref::cli {
namespace {

constexpr std::int64_t kMostRepeats = 1000000, kMostNoiseRuns = 1000;
constexpr std::string_view kAll = "all";

struct Arguments {
  NodeArguments node;
  ToleranceArguments tolerance;
  std::vector<std::string> outputs, expect, judge;
  std::optional<std::int64_t> max_bytes, max_written;
  std::optional<std::int64_t> threads, repeat, noise_runs;
  std::optional<double> timeout;
  std::string keep = "outputs";
  bool expect_case = false, json = false, stats = false, exact_tier = false, force = false, sensitivity = false;
};

bool compares(const Arguments& arguments) {
  return arguments.expect_case || !arguments.expect.empty() || !arguments.judge.empty();
}

Json tensor_json(const Tensor& tensor, Elements elements) {
  Json json = type_json(tensor.type());
  json.set("sha256", sha256(tensor));
  if (elements == Elements::some && tensor.count() <= kMostPrinted) json.set("data", tensor);
  return json;
}

std::string result_text(const Tensor& tensor) { return tensor_text(tensor, Extremes::if_not_all); }

Json comparisons_json(const CaseReport& report) {
  Json outputs;
  for (const OutputReport& output : report.outputs)
    outputs.set(output.name, comparison_json(output.comparison, output.tolerance));
  return outputs;
}

bool is_of_integers(const Environment& environment, const std::string& tensor) {
  const auto known = environment.find(tensor);
  const Kind kind = known == environment.end() ? Kind::floating : info(known->second.type.dtype()).kind;
  return kind == Kind::signed_integer || kind == Kind::unsigned_integer;
}

/// An integer that a rule of real numbers passes is wrong all the same.
void print_comparisons(const CaseReport& report, const Environment& environment) {
  for (const OutputReport& output : report.outputs) {
    const Comparison& comparison = output.comparison;
    print(comparison_text(printable(output.name), comparison, output.tolerance));
    if (const std::string warning = below_atol_text(comparison); !warning.empty())
      warn(format("{}: {}", printable(output.name), warning));
    const std::int64_t wrong = comparison.count - comparison.bit_equal;
    if (comparison.equal() && wrong > 0 && is_of_integers(environment, output.name))
      print(format("  {} {} from the exact result\n", counted(wrong, "integer"), wrong == 1 ? "differs" : "differ"));
  }
}

double milliseconds(double seconds) { return std::round(seconds * 1e5) / 100; }

/// Seconds from one call to the next.
class Stopwatch {
 public:
  double next() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::string size_text(const Value& value) {
  std::int64_t count = 0;
  for (const Tensor& tensor : tensors_in(value)) count += tensor.count();
  const std::string elements = counted(count, "element");
  if (value.tensor() != nullptr) return elements;
  if (is_of_maps(type_of(value).form)) {
    const auto entries = counted(count / 2, "key");
    return std::get_if<Map>(&value) != nullptr
               ? entries
               : format("{}, {}", counted(std::ssize(tensors_in(value)) / 2, "map"), entries);
  }
  return format("{}, {}", counted(std::ssize(tensors_in(value)), "tensor"), elements);
}

/// Of a value that is not kept.
std::string type_size_text(const ValueType& type) {
  return type.has_shape ? counted(element_count(type.tensor.shape), "element") : to_text(type);
}

/// On standard error: counts and times differ from machine to machine, results do not. A line for each output whose
/// elements were computed; the times are those of the whole node.
void print_stats(const std::vector<Step>& steps, const Environment& environment) {
  for (const Step& step : steps)
    for (size_t i = 0; i < step.node->outputs.size(); ++i) {
      const std::string& output = step.node->outputs[i];
      const TierCounts decided = i < step.decided.size() ? step.decided[i] : TierCounts{};
      if (i > 0 && decided.all() == 0) continue;
      const auto known = environment.find(output);
      std::string text = format("{}: {}", printable(output),
                                known != environment.end() && known->second.value ? size_text(*known->second.value)
                                                                                  : type_size_text(step.types[i]));
      if (decided.all() > 0) text += format(", {} by estimate, {} exactly", decided.estimated, decided.exact);
      if (i == 0 && step.inside.all() > 0)
        text += format(", in subgraphs {} by estimate, {} exactly", step.inside.estimated, step.inside.exact);
      if (i == 0) text += format(", {} ms", milliseconds(step.seconds));
      if (i == 0 && step.repeated_seconds > 0) text += format(", repeated {} ms", milliseconds(step.repeated_seconds));
      note(text);
    }
}

/// Inner tensors are outputs too.
void make_all_outputs(Graph& graph) {
  const GraphNames names(graph);
  std::vector<ValueInfo> inner;
  for (const Node& node : graph.nodes)
    for (const std::string& name : node.outputs) {
      if (name.empty() || names.is_output(name)) continue;
      const ValueInfo* info = names.declaration(name);
      inner.push_back(info == nullptr ? ValueInfo{name, "", {}, {}} : *info);
    }
  graph.outputs.insert(graph.outputs.begin(), inner.begin(), inner.end());
}

/// All nodes.
std::vector<Step> evaluate(const Bound& bound, Environment& environment) {
  Progress progress(bound.graph.nodes.size(), "nodes");
  EvaluationOptions options = bound.options;
  options.after_node = [&progress] { progress.advance(); };
  return run_graph(bound.graph, environment, options);
}

Bound bind_all(const Arguments& arguments, Case read) {
  Bound bound = bind_case(arguments.node, std::move(read));
  bound.options.exact_only = arguments.exact_tier;
  // More than a few per core only take memory; no number of them changes a byte.
  constexpr std::int64_t kMostPerCore = 8;
  const std::int64_t cores = available_cores();
  bound.options.threads = static_cast<int>(std::min(arguments.threads.value_or(cores), kMostPerCore * cores));
  bound.options.repeat = static_cast<int>(arguments.repeat.value_or(1));
  if (arguments.max_bytes) bound.options.max_bytes = *arguments.max_bytes;
  if (arguments.keep == kAll) make_all_outputs(bound.graph);
  if (bound.graph.nodes.size() > 1) bound.options.keep = compares(arguments) ? Keep::judged : Keep::results;
  return bound;
}

/// A case that must be refused: whether it is, for the reason that it states.
int run_must_fail(const Arguments& arguments, Case loaded) {
  const ExpectedError expected = *loaded.expect_error;
  if (!arguments.outputs.empty() || !arguments.expect.empty() || !arguments.judge.empty())
    fail(Fault::usage, "the case expects the error \"{}\": there is no output to write or compare", expected.message);
  const auto report = [&](const std::string& difference, std::string_view agreement) {
    if (arguments.json)
      print(document("run").set("verdict", difference.empty() ? "pass" : "fail").set("reason", difference).text());
    else
      print(difference.empty() ? format("{}\n", agreement) : format("differs: {}\n", difference));
    return difference.empty() ? 0 : 1;
  };
  try {
    const Bound bound = bind_all(arguments, std::move(loaded));
    require_known_or_pick(bound.graph);
    in_given_time(arguments.timeout, "evaluated", [&] {
      std::vector<std::string> warnings;
      Environment environment = load_inputs(bound, bound.options, warnings);
      return evaluate(bound, environment);
    });
  } catch (const Error& error) {
    const bool trouble = error.fault() == Fault::usage || error.fault() == Fault::system;  // and no refusal
    if (trouble && expected.fault != error.fault()) throw;
    return report(unexpected_error(expected, error),
                  "refused as expected: " + error.message() + way_out_text(error.way_out()));
  }
  return report(format("it is accepted, but \"{}\" is expected", printable(expected.message, 1000)), "");
}

/// What --expect and --judge name.
struct Given {
  std::vector<NamedSource> expected, judged;
};
Given given_outputs(const Arguments& arguments, const Bound& bound) {
  Given given;
  for (const std::string& argument : arguments.expect) given.expected.push_back(parse_output(bound, argument));
  for (const std::string& argument : arguments.judge) given.judged.push_back(parse_output(bound, argument));
  return given;
}

CaseReport compare_all(const Arguments& arguments, const Given& given, const Bound& bound,
                       const Environment& environment, std::span<const Step> steps) {
  CaseReport report;
  report.verdict = Verdict::pass;
  check::ModelSpread spread(bound, arguments.timeout.value_or(std::numeric_limits<double>::infinity()));
  const auto compare = [&](std::span<const NamedSource> outputs, const ToleranceChoice& choice, Foreign foreign) {
    const CaseReport part =
        compare_expected(*bound.read, outputs, environment, steps, choice, bound.options.max_bytes, foreign, &spread);
    if (part.verdict == Verdict::fail) report.verdict = Verdict::fail;
    report.outputs.insert(report.outputs.end(), part.outputs.begin(), part.outputs.end());
  };
  ToleranceChoice choice = chosen_tolerance(arguments.tolerance), exactly = choice;
  if (arguments.expect_case) compare(bound.expected, choice, Foreign::expected);
  // --expect compares exactly; a case's own tolerance is for the case's expected outputs.
  if (!exactly.rule) exactly.rule = Tolerance{};
  compare(given.expected, exactly, Foreign::expected);
  choice.judged = ToleranceChoice::Judged::backend;
  compare(given.judged, choice, Foreign::actual);
  return report;
}

/// By the rule that --judge has, or where more is compared the one of --expect.
void keep_deciding_readings(const Arguments& arguments, std::vector<Step>& steps, const Environment& environment,
                            const Case& loaded) {
  ToleranceChoice choice = chosen_tolerance(arguments.tolerance);
  const bool is_judged = arguments.expect.empty() && !arguments.expect_case;
  if (is_judged) choice.judged = ToleranceChoice::Judged::backend;
  if (!is_judged && !choice.rule) choice.rule = arguments.expect.empty() ? loaded.tolerance : Tolerance{};
  check::keep_deciding_readings(steps, environment, loaded, choice);
}

/// Also what is compared with is read.
void require_nothing_overwritten(const Arguments& arguments, const Given& given, const Bound& bound,
                                 std::span<const Destination> destinations) {
  if (arguments.force || destinations.empty()) return;
  std::vector<std::filesystem::path> read = files_read(bound);
  const auto add = [&](const NamedSource& expected) {
    for (const auto& file : files_of(expected.source)) read.push_back(file);
  };
  for (const auto* list : {&given.expected, &given.judged}) std::ranges::for_each(*list, add);
  if (arguments.expect_case) std::ranges::for_each(bound.expected, add);
  require_not_read(bound, destinations, read);
}

/// The outputs that are written or compared; none where all are. Of a bare operator a folder gets the required ones and
/// those that are named beside it.
std::vector<std::string> outputs_named(const Arguments& arguments, const Given& given, const Bound& bound,
                                       std::span<const Destination> destinations) {
  std::vector<std::string> named;
  for (const Destination& destination : destinations) named.push_back(destination.tensor);
  for (const auto* list : {&given.expected, &given.judged})
    for (const NamedSource& output : *list) named.push_back(output.name);
  for (const NamedSource& expected : bound.expected)
    if (arguments.expect_case) named.push_back(expected.name);
  const bool is_whole = std::erase(named, "") > 0 && bound.read->format != CaseFormat::operator_name;
  return is_whole ? std::vector<std::string>() : named;
}

/// Of a case whose values are random: what somebody drew is checked.
int report_drawn(const Arguments& arguments, const Given& given, Bound bound) {
  std::vector<NamedSource> drawn = given.judged;
  drawn.insert(drawn.end(), given.expected.begin(), given.expected.end());
  if (arguments.expect_case) drawn.insert(drawn.end(), bound.expected.begin(), bound.expected.end());
  const explain::ReadyCase ready{std::move(bound)};
  ToleranceChoice choice = chosen_tolerance(arguments.tolerance);
  choice.judged = ToleranceChoice::Judged::backend;
  const CaseReport report = in_given_time(
      arguments.timeout, "checked", [&] { return check::check_drawn(ready, check::read_given(ready, drawn), choice); });
  const bool passes = report.verdict == Verdict::pass;
  if (arguments.json)
    print(document("run").set("verdict", passes ? "pass" : "fail").set("reason", report.reason).text());
  else
    print(passes ? format("{}\n", report.reason)
                 : format("differs: {}\n", printable(report.reason, std::string::npos)));
  return passes ? 0 : 1;
}

int evaluate_and_report(const Arguments& arguments, Bound bound) {
  const std::vector<Destination> destinations = parse_destinations(bound, arguments.outputs);
  if (arguments.expect_case) require_whole(*bound.read, arguments.node.node);
  if (arguments.expect_case && bound.expected.empty())
    fail(Fault::usage, "--expect-case: {} has no expected outputs", bound.read->origin);
  for (const Destination& destination : destinations)
    if (destination.path == "-" && (arguments.json || compares(arguments)))
      fail(Fault::usage, "-o - writes .npy to standard output: nothing else can go there");
  for (const Destination& destination : destinations) require_no_terminal(destination.path);
  const Given given = given_outputs(arguments, bound);
  require_nothing_overwritten(arguments, given, bound, destinations);
  const std::vector<std::string> named = outputs_named(arguments, given, bound, destinations);
  for (const Destination& destination : destinations) bound.options.also_kept.push_back(destination.tensor);
  bound.options.before_value = size_check(bound, destinations);
  const bool wants_some = !named.empty() || bound.read->format == CaseFormat::operator_name;
  const Graph untrimmed = wants_some && bound.graph.nodes.size() == 1 ? bound.graph : Graph();
  if (wants_some) want_only(bound, named);
  keep_needed(bound, named);
  require_known_or_pick(bound.graph);
  if (compares(arguments) && destinations.empty() && check::draws({bound}))
    return report_drawn(arguments, given, std::move(bound));

  Stopwatch stopwatch;
  Environment environment;
  double reading = 0;
  std::vector<Step> steps = in_given_time(arguments.timeout, "evaluated", [&] {
    std::vector<std::string> warnings;
    environment = load_inputs(bound, bound.options, warnings);
    reading = stopwatch.next();
    for (const std::string& warning : warnings) warn(warning);
    const Graph* whole = untrimmed.nodes.empty() ? nullptr : &untrimmed;
    return with_accepted_outputs(bound, environment, whole, [&] { return evaluate(bound, environment); });
  });
  const double evaluating = stopwatch.next();
  warn_of_notes(steps);
  if (compares(arguments)) keep_deciding_readings(arguments, steps, environment, *bound.read);
  warn_of_readings(steps);
  if (arguments.stats) print_stats(steps, environment);

  const CaseReport report = compare_all(arguments, given, bound, environment, steps);
  const CaseRecord causes = causes_of(bound, report, given.judged.size());
  constexpr std::int64_t kTimesMore = 10;
  const std::int64_t most = bound.options.max_bytes;
  write_outputs(bound, environment, destinations,
                arguments.max_written.value_or(most > INT64_MAX / kTimesMore ? INT64_MAX : most * kTimesMore));
  if (arguments.json) {
    Json json = document("run"), outputs;
    for (const ValueInfo& output : bound.graph.outputs)
      outputs.set(output.name, value_json(value_of(environment, output.name), tensor_json));
    json.set("nodes", nodes_json(steps)).set("outputs", std::move(outputs));
    if (compares(arguments)) json.set("comparisons", comparisons_json(report));
    if (causes.unexplained || !causes.causes.empty()) json.set("explained", causes_json(causes));
    print(json.text());
  } else if (compares(arguments)) {
    std::vector<std::string> lines = explanation_lines(causes);
    const bool differs =
        std::ranges::any_of(report.outputs, [](const auto& output) { return output.comparison.differs(); });
    if (lines.empty() && differs) lines.emplace_back(kSearchNotEnded);
    const bool is_wrong_within = report.verdict == Verdict::pass && !lines.empty();
    if (is_wrong_within)
      print(toned(Tone::bad, "wrong") + ", though within the bound:\n");
    else
      print_comparisons(report, environment);
    for (const std::string& line : lines) print(wrapped(printable(line, std::string::npos), 2) + "\n");
    if (is_wrong_within) print_comparisons(report, environment);
    if (!arguments.expect.empty() && differs && !chosen_tolerance(arguments.tolerance).rule)
      note("note: --expect compares exactly; --judge judges what a backend computed");
  } else if (destinations.empty()) {
    for (const ValueInfo& output : bound.graph.outputs)
      print(format("{}: {}", printable(output.name), value_text(value_of(environment, output.name), result_text)));
  }
  if (arguments.stats)
    note(format("inputs {} ms, evaluation {} ms, outputs {} ms", milliseconds(reading), milliseconds(evaluating),
                milliseconds(stopwatch.next())));
  return compares(arguments) && (report.verdict != Verdict::pass || !causes.causes.empty()) ? 1 : 0;
}

int report_sensitivity(const Arguments& arguments, Bound bound) {
  constexpr std::int64_t kRuns = 4;
  if (bound.read->expect_error) fail(Fault::usage, "the case must be refused: it has no outputs");
  keep_needed(bound, {});
  require_known_or_pick(bound.graph);
  return run_sensitivity(std::move(bound), static_cast<int>(arguments.noise_runs.value_or(kRuns)), arguments.timeout,
                         arguments.json);
}

int run_node(const Arguments& arguments) {
  const ToleranceChoice choice = chosen_tolerance(arguments.tolerance);
  if ((choice.rule || choice.ignore_dtype) && !compares(arguments))
    fail(Fault::usage, "a rule of comparison needs --expect, --judge or --expect-case");
  if (arguments.keep != kAll && arguments.keep != "outputs")
    fail(Fault::usage, "--keep {}: it is outputs or all", printable(arguments.keep));
  if (arguments.sensitivity && (compares(arguments) || !arguments.outputs.empty() || arguments.stats))
    fail(Fault::usage,
         "--sensitivity writes and compares no outputs: it goes with none of -o, --expect, --judge, "
         "--expect-case and --stats");
  if (arguments.noise_runs && !arguments.sensitivity)
    fail(Fault::usage, "--noise-runs needs --sensitivity, which makes these runs");
  if (arguments.repeat && !arguments.stats) fail(Fault::usage, "--repeat needs --stats, which says what it took");
  Case loaded = read_node(arguments.node, limit_of(arguments.max_bytes), arguments.timeout);
  if (arguments.expect_case && loaded.expect_error) return run_must_fail(arguments, std::move(loaded));
  Bound bound = bind_all(arguments, std::move(loaded));
  return at_place([origin = bound.read->origin] { return "in " + origin; },
                  [&] {
                    return arguments.sensitivity ? report_sensitivity(arguments, std::move(bound))
                                                 : evaluate_and_report(arguments, std::move(bound));
                  });
}

}  // namespace

Action add_run(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_node_options(command, arguments->node);
  add_fix_names(command, arguments->node.fix_names);
  add_option(command, "-o", arguments->outputs, "OUT", "write outputs: file, folder/, NAME=FILE or -");
  add_flag(command, "--force", arguments->force, "let an output overwrite an input");
  add_option(command, "--expect", arguments->expect, "NAME=FILE", "compare an output");
  add_option(command, "--judge", arguments->judge, "NAME=FILE", "judge an output that another program computed");
  add_flag(command, "--expect-case", arguments->expect_case, "compare with the case's own expected outputs");
  add_tolerance_options(command, arguments->tolerance);
  add_strict(command, arguments->tolerance);
  add_bytes(command, "--max-bytes", arguments->max_bytes, "limit of tensors and scratch; default half the memory");
  add_bytes(command, "--max-written", arguments->max_written, "limit of what -o writes; default ten times --max-bytes");
  add_timeout(command, arguments->timeout, "seconds for the evaluation; default: no limit");
  add_option(command, "--keep", arguments->keep, "WHICH", "all: keep the tensors between nodes, too");
  add_number(command, "--threads", arguments->threads, {1, kMostThreads},
             "threads for one node, up to 8 per core; default all cores; same bytes");
  add_flag(command, "--stats", arguments->stats, "print how each output was decided, and the time, on stderr");
  add_number(command, "--repeat", arguments->repeat, {1, kMostRepeats},
             "run each kernel N times; --stats prints the first time and the median");
  add_flag(command, "--sensitivity", arguments->sensitivity,
           "print how far rounding may move the outputs, and the first Inf or NaN");
  add_number(command, "--noise-runs", arguments->noise_runs, {1, kMostNoiseRuns},
             "so many runs with noise of --sensitivity; default 4");
  add_flag(command, "--exact-tier,--exact-sum", arguments->exact_tier,
           "compute every element by the exact tier; slow, same bytes");
  add_flag(command, "--json", arguments->json, "print one JSON document");
  return [arguments] { return run_node(*arguments); };
}

}  // namespace opref::cli
