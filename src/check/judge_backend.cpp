// SPDX-License-Identifier: Apache-2.0
#include "check/judge_backend.h"

#include <algorithm>
#include <functional>

#include "backend/output_files.h"
#include "check/bound.h"
#include "check/deciding_readings.h"
#include "check/drawn.h"
#include "check/handed.h"
#include "check/record.h"
#include "check/typical.h"
#include "core/error.h"
#include "explain/explain.h"
#include "run/copy_case.h"
#include "run/load_inputs.h"
#include "run/memory.h"
#include "run/version.h"
#include "run/write_case.h"
#include "run/write_outputs.h"
#include "system/file.h"
#include "system/folder.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

namespace fs = std::filesystem;

/// One output as it should be.
struct Expected {
  size_t position;  ///< among the graph's outputs
  ValueInfo declared;
  Value value;
};

/// What a broken answer is.
Trouble trouble_of(Answer::How how) {
  switch (how) {
    case Answer::How::killed:
      return Trouble::killed;
    case Answer::How::late:
      return Trouble::late;
    case Answer::How::machine:
      return Trouble::machine;
    case Answer::How::bug:
      return Trouble::own_bug;
    case Answer::How::protocol:
      break;
  }
  return Trouble::protocol;
}

/// What an answer is that says of no outputs.
Trouble trouble_of(const Answer& answer) {
  switch (answer.status) {
    case Answer::Status::unsupported:
      return Trouble::unsupported;
    case Answer::Status::refused:
      return Trouble::refused;
    case Answer::Status::broken:
      return trouble_of(answer.how);
    case Answer::Status::absent:
      return Trouble::absent;
    case Answer::Status::ok:
      break;
  }
  return Trouble::none;
}

/// Whether nothing at all is what should be there.
bool is_nothing(const Value& value) {
  const auto* optional = std::get_if<Optional>(&value);
  return optional != nullptr && std::holds_alternative<std::monostate>(optional->element);
}

std::string missing_text(const Expected& output) {
  const std::string name = printable(output.declared.name), file = file_name_of(output.declared.name);
  if (is_of_maps(type_of(output.value).form))
    return format("output '{}' is missing: neither output_{}.pb nor {}.json", name, output.position, file);
  std::string text = format("output '{}' is missing: neither output_{}.pb, output_{}.npy nor {}.npy", name,
                            output.position, output.position, file);
  if (output.value.tensor() == nullptr)
    text += format(", nor as .npz or as the folder of a sequence output_{} or {}", output.position, file);
  return text;
}

size_t position_of(const Graph& graph, const std::string& output) {
  const auto found = std::ranges::find(graph.outputs, output, &ValueInfo::name);
  if (found == graph.outputs.end()) fail(Fault::malformed, "'{}' is expected, but is no output", printable(output));
  return static_cast<size_t>(found - graph.outputs.begin());
}

/// Types of everything, for expected values that do not state their own.
Environment inferred_types(const ReadyCase& ready) {
  std::vector<std::string> warnings;
  Environment environment = load_inputs(ready.bound, ready.bound.options, warnings);
  infer(ready.bound.graph, environment, ready.bound.options);
  return environment;
}

/// `types` are those of the graph's values, where they are known.
std::vector<Expected> stated_outputs(const ReadyCase& ready, std::optional<Environment> types) {
  const Graph& graph = ready.bound.graph;
  std::vector<Expected> outputs;
  std::int64_t left = ready.bound.options.max_bytes;
  for (const NamedSource& named : ready.bound.expected) {
    at_place([&] { return format("in expected output '{}'", printable(named.name)); },
             [&] {
               const size_t position = position_of(graph, named.name);
               LoadedTensor loaded = load(named.source, left, named.name);
               const bool open = loaded.literal || !loaded.open_descr.empty();
               if (open && !types) types = inferred_types(ready);
               Value value =
                   open ? settle(std::move(loaded), types->at(named.name).type.dtype()) : std::move(loaded.value);
               left = std::max<std::int64_t>(0, left - byte_size(value));
               outputs.push_back({position, graph.outputs[position], std::move(value)});
             });
  }
  return outputs;
}

/// What a backend's outputs are compared with.
struct Reference {
  std::vector<Expected> outputs;
  std::shared_ptr<const Evaluated> evaluated;  ///< where the outputs are opref's own, or have the same bits; else null
  bool are_stated = false;
  std::shared_ptr<const Evaluated> beside = nullptr;  ///< opref's own outputs, where shares of their bound are told too

  /// What is held beside a backend's outputs.
  std::int64_t bytes() const {
    std::int64_t total = evaluated ? HeldBytes(evaluated->environment).total() : 0;
    for (const Expected& output : outputs)
      if (!evaluated || are_stated) total = checked_add(total, byte_size(output.value));
    return total;
  }
};

