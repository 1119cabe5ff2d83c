// SPDX-License-Identifier: Apache-2.0
#include "check/bisect.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "check/bound.h"
#include "check/deciding_readings.h"
#include "check/record.h"
#include "check/typical.h"
#include "check/unspecified.h"
#include "core/error.h"
#include "core/infinity.h"
#include "exact/rounding.h"
#include "explain/explain.h"
#include "run/load_inputs.h"
#include "run/memory.h"
#include "run/node_case.h"
#include "run/node_subgraphs.h"
#include "run/part_of_graph.h"
#include "run/remedies.h"
#include "run/sound_names.h"
#include "run/version.h"
#include "schema/remedies.h"
#include "system/caught_error.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

std::string title_of(const Node& node) {
  if (!node.name.empty()) return node.name;
  const auto named = std::ranges::find_if(node.outputs, [](const std::string& name) { return !name.empty(); });
  return named == node.outputs.end() ? node.op_type : *named;
}

/// Whether the values can be each other's at all.
bool has_type_of(const Value& actual, const Value& right) {
  const ValueType a = type_of(actual), b = type_of(right);
  return a.form == b.form && a.key == b.key && a.dtype() == b.dtype() &&
         (actual.tensor() == nullptr || a.tensor.shape == b.tensor.shape);
}

/// It passes after all.
void accept(Comparison& comparison) {
  comparison.mismatches = 0;
  comparison.first = comparison.worst = std::nullopt;
  comparison.worst_mismatches.clear();
  comparison.out_of_bound.clear();
  comparison.where.clear();
  comparison.take_shares({});
}

/// Why a node was not judged.
void record_trouble(JudgedNode& judged, const Error& error) {
  CaseRecord& record = judged.record;
  if (error.fault() == Fault::internal) return describe_bug(record, error);
  if (error.fault() == Fault::invalid || error.fault() == Fault::malformed) judged.refused = error.fault();
  record.verdict = error.fault() == Fault::unsupported ? Verdict::unsupported : Verdict::skip;
  record.trouble = trouble_of(error);
  record.reason = judged.refused ? format("the node is {}: {}", name(error.fault()), error.message()) : error.message();
  record.way_out = error.way_out();
}

/// Within the bound of a kernel, where one is known.
std::optional<OutputReport> compare_in_bound(const std::shared_ptr<const Evaluated>& right, const std::string& name,
                                             const Tensor& actual, const Tensor& expected, double seconds) {
  try {
    auto comparison = in_time(seconds, "compare this", [&] {
      return compare_known_bound(right->steps, name, actual, expected, Foreign::actual);
    });
    if (comparison)
      return OutputReport{name, {.rule = Tolerance::Rule::bound}, *std::move(comparison), actual, expected};
  } catch (const Error& error) {  // it takes too long
    pass_on(error);
  }
  return std::nullopt;
}

/// By the rule that is chosen, else within the bound of a kernel where one is known.
OutputReport compare_right(const std::shared_ptr<const Evaluated>& right, const std::string& name, Value actual,
                           Value expected, const BisectOptions& options) {
  leave_out_unspecified(name, actual, expected, Foreign::actual, right->steps);
  const Tensor *given = actual.tensor(), *exact = expected.tensor();
  if (!options.tolerance.rule && given != nullptr && exact != nullptr)
    if (auto report = compare_in_bound(right, name, *given, *exact, options.timeout)) return *std::move(report);
  const bool are_floats =
      given != nullptr && exact != nullptr && is_floating(given->dtype()) && is_floating(exact->dtype());
  const Tolerance rule = options.tolerance.rule.value_or(
      exact == nullptr ? Tolerance{} : rule_without_bound(are_floats ? in_type(*exact, given->dtype()) : *exact));
  return compare_output(*right->ready->bound.read, name, actual, expected, Foreign::actual, right->steps,
                        {rule, options.tolerance.ignore_dtype, ToleranceChoice::Judged::backend});
}

}  // namespace

double greatest_ulp(const Comparison& comparison) {
  if (!comparison.reason.empty()) return kInfinity;
  const bool apart = comparison.mismatches > 0 && comparison.histogram.bins[UlpHistogram::kNoDistance] > 0;
  return apart ? kInfinity : static_cast<double>(comparison.max_ulp);
}

