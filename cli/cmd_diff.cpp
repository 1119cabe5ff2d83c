// SPDX-License-Identifier: Apache-2.0
// opref diff
#include <filesystem>
#include <memory>

#include "check/diff.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/model_diff.h"
#include "cli/output.h"
#include "cli/tensor_text.h"
#include "report/record_json.h"
#include "report/report_json.h"
#include "run/argument.h"
#include "run/evaluate.h"
#include "system/machine_error.h"

namespace opref::cli {
namespace {

struct Arguments {
  std::string actual, expected, dtype;
  ToleranceArguments tolerance;
  std::optional<std::int64_t> max_bytes;
  bool json = false, verbose = false;
  ModelDiffArguments models;  ///< what they alone have
};

struct Totals {
  int equal = 0, missing = 0, different = 0, unreadable = 0;
  std::optional<Fault> fault;  ///< the first one

  void add(const TensorPair& pair, const Comparison& comparison) {
    ++(comparison.equal() ? equal : pair.actual && pair.expected ? different : missing);
  }
  void add(const Error& error) {
    ++unreadable;
    if (!fault) fault = error.fault();
  }
  bool all_equal() const { return different + missing + unreadable == 0; }
  int exit_code() const { return fault ? static_cast<int>(*fault) : all_equal() ? 0 : 1; }
  std::string text() const {
    std::string text = format("{}: {} equal", counted(equal + different + missing + unreadable, "tensor"), equal);
    if (different > 0) text += format(", {} different", different);
    if (missing > 0) text += format(", {} missing", missing);
    if (unreadable > 0) text += format(", {} unreadable", unreadable);
    return text;
  }
};

/// What is compared; nothing where one of several pairs cannot be read, which is reported then.
std::optional<ComparedPair> compare_one(const TensorPair& pair, const Tolerance& tolerance, std::optional<DType> dtype,
                                        std::int64_t max_bytes, bool alone, Totals& totals) {
  std::vector<std::string> warnings;
  try {
    ComparedPair compared = compare_pair(pair, tolerance, dtype, max_bytes, warnings);
    const Comparison& comparison = compared.comparison;
    if (std::string small = below_atol_text(comparison); !small.empty()) warnings.push_back(std::move(small));
    for (const std::string& warning : warnings) warn(warning);
    totals.add(pair, comparison);
    return compared;
  } catch (const Error& error) {
    if (alone) throw;
    pass_on(error);
    report(error);
    totals.add(error);
    return std::nullopt;
  }
}

bool is_literal(const std::string& argument) {
  std::error_code ignored;
  return !std::filesystem::exists(argument, ignored) && [&] {
    const TensorSource source = parse_value(argument);
    return source.literal() != nullptr || source.loaded() != nullptr;  // maps
  }();
}

/// Files, folders and archives; or two tensors, one of which is written in the command.
std::vector<TensorPair> pairs_of(const Arguments& arguments) {
  if (!is_literal(arguments.actual) && !is_literal(arguments.expected))
    return pair_tensors(arguments.actual, arguments.expected);
  return {{arguments.actual, parse_value(arguments.actual), parse_value(arguments.expected)}};
}

void refuse_reports(const Arguments& arguments) {
  for (const std::string& argument : {arguments.actual, arguments.expected})
    if (report::is_report(argument))
      fail(Fault::usage, "{} is a report of 'opref check': opref report diff OLD NEW compares two",
           printable(argument));
}

int diff_tensors(const Arguments& arguments) {
  const ToleranceChoice choice = chosen_tolerance(arguments.tolerance);
  Tolerance tolerance = choice.rule.value_or(Tolerance{});
  tolerance.ignore_dtype |= choice.ignore_dtype;
  std::optional<DType> dtype;
  if (!arguments.dtype.empty()) dtype = parse_dtype(arguments.dtype);
  const std::int64_t max_bytes = arguments.max_bytes.value_or(default_max_bytes());

  const std::vector<TensorPair> pairs = pairs_of(arguments);
  Totals totals;
  Json comparisons;
  for (const TensorPair& pair : pairs) {
    const auto compared = compare_one(pair, tolerance, dtype, max_bytes, pairs.size() == 1, totals);
    if (!compared) continue;
    const auto& [comparison, rule] = *compared;
    if (arguments.json)
      comparisons.set(pair.name, comparison_json(comparison, rule));
    else if (!comparison.equal() || arguments.verbose || pairs.size() == 1)
      print(comparison_text(printable(pair.name, 1000), comparison, rule));
  }
  if (arguments.json) {
    Json json = document("diff");
    json.set("equal", totals.all_equal()).set("comparisons", std::move(comparisons));
    print(json.text());
  } else if (pairs.size() > 1) {
    print(totals.text() + "\n");
  }
  return totals.exit_code();
}

/// A `usage` error where one of these is given.
void refuse(std::initializer_list<std::pair<std::string_view, bool>> given, std::string_view what) {
  for (const auto& [option, is_given] : given)
    if (is_given) fail(Fault::usage, "{} is for {}", option, what);
}

int diff_tensors_alone(const Arguments& arguments) {
  const ModelDiffArguments& models = arguments.models;
  refuse({{"--against-opset", models.against_opset.has_value()},
          {"--opset", models.opset.has_value()},
          {"--min-sqnr", models.min_sqnr.has_value()},
          {"--reading", !models.readings.empty()},
          {"--threads", models.threads.has_value()},
          {"--timeout", models.timeout.has_value()},
          {"--html", !models.html.empty()}},
         "models: neither ACTUAL nor EXPECTED is one");
  if (!models.bindings.empty())
    fail(Fault::usage, "'{}' is one argument too many: opref diff ACTUAL EXPECTED", printable(models.bindings.front()));
  return diff_tensors(arguments);
}

int diff_two_models(const Arguments& arguments) {
  const ToleranceArguments& tolerance = arguments.tolerance;
  refuse({{"--dtype", !arguments.dtype.empty()},
          {"--ulp", tolerance.ulp.has_value()},
          {"--strict-nan", tolerance.strict_nan},
          {"--ignore-dtype", tolerance.ignore_dtype}},
         "tensors: ACTUAL is a model");
  ModelDiffArguments models = arguments.models;
  const bool has_rule = tolerance.exact || tolerance.rtol || tolerance.atol;
  if (models.min_sqnr && has_rule)
    fail(Fault::usage, "two rules at once: choose one of --exact, --rtol/--atol, --min-sqnr");
  models.fresh = arguments.actual;
  models.reference = arguments.expected;
  if (models.against_opset) {
    if (!models.reference.empty()) models.bindings.insert(models.bindings.begin(), models.reference);
    models.reference = models.fresh;
  }
  models.tolerance = tolerance;
  models.max_bytes = arguments.max_bytes;
  models.json = arguments.json;
  models.verbose = arguments.verbose;
  return diff_models(models);
}

/// A case folder has inputs of a model.
bool is_case_of_model(const std::string& argument) { return is_model(argument) || is_case_folder(argument); }

int diff(const Arguments& arguments) {
  refuse_reports(arguments);
  const bool is_first = is_model(arguments.actual), is_second = is_model(arguments.expected);
  if (arguments.models.against_opset) {
    if (is_case_of_model(arguments.actual)) return diff_two_models(arguments);
    fail(Fault::usage, "--against-opset compares a model with itself: {} is none", printable(arguments.actual, 1000));
  }
  if (arguments.expected.empty()) fail(Fault::usage, "EXPECTED is missing (see 'opref diff -h')");
  if (!is_first && !is_second) return diff_tensors_alone(arguments);
  if (!is_case_of_model(arguments.actual) || !is_case_of_model(arguments.expected))
    fail(Fault::usage, "{} is a model, but {} is none",
         printable(is_first ? arguments.actual : arguments.expected, 1000),
         printable(is_first ? arguments.expected : arguments.actual, 1000));
  return diff_two_models(arguments);
}

}  // namespace

Action add_diff(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_argument(command, "ACTUAL", arguments->actual,
               "what is judged: .npy, .npz, .npz:member, .pb, a folder, [1,2]:int64; a model")
      .required();
  add_argument(command, "EXPECTED", arguments->expected, "what it is compared with; of a model a model");
  add_argument(command, "NAME=FILE", arguments->models.bindings, "an input of the models, as 'opref run' takes it");
  add_tolerance_options(command, arguments->tolerance);
  find_option(command, "--bound")->is_hidden = true;  // which needs the node
  add_option(command, "--dtype", arguments->dtype, "DTYPE", "the element type, where both files leave it open");
  add_number(command, "--min-sqnr", arguments->models.min_sqnr, "of models: the least SQNR of each output, in dB");
  add_opset(command, arguments->models.opset, "of models: the opset in force, instead of the file's");
  add_number(command, "--against-opset", arguments->models.against_opset,
             {.least = 1, .most = kNewestOpset, .is_open = true},
             "compare one model by two opsets: EXPECTED is left out");
  add_reading(command, arguments->models.readings);
  add_option(command, "--html", arguments->models.html, "FILE", "of models: write the regions as one HTML page")
      .not_empty();
  add_number(command, "--threads", arguments->models.threads, {1, kMostThreads},
             "of models: threads for one node; default all cores; same bytes");
  add_timeout(command, arguments->models.timeout, "of models: seconds for all; default: no limit");
  add_bytes(command, "--max-bytes", arguments->max_bytes,
            "limit of two tensors together, or of the models' values; default half the memory");
  add_flag(command, "--verbose", arguments->verbose, "print equal tensors too, all pairs of models");
  add_flag(command, "--json", arguments->json, "print one JSON document");
  return [arguments] { return diff(*arguments); };
}

}  // namespace opref::cli
