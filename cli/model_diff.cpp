// SPDX-License-Identifier: Apache-2.0
#include "cli/model_diff.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/remedies.h"
#include "cli/report_files.h"
#include "cli/version.h"
#include "compare/compare.h"
#include "io/json/cases.h"
#include "models/comparison.h"
#include "models/inputs.h"
#include "report/causes.h"
#include "run/load_inputs.h"
#include "run/part_of_graph.h"
#include "run/readings.h"
#include "system/deadline.h"
#include "system/machine_error.h"
#include "system/parallel.h"

namespace opref::cli {

using namespace models;

namespace {

namespace fs = std::filesystem;

std::string file_name(const std::string& argument) {
  std::error_code ignored;
  return fs::exists(argument, ignored) ? fs::path(argument).filename().string() : "the text";
}

}  // namespace

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

/// What is compared, and on which inputs.
struct Both {
  Bound fresh, reference;
  Environment inputs;  ///< of the reference
  std::vector<GeneratedInput> generated;
  std::vector<std::string> notes;
  std::unique_ptr<Model> fresh_model, reference_model;
  Candidates candidates;
};

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

std::string percent(double share) {
  return format("{} %", share >= 0.1 ? format("{}", std::round(share * 100)) : short_number(share * 100));
}

/// "12.3 dB"
std::string decibel_text(double sqnr) {
  if (std::isinf(sqnr)) return sqnr > 0 ? "equal" : "no signal";
  return format("{} dB", std::round(sqnr * 10) / 10);
}

std::string titles_of(const Model& model, const std::vector<size_t>& places) {
  constexpr size_t kMost = 3;
  std::string text;
  for (size_t k = 0; k < std::min(kMost, places.size()); ++k)
    text += (k == 0 ? "" : ", ") + model.nodes()[places[k]].title();
  if (places.size() > kMost) text += format(" and {} more", places.size() - kMost);
  return places.empty() ? "nothing" : text;
}

/// Without nodes that only rename or convert.
std::string operators_of(const Model& model, std::vector<size_t> places) {
  constexpr size_t kMost = 5;
  std::erase_if(places, [&](size_t place) { return model.nodes()[place].standing.passing != ops::Passing::computes; });
  return join_some(places, " + ", kMost, [&](size_t place) { return printable(model.nodes()[place].node->op_type); });
}

class Printer {
 public:
  Printer(const ModelDiffArguments& arguments, const Both& both, const Pairing& pairing, const ModelComparison& found)
      : arguments_(arguments), both_(both), pairing_(pairing), found_(found) {}

  std::vector<std::string> lines() {
    head();
    inputs();
    for (const JudgedOutput& output : found_.outputs) add_output(output);
    if (found_.arithmetic == Arithmetic::same)
      regions();
    else
      ranking();
    unknown();
    if (arguments_.verbose) all_pairs();
    return std::move(lines_);
  }

 private:
  void say(std::string line) { lines_.push_back(std::move(line)); }

  const Model& fresh() const { return *both_.fresh_model; }
  const Model& reference() const { return *both_.reference_model; }

  void head() {
    std::string what = found_.arithmetic == Arithmetic::same   ? "same arithmetic"
                       : found_.arithmetic == Arithmetic::half ? "half precision"
                                                               : "quantised";
    if (found_.is_reversed) what = format("the reference is {}", what);
    const std::string fresh_name = arguments_.against_opset ? format("opset {}", opset_text(both_.fresh))
                                                            : printable(file_name(arguments_.fresh), 40),
                      reference_name = arguments_.against_opset ? format("opset {}", opset_text(both_.reference))
                                                                : printable(file_name(arguments_.reference), 40);
    say(format("{} against {}: {}; {} against {}", fresh_name, reference_name, what,
               counted(std::ssize(fresh().nodes()), "node"), reference().nodes().size()));
    for (const std::string& note : both_.notes) say(note);
  }

  static std::string opset_text(const Bound& bound) {
    const auto own = bound.graph.opset_import.find("");
    return own == bound.graph.opset_import.end() ? "newest" : std::to_string(own->second);
  }

  void inputs() {
    if (both_.generated.empty()) return;
    std::string line = "inputs:";
    for (const GeneratedInput& input : both_.generated)
      line += input.values.find(':') != std::string::npos
                  ? format(" '{}={}:{}'", printable(input.name), input.type, input.values)
                  : format(" {}={} from {}", printable(input.name), input.type, input.values);
    say(line);
  }