int Bisection::exit_code() const {
  if (!bugs.empty() || std::ranges::any_of(nodes, [](const JudgedNode& node) { return node.record.internal; }))
    return static_cast<int>(Fault::internal);
  const auto any = [&](std::initializer_list<Verdict> verdicts) {
    return std::ranges::any_of(nodes, [&](const JudgedNode& node) {
      return std::ranges::find(verdicts, node.record.verdict) != verdicts.end();
    });
  };
  const bool lacks_output =
      std::ranges::any_of(not_returned, &NotReturned::is_output) ||
      std::ranges::any_of(outputs, [](const OutputRecord& output) { return !output.comparison.reason.empty(); });
  if (any({Verdict::fail, Verdict::error})) return 1;
  const auto refused = std::ranges::find_if(nodes, [](const JudgedNode& node) { return node.refused.has_value(); });
  if (refused != nodes.end()) return static_cast<int>(*refused->refused);
  if (fused_differ || fails_alone || deaths > 0) return 1;
  if (!any({Verdict::pass})) return broken ? 1 : static_cast<int>(Fault::unsupported);
  return lacks_output ? 1 : 0;
}

void require_values(const ReadyCase& whole) {
  std::vector<std::string> missing;
  for (const ValueInfo& input : whole.bound.graph.inputs) {
    const auto source = std::ranges::find(whole.bound.inputs, input.name, &NamedSource::name);
    if (source == whole.bound.inputs.end() || !source->source.has_values()) missing.push_back(printable(input.name));
  }
  if (missing.empty()) return;
  fail(Fault::usage, {kGiveValues, join_text(missing, "=FILE ")}, "{} {} no value",
       missing.size() == 1 ? "input '" + missing.front() + "'" : "the inputs " + join_text(missing, ", "),
       missing.size() == 1 ? "has" : "have");
}

Bisector::Bisector(std::shared_ptr<const ReadyCase> whole, const ModelValues& values, const ModelValues* alone,
                   BisectOptions options)
    : whole_(std::move(whole)),
      cases_(whole_->bound),
      files_(values),
      alone_(alone),
      options_(std::move(options)),
      unreturned_(*whole_, cases_, values_, options_.tolerance.rule, options_.timeout) {
  const Bound& bound = whole_->bound;
  std::vector<std::string> warnings;
  given_ = load_inputs(bound, bound.options, warnings);
  std::set<std::string_view> names;
  for (const auto& [name, known] : given_) names.insert(name);
  require_sound_names(bound.graph, names);
  values_ = given_;
  held_ = HeldBytes(values_);
}

std::int64_t Bisector::bytes_left() const {
  return std::max<std::int64_t>(0, whole_->bound.options.max_bytes - held_.total());
}

void Bisector::take(const std::string& name, const ValueType& type, MaybeValue value) {
  if (const auto former = values_.find(name); former != values_.end() && former->second.value)
    held_.remove(*former->second.value);
  if (value) held_.add(*value);
  values_.insert_or_assign(name, Input{name, type, std::move(value), {}, true});
}

Bound Bisector::alone(size_t place) const {
  const auto other = other_types_.find(place);
  if (other == other_types_.end()) return cases_.at(place, values_);
  const auto read = names_read(whole_->bound.graph.nodes[place]);
  Bound bound = cases_.at(place, in_backend_type(values_, read, other->second));
  declare_backend_type(bound.graph, other->second);
  return bound;
}

std::shared_ptr<const ReadyCase> Bisector::alone_case(size_t place) const {
  return std::make_shared<const ReadyCase>(ReadyCase{alone(place), whole_->lacks_memory});
}

