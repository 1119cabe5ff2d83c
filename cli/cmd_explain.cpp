// SPDX-License-Identifier: Apache-2.0
// opref explain
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <set>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "compare/compare.h"
#include "core/memory_limit.h"
#include "exact/element_text.h"
#include "exact/rounding.h"
#include "explain/element.h"
#include "io/literal.h"
#include "run/argument.h"
#include "run/load_inputs.h"
#include "run/memory.h"
#include "run/names.h"
#include "run/part_of_graph.h"
#include "run/sound_names.h"
#include "run/version.h"
#include "system/deadline.h"

namespace opref::cli {
namespace {

struct Arguments {
  NodeArguments node;
  std::string at, against;
  std::optional<std::int64_t> max_bytes;
  std::optional<double> timeout;
  bool json = false, hex = false;
};

/// What --at says.
struct Element {
  std::string output;
  Dims at;
  std::string path = {};  ///< of an entry of maps, or perhaps of what is no place
};

[[noreturn]] void refuse_place(const std::string& text) {
  std::vector<std::string> numbers;  // "y[0][1]", "y(0, 1)" and "y 0 1" mean y[0,1]
  const size_t name_end = std::min(text.find_first_of("[(= "), text.size());
  for (size_t at = text.find_first_of("0123456789-", name_end); at < text.size();
       at = text.find_first_of("0123456789-", at + numbers.back().size()))
    numbers.push_back(text.substr(at, std::min(text.find_first_not_of("0123456789", at + 1), text.size()) - at));
  const bool is_clear = text.find_first_not_of("0123456789-[](), =", name_end) == std::string::npos;
  const std::string example = numbers.empty() || !is_clear
                                  ? ""
                                  : format(": {}[{}]", printable(text.substr(0, name_end)), join_text(numbers, ","));
  fail(Fault::usage, "--at {}: it is NAME[I,J,…], an output and the element's coordinates{}", printable(text), example);
}

/// "Y[0,1]"; "[0,1]" and "0,1" where there is one output; "Z[0][3]" and `Z[0]["a"]` of maps.
Element parse_element(const std::string& text) {
  if (text.find("][") != std::string::npos && text.ends_with(']'))
    return {text.substr(0, text.find('[')), {}, text.substr(text.find('['))};
  const bool is_list = !text.empty() && text.find_first_not_of("0123456789-, ") == std::string::npos;
  const size_t open = is_list ? std::string::npos : text.rfind('[');
  if (!is_list && open != std::string::npos && !text.ends_with(']')) refuse_place(text);
  if (!is_list && open == std::string::npos) return {text, {}};
  Element element{is_list ? "" : text.substr(0, open), {}};
  const std::string_view list =
      is_list ? std::string_view(text) : std::string_view(text).substr(open + 1, text.size() - open - 2);
  const char *at = list.data(), *const end = list.data() + list.size();
  while (at != end) {
    std::int64_t coordinate = 0;
    while (at != end && *at == ' ') ++at;
    const auto read = std::from_chars(at, end, coordinate);
    if (read.ec != std::errc() || element.at.size() == Dims::kCapacity) refuse_place(text);
    element.at.push_back(coordinate);
    at = read.ptr;
    while (at != end && *at == ' ') ++at;
    if (at == end) break;
    if (*at++ != ',' || at == end) refuse_place(text);
  }
  return element;
}

/// `explain … 'y[0,1]'`: the element stands where a tensor is given.
void refuse_bare_element(const std::vector<std::string>& bindings) {
  for (const std::string& text : bindings) {
    const size_t open = text.find('[');
    if (open != std::string::npos && open > 0 && text.find('=') == std::string::npos && text.ends_with(']') &&
        text.find_first_not_of("0123456789-, ", open + 1) == text.size() - 1 && !dtype_meant(text.substr(0, open)))
      fail(Fault::usage, "'{}' is an element: give --at '{}'", printable(text), printable(text));
  }
}

/// The coordinates with those from the end, as -1, counted from the start; one that lies before it stays as it is.
Dims from_start(Dims at, const Dims& shape) {
  if (at.size() != shape.size()) return at;  // an error of its own, later
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (at[axis] < 0 && at[axis] >= -shape[axis]) at[axis] += shape[axis];
  return at;
}

/// Where the entry with this path is.
std::int64_t place_of_entry(const std::vector<std::string>& paths, const std::string& path, const std::string& output,
                            const ValueType& type) {
  const auto found = std::ranges::find(paths, path);
  if (found != paths.end()) return found - paths.begin();
  if (paths.empty()) fail(Fault::usage, "'{}' has no entries to explain", printable(output));
  const std::string first = printable(output) + printable(paths.front());
  if (path.empty())
    fail(Fault::usage, "'{}' is {}: write --at '{}' for its first entry", printable(output), type, first);
  fail(Fault::usage, "'{}' has no entry {}; the first is {}", printable(output), printable(path), first);
}

/// The graph's name of the output.
std::string output_of(Bound& bound, const Element& element, const std::string& text) {
  if (!element.output.empty()) {
    if (const auto known = known_tensor(bound, element.output, Names::outputs)) return *known;
    for (const Node& node : bound.graph.nodes)
      if (std::ranges::find(node.outputs, element.output) != node.outputs.end()) return element.output;
    if (element.output.find_first_of("(=[ ") != std::string::npos) refuse_place(text);
    unknown_tensor(bound, element.output, Names::outputs);
  }
  if (!bound.graph.outputs.empty()) want_only(bound, std::vector{bound.graph.outputs.front().name});
  if (bound.graph.outputs.size() != 1)
    fail(Fault::usage, "--at needs the name of an output: there are {}",
         join_some(bound.graph.outputs, ", ", 8, [](const ValueInfo& output) { return printable(output.name); }));
  return bound.graph.outputs.front().name;
}

const Node& producer_of(const Graph& graph, const std::string& output) {
  for (const Node& node : graph.nodes)
    if (std::ranges::find(node.outputs, output) != node.outputs.end()) return node;
  fail(Fault::usage, "'{}' is an input: nothing computes it", printable(output));
}

/// The nodes that give what `target` reads.
Graph before(const Graph& graph, const Node& target) {
  std::vector<std::string> read;
  for (const std::string& name : names_read(target))
    if (std::ranges::any_of(graph.nodes, [&](const Node& node) { return std::ranges::count(node.outputs, name) > 0; }))
      read.push_back(name);
  return needed_for(graph, read);
}

/// Of a terminal: continuation bytes of UTF-8 take none.
size_t columns(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

/// In columns where they fit into 80, else two lines each. Columns of sums have heads.
std::string lines_text(const ElementStory& story) {
  std::vector<ElementStory::Line> lines = story.lines;
  if (story.has_sums && !lines.empty()) lines.insert(lines.begin(), {"term", "value", "sum so far"});
  size_t what = 0, value = 0, running = 0;
  for (const ElementStory::Line& line : lines) {
    what = std::max(what, columns(line.what));
    value = std::max(value, columns(line.value));
    running = std::max(running, columns(line.running));
  }
  const bool fits = 4 + what + 2 + value + 2 + running <= 80;
  const auto padded = [](const std::string& text, size_t width) {
    return text + std::string(width - columns(text), ' ');
  };
  if (!fits) lines = story.lines;
  std::string text;
  for (const ElementStory::Line& line : lines) {
    std::string row = format("    {}  {}", padded(line.what, what), fits ? padded(line.value, value) : line.value);
    if (!line.running.empty()) row += fits ? "  " + line.running : "\n        so far " + line.running;
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  if (story.more_lines > 0) text += format("    … {} more\n", story.more_lines);
  return text;
}

std::string story_text(const std::string& output, const Call& call, const ElementStory& story) {
  constexpr size_t kWidth = 14;
  std::string text = format("{}{} of {}, {}: {}{}\n", printable(output),
                            story.path.empty() ? to_text(story.at) : printable(story.path), call.title(),
                            story.type.dtype, story.value, story.bits.empty() ? "" : format(" ({})", story.bits));
  text +=
      two_columns("  made", story.made.empty() ? "by the operator as a whole: it tells no parts" : story.made, kWidth);
  for (const std::string& sentence : story.decisions) text += two_columns("  decided", sentence, kWidth);
  text += lines_text(story);
  for (const std::string& sentence : story.left_out) text += two_columns("  left out", sentence, kWidth);
  for (const auto& [name, fact] : story.facts) text += two_columns("  " + name, fact, kWidth);
  for (const std::string& reading : story.readings) text += two_columns("  reading", reading, kWidth);
  return text;
}

Json story_json(const std::string& output, const Call& call, const ElementStory& story) {
  Json json = document("explain"), facts, lines = Json::list();
  for (const ElementStory::Line& line : story.lines) {
    Json one;
    one.set("what", line.what).set("value", line.value);
    if (!line.running.empty()) one.set("running", line.running);
    lines.append(one);
  }
  for (const auto& [name, fact] : story.facts) facts.set(name, fact);
  json.set("op_type", call.op().op_type()).set("since_version", call.version());
  json.set("output", output).set("at", story.at);
  if (!story.path.empty()) json.set("path", story.path);
  json.set("dtype", to_text(story.type.dtype)).set("value", story.value).set("bits", story.bits);
  json.set("made", story.made).set("lines", lines).set("more_lines", story.more_lines);
  if (!story.decisions.empty()) json.set("decisions", story.decisions);
  json.set("left_out", story.left_out).set("facts", facts).set("readings", story.readings);
  return json;
}

/// What somebody has there, and what would give it.
struct Against {
  std::string value;
  bool is_same;
  WaysTo by = {};
};

Json against_json(const Against& against) {
  Json json;
  json.set("value", against.value).set("equal", against.is_same).set("ways", against.by.ways);
  if (!against.by.doubt.empty()) json.set("doubt", against.by.doubt);
  return json;
}

Against compare_with(const Arguments& arguments, const Call& call, std::span<const ValueType> types, size_t output,
                     const ElementStory& story, std::int64_t max_bytes) {
  const TensorType& type = types[output].tensor;
  const TensorSource source = parse_value(arguments.against);
  Value value = settle(load(source, max_bytes), type.dtype);
  // One number without a shape is rounded to the output's type, in a file as on the command line.
  if (const Tensor* one = value.tensor(); one != nullptr && one->shape().empty() && one->dtype() != type.dtype)
    value = make_tensor({{}, {element_text(*one, 0)}}, type.dtype);
  if (value.tensor() == nullptr || value.tensor()->dtype() != type.dtype)
    fail(Fault::usage, "--against {} has type {}, but the output has {}", printable(arguments.against),
         to_text(type_of(value)), type);
  const Tensor& other = *value.tensor();
  const bool is_the_element = other.count() == 1;
  if (!is_the_element && other.shape() != type.shape)
    fail(Fault::usage, "{} has shape {}, but the output has {}", printable(arguments.against), other.shape(),
         type.shape);
  const std::int64_t at = is_the_element ? 0 : position(story.at, type.shape);
  const bool floating = info(type.dtype).kind == Kind::floating && info(type.dtype).bits <= 64;
  const bool is_nan = floating && std::isnan(floating_element(other, at));  // all NaN are one
  Against against{is_nan ? "NaN" : element_text(other, at), false};
  against.is_same = against.value == story.value;
  if (!against.is_same) against.by = ways_to(call, types, output, story.at, against.value);
  return against;
}

/// The node that gives `output` and all that it needs, in values.
struct Asked {
  Call call;
  std::vector<ValueType> types;
  size_t place;  ///< of the output
};

Asked asked_of(const Graph& graph, Environment& environment, const EvaluationOptions& options,
               const std::string& output) {
  const Node& node = producer_of(graph, output);
  if (const Graph earlier = before(graph, node); !earlier.nodes.empty()) {
    EvaluationOptions results = options;
    results.keep = Keep::results;
    run_graph(earlier, environment, results);
  }
  const Call call = resolve_node(graph, node, environment, options);
  const auto place = static_cast<size_t>(std::ranges::find(node.outputs, output) - node.outputs.begin());
  return {call, types_with_shapes(call), place};
}

/// An element's story, and that of the node inside it which made the element.
struct Told {
  std::string output;
  Call call;
  ElementStory story;
};

std::vector<Told> told_inside(const Asked& asked, const EvaluationOptions& options, const Dims& at, Digits digits) {
  std::vector<Told> told;
  std::optional<Origin> origin = origin_of(asked.call, asked.types, asked.place);
  while (origin) {
    const auto gives = [&](const Node& node) { return std::ranges::count(node.outputs, origin->output) > 0; };
    if (std::ranges::none_of(origin->graph.nodes, gives)) break;  // it is handed on as it is
    const Asked inner = asked_of(origin->graph, origin->environment, options, origin->output);
    told.push_back({origin->output, inner.call, explain_element(inner.call, inner.types, inner.place, at, digits)});
    origin = origin_of(inner.call, inner.types, inner.place);
  }
  return told;
}

int explain_now(const Arguments& arguments, Bound& bound) {
  const MemoryLimit limit(bound.options.max_bytes, kBesideRoom);
  const Element element = parse_element(arguments.at);
  const std::string output =
      arguments.at.empty() ? bound.graph.outputs.front().name : output_of(bound, element, arguments.at);
  const Graph needed = needed_for(bound.graph, std::vector{output});
  require_known_or_pick(needed);
  std::set<std::string_view> given;
  for (const NamedSource& source : bound.inputs) given.insert(source.name);
  require_sound_names(needed, given);
  producer_of(bound.graph, output);
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, bound.options, warnings);
  for (const std::string& warning : warnings) warn(warning);
  Asked asked = with_accepted_outputs(bound, environment, nullptr,
                                      [&] { return asked_of(bound.graph, environment, bound.options, output); });
  const auto& [call, types, place] = asked;
  const bool is_of_entry = is_of_maps(types[place].form);
  Dims at = element.at;
  if (is_of_entry) {
    const Entries entries = entries_of(call, types, place);
    at = {place_of_entry(entries.paths, element.path, output, types[place])};
    asked.types = entries.types;
  } else if (!element.path.empty()) {
    refuse_place(arguments.at);
  }
  if (types[place].form != Form::tensor)
    fail(Fault::usage, "'{}' is {}: only tensors and maps have elements to explain", printable(output), types[place]);
  if (arguments.at.empty()) {
    const TensorType& type = types[place].tensor;
    fail(Fault::usage, "--at is missing: {} is {}; write --at '{}{}' for its first element", printable(output), type,
         printable(output), Dims(std::vector<std::int64_t>(type.shape.size())));
  }
  const Digits digits = arguments.hex ? Digits::hexadecimal_too : Digits::decimal;
  ElementStory story = explain_element(call, types, place, from_start(at, types[place].tensor.shape), digits);
  if (is_of_entry) story.path = element.path;
  const std::vector<Told> inside = told_inside(asked, bound.options, story.at, digits);
  std::optional<Against> against;
  if (!arguments.against.empty()) against = compare_with(arguments, call, types, place, story, bound.options.max_bytes);
  require_time();  // before anything is printed
  if (arguments.json) {
    Json json = story_json(output, call, story);
    if (!inside.empty()) {
      Json list = Json::list();
      for (const Told& told : inside) list.append(story_json(told.output, told.call, told.story));
      json.set("inside", list);
    }
    if (against) json.set("against", against_json(*against));
    print(json.text());
    return 0;
  }
  print(story_text(output, call, story));
  for (const Told& told : inside) print("inside it, " + story_text(told.output, told.call, told.story));
  if (!against) return 0;
  print(two_columns("  against", against->is_same ? "the same" : against->value, 14));
  const auto& [ways, doubt] = against->by;
  for (const std::string& way : ways) print(two_columns(&way == ways.data() ? "  given by" : "  or by", way, 14));
  if (!against->is_same && ways.empty()) print(two_columns("  given by", "nothing known", 14));
  if (!doubt.empty()) print(two_columns("", doubt, 14));
  return 0;
}

}  // namespace

Action add_explain(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_node_options(command, arguments->node);
  add_option(command, "--at", arguments->at, "Y[I,J,…]", "the element: an output and its coordinates");
  add_option(command, "--against", arguments->against, "FILE", "another program's output: find what gives its element");
  add_bytes(command, "--max-bytes", arguments->max_bytes, "limit of tensors and scratch; default half the memory");
  add_timeout(command, arguments->timeout, "seconds for the explanation; default: no limit");
  add_flag(command, "--hex", arguments->hex, "write terms in hexadecimal too, exactly");
  add_flag(command, "--json", arguments->json, "print one JSON document");
  return [arguments] {
    refuse_bare_element(arguments->node.bindings);
    Bound bound =
        bind_case(arguments->node, read_node(arguments->node, limit_of(arguments->max_bytes), arguments->timeout));
    if (arguments->max_bytes) bound.options.max_bytes = *arguments->max_bytes;
    return at_place([&] { return "in " + bound.read->origin; },
                    [&] {
                      std::optional<Deadline> deadline;
                      if (arguments->timeout) deadline.emplace(*arguments->timeout, "explained");
                      return explain_now(*arguments, bound);
                    });
  };
}

}  // namespace opref::cli
