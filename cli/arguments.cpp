// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <algorithm>

#include "check/bound.h"
#include "cli/output.h"
#include "cli/version.h"
#include "compare/tolerance.h"
#include "core/once_per_tensor.h"
#include "io/json/json.h"
#include "io/json/maps.h"
#include "io/json/tree.h"
#include "io/numpy/print.h"
#include "report/name_filter.h"
#include "run/fixed_names.h"
#include "run/load_case.h"
#include "run/step_json.h"
#include "run/version.h"
#include "system/deadline.h"

namespace opref::cli {
namespace {

/// NAME=VALUE of --reading; what names exist is checked with the graph's operators.
void parse_readings(const std::vector<std::string>& arguments, ReadingChoices& choices) {
  for (const std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    if (equals == std::string::npos)
      fail(Fault::usage, "--reading {}: it is written NAME=VALUE; 'opref ops OPERATOR' lists both",
           printable(argument));
    if (!choices.emplace(argument.substr(0, equals), argument.substr(equals + 1)).second)
      fail(Fault::usage, "--reading {}: the reading is chosen twice", printable(argument));
  }
}

BoundedKernel chosen_kernel(const std::string& text) {
  return at_place([&] { return "in --bound=" + printable(text); }, [&] { return parse_kernel(text); });
}

}  // namespace

void require_filter(const std::string& expression) {
  at_place([&] { return "in --filter " + printable(expression); }, [&] { NameFilter{expression}; });
}

void add_node_options(Options& command, NodeArguments& arguments) {
  add_argument(command, "NODE", arguments.node,
               "case folder, JSON case, .onnx, OpenVINO .xml, ONNX text, operator name, -")
      .required();
  add_argument(command, "NAME=FILE", arguments.bindings,
               "a tensor of the node: .npy, .npz:member, .pb, NAME=[1,2]:int64, a scalar NAME=2:float32");
  add_option(command, "-a,--attribute", arguments.attributes, "NAME=VALUE",
             "set an attribute: a list as 1,2, a graph as ONNX text");
  add_opset(command, arguments.opset, "opset in force, instead of the file's or the newest");
  add_option(command, "--node", arguments.only, "NAME",
             "only the node with this name or output; repeat it for several");
  add_reading(command, arguments.readings);
}

void add_fix_names(Options& command, bool& fixes) {
  add_flag(command, "--fix-names", fixes, "sort nodes, and rename what hides a name around a subgraph; say which");
}

void note_fixed_names(const std::vector<std::string>& changes) {
  for (const std::string& change : changes) note(wrapped("note: " + change, 2));
  if (changes.empty()) note("note: --fix-names changes nothing");
}

void add_reading(Options& command, std::vector<std::string>& readings) {
  add_option(command, "--reading", readings, "NAME=VALUE", "choose a reading (see 'opref ops OPERATOR')");
}

Case read_node(const NodeArguments& arguments, std::int64_t max_bytes, const std::optional<double>& seconds) {
  return in_given_time(seconds, "read", [&] { return read_case(arguments.node, arguments.opset, max_bytes); });
}

Bound bind_case(const NodeArguments& arguments, Case read) {
  const std::string origin = read.origin;
  if (arguments.fix_names) note_fixed_names(fix_names(read));
  Bound bound = at_place([&] { return "in " + origin; },
                         [&] {
                           NodeOptions options{arguments.attributes, arguments.only, arguments.opset};
                           options.takes_unknown = arguments.takes_unknown;
                           parse_readings(arguments.readings, options.readings);
                           return run::bind_case(std::move(read), arguments.bindings, options);
                         });
  bound.options.max_bytes = default_max_bytes();
  for (const std::string& warning : bound.read->warnings) warn(warning);
  return bound;
}

void add_tolerance_options(Options& command, ToleranceArguments& arguments) {
  add_flag(command, "--exact", arguments.exact, "equal bits; any NaN equals any NaN");
  add_flag(command, "--strict-nan", arguments.strict_nan, "NaN payloads count too");
  add_number(command, "--ulp", arguments.ulp, {0}, "at most N representable values apart");
  add_number(command, "--rtol", arguments.rtol, "numpy's rule: abs(a-e) <= A + R*abs(e)");
  add_number(command, "--atol", arguments.atol, "the A of --rtol");
  add_flag(command, "--bound", "", arguments.bound, "KERNEL",
           "within the error bound of a kernel, as --bound=accumulator=float16,flush=1")
      .offers({"accumulator=float16", "accumulator=bfloat16", "accumulator=float32", "accumulator=float64", "flush=1",
               "input-error=", "functions=", "functions=absolute", "formula=accurate"});
  add_flag(command, "--ignore-dtype", arguments.ignore_dtype, "compare the values of different dtypes");
}

void add_strict(Options& command, ToleranceArguments& arguments) {
  add_flag(command, "--strict", arguments.strict, "within the bound, but unlike usual kernels, is a failure too");
}

ToleranceChoice chosen_tolerance(const ToleranceArguments& arguments) {
  const bool relative = arguments.rtol || arguments.atol;
  const bool exact = arguments.exact || arguments.strict_nan;
  if (exact + arguments.ulp.has_value() + relative + arguments.bound.has_value() > 1)
    fail(Fault::usage, "two rules at once: choose one of --exact, --ulp, --rtol/--atol, --bound");
  ToleranceChoice choice;
  choice.ignore_dtype = arguments.ignore_dtype;
  choice.is_strict = arguments.strict;
  if (exact) choice.rule = Tolerance{.strict_nan = arguments.strict_nan};
  if (arguments.ulp) choice.rule = Tolerance{.rule = Tolerance::Rule::ulp, .ulp = *arguments.ulp};
  if (relative) {
    choice.rule = Tolerance{
        .rule = Tolerance::Rule::relative, .rtol = arguments.rtol.value_or(0), .atol = arguments.atol.value_or(0)};
  }
  if (arguments.bound)
    choice.rule = Tolerance{.rule = Tolerance::Rule::bound, .kernel = chosen_kernel(*arguments.bound)};
  if (choice.rule) require_valid(*choice.rule);
  if (arguments.bound && choice.ignore_dtype)
    fail(Fault::usage, "--bound needs values of the node's own type: no --ignore-dtype with it");
  return choice;
}

std::string to_options(const ToleranceArguments& arguments) {
  std::string options;
  if (arguments.exact) options += " --exact";
  if (arguments.strict_nan) options += " --strict-nan";
  if (arguments.ulp) options += format(" --ulp {}", *arguments.ulp);
  if (arguments.rtol) options += format(" --rtol {}", *arguments.rtol);
  if (arguments.atol) options += format(" --atol {}", *arguments.atol);
  if (arguments.bound) {
    const std::string kernel = to_text(chosen_kernel(*arguments.bound));
    options += kernel.empty() ? " --bound" : " --bound=" + kernel;
  }
  if (arguments.ignore_dtype) options += " --ignore-dtype";
  if (arguments.strict) options += " --strict";
  return options;
}

Shard chosen_shard(const std::string& text) {
  if (text.empty()) return {};
  const Variables variables = process_variables();
  const Shard shard =
      at_place([&] { return "in --shard " + printable(text); }, [&] { return parse_shard(text, variables); });
  if (text.starts_with("auto")) acknowledge_sharding(variables);
  return shard;
}

void note_taken_branches(const std::vector<std::string>& taken) {
  for (const std::string& one : taken) note(wrapped("note: " + one, 2));
}

void warn_of_notes(const Step& step) {
  for (const Note& note : step.notes)
    if (note.level == Note::Level::warning) warn(format("{}: {}", note.subject, note.text));
}

void warn_of_notes(const std::vector<Step>& steps) {
  for (const Step& step : steps) warn_of_notes(step);
}

void warn_of_readings(const std::vector<Step>& steps) {
  for (const Step& step : steps)
    for (const ReadingReport& reading : step.readings)
      if (!reading.selected)
        warn(to_text(reading), {std::string(reading.reason), format("choose with --reading {}=VALUE", reading.name)});
}

namespace {

/// Longer ones come without their members.
Json maps_json(const Value& value) {
  std::int64_t count = 0;
  for (const Tensor& tensor : tensors_in(value)) count += tensor.count();
  Json json = type_json(type_of(value));
  json.set("sha256", sha256_of_maps(value));
  if (count / 2 <= kMostPrinted) {
    const Json member = map_member_json(value);
    json.set("map", *member.root().find("map"));
  }
  return json;
}

/// As `tensor` has it; the elements of a longer sequence come without values, and what is large and shared is worked
/// out once.
Json sequence_json(const Sequence& sequence, Json (*tensor)(const Tensor&, Elements)) {
  constexpr std::int64_t kLarge = 4096;
  OncePerTensor<Json> large_ones;
  Json elements = Json::list();
  for (const Tensor& element : sequence.elements) {
    const Elements told = std::ssize(sequence.elements) <= kMostPrinted ? Elements::some : Elements::none;
    if (byte_size(element.type()) < kLarge)
      elements.append(tensor(element, told));
    else
      elements.append(large_ones(element, [&](const Tensor& large) { return tensor(large, told); }));
  }
  return elements;
}

}  // namespace

std::int64_t limit_of(const std::optional<std::int64_t>& max_bytes) { return max_bytes.value_or(default_max_bytes()); }

Json value_json(const Value& value, Json (*tensor)(const Tensor&, Elements)) {
  if (value.tensor() != nullptr) return tensor(*value.tensor(), Elements::some);
  if (is_of_maps(type_of(value).form)) return maps_json(value);
  Json json;
  if (const auto* sequence = std::get_if<Sequence>(&value))
    return std::move(json.set("sequence", sequence_json(*sequence, tensor)).set("dtype", name(sequence->dtype)));
  const auto& optional = std::get<Optional>(value);
  if (const auto* held = std::get_if<Tensor>(&optional.element))
    json.set("optional", value_json(*held, tensor));
  else if (const auto* sequence = std::get_if<Sequence>(&optional.element))
    json.set("optional", value_json(*sequence, tensor));
  else
    json.set("optional", nullptr);
  return std::move(json.set("dtype", name(optional.dtype)));
}

namespace {

/// A list as a list, as it is in `attributes`.
void set_resolved(Json& resolved, const Step& step, const Note& note) {
  const AttributeSchema* attribute = step.call.schema().find_attribute(note.subject);
  const bool is_list = note.text.starts_with('[') && note.text.ends_with(']');
  if (attribute != nullptr && attribute->type == AttributeType::INTS && is_list)
    resolved.set(note.subject,
                 coerce(note.subject, split_items(note.text.substr(1, note.text.size() - 2)), AttributeType::INTS));
  else
    resolved.set(note.subject, note.text);
}

Json told_reading(const ReadingReport& report) {
  Json reading = reading_json(report);
  reading.set("selected", report.selected).set("mattered", report.others.empty() ? "maybe" : "yes");
  return std::move(reading.set("possible", report.possible));
}

}  // namespace

Json step_json(const Step& step) {
  constexpr std::int64_t kMostElements = 1024;
  Json node = node_json(step, kMostElements), resolved, notes = Json::list();
  for (const Note& note : step.notes) {
    if (note.level == Note::Level::resolved)
      set_resolved(resolved, step, note);
    else
      notes.append(format("{}: {}", note.subject, note.text));
  }
  node.set("name", step.node->name).set("resolved", resolved);
  if (!step.body.empty()) node.set("body", nodes_json(step.body));
  return std::move(node.set("notes", notes).set("readings", step.readings, told_reading));
}

Json nodes_json(const std::vector<Step>& steps) {
  Json nodes = Json::list();
  for (const Step& step : steps) nodes.append(step_json(step));
  return nodes;
}

Json document(std::string_view command) { return Json().set("opref", version_number()).set("command", command); }

}  // namespace opref::cli