/// The node in the type in which the backend gives its outputs, where that is another one and the operator has it.
std::shared_ptr<const Evaluated> Bisector::in_own_type(size_t place, const std::shared_ptr<const Evaluated>& right) {
  const Node& node = whole_->bound.graph.nodes[place];
  if (!options_.tolerance.ignore_dtype || has_subgraph(node)) return right;
  for (const std::string& name : node.outputs) {
    if (name.empty()) continue;
    const Input& known = right->environment.find(name)->second;
    std::string problem;
    const std::optional<Value> actual = read(files_, name, known.type, problem);
    if (!actual || actual->tensor() == nullptr || known.value->tensor() == nullptr) continue;
    const OtherType types{known.value->tensor()->dtype(), actual->tensor()->dtype()};
    if (types.model == types.backend || !is_floating(types.model) || !is_floating(types.backend)) continue;
    other_types_.insert_or_assign(place, types);
    try {
      auto own = std::make_shared<const Evaluated>(evaluate(alone_case(place), options_.timeout));
      if (own->environment.find(name)->second.type.dtype() == types.backend) return own;
    } catch (const Error& error) {  // the operator does not take that type
      pass_on(error);
    }
    other_types_.erase(place);
    break;
  }
  return right;
}

Environment Bisector::right_values(size_t place) const {
  return evaluate(alone_case(place), options_.timeout).environment;
}

/// The model as the specification has it, each node rounded.
void Bisector::compute_exactly(Bisection& bisection) {
  const Graph& graph = whole_->bound.graph;
  options_.begins("evaluating the model");
  try {
    const Evaluated evaluated = evaluate(whole_, options_.timeout * static_cast<double>(graph.nodes.size()));
    for (const ValueInfo& output : graph.outputs) exact_.insert(*evaluated.environment.find(output.name));
  } catch (const std::exception&) {
    const Error error = caught_error();
    if (error.fault() == Fault::usage) throw;
    if (error.fault() == Fault::internal) bisection.bugs.push_back(error.message());
    exact_.clear();
    bisection.no_outputs = error.message();
  }
}

std::optional<Value> Bisector::read(const ModelValues& values, const std::string& name, const ValueType& expected,
                                    std::string& problem) const {
  const auto* file = values.find(name);
  if (file == nullptr) return std::nullopt;
  const ValueInfo* info = cases_.names().declaration(name);
  try {
    return at_place([&] { return format("in '{}'", printable(name)); },
                    [&] {
                      return read_backend_value(*file, info == nullptr ? ValueInfo{name, "", {}, {}} : *info, expected,
                                                bytes_left());
                    });
  } catch (const Error& error) {  // a file that cannot be read as what it is
    pass_on(error);
    problem = join_text(std::vector{error.message(), join_text(error.places(), ", ")}, " ");
    return std::nullopt;
  }
}

/// The outputs of a node that opref cannot compute, for those that read them.
void Bisector::take_unjudged(const Node& node, CaseRecord& record) {
  for (const std::string& name : node.outputs) {
    const auto* file = name.empty() ? nullptr : files_.find(name);
    if (file == nullptr) continue;
    const ValueInfo* info = cases_.names().declaration(name);
    MaybeValue value;
    try {
      value = read_backend_value(*file, info == nullptr ? ValueInfo{name, "", {}, {}} : *info, bytes_left());
    } catch (const std::exception&) {  // what reads it cannot be judged either
      const Error error = caught_error();
      if (error.fault() == Fault::internal) describe_bug(record, error);
      continue;
    }
    take(name, type_of(*value), value);
  }
}