/// Of a case whose expected outputs are its own: evaluated only where a reading may matter, and where opref can. The
/// types of the graph's values, where they can be inferred.
std::optional<Environment> describe_inferred(CaseRecord& record, const std::shared_ptr<const ReadyCase>& ready,
                                             const JudgeOptions& options) {
  try {
    const Graph& graph = ready->bound.graph;
    require_known_operators(graph);
    std::vector<std::string> warnings;
    Environment environment;
    const std::vector<Step> steps = in_time(options.timeout, "infer the types of this", [&] {
      environment = load_inputs(ready->bound, ready->bound.options, warnings);
      return infer(graph, environment, ready->bound.options);
    });
    describe_steps(record, steps, warnings);
    if (!other_readings(steps).empty())
      describe_readings(record,
                        with_deciding_readings(evaluate(ready, options.timeout), options.tolerance, options.timeout));
    return environment;
  } catch (const Error& error) {  // the backend is judged all the same
    forgive(*ready, error);
    return std::nullopt;
  }
}

/// The case, evaluated, if opref can.
std::shared_ptr<const Evaluated> evaluated_if_known(const std::shared_ptr<const ReadyCase>& ready, double seconds) {
  try {
    return std::make_shared<const Evaluated>(evaluate(ready, seconds));
  } catch (const Error& error) {  // the backend is judged all the same
    forgive(*ready, error);
    return nullptr;
  }
}

const Value* value_in(const Evaluated& evaluated, const std::string& name) {
  const auto found = evaluated.environment.find(name);
  return found != evaluated.environment.end() && found->second.value ? &*found->second.value : nullptr;
}

/// The case, evaluated, if what it expects is what opref computes.
std::shared_ptr<const Evaluated> evaluated_alike(const std::shared_ptr<const ReadyCase>& ready,
                                                 const std::vector<Expected>& outputs, double seconds) {
  auto evaluated = evaluated_if_known(ready, seconds);
  const bool are_alike = evaluated && std::ranges::all_of(outputs, [&](const Expected& output) {
                           const Value* value = value_in(*evaluated, output.declared.name);
                           return value != nullptr && same_bits(*value, output.value);
                         });
  return are_alike ? evaluated : nullptr;
}

/// The case's expected outputs; what opref itself computes where it has none, and for the rule bound.
Reference reference_of(CaseRecord& record, const std::shared_ptr<const ReadyCase>& ready, const JudgeOptions& options) {
  const Bound& bound = ready->bound;
  if (!bound.expected.empty() && !is_bound(*bound.read, options.tolerance)) {
    const std::optional<Environment> inferred = describe_inferred(record, ready, options);
    Reference reference{
        in_time(options.timeout, "read what this expects", [&] { return stated_outputs(*ready, inferred); }), {}, true};
    if (is_bound_by_default(*bound.read, options.tolerance))
      reference.evaluated = evaluated_alike(ready, reference.outputs, options.timeout);
    if (has_shares_beside(*bound.read, options.tolerance))
      reference.beside = evaluated_if_known(ready, options.timeout);
    return reference;
  }
  require_known_operators(bound.graph);
  Reference reference{{}, std::make_shared<const Evaluated>(evaluate(ready, options.timeout))};
  describe_steps(record, reference.evaluated->steps, reference.evaluated->warnings);
  describe_readings(record, with_deciding_readings(*reference.evaluated, options.tolerance, options.timeout));
  for (const ValueInfo& output : bound.graph.outputs) {
    const Input& known = reference.evaluated->environment.find(output.name)->second;
    reference.outputs.push_back({reference.outputs.size(), output, *known.value});
  }
  return reference;
}

void judge_refusal(CaseRecord& record, const Bound& bound, const Answer& answer) {
  const ExpectedError& expected = *bound.read->expect_error;
  const auto gives = [&](Verdict verdict, std::string reason, Trouble trouble = Trouble::none) {
    record.verdict = verdict;
    record.reason = std::move(reason);
    record.trouble = trouble;
  };
  switch (answer.status) {
    case Answer::Status::refused:
      if (const std::string file = OutputFiles(answer.outputs, bound.graph).any(); !file.empty())
        return gives(Verdict::fail,
                     format("it is refused ({}), but there is an output: {}", answer.why, printable(file)),
                     Trouble::refused_late);
      return gives(Verdict::pass, "");
    case Answer::Status::unsupported:
      if (expected.fault == Fault::unsupported) return gives(Verdict::pass, "");
      return gives(Verdict::unsupported, answer.why, trouble_of(answer));
    case Answer::Status::broken:
      return gives(Verdict::error, answer.why, trouble_of(answer));
    case Answer::Status::ok:
      return gives(Verdict::fail, format("it is accepted, but \"{}\" is expected", printable(expected.message, 1000)),
                   Trouble::accepted);
    case Answer::Status::absent:
      return gives(Verdict::skip, "it must be refused, and there is no output to judge");
  }
}