  void add_output(const JudgedOutput& output) {
    const std::string name = printable(output.name);
    switch (output.state) {
      case JudgedOutput::State::missing:
        return say(format("{} is missing in NEW", name));
      case JudgedOutput::State::extra:
        return say(format("{} is in NEW only", name));
      case JudgedOutput::State::other_type:
        return say(format("{} is {}, not {}", name, output.fresh_type, output.type));
      default:
        break;
    }
    const Figures& figures = output.figures;
    if (found_.least_sqnr) {
      const auto cosine = figures.cosine();
      return say(format("{} SQNR {} (at least {}): {}{}, largest error {}", name, decibel_text(figures.sqnr()),
                        short_number(*found_.least_sqnr), output.passes ? "passes" : "fails",
                        cosine ? format("; cosine {}", std::round(*cosine * 1e5) / 1e5) : "",
                        short_number(figures.max)) +
                 nonfinite_text(figures));
    }
    if (output.state == JudgedOutput::State::equal) return say(format("{} equal, bit for bit", name));
    std::string line = format("{} {}: {}, largest error {}", name, verdict_of(output), differing_text(figures),
                              short_number(figures.max)) +
                       nonfinite_text(figures);
    if (std::isfinite(output.ratio) && output.ratio > 0)
      line += format(", {} times the spread (4 pass)", short_number(output.ratio));
    say(line);
    if (output.state == JudgedOutput::State::no_verdict)
      say(format("  no verdict: rounding alone may move it by {} of its rms; the regions decide",
                 percent(output.spread / figures.reference_rms())));
  }

  std::string verdict_of(const JudgedOutput& output) const {
    if (arguments_.tolerance.rtol || arguments_.tolerance.atol || arguments_.tolerance.exact)
      return output.passes ? "passes" : "fails";
    return output.state == JudgedOutput::State::rounding ? "within rounding" : "differs";
  }

  static std::string differing_text(const Figures& figures) {
    return format("{} of {} {}", figures.differ, counted(figures.count, "element"),
                  figures.differ == 1 ? "differs" : "differ");
  }

  static std::string nonfinite_text(const Figures& figures) {
    return figures.nonfinite == 0 ? "" : format(", {} Inf or NaN on one side alone", figures.nonfinite);
  }

  /// Of NEW's tensors, but for copies.
  std::string paired() const {
    const auto all = static_cast<std::int64_t>(pairing_.size() + found_.unpaired.size());
    return format("{} of {} paired", pairing_.size(), counted(all, "tensor"));
  }

  void regions() {
    say(format("{}, each judged on the reference's values:", paired()));
    const size_t differ = found_.count(Agreement::differs);
    say(format("  {} equal, bit for bit; {} within rounding; {} {}", found_.count(Agreement::equal),
               found_.count(Agreement::rounding), differ, differ == 1 ? "differs" : "differ"));
    if (!found_.rewritten.empty())
      say(format("  {} rewritten: computed in other ways, with no effect behind them", found_.rewritten.size()));
    differing_regions();
    kinds();
    if (found_.is_one_region) say("no tensor between inputs and outputs is paired: all is one region");
  }

  void differing_regions() {
    constexpr size_t kMost = 3;
    size_t told = 0;
    for (const JudgedPair& judged : found_.pairs) {
      if (judged.agreement != Agreement::differs || told == kMost) continue;
      tell_region(judged, told == 0 ? "first that differs" : "then");
      ++told;
    }
  }

  void tell_region(const JudgedPair& judged, std::string_view begin) {
    constexpr size_t kMostSentences = 4;
    const Description described = describe(pairing_, judged.pair);
    const std::string right = titles_of(reference(), described.reference_nodes),
                      own = titles_of(fresh(), described.fresh_nodes);
    say(format("{}: {}", begin, right));
    if (own != right) say(format("  in NEW: {}", own));
    for (size_t k = 0; k < std::min(kMostSentences, described.sentences.size()); ++k)
      say("  " + described.sentences[k]);
    const std::string name = printable(reference().entities()[judged.pair.reference].name);
    if (!judged.is_numeric)
      say(format("  {} differs", name));
    else
      say(format("  {}: {}, largest error {}", name, differing_text(judged.figures), short_number(judged.figures.max)) +
          nonfinite_text(judged.figures));
    if (begin == "first that differs" && !found_.closest.empty()) say(format("  closest: {}", found_.closest));
  }