void Bisector::judge_outputs(JudgedNode& judged, const Evaluated& right, const std::shared_ptr<const Evaluated>& own) {
  const Node& node = whole_->bound.graph.nodes[judged.place];
  CaseRecord& record = judged.record;
  record.verdict = Verdict::skip;
  std::string undecided, untypical;
  std::vector<GivenOutput> given;
  const auto fails = [&](Verdict verdict, std::string reason) {
    if (record.verdict == Verdict::fail || record.verdict == Verdict::error) return;
    record.verdict = verdict;
    record.reason = std::move(reason);
  };
  for (const std::string& name : node.outputs) {
    if (name.empty()) continue;
    const Input& known = right.environment.find(name)->second;
    std::string problem;
    std::optional<Value> actual = read(files_, name, known.type, problem);
    take(name, known.type, known.value);
    if (!actual) {
      unreturned_.add(name, judged.place, record.name, !problem.empty());
      if (!problem.empty()) {
        fails(Verdict::error, problem);
        record.trouble = Trouble::unreadable_output;
        judged.ulp = kInfinity;
      }
      continue;
    }
    OutputReport report = compare_right(own, name, *actual, *own->environment.find(name)->second.value, options_);
    given.push_back({name, *actual, {}});
    if (options_.tolerance.ignore_dtype) actual = as_model_has_it(*actual, *known.value);
    using Can = Unreturned::Can;
    const bool differs = !report.comparison.equal();
    const Can can = differs ? unreturned_.give(judged.place, right, name, *actual) : Can::yes;
    if (record.verdict == Verdict::skip) record.verdict = Verdict::pass;
    judged.ulp = std::max(judged.ulp, greatest_ulp(report.comparison));
    if (can == Can::unknown) {
      undecided = format("undecided: '{}' {}, but {} may be why", printable(name), difference_text(report.comparison),
                         printable_names(judged.together));
    } else if (can == Can::no) {
      if (!judged.rule) judged.rule = report.tolerance;
      fails(Verdict::fail, format("'{}' {}", printable(name), difference_text(report.comparison)));
    }
    if (differs && can == Can::yes) accept(report.comparison);
    if (untypical.empty()) untypical = untypical_reason(name, report.comparison);
    add_output(record, report);
    if (differs && can == Can::yes)
      record.outputs.back().rule =
          format("{}, and what is allowed in {}", to_text(report.tolerance), printable_names(judged.together));
    // What cannot be its value is no input of others: these are judged by the right one.
    if (has_type_of(*actual, *known.value))
      take(name, known.type, *std::move(actual));
    else if (differs)
      unreturned_.add(name, judged.place, record.name, true);
  }
  if (record.verdict == Verdict::pass && !untypical.empty()) {
    const bool is_sought = untypical_sought_++ < options_.most_causes;
    judge_untypical(record, untypical,
                    is_sought ? explain_untypical(own->ready, given, options_.timeout) : Explanation{},
                    options_.tolerance.is_strict);
  }
  if (record.verdict == Verdict::skip)
    record.reason = "the backend returned none of its outputs; the nodes that read them are judged together with it";
  if (record.verdict == Verdict::pass && !undecided.empty()) {
    record.verdict = Verdict::skip;
    record.reason = std::move(undecided);
  }
}

JudgedNode Bisector::judge_node(size_t place) {
  const Node& node = whole_->bound.graph.nodes[place];
  JudgedNode judged;
  judged.place = place;
  judged.in_place_of = node.in_place_of;
  judged.record.name = title_of(node);
  judged.record.op_type = node.op_type;
  judged.record.path = whole_->bound.read->origin;
  if (std::ranges::any_of(node.outputs, [&](const std::string& name) { return files_.find(name) != nullptr; }))
    judged.together = unreturned_.read_by(node);
  const auto start = std::chrono::steady_clock::now();
  try {
    require_known_operators(whole_->bound.graph, node);
    for (const std::string& name : names_read(node))
      if (!name.empty() && !values_.contains(name))
        fail(Fault::usage, "its input '{}' is not known: {}", printable(name),
             files_.find(name) == nullptr ? files_.why_not(name) : "its file cannot be read");
    const auto ready = alone_case(place);
    describe_node(judged.record, *ready);
    const auto right = std::make_shared<const Evaluated>(evaluate(ready, options_.timeout));
    const auto own = in_own_type(place, right);
    if (own != right) {
      judged.record.inputs.clear(), judged.record.attributes.clear();
      describe_node(judged.record, *own->ready);
    }
    describe_steps(judged.record, own->steps, {});
    ToleranceChoice choice = options_.tolerance;
    choice.judged = ToleranceChoice::Judged::backend;
    describe_readings(judged.record, with_deciding_readings(*own, choice, options_.timeout));
    judge_outputs(judged, *right, own);
  } catch (const std::exception&) {
    record_trouble(judged, caught_error());
    take_unjudged(node, judged.record);
  }
  judged.record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return judged;
}