void judge_outputs(CaseRecord& record, const std::shared_ptr<const ReadyCase>& ready, const Reference& reference,
                   const Answer& answer, const JudgeOptions& options) {
  record.verdict = Verdict::pass;
  const auto fails = [&record](std::string reason, Trouble trouble) {
    if (record.verdict == Verdict::pass) {
      record.reason = std::move(reason);
      record.trouble = trouble;
    }
    record.verdict = Verdict::fail;
  };
  const OutputFiles files(answer.outputs, ready->bound.graph);
  bool differs = false;
  std::string untypical, no_verdict;
  ModelSpread spread(ready->bound, options.timeout);
  std::vector<GivenOutput> given;
  std::int64_t left = ready->bound.options.max_bytes - reference.bytes();
  for (const Expected& output : reference.outputs) {
    const std::string& name = output.declared.name;
    const auto& file = files.of(output.position);
    if (!file && !is_nothing(output.value)) {
      fails(missing_text(output), Trouble::missing_output);
      continue;
    }
    Value actual = output.value;
    if (file) {
      actual = at_place([&] { return format("in output '{}'", printable(name)); },
                        [&] {
                          return read_backend_value(*file, output.declared, type_of(output.value),
                                                    std::max<std::int64_t>(0, left));
                        });
      left -= byte_size(actual);
    }
    const auto compare_now = [&] {
      const auto steps =
          reference.evaluated ? std::span<const Step>(reference.evaluated->steps) : std::span<const Step>();
      return compare_output(*ready->bound.read, name, actual, output.value, Foreign::actual, steps, options.tolerance,
                            reference.evaluated ? &spread : nullptr);
    };
    OutputReport report = is_bound(*ready->bound.read, options.tolerance)
                              ? in_time(options.timeout, "compare this", compare_now)
                              : compare_now();
    if (const Value* ours = reference.beside ? value_in(*reference.beside, name) : nullptr; ours != nullptr)
      within(options.timeout, [&] {
        add_shares_beside(report.comparison, reference.beside->steps, name, report.actual, *ours);
        return true;
      });
    if (report.comparison.has_no_verdict()) {
      if (no_verdict.empty())
        no_verdict = format("output '{}' {}", printable(name), difference_text(report.comparison));
    } else if (!report.comparison.equal()) {
      differs = true;
      record.output_differs |= record.verdict == Verdict::pass;
      fails(format("output '{}' {}", printable(name), difference_text(report.comparison)),
            report.comparison.reason.empty() ? Trouble::none : Trouble::other_type);
    } else if (untypical.empty()) {
      untypical = untypical_reason(name, report.comparison);
    }
    add_output(record, report);
    given.push_back({name, std::move(report.actual), report.tolerance});
  }
  if (const std::string surplus = files.surplus(); !surplus.empty()) fails(surplus, Trouble::surplus_output);
  if (differs) {
    describe_causes(record, explain_outputs(ready, given, options.timeout, can_return));
  } else if (record.verdict == Verdict::pass && !no_verdict.empty()) {
    record.verdict = Verdict::unsupported;
    record.reason = no_verdict;
  } else if (record.verdict == Verdict::pass && !untypical.empty()) {
    judge_untypical(record, untypical, explain_untypical(ready, given, options.timeout), options.tolerance.is_strict);
  }
}

/// The outputs of a case by these readings, or why there are none.
struct Outcome {
  std::vector<Value> outputs;
  std::optional<Error> refusal;
};

Outcome outcome_of(const std::shared_ptr<const ReadyCase>& ready, double seconds) {
  try {
    const Evaluated evaluated = evaluate(ready, seconds);
    Outcome outcome;
    for (const ValueInfo& output : ready->bound.graph.outputs)
      outcome.outputs.push_back(*evaluated.environment.find(output.name)->second.value);
    return outcome;
  } catch (const Error& error) {
    if (error.fault() == Fault::internal || error.fault() == Fault::system) throw;
    return {{}, error};
  }
}

/// Whether what the case selects gives another result than the defaults, by which a backend is judged.
bool readings_change_result(const ReadyCase& ready, double seconds) {
  const auto selected = std::make_shared<ReadyCase>(ready), plain = std::make_shared<ReadyCase>(ready);
  plain->bound.options.readings.clear();
  const Outcome a = outcome_of(selected, seconds), b = outcome_of(plain, seconds);
  if (a.refusal && b.refusal) return a.refusal->message() != b.refusal->message();
  if (a.refusal || b.refusal) return true;
  return !std::ranges::equal(a.outputs, b.outputs,
                             [](const Value& x, const Value& y) { return compare_values(x, y, Tolerance{}).equal(); });
}