  /// Regions that agree, with other nodes on both sides.
  void kinds() {
    constexpr size_t kMost = 6;
    std::map<std::string, size_t> counts;
    for (const JudgedPair& judged : found_.pairs) {
      if (judged.agreement == Agreement::differs) continue;
      const Description described = describe(pairing_, judged.pair);
      const std::string right = operators_of(reference(), described.reference_nodes),
                        own = operators_of(fresh(), described.fresh_nodes);
      if (right == own && described.reference_nodes.size() == 1 && !described.sentences.empty())
        say(format("no effect here: {}", described.sentences.front()));
      if (right != own && !right.empty() && !own.empty()) ++counts[format("{} -> {}", right, own)];
    }
    std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, std::greater<>(), &std::pair<std::string, size_t>::second);
    if (sorted.size() > kMost) sorted.resize(kMost);
    if (sorted.empty()) return;
    say("other nodes, which agree:");
    for (const auto& [kind, count] : sorted) say(format("  {} x {}", count, kind));
  }

  void ranking() {
    constexpr size_t kMost = 10;
    const auto broken =
        std::ranges::find_if(found_.pairs, [](const JudgedPair& judged) { return judged.figures.nonfinite > 0; });
    if (broken != found_.pairs.end())
      say(format("first Inf or NaN: {}", titles_of(reference(), describe(pairing_, broken->pair).reference_nodes)));
    if (found_.ranked.empty()) return say(paired());
    say(format("{}; what each adds if it alone is NEW's (together {}):", paired(),
               percent(found_.together.value_or(0))));
    if (found_.together.value_or(0) > 3) say("  the outputs are few, and errors cancel by luck: give more inputs");
    if (found_.shares_are_some) say("  only the 64 with the greatest errors at the node");
    say(row("share", "alone", "at the node", "node"));
    for (size_t k = 0; k < std::min(arguments_.verbose ? found_.ranked.size() : kMost, found_.ranked.size()); ++k) {
      const JudgedPair& judged = found_.pairs[found_.ranked[k]];
      const size_t producer = reference().entities()[judged.pair.reference].producer;
      say(row(format("{}%", std::round(*judged.share * 1000) / 10), decibel_text(*judged.alone),
              decibel_text(judged.figures.sqnr()), reference().nodes()[producer].title()));
    }
  }

  static std::string row(std::string share, std::string alone, std::string at_node, const std::string& node) {
    const auto right = [](std::string text, size_t width) {
      if (text.size() < width) text.insert(0, width - text.size(), ' ');
      return text;
    };
    return format("{}{}{}  {}", right(std::move(share), 8), right(std::move(alone), 10), right(std::move(at_node), 14),
                  node);
  }

  void unknown() {
    for (const auto& [model, which] : {std::pair(&reference(), "REFERENCE"), std::pair(&fresh(), "NEW")}) {
      const std::vector<size_t>& places = model->unknown_nodes();
      if (places.empty()) continue;
      say(format("not evaluated in {}: {}, and what depends on {}; a region ends there", which,
                 titles_of(*model, places), places.size() == 1 ? "it" : "them"));
    }
  }

  void all_pairs() {
    say("pairs:");
    for (const JudgedPair& judged : found_.pairs)
      say(format("  {} {} {} ({})", printable(reference().entities()[judged.pair.reference].name),
                 printable(fresh().entities()[judged.pair.fresh].name), name(judged.agreement),
                 to_text(judged.pair.found)));
    for (const size_t entity : pairing_.copies())
      say(format("  {} of NEW is a copy of a paired tensor", printable(fresh().entities()[entity].name)));
    for (const size_t entity : found_.unpaired_reference)
      say(format("  {} is in no pair", printable(reference().entities()[entity].name)));
    for (const size_t entity : found_.unpaired)
      say(format("  {} of NEW is in no pair", printable(fresh().entities()[entity].name)));
  }

  const ModelDiffArguments& arguments_;
  const Both& both_;
  const Pairing& pairing_;
  const ModelComparison& found_;
  std::vector<std::string> lines_;
};

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

/// The document of --json.
class Document {
 public:
  Document(const Both& both, const Pairing& pairing, const ModelComparison& found)
      : both_(both), pairing_(pairing), found_(found) {}