void Bisector::look_for_causes(Bisection& bisection) {
  size_t looked = 0;
  options_.begins("looking for causes");
  for (JudgedNode& judged : bisection.nodes) {
    if (judged.record.verdict != Verdict::fail || looked == options_.most_causes) continue;
    ++looked;
    judged.sought = true;
    try {
      look_for_causes(judged.record, judged.place);
    } catch (const std::exception&) {  // without causes it fails all the same
      const Error error = caught_error();
      if (error.fault() == Fault::internal) describe_bug(judged.record, error);
    }
  }
}

void Bisector::look_for_causes(CaseRecord& record, size_t place) const {
  const auto ready = alone_case(place);
  const Environment right = evaluate(ready, options_.timeout).environment;
  std::vector<GivenOutput> given;
  for (const std::string& name : ready->bound.graph.nodes.front().outputs) {
    const auto* file = name.empty() ? nullptr : files_.find(name);
    const auto known = values_.find(name);
    if (file == nullptr || known == values_.end()) continue;
    std::string problem;
    std::optional<Value> value = read(files_, name, known->second.type, problem);
    if (!value) continue;
    if (options_.tolerance.ignore_dtype) value = as_model_has_it(*value, *right.at(name).value);
    // Where it is right by the wider rule, only what gives its bits is a cause.
    const Tensor* tensor = right.at(name).value->tensor();
    Tolerance rule = options_.tolerance.rule.value_or(tensor == nullptr ? Tolerance{} : rule_without_bound(*tensor));
    if (compare_values(*value, *right.at(name).value, rule.rule == Tolerance::Rule::bound ? Tolerance{} : rule).equal())
      rule = {};
    given.push_back({name, *std::move(value), rule});
  }
  describe_causes(record, explain_outputs(ready, given, options_.timeout, can_return));
}

void Bisector::compare_outputs(Bisection& bisection) {
  for (const ValueInfo& output : whole_->bound.graph.outputs) {
    const auto exact = exact_.find(output.name);
    if (exact == exact_.end() || files_.find(output.name) == nullptr) continue;
    std::string problem;
    const std::optional<Value> actual = read(files_, output.name, exact->second.type, problem);
    if (!actual) {
      OutputRecord record;
      record.name = output.name;
      record.type = to_text(exact->second.type);
      record.comparison.reason = problem;
      bisection.outputs.push_back(std::move(record));
      continue;
    }
    const Tensor* tensor = exact->second.value->tensor();
    Tolerance rule = tensor == nullptr ? Tolerance{} : rule_without_bound(*tensor);
    if (options_.tolerance.rule && options_.tolerance.rule->rule != Tolerance::Rule::bound)
      rule = *options_.tolerance.rule;
    bisection.outputs.push_back(
        record_output(compare_output(*whole_->bound.read, output.name, *actual, *exact->second.value, Foreign::actual,
                                     {}, {rule, options_.tolerance.ignore_dtype, ToleranceChoice::Judged::backend})));
  }
}

void Bisector::compare_alone(Bisection& bisection) {
  if (alone_ == nullptr) {
    bisection.not_asked_alone = "the values were made elsewhere";
    return;
  }
  const Answer& answer = alone_->answer();
  if (answer.status != Answer::Status::ok) {
    bisection.not_asked_alone = answer.why;
    bisection.fails_alone = answer.status == Answer::Status::broken || answer.status == Answer::Status::refused;
    return;
  }
  for (const ValueInfo& output : whole_->bound.graph.outputs) {
    const auto known = values_.find(output.name);
    if (known == values_.end()) continue;
    std::string problem;
    const std::optional<Value> alone = read(*alone_, output.name, known->second.type, problem);
    if (!alone) {
      bisection.fails_alone = true;
      bisection.not_asked_alone =
          problem.empty() ? format("'{}': {}", printable(output.name), alone_->why_not(output.name)) : problem;
      continue;
    }
    const std::optional<Value> with = read(files_, output.name, known->second.type, problem);
    if (!with || same_bits(*alone, *with)) continue;
    const Tolerance rule = with->tensor() == nullptr ? Tolerance{} : rule_without_bound(*with->tensor());
    const OutputReport report = compare_output(*whole_->bound.read, output.name, *alone, *with, Foreign::actual, {},
                                               {rule, false, ToleranceChoice::Judged::backend});
    bisection.changed.push_back({record_output(report), rms_difference(*alone, *with).value_or(0), {}});
  }
  look_for_rounding(bisection);
  bisection.fused_differ = std::ranges::any_of(bisection.changed, [](const ChangedOutput& changed) {
    return !changed.record.comparison.equal() && !changed.is_rounding();
  });
}