/// Of a case whose values are random: what the backend drew is checked.
void judge_drawn(CaseRecord& record, const std::shared_ptr<const ReadyCase>& ready, const Answer& answer,
                 const JudgeOptions& options) {
  const Graph& graph = ready->bound.graph;
  const OutputFiles files(answer.outputs, graph);
  const Environment types = inferred_types(*ready);
  std::vector<GivenValue> given;
  std::int64_t left = ready->bound.options.max_bytes;
  std::string missing = files.surplus();
  const bool has_surplus = !missing.empty();
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const ValueInfo& declared = graph.outputs[i];
    if (const auto& file = files.of(i)) {
      given.push_back({declared.name, at_place([&] { return format("in output '{}'", printable(declared.name)); },
                                               [&] {
                                                 return read_backend_value(*file, declared,
                                                                           types.at(declared.name).type,
                                                                           std::max<std::int64_t>(0, left));
                                               })});
      left -= byte_size(given.back().value);
    } else if (missing.empty()) {
      missing = missing_text({i, declared, {}});
    }
  }
  CaseReport report = in_time(options.timeout, "check this", [&] {
    try {
      return check_drawn(*ready, given, options.tolerance);
    } catch (const Error& error) {  // of an output of which nothing but its type can be known
      if (error.fault() != Fault::unsupported) throw;
      CaseReport unknown;
      unknown.verdict = Verdict::unsupported;
      unknown.reason = error.message();
      return unknown;
    }
  });
  if (report.verdict == Verdict::pass && !missing.empty()) {
    report.verdict = Verdict::fail;
    report.reason = missing;
    record.trouble = has_surplus ? Trouble::surplus_output : Trouble::missing_output;
  }
  describe_drawn(record, *ready, report);
}

/// `judge_all` is called where there are outputs.
void judge_answer(CaseRecord& record, const Answer& answer, const std::function<void()>& judge_all) {
  record.reason = answer.why;
  record.trouble = trouble_of(answer);
  switch (answer.status) {
    case Answer::Status::unsupported:
      record.verdict = Verdict::unsupported;
      return;
    case Answer::Status::refused:
    case Answer::Status::broken:
      record.verdict = Verdict::error;
      return;
    case Answer::Status::absent:
      record.verdict = Verdict::fail;
      return;
    case Answer::Status::ok:
      break;
  }
  try {
    judge_all();
  } catch (const Error& error) {  // a file that cannot be read as what it is
    pass_on(error);
    record.verdict = Verdict::error;
    record.reason = join_text(std::vector{error.message(), join_text(error.places(), ", ")}, " ");
    record.trouble = trouble_with(error, Trouble::unreadable_output);
    record.way_out = error.way_out();
    record.lacks_memory = error.remedy() == kMoreMemory;
    record.transient = error.fault() == Fault::system;
  }
}

}  // namespace

void judge_backend(CaseRecord& record, const std::shared_ptr<const ReadyCase>& ready, const JudgeOptions& options) {
  const Case& loaded = *ready->bound.read;
  if (!loaded.readings.empty() && readings_change_result(*ready, options.timeout)) {
    std::vector<std::string> chosen;
    for (const auto& [reading, value] : loaded.readings) chosen.push_back(format("{}={}", reading, value));
    record.verdict = Verdict::unsupported;
    record.reason = format("no backend can be told its reading, which decides it: {}", join_text(chosen, ", "));
    return;
  }
  const bool is_drawn = !loaded.expect_error && draws(*ready);
  Reference reference;
  if (!loaded.expect_error && !is_drawn) reference = reference_of(record, ready, options);
  HandedCase handed{record.name, {}, {}, {}};
  std::optional<CaseFolder> folder;
  if (options.backend->needs() == Backend::Needs::files) {
    folder.emplace(options.scratch);
    auto files = options.nodes.empty() ? copy_case(loaded, record.path, folder->path()) : std::nullopt;
    if (!files)
      files = in_time(options.timeout, "write this",
                      [&] { return write_case(ready->bound, ready->bound.options, folder->path()); });
    handed = {record.name, files->model, files->inputs, folder->path() / "outputs"};
  }
  Answer answer = ask(*options.backend, handed);
  if (folder) hide_temporary_names(answer, handed, folder->path());
  record.transient = answer.status == Answer::Status::broken;
  if (loaded.expect_error)
    judge_refusal(record, ready->bound, answer);
  else
    judge_answer(record, answer, [&] {
      if (is_drawn)
        judge_drawn(record, ready, answer, options);
      else
        judge_outputs(record, ready, reference, answer, options);
    });
  if (record.verdict != Verdict::pass) record.stderr_tail = answer.last_lines;
}

}  // namespace opref::check