  Json json(int exit_code) const {
    Json json = document("diff"), inputs = Json::list(), outputs = Json::list(), counts;
    json.set("arithmetic", name(found_.arithmetic)).set("reference_is_it", found_.is_reversed);
    if (found_.least_sqnr) json.set("least_sqnr", *found_.least_sqnr);
    for (const ValueInfo& info : both_.reference.graph.inputs) inputs.append(input_json(info));
    for (const JudgedOutput& output : found_.outputs) outputs.append(output_json(output));
    counts.set("equal", found_.count(Agreement::equal)).set("rounding", found_.count(Agreement::rounding));
    counts.set("differs", found_.count(Agreement::differs)).set("rewritten", found_.rewritten.size());
    json.set("inputs", inputs).set("outputs", outputs).set("paired", pairing_.size());
    json.set("unpaired_new", names_of(fresh(), found_.unpaired));
    json.set("unpaired_reference", names_of(reference(), found_.unpaired_reference));
    json.set("not_evaluated_new", titles(fresh(), fresh().unknown_nodes()));
    json.set("not_evaluated_reference", titles(reference(), reference().unknown_nodes()));
    json.set("pairs", counts);
    add_differing(json);
    if (found_.together) add_nodes(json);
    return std::move(json.set("exit_code", exit_code));
  }

 private:
  const Model& fresh() const { return *both_.fresh_model; }
  const Model& reference() const { return *both_.reference_model; }

  Json input_json(const ValueInfo& info) const {
    Json json = Json().set("name", info.name);
    if (const ValueType* type = reference().type_of_name(info.name))
      json.set("dtype", name(type->dtype())).set("shape", type->tensor.shape);
    const auto made = std::ranges::find(both_.generated, info.name, &GeneratedInput::name);
    if (made == both_.generated.end())
      json.set("generated", nullptr);
    else
      json.set("generated", made->values);
    return json;
  }

  static void add_figures(Json& json, const Figures& figures, const Dims& shape) {
    json.set("count", figures.count).set("differ", figures.differ).set("nonfinite", figures.nonfinite);
    json.set("max", figures.max).set("at", figures.count == 0 ? Dims{} : coordinates(figures.at, shape));
    json.set("rms", figures.rms()).set("reference_rms", figures.reference_rms()).set("sqnr", figures.sqnr());
    if (const auto cosine = figures.cosine())
      json.set("cosine", *cosine);
    else
      json.set("cosine", nullptr);
  }

  static Json output_json(const JudgedOutput& output) {
    Json json = Json().set("name", output.name).set("passes", output.passes).set("state", name(output.state));
    add_figures(json, output.figures, output.type.tensor.shape);
    return std::move(json.set("spread", output.spread).set("ratio", output.ratio));
  }

  static Json names_of(const Model& model, const std::vector<size_t>& entities) {
    Json names = Json::list();
    for (const size_t entity : entities) names.append(model.entities()[entity].name);
    return names;
  }

  static Json titles(const Model& model, const std::vector<size_t>& places) {
    Json nodes = Json::list();
    for (const size_t place : places)
      nodes.append(Json().set("name", model.nodes()[place].name()).set("op_type", model.nodes()[place].node->op_type));
    return nodes;
  }

  Json pair_json(const JudgedPair& judged) const {
    const Description described = describe(pairing_, judged.pair);
    const Entity& entity = reference().entities()[judged.pair.reference];
    Json json = Json().set("tensor", entity.name), culprits = Json::list();
    json.set("new_tensor", fresh().entities()[judged.pair.fresh].name).set("matched_by", to_text(judged.pair.found));
    json.set("state", name(judged.agreement)).set("nodes", titles(reference(), described.reference_nodes));
    json.set("new_nodes", titles(fresh(), described.fresh_nodes));
    for (const size_t place : described.culprits) culprits.append(reference().nodes()[place].name());
    json.set("culprits", culprits).set("differences", described.sentences);
    json.set("inputs", names_of(reference(), described.inputs));
    add_figures(json, judged.figures, entity.type.tensor.shape);
    return std::move(json.set("ratio", judged.ratio));
  }

  void add_differing(Json& json) const {
    constexpr size_t kMost = 100;
    Json differing = Json::list();
    size_t count = 0;
    for (const JudgedPair& judged : found_.pairs) {
      if (found_.arithmetic != Arithmetic::same || judged.agreement != Agreement::differs || count++ >= kMost) continue;
      Json one = pair_json(judged);
      if (count == 1 && !found_.closest.empty()) one.set("closest", found_.closest);
      if (count == 1) json.set("first", one);
      differing.append(one);
    }
    if (count == 0) json.set("first", nullptr);
    json.set("differing", differing);
  }

  void add_nodes(Json& json) const {
    Json nodes = Json::list();
    for (const size_t ranked : found_.ranked) {
      const JudgedPair& judged = found_.pairs[ranked];
      const Entity& entity = reference().entities()[judged.pair.reference];
      const ModelNode& node = reference().nodes()[entity.producer];
      Json one = Json().set("name", node.name()).set("op_type", node.node->op_type).set("tensor", entity.name);
      one.set("share", *judged.share).set("alone", *judged.alone);
      add_figures(one, judged.figures, entity.type.tensor.shape);
      nodes.append(one);
    }
    json.set("nodes", nodes).set("together", *found_.together);
  }