/// Whether outputs that differ too much are those of a model that amplifies rounding.
void Bisector::look_for_rounding(Bisection& bisection) const {
  const auto differs = [](const ChangedOutput& changed) {
    return !changed.record.comparison.equal() && !std::isinf(greatest_ulp(changed.record.comparison));
  };
  if (std::ranges::none_of(bisection.changed, differs)) return;
  const Graph& graph = whole_->bound.graph;
  const SensitivityOptions how;
  options_.begins("evaluating the model with noise");
  try {
    const double seconds = options_.timeout * static_cast<double>(graph.nodes.size()) * (how.runs + 1);
    const Sensitivity sensitivity = in_time(seconds, "evaluate the model with noise",
                                            [&] { return sensitivity_of(graph, given_, whole_->bound.options, how); });
    for (ChangedOutput& changed : bisection.changed)
      if (differs(changed))
        changed.spread = *std::ranges::find(sensitivity.outputs, changed.record.name, &OutputSpread::name);
  } catch (const std::exception&) {  // the nodes that it fuses are to blame then
    const Error error = caught_error();
    if (error.fault() == Fault::internal) bisection.bugs.push_back(error.message());
    bisection.no_spread = error.message();
  }
}

/// In what the backend gave, and where it gave nothing what is right.
void Bisector::look_for_non_finite(Bisection& bisection) {
  NonFiniteSearch search(whole_->bound.graph, whole_->bound.options);
  for (size_t place = 0; place < whole_->bound.graph.nodes.size(); ++place) search.look_at(place, values_);
  bisection.non_finite = search.first();
}

namespace {

/// The floating element that is off most against the greatest magnitude of its output.
std::optional<WorstElement> worst_element(std::span<const OutputRecord> outputs, const Environment& actual,
                                          const Environment& exact) {
  std::optional<WorstElement> worst;
  double greatest = 0;
  for (const OutputRecord& output : outputs) {
    if (!output.comparison.reason.empty()) continue;
    const auto a = actual.find(output.name), e = exact.find(output.name);
    if (a == actual.end() || !has_type_of(*a->second.value, *e->second.value)) continue;
    const Tensor *given = a->second.value->tensor(), *right = e->second.value->tensor();
    if (given == nullptr || info(right->dtype()).kind != Kind::floating) continue;
    double magnitude = 0;
    for (std::int64_t i = 0; i < right->count(); ++i)
      if (const double x = std::abs(floating_element(*right, i)); x < kInfinity) magnitude = std::max(magnitude, x);
    for (std::int64_t i = 0; i < right->count(); ++i) {
      const double x = floating_element(*given, i), y = floating_element(*right, i);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      const double off = std::isfinite(x - y) ? std::abs(x - y) / std::max(magnitude, 1e-300) : kInfinity;
      if (worst && off <= greatest) continue;
      greatest = off;
      worst = WorstElement{output.name, coordinates(i, right->shape()), x, y, ""};
    }
  }
  return worst;
}

/// What becomes of one element of the model's outputs where nodes up to a place are the backend's, and those from there
/// on are exact.
class MixedRuns {
 public:
  MixedRuns(const ReadyCase& whole, const Environment& given, const Environment& backend, const WorstElement& worst)
      : whole_(whole), given_(given), backend_(backend), worst_(worst) {}

  double from(size_t place) const {
    const Graph& graph = whole_.bound.graph;
    const Graph rest = needed_for(graph, std::vector{worst_.output}, place);
    Environment known = given_;
    for (size_t i = 0; i < place; ++i)
      for (const std::string& name : graph.nodes[i].outputs)
        if (const auto value = backend_.find(name); value != backend_.end()) known.insert(*value);
    if (!known.contains(worst_.output)) run_graph(rest, known, whole_.bound.options);
    const Tensor* tensor = value_of(known, worst_.output).tensor();
    if (tensor == nullptr) fail(Fault::usage, "'{}' is no tensor", printable(worst_.output));
    return floating_element(*tensor, position(worst_.index, tensor->shape()));
  }

