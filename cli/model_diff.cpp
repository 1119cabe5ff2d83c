// SPDX-License-Identifier: Apache-2.0
#include "cli/model_diff.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "check/discover.h"
#include "cli/model_diff_output.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/remedies.h"
#include "cli/report_files.h"
#include "models/comparison.h"
#include "models/inputs.h"
#include "run/load_inputs.h"
#include "run/part_of_graph.h"
#include "run/readings.h"
#include "system/deadline.h"
#include "system/machine_error.h"
#include "system/parallel.h"

namespace opref::cli {

namespace fs = std::filesystem;

std::string file_name(const std::string& argument) {
  std::error_code ignored;
  return fs::exists(argument, ignored) ? fs::path(argument).filename().string() : "the text";
}

bool is_model(const std::string& argument) {
  std::error_code ignored;
  if (fs::exists(argument, ignored)) {
    const std::string extension = fs::path(argument).extension().string();
    return !fs::is_directory(argument, ignored) &&
           (extension == ".onnx" || extension == ".onnxtxt" || extension == ".xml");
  }
  return !argument.empty() && argument.front() != '[' && argument.front() != '{' &&
         argument.find('=') != std::string::npos && argument.find('(') != std::string::npos;
}

bool is_case_folder(const std::string& argument) {
  std::error_code ignored;
  const auto has = [&](const char* name) { return fs::is_regular_file(fs::path(argument) / name, ignored); };
  return fs::is_directory(argument, ignored) && (has("model.onnx") || has("model.xml") || has("../model.onnx"));
}

namespace {

Bound bound_of(const ModelDiffArguments& arguments, const std::string& model, std::optional<std::int64_t> opset,
               const std::vector<std::string>& bindings, std::vector<std::string>& notes) {
  NodeArguments node;
  node.node = model;
  node.bindings = bindings;
  node.readings = arguments.readings;
  node.opset = opset;
  Bound bound = bind_case(node, read_node(node, limit_of(arguments.max_bytes), arguments.timeout));
  if (bound.read->expect_error) fail(Fault::usage, "the case must be refused: it has no values to compare");
  bound.options.max_bytes = limit_of(arguments.max_bytes);
  constexpr std::int64_t kMostPerCore = 8;
  const std::int64_t cores = available_cores();
  bound.options.threads = static_cast<int>(std::min(arguments.threads.value_or(cores), kMostPerCore * cores));
  keep_needed(bound, {});
  std::vector<std::string> own;
  admit_later_operators(bound.graph, own);
  for (const std::string& note : own) notes.push_back(format("{}: {}", printable(file_name(model), 40), note));
  if (bound.graph.outputs.empty()) fail(Fault::usage, "{} has no outputs", bound.read->origin);
  require_known_readings(bound.graph, bound.options.readings);
  return bound;
}

/// Evaluates both on their own, the reference first: its tensors are those that the other model's are looked for in.
void evaluate_both(Both& both, Progress& progress) {
  const auto after_node = [&progress] { progress.advance(); };
  std::vector<std::string> warnings;
  both.inputs = load_inputs(both.reference, both.reference.options, warnings);
  at_place(
      [&] { return "in " + both.reference.read->origin; },
      [&] { both.reference_model = std::make_unique<Model>(both.reference, both.inputs, after_node, SeeTensor()); });
  take_inputs(both.fresh, both.reference, both.inputs, both.notes);
  const ValueIndex index(*both.reference_model);
  std::map<std::string, std::vector<Candidate>> found;
  at_place([&] { return "in " + both.fresh.read->origin; },
           [&] {
             const Environment inputs = load_inputs(both.fresh, both.fresh.options, warnings);
             both.fresh_model =
                 std::make_unique<Model>(both.fresh, inputs, after_node,
                                         [&](const std::string& name, const Numbers& numbers, const Sketch& own) {
                                           if (auto candidates = index.find(numbers, own); !candidates.empty())
                                             found.emplace(name, std::move(candidates));
                                         });
           });
  for (const std::string& warning : warnings) warn(warning);
  for (auto& [name, candidates] : found)
    if (const size_t entity = both.fresh_model->find_entity(name); entity != kNone)
      both.candidates.emplace(entity, std::move(candidates));
}

/// With integers that are no larger than what they index.
std::unique_ptr<Both> evaluated(const ModelDiffArguments& arguments, Progress& progress) {
  const bool is_one = arguments.against_opset.has_value();
  const auto bind = [&](std::uint32_t integers) {
    auto both = std::make_unique<Both>();
    both->reference = bound_of(arguments, arguments.reference, is_one ? arguments.against_opset : arguments.opset,
                               arguments.bindings, both->notes);
    both->fresh = bound_of(arguments, arguments.fresh, arguments.opset, {}, both->notes);
    both->generated = generate_inputs(both->reference, integers);
    return both;
  };
  for (const std::uint32_t integers : kIntegerRanges) {
    std::unique_ptr<Both> both = bind(integers);
    const bool may_be_less = integers > 1 && std::ranges::any_of(both->generated, [](const GeneratedInput& input) {
                               return is_integer(input.type.dtype);
                             });
    try {
      evaluate_both(*both, progress);
      return both;
    } catch (const Error& error) {
      pass_on(error);
      if (error.fault() != Fault::invalid || !may_be_less) throw;
    }
  }
  fail(Fault::internal, "no range of integers is left");
}

void require_elements(const Model& model) {
  for (const ValueInfo& output : model.graph().outputs)
    if (const ValueType* type = model.type_of_name(output.name))
      if (type->form != Form::tensor || element_count(type->tensor.shape) > 0) return;
  if (model.unknown()) return;
  fail(Fault::usage, "the outputs of {} have no elements: these inputs show nothing", printable(model.graph().name));
}

int exit_code_of(const ModelDiffArguments& arguments, const Both& both, const ModelComparison& found) {
  const auto fails = [](const JudgedOutput& output) { return !output.passes; };
  const bool by_outputs = arguments.min_sqnr || arguments.tolerance.rtol || arguments.tolerance.atol ||
                          arguments.tolerance.exact || found.arithmetic != Arithmetic::same;
  const auto no_verdict = [](const JudgedOutput& output) { return output.state == JudgedOutput::State::no_verdict; };
  const bool is_unknown = both.fresh_model->unknown() || both.reference_model->unknown();
  const bool differs = !by_outputs && (found.count(Agreement::differs) > 0 ||
                                       (found.is_one_region && std::ranges::any_of(found.outputs, no_verdict)));
  if (differs) return 1;
  const auto is_lacking = [&](const JudgedOutput& output) {
    return fails(output) && !(is_unknown && output.state == JudgedOutput::State::missing);
  };
  if (std::ranges::any_of(found.outputs, is_lacking)) return 1;
  return is_unknown ? static_cast<int>(Fault::unsupported) : 0;
}

std::string indented(const std::string& line) {
  return wrapped(line, line.find_first_not_of(' ') == std::string::npos ? 2 : line.find_first_not_of(' ') + 2);
}

/// Two models on one set of inputs.
struct Compared {
  std::unique_ptr<Both> both;
  std::unique_ptr<Pairing> pairing;
  ModelComparison found;
};

Compared compared(const ModelDiffArguments& arguments, const ComparisonOptions& options, Progress& progress) {
  Compared one;
  one.both = evaluated(arguments, progress);
  require_elements(*one.both->reference_model);
  one.pairing = std::make_unique<Pairing>(*one.both->fresh_model, *one.both->reference_model);
  one.found =
      compare_models(*one.pairing, one.both->candidates, one.both->inputs, options, limit_of(arguments.max_bytes));
  return one;
}

/// Paths that stand for the reference with one set of inputs each: those of a case folder, else the reference itself.
std::vector<std::string> data_sets_of(const std::string& reference) {
  std::error_code ignored;
  std::vector<std::string> paths;
  if (is_case_folder(reference) && !fs::is_regular_file(fs::path(reference) / "../model.onnx", ignored))
    for (const check::FoundCase& found : check::discover(std::vector{reference})) paths.push_back(found.path);
  return paths.size() > 1 ? paths : std::vector{reference};
}

/// On each set of inputs; the regions shown are those of the first by which some differ, and the outputs' figures those
/// of all.
Compared compared_on_all(ModelDiffArguments arguments, const ComparisonOptions& options, Progress& progress) {
  const std::vector<std::string> paths = data_sets_of(arguments.reference);
  std::optional<Compared> shown;
  size_t place = 0;
  for (size_t k = 0; k < paths.size(); ++k) {
    arguments.reference = paths[k];
    Compared one = compared(arguments, options, progress);
    if (!shown) {
      shown = std::move(one);
      continue;
    }
    add_outputs(shown->found, one.found, options);
    if (shown->found.first() != nullptr || one.found.first() == nullptr) continue;
    one.found.outputs = std::move(shown->found.outputs);
    shown = std::move(one);
    place = k;
  }
  shown->both->data_sets = paths.size();
  shown->both->data_set = place;
  return *std::move(shown);
}

int compare_and_print(const ModelDiffArguments& arguments) {
  const ToleranceChoice choice = chosen_tolerance(arguments.tolerance);
  Progress progress(0, "nodes");
  ComparisonOptions options;
  options.min_sqnr = arguments.min_sqnr;
  options.rule = choice.rule;
  options.after_node = [&progress] { progress.advance(); };
  options.begins = [&progress](std::string_view what) { progress.say(what); };
  const auto [both, pairing, found] = compared_on_all(arguments, options, progress);
  progress.erase();
  const int exit_code = exit_code_of(arguments, *both, found);
  const std::vector<std::string> lines = text_lines(arguments, *both, *pairing, found);
  if (arguments.json)
    print(diff_document(*both, *pairing, found, exit_code).text());
  else if (arguments.html != "-")
    for (const std::string& line : lines) print(indented(line) + "\n");
  if (!arguments.html.empty()) write_regions(arguments, *both, *pairing, found, lines);
  return exit_code;
}

}  // namespace

int diff_models(const ModelDiffArguments& arguments) {
  const ReportFiles files{"", "", arguments.html, ""};
  require_sound(files, arguments.json);
  for (const std::string& model : {arguments.fresh, arguments.reference}) require_others_than(files, model);
  return in_given_time(arguments.timeout, "compared", [&] { return compare_and_print(arguments); });
}

}  // namespace opref::cli