  const Both& both_;
  const Pairing& pairing_;
  const ModelComparison& found_;
};

/// The regions as the cases of a report, those that differ first, then by what they add to the outputs' error.
void write_page(const ModelDiffArguments& arguments, const Both& both, const Pairing& pairing,
                const ModelComparison& found, const std::vector<std::string>& notes) {
  CheckReport report;
  report.opref = version_number();
  report.commit = version_commit();
  report.rule = found.arithmetic == Arithmetic::same ? "4 times the spread of right kernels" : "SQNR of the outputs";
  report.title = format("opref diff {} {}", arguments.fresh, arguments.reference);
  report.notes = notes;
  std::vector<const JudgedPair*> rows;
  for (const JudgedPair& judged : found.pairs) rows.push_back(&judged);
  std::ranges::stable_sort(rows, {}, [&](const JudgedPair* judged) {
    const bool fails = found.arithmetic == Arithmetic::same && judged->agreement == Agreement::differs;
    return std::pair(!fails, -judged->share.value_or(0));
  });
  std::vector<std::string> names;
  const size_t width = std::to_string(rows.size()).size();
  for (const JudgedPair* judged : rows) {
    const Description described = describe(pairing, judged->pair);
    const Entity& entity = both.reference_model->entities()[judged->pair.reference];
    CaseRecord record;
    std::string rank = std::to_string(names.size() + 1);
    rank.insert(0, width - rank.size(), '0');
    record.name = format("{} {}", rank, entity.name);
    const bool fails = found.arithmetic == Arithmetic::same && judged->agreement == Agreement::differs;
    record.verdict = fails ? Verdict::fail : Verdict::pass;
    record.inputs = {{"REFERENCE", titles_of(*both.reference_model, described.reference_nodes)},
                     {"NEW", titles_of(*both.fresh_model, described.fresh_nodes)}};
    if (!described.reference_nodes.empty())
      record.op_type = both.reference_model->nodes()[described.reference_nodes.front()].node->op_type;
    record.dtype = name(entity.type.dtype());
    record.reason = format("{}: {} of {} differ, largest error {}", name(judged->agreement), judged->figures.differ,
                           counted(judged->figures.count, "element"), short_number(judged->figures.max));
    if (judged->share)
      record.warnings.push_back(format("{} of the outputs' error; alone {}, at the node {}", percent(*judged->share),
                                       decibel_text(*judged->alone), decibel_text(judged->figures.sqnr())));
    if (judged->agreement != Agreement::equal)
      record.warnings.insert(record.warnings.end(), described.sentences.begin(), described.sentences.end());
    if (fails && judged == found.first() && !found.closest.empty())
      record.warnings.push_back("closest: " + found.closest);
    names.push_back(record.name);
    report.cases.add(record);
  }
  report.all_count = std::ssize(names);
  settle_causes(report, [&](const auto& visit) { std::ranges::for_each(names, visit); });
  for (CauseGroup& group : report.causes) group.filter.clear();
  write_all(report, {"", "", arguments.html, ""});
}

int compare_and_print(const ModelDiffArguments& arguments) {
  const ToleranceChoice choice = chosen_tolerance(arguments.tolerance);
  Progress progress(0, "nodes");
  std::unique_ptr<Both> both = evaluated(arguments, progress);
  require_elements(*both->reference_model);
  Pairing pairing(*both->fresh_model, *both->reference_model);
  ComparisonOptions options;
  options.min_sqnr = arguments.min_sqnr;
  options.rule = choice.rule;
  options.after_node = [&progress] { progress.advance(); };
  options.begins = [&progress](std::string_view what) { progress.say(what); };
  const ModelComparison found =
      compare_models(pairing, both->candidates, both->inputs, options, limit_of(arguments.max_bytes));
  progress.erase();
  const int exit_code = exit_code_of(arguments, *both, found);
  const std::vector<std::string> lines = Printer(arguments, *both, pairing, found).lines();
  if (arguments.json)
    print(Document(*both, pairing, found).json(exit_code).text());
  else if (arguments.html != "-")
    for (const std::string& line : lines) print(indented(line) + "\n");
  if (!arguments.html.empty()) write_page(arguments, *both, pairing, found, lines);
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