 private:
  const ReadyCase& whole_;
  const Environment &given_, &backend_;
  const WorstElement& worst_;
};

/// Finds the nodes that make an error: a part of the graph that makes less than a twentieth of it is not divided,
/// unless a node in it fails: what several make may cancel.
struct ErrorShares {
  const MixedRuns& runs;
  std::vector<std::optional<double>>& shares;  ///< by place
  const std::set<size_t>& failing;             ///< places
  double total;

  void divide(size_t begin, size_t last, double before, double after) const {
    constexpr double kLeast = 0.05;
    const auto fails = failing.lower_bound(begin);
    if (std::abs(after - before) < kLeast * std::abs(total) && (fails == failing.end() || *fails >= last)) return;
    if (last - begin == 1) {
      shares[begin] = (after - before) / total;
      return;
    }
    const size_t middle = begin + (last - begin) / 2;
    const double between = runs.from(middle);
    divide(begin, middle, before, between);
    divide(middle, last, between, after);
  }
};

}  // namespace

void Bisector::share_error(Bisection& bisection) {
  bisection.worst = worst_element(bisection.outputs, values_, exact_);
  if (!bisection.worst) return;
  WorstElement& worst = *bisection.worst;
  const double total = worst.actual - worst.exact;
  if (!std::isfinite(total)) {
    worst.not_shared = "it is no finite number";
    return;
  }
  std::vector<std::optional<double>> shares(whole_->bound.graph.nodes.size());
  std::set<size_t> failing;  // the worst ones
  for (const JudgedNode& judged : bisection.nodes)
    if (judged.record.verdict == Verdict::fail && failing.size() < options_.most_causes) failing.insert(judged.place);
  options_.begins("dividing the error among the nodes");
  const MixedRuns runs(*whole_, given_, values_, worst);
  try {
    const auto divided = within(options_.timeout, [&] {
      ErrorShares{runs, shares, failing, total}.divide(0, shares.size(), worst.exact, worst.actual);
      return true;
    });
    if (!divided) worst.not_shared = "opref takes too long to find that out";
  } catch (const Error& error) {
    pass_on(error);
    worst.not_shared = error.message();
  }
  for (JudgedNode& judged : bisection.nodes) judged.share = shares[judged.place];
}

Bisection Bisector::judge() {
  Bisection bisection;
  const Graph& graph = whole_->bound.graph;
  const Answer::Status status = files_.answer().status;
  bisection.broken = status == Answer::Status::refused;
  bisection.deaths = files_.deaths();
  compute_exactly(bisection);
  for (size_t place = 0; place < graph.nodes.size(); ++place) {
    bisection.nodes.push_back(judge_node(place));
    options_.after_node();
  }
  const std::vector<std::string> names = computed_names(graph);
  for (const std::string& name : names)
    if (files_.find(name) == nullptr)
      bisection.not_returned.push_back({name, files_.why_not(name), cases_.names().is_output(name)});
  const bool tries = status == Answer::Status::ok ||
                     (status == Answer::Status::broken && files_.answer().how == Answer::How::protocol);
  bisection.returned_nothing = tries && bisection.not_returned.size() == names.size();
  const auto rank = [](const JudgedNode& node) {
    const Verdict verdict = node.record.verdict;
    const int group = verdict == Verdict::fail || verdict == Verdict::error ? 0 : verdict == Verdict::pass ? 1 : 2;
    return std::tuple(group, std::isinf(node.ulp) ? -kInfinity : -node.record.largest_share().value_or(0), -node.ulp);
  };
  std::ranges::stable_sort(bisection.nodes, {}, rank);
  look_for_causes(bisection);
  for (const auto step :
       {&Bisector::compare_outputs, &Bisector::compare_alone, &Bisector::share_error, &Bisector::look_for_non_finite}) {
    try {
      (this->*step)(bisection);
    } catch (const std::exception&) {  // the nodes are judged all the same
      const Error error = caught_error();
      if (error.fault() != Fault::internal) throw;
      bisection.bugs.push_back(error.message());
    }
  }
  return bisection;
}

}  // namespace opref::check
