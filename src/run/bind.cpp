// SPDX-License-Identifier: Apache-2.0
#include "run/bind.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "core/error.h"
#include "run/argument.h"
#include "run/attributes.h"
#include "run/load_inputs.h"
#include "run/part_of_graph.h"
#include "run/remedies.h"
#include "run/version.h"
#include "system/file.h"

namespace opref::run {
namespace {

/// What a node gives that reads nothing, worked out when it is asked for.
TensorSource source_of_constant(const Graph& graph, const Node& node, const std::string& output) {
  Graph alone{graph.name, {node}, {}, {{output, "", {}, {}}}, {}, graph.opset_import};
  alone.opset_import.operators.clear();
  TensorSource source;
  source.from = TensorSource::Loaded{[alone = std::move(alone), output](std::int64_t max_bytes) {
    EvaluationOptions options;
    options.max_bytes = max_bytes;
    Environment environment;
    run_graph(alone, environment, options);
    return value_of(environment, output);
  }};
  return source;
}

/// Whether it gives the same each time, and reads nothing.
bool is_constant(const Graph& graph, const Node& node) {
  if (!names_read(node).empty() || find_function(graph.opset_import, node) != nullptr) return false;
  const Operator* op = operator_of(graph.opset_import, node);
  return op != nullptr && op->has_kernel() && !op->may_draw();
}

/// Values of what a part of the graph reads and constant nodes outside it give: nobody picks these.
void take_constants_along(Bound& bound, const Graph& whole) {
  std::set<std::string_view> read;
  for (const ValueInfo& input : bound.graph.inputs) read.insert(input.name);
  for (const Node& node : whole.nodes)
    for (const std::string& output : node.outputs)
      if (read.contains(output) && is_constant(whole, node))
        bound.inputs.push_back({output, source_of_constant(whole, node, output)});
}

/// The graph of the nodes that `names` mean, with what comes with the case for them. The names of the whole graph's
/// other tensors are kept: they must not be taken for the operator's.
void pick_nodes(Bound& bound, std::span<const std::string> names) {
  std::set<std::string> others;
  for (const auto* list : {&bound.graph.inputs, &bound.graph.outputs})
    for (const ValueInfo& info : *list) others.insert(info.name);
  for (const NamedSource& source : bound.inputs) others.insert(source.name);
  for (const Node& node : bound.graph.nodes)
    for (const auto* own : {&node.inputs, &node.outputs}) others.insert(own->begin(), own->end());
  const Graph whole = bound.graph;
  bound.graph = chosen_nodes(whole, names);
  for (const Node& node : bound.graph.nodes) {
    for (const auto* own : {&node.inputs, &node.outputs})
      for (const std::string& name : *own) others.erase(name);
    for (const std::string& read : names_read(node)) others.erase(read);
  }
  for (auto* sources : {&bound.inputs, &bound.expected})
    std::erase_if(*sources, [&](const NamedSource& source) { return others.contains(source.name); });
  bound.other_tensors.assign(others.begin(), others.end());
  take_constants_along(bound, whole);
}

/// The version in force of an only node; null where it has none: an error of its own, later, at its place.
const OpSchema* schema_in_force(const Graph& graph) {
  if (graph.nodes.size() != 1) return nullptr;
  const auto version = find_version(graph.opset_import, graph.nodes.front());
  return version ? &version->schema : nullptr;
}

/// What a node gives and another one reads.
std::vector<std::string> inner_tensors(const Graph& graph) {
  std::set<std::string, std::less<>> read;
  for (const Node& node : graph.nodes) read.merge(names_read(node));
  std::vector<std::string> names;
  for (const Node& node : graph.nodes)
    for (const std::string& output : node.outputs)
      if (read.contains(output)) names.push_back(output);
  return names;
}

/// Of the tensors that are known by their own names.
void add_aliases(const Graph& graph, KnownNames& known) {
  for (const auto& [name, tensor] : graph.aliases)
    if (known.find(tensor) != nullptr) known.add(name, {tensor});
}

KnownNames names_of_graph(const Bound& bound, Names which) {
  KnownNames known(which);
  const auto add_parameters = [&](const std::vector<FormalParameter>& formal, const std::vector<std::string>& actual) {
    for (KnownName& name : by_parameters(formal, actual)) {
      const bool own = name.tensors.size() == 1 && name.tensors.front() == name.name;
      const bool ambiguous = !own && std::ranges::find(bound.other_tensors, name.name) != bound.other_tensors.end();
      known.add(std::move(name.name), std::move(name.tensors), std::move(name.list), ambiguous);
    }
  };
  const Graph& graph = bound.graph;
  if (which == Names::inputs) {
    for (const ValueInfo& info : graph.inputs) known.add(info.name);
    known.end_places();
    for (const NamedSource& source : bound.inputs) known.add(source.name);
    if (bound.schema != nullptr) add_parameters(bound.schema->inputs(), graph.nodes.front().inputs);
    if (graph.nodes.size() > 1)
      for (const std::string& name : inner_tensors(graph)) known.add_inner(name);
    add_aliases(graph, known);
    return known;
  }
  for (const ValueInfo& info : graph.outputs) known.add(info.name);
  known.end_places();
  for (const Node& node : graph.nodes)
    for (const std::string& output : node.outputs) known.add(output);
  if (bound.schema != nullptr) add_parameters(bound.schema->outputs(), graph.nodes.front().outputs);
  add_aliases(graph, known);
  if (which != Names::any) return known;
  const KnownNames inputs = names_of_graph(bound, Names::inputs);
  for (const KnownName& input : inputs.list()) known.add(input.name, input.tensors, input.list, input.ambiguous);
  return known;
}

/// Replaces and adds sources, as arguments give them.
class ArgumentBinder {
 public:
  ArgumentBinder(const KnownNames& known, Bound& bound) : known_(known), bound_(bound), sources_(bound.inputs) {}

  /// Arguments with a name first: values alone take the inputs that these leave. What is neither comes last.
  void bind_all(std::span<const std::string> arguments, bool extends_lists) {
    std::vector<std::string> values, others;
    for (const std::string& argument : arguments)
      if (is_value(argument))
        values.push_back(argument);
      else if (argument.find('=') == std::string::npos && known_.find(argument) == nullptr)
        others.push_back(argument);
      else
        bind(argument, extends_lists);
    for (const std::string& argument : values) bind(with_next_name(argument), extends_lists);
    for (const std::string& argument : others) bind(argument, extends_lists);
  }

  const std::set<std::string>& given() const { return given_; }

 private:
  /// {1,2} without quotes becomes two arguments in most shells.
  void require_no_braces(const NamedSource& second) const {
    const auto first = std::ranges::find(sources_, second.name, &NamedSource::name);
    if (first == sources_.end()) return;
    const Literal *one = first->source.literal(), *other = second.source.literal();
    if (one == nullptr || other == nullptr || !one->shape.empty() || !other->shape.empty()) return;
    const std::string name = printable(second.name), a = printable(one->elements[0]), b = printable(other->elements[0]);
    fail(Fault::usage, "input '{}' is given twice, as {} and as {}: a list is written '{}=[{},{}]', in quotes", name, a,
         b, name, a, b);
  }

  void bind(std::string_view given, bool extends_lists) {
    const std::string argument = known_.by_name(given);
    require_input(argument);
    const KnownName& name = known_.of_argument(argument);
    NamedSource source{"", parse_source(name, argument), name.list};
    source.name = !name.is_list() ? tensor_of(name) : extends_lists ? next_of_list(name) : next_tensor(name);
    if (given_.contains(source.name)) require_no_braces(source);
    if (!given_.insert(source.name).second) fail(Fault::usage, "input '{}' is given twice", printable(source.name));
    const auto former = std::ranges::find(sources_, source.name, &NamedSource::name);
    if (former == sources_.end())
      sources_.push_back(std::move(source));
    else
      *former = std::move(source);
  }

  /// Whether it is a file, values or a type, without a name before it.
  bool is_value(std::string_view argument) const {
    if (argument == "-") return true;
    if (argument.empty() || argument.starts_with('-') || known_.find(argument.substr(0, argument.find(':'))) != nullptr)
      return false;
    std::error_code ignored;
    const std::filesystem::path path(argument);
    if (path.extension() == ".onnx" && is_file(path))
      fail(Fault::usage,
           "'{}' is a model, but an input's value stands here: 'opref diff NEW REFERENCE' takes two models",
           printable(argument));
    if (argument.find('=') != std::string_view::npos && !std::filesystem::is_regular_file(path, ignored)) return false;
    if (std::filesystem::is_directory(path, ignored)) return is_file(path / "0.npy") || is_file(path / "0.pb");
    const TensorSource source = parse_value(argument);
    const TensorSource::File* file = source.file();
    return file == nullptr || is_file(file->path) || is_tensor_file(file->path);
  }

  static bool is_tensor_file(const std::filesystem::path& path) {
    constexpr std::string_view kExtensions[] = {".npy", ".npz", ".pb", ".safetensors", ".pt", ".pth"};
    return std::ranges::find(kExtensions, path.extension().string()) != std::end(kExtensions);
  }

  /// The first tensor in a folder by its name; empty where there is none.
  static std::string file_in(const std::filesystem::path& folder) {
    std::string first;
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) return first;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
      if (is_tensor_file(entry.path()) && (first.empty() || entry.path().string() < first))
        first = entry.path().string();
    return first;
  }

  /// "X=x.npy": of the inputs without a value the first one.
  std::string with_next_name(const std::string& argument) const {
    const auto free = first_free();
    if (known_.list().empty())
      fail(Fault::usage, "'{}' is one argument too many: there are no inputs", printable(argument));
    if (free == known_.list().end())
      fail(Fault::usage, "'{}' has no input's name, and all inputs have values: NAME={} replaces one ({})",
           printable(argument), printable(argument),
           join_some(known_.list(), ", ", 8, [](const KnownName& known) { return printable(known.name); }));
    return format("{}={}", free->name, argument);
  }

  std::vector<KnownName>::const_iterator first_free() const {
    const auto has_value = [&](const KnownName& known) {
      return std::ranges::any_of(
          sources_, [&](const NamedSource& source) { return std::ranges::count(known.tensors, source.name) > 0; });
    };
    return std::ranges::find_if(known_.list(), [&](const KnownName& known) {
      return !known.ambiguous && !known.inner && !given_.contains(known.name) && !has_value(known);
    });
  }

  void require_input(std::string_view argument) const {
    const size_t equals = argument.find('=');
    if (equals == std::string_view::npos) return refuse_without_name(argument);
    const std::string_view name = argument.substr(0, equals);
    if (known_.find(name) != nullptr) return;
    if (const auto* attribute = bound_.schema == nullptr ? nullptr : bound_.schema->find_attribute(name))
      fail(Fault::usage,
           {kGiveAttribute, format("{}={}", name, printable(as_attribute(*attribute, argument.substr(equals + 1))))},
           "'{}' is an attribute, not an input", name);
    if (std::ranges::count(bound_.other_tensors, name) > 0)
      fail(Fault::usage, {kEvaluateAll, printable(bound_.graph.nodes.back().outputs.front())},
           "'{}' is not read by what is picked, which reads {}", printable(name),
           join_some(bound_.graph.inputs, ", ", 8, [](const ValueInfo& input) { return printable(input.name); }));
    for (const ValueInfo& input : bound_.graph.inputs)
      if (input.dims && std::ranges::find(*input.dims, name, &DeclaredDim::symbol) != input.dims->end())
        fail(Fault::usage, "'{}' is a size, which follows from the shape of '{}', {}", printable(name),
             printable(input.name), to_text(input));
  }

  /// A literal's type is left out where the attribute is no tensor.
  static std::string_view as_attribute(const AttributeSchema& attribute, std::string_view text) {
    const size_t colon = text.rfind(':');
    const bool typed = attribute.type != AttributeType::TENSOR && colon != std::string_view::npos &&
                       dtype_meant(text.substr(colon + 1)).has_value();
    return typed ? text.substr(0, colon) : text;
  }

  /// What is no value or file is told what it lacks.
  void refuse_without_name(std::string_view argument) const {
    if (argument.starts_with('-')) return;
    std::error_code ignored;
    const std::filesystem::path folder(argument);
    if (std::filesystem::is_directory(folder, ignored) &&
        (std::filesystem::exists(folder.parent_path() / "model.onnx", ignored) ||
         std::filesystem::exists(folder.parent_path() / "layer.xml", ignored)))
      fail(Fault::usage, "'{}' already contains the case's inputs: give it alone, without a model",
           printable(argument));
    const std::string_view name = argument.substr(0, argument.find(':'));
    if (known_.find(argument) != nullptr)
      fail(Fault::usage, "'{}' has no value: it is written {}=FILE, without spaces", printable(argument),
           printable(argument));
    if (known_.find(name) != nullptr) {
      const std::string_view type = argument.substr(name.size() + 1);
      if (is_file(type))
        fail(Fault::usage, {kNameInput, format("{}={}", printable(name), printable(type))}, "'{}' has no '='",
             printable(argument));
      std::string sizes(type);  // 1x3x48x192, as runtimes take it
      std::ranges::replace(sizes, 'x', ',');
      const bool has_sizes = !sizes.empty() && sizes.find_first_not_of("0123456789,") == std::string::npos;
      const std::string here = parse_type(type) ? std::string(type) : has_sizes ? format("float32[{}]", sizes) : "";
      fail(Fault::usage, "'{}' has no '=': a type without values is written {}=TYPE{}", printable(argument),
           printable(name), here.empty() ? "" : format(", here {}={}", printable(name), here));
    }
    parse_value(argument);
    if (argument.find(':') != std::string_view::npos &&
        argument.find_first_not_of("0123456789:-") == std::string_view::npos)
      fail(Fault::usage, "'{}' is a range of Python: values are lists, as [0,1,2]{}", printable(argument),
           known_.find("starts") != nullptr ? "; a part is starts=[0] ends=[2] axes=[1]" : "");
    if (const std::string file = file_in(folder); !file.empty())
      fail(Fault::usage, "'{}' is a folder: give one of its files, as {}", printable(argument), printable(file));
    const auto free = first_free();
    if (free == known_.list().end()) return;
    const std::vector<std::string_view> lacking = required_attributes();
    const bool is_path = argument.find_first_of("./") != std::string_view::npos;
    fail(Fault::usage, {kNameInput, format("{}={}", printable(free->name), is_path ? printable(argument) : "FILE")},
         "'{}' is no file, and has no input's name{}", printable(argument),
         lacking.empty() ? ""
                         : format(", and {} {} missing", join_text(lacking, ", "), lacking.size() == 1 ? "is" : "are"));
  }

  /// Those that the only node does not state.
  std::vector<std::string_view> required_attributes() const {
    std::vector<std::string_view> names;
    if (bound_.schema == nullptr) return names;
    const std::vector<Attribute>& stated = bound_.graph.nodes.front().attributes;
    for (const AttributeSchema& attribute : bound_.schema->attributes())
      if (attribute.presence == Presence::required && std::ranges::count(stated, attribute.name, &Attribute::name) == 0)
        names.push_back(attribute.name);
    return names;
  }

  /// The first of a list replaces the whole list of the case.
  std::string next_of_list(const KnownName& name) {
    const size_t place = repeated_[name.name]++;
    if (place == 0) std::erase_if(sources_, [&](const NamedSource& source) { return source.list == name.name; });
    return name_in_list(name.name, place);
  }

  std::string next_tensor(const KnownName& name) {
    const size_t place = repeated_[name.name]++;
    if (place >= name.tensors.size())
      fail(Fault::usage, "'{}' is given more than {}: the node takes no more ({})", printable(name.name),
           counted(static_cast<long long>(name.tensors.size()), "time"), printable_names(name.tensors));
    return name.tensors[place];
  }

  const KnownNames& known_;
  const Bound& bound_;
  std::vector<NamedSource>& sources_;
  std::set<std::string> given_;
  std::map<std::string, size_t> repeated_;
};

/// The names of the only node of a case that states them by the specification's parameters.
class ParameterNames {
 public:
  ParameterNames(Bound& bound, const OpSchema& schema)
      : bound_(bound), schema_(schema), node_(bound.graph.nodes.front()) {
    node_.inputs.clear();
    read_inside_ = names_read(node_);
    for (const FormalParameter& formal : schema.inputs()) read_inside_.erase(std::string(formal.name));
  }

  /// What the case names is there.
  void require_known() const {
    for (const NamedSource& input : bound_.inputs)
      if (!read_inside_.contains(input.name)) require_parameter(schema_.inputs(), input, "input");
    for (const std::string& output : bound_.read->outputs) require_parameter(schema_.outputs(), output, "output");
    for (const NamedSource& output : bound_.expected) require_parameter(schema_.outputs(), output, "output");
  }

  KnownNames inputs() const {
    KnownNames known(Names::inputs);
    for (const FormalParameter& formal : schema_.inputs()) {
      const std::string name(formal.name);
      known.add(name, {name}, is_variadic(formal.arity) ? name : "");
    }
    known.end_places();
    for (const NamedSource& source : bound_.inputs) known.add(source.name, {source.name}, source.list);
    for (const std::string& name : read_inside_) known.add_read_inside(name);
    return known;
  }

  void name_inputs() {
    node_.inputs.clear();
    for (const FormalParameter& formal : schema_.inputs()) {
      const auto first = std::ranges::find_if(bound_.inputs, [&](const NamedSource& source) {
        return source.list == formal.name || (source.list.empty() && source.name == formal.name);
      });
      // A bare operator asks for what it requires; a case that leaves it out is an invalid node.
      const bool required = formal.arity != Arity::optional && formal.arity != Arity::heterogeneous_or_none &&
                            bound_.read->format == CaseFormat::operator_name;
      if (is_variadic(formal.arity) && first != bound_.inputs.end())
        add_list(formal.name);
      else
        node_.inputs.emplace_back(first != bound_.inputs.end() || required ? formal.name : "");
    }
    while (!node_.inputs.empty() && node_.inputs.back().empty()) node_.inputs.pop_back();
    // What may be omitted, but has a place all the same: M and cond of a Loop.
    while (node_.inputs.size() < schema_.least_inputs() &&
           schema_.inputs()[node_.inputs.size()].arity == Arity::optional)
      node_.inputs.emplace_back();
  }

  void name_outputs() {
    node_.outputs.clear();
    for (const FormalParameter& formal : schema_.outputs()) {
      const size_t count = outputs_of(formal);
      if (!is_variadic(formal.arity)) node_.outputs.emplace_back(count > 0 ? output_name(formal) : "");
      for (size_t k = 0; is_variadic(formal.arity) && k < count; ++k)
        node_.outputs.push_back(name_in_list(formal.name, k));
    }
    while (!node_.outputs.empty() && node_.outputs.back().empty()) node_.outputs.pop_back();
    for (const FormalParameter& formal : schema_.outputs())
      for (NamedSource& source : bound_.expected)
        if (source.name == formal.name) source.name = output_name(formal);
  }

 private:
  /// In the graph: its own, unless an input has it too (the mean of BatchNormalization-9).
  std::string output_name(const FormalParameter& formal) const {
    const bool is_input =
        std::ranges::find(schema_.inputs(), formal.name, &FormalParameter::name) != schema_.inputs().end();
    return is_input ? format("output_{}", formal.name) : std::string(formal.name);
  }

  const FormalParameter& parameter(const std::vector<FormalParameter>& formal, std::string_view name,
                                   std::string_view noun) const {
    const auto found = std::ranges::find(formal, name, &FormalParameter::name);
    if (found != formal.end()) return *found;
    std::vector<std::string_view> names;
    for (const FormalParameter& known : formal) names.push_back(known.name);
    const std::string near = did_you_mean(name, names);
    const bool lists = near.empty() && !names.empty();
    fail(fault_of(noun), lists ? WayOut(kKnownNames, join_text(names, ", ")) : WayOut(), "'{}' is not an {} of {}{}",
         printable(name), noun, title(), near);
  }

  void require_parameter(const std::vector<FormalParameter>& formal, std::string_view name,
                         std::string_view noun) const {
    const FormalParameter& known = parameter(formal, name, noun);
    const auto times = std::ranges::count(bound_.read->outputs, name);
    if (!is_variadic(known.arity) && times != 1)
      fail(fault_of(noun), "the output '{}' of {} is one, but is stated {} times", name, title(), times);
  }

  void require_parameter(const std::vector<FormalParameter>& formal, const NamedSource& source,
                         std::string_view noun) const {
    const bool listed = !source.list.empty();
    const FormalParameter& known = parameter(formal, listed ? source.list : source.name, noun);
    if (listed && !is_variadic(known.arity))
      fail(fault_of(noun), "the {} '{}' of {} is one tensor, but a list is given", noun, known.name, title());
    if (!listed && is_variadic(known.arity))
      fail(fault_of(noun), "the {} '{}' of {} takes any number of tensors: give a list of them", noun, known.name,
           title());
  }

  /// What a case says of outputs is no part of the node.
  static Fault fault_of(std::string_view noun) { return noun == "output" ? Fault::malformed : Fault::invalid; }

  std::string title() const { return format("{}-{}", node_.op_type, schema_.since_version()); }

  void add_list(std::string_view list) {
    for (const NamedSource& source : bound_.inputs)
      if (source.list == list) node_.inputs.push_back(source.name);
  }

  /// How many of the node's outputs the parameter stands for.
  size_t outputs_of(const FormalParameter& formal) const {
    const std::vector<std::string>& stated = bound_.read->outputs;
    if (!stated.empty()) return static_cast<size_t>(std::ranges::count(stated, formal.name));
    if (bound_.expected.empty()) return is_variadic(formal.arity) ? variadic_outputs() : 1;
    const auto expected = std::ranges::count_if(bound_.expected, [&](const NamedSource& source) {
      return (source.list.empty() ? source.name : source.list) == formal.name;
    });
    return formal.arity == Arity::optional ? static_cast<size_t>(expected)
                                           : std::max<size_t>(static_cast<size_t>(expected), 1);
  }

  /// As many as the node of a bare operator says; else 1. Wrong numbers are the operator's to refuse.
  size_t variadic_outputs() const {
    constexpr std::int64_t kMost = 4096;
    const std::optional<OutputCount>& count = operator_of(bound_.graph.opset_import, node_)->output_count();
    if (bound_.read->format != CaseFormat::operator_name || !count) return 1;
    std::int64_t outputs = 1;
    for (const Attribute& attribute : node_.attributes) {
      const auto* stated = std::get_if<Untyped>(&attribute.value);
      if (stated != nullptr && attribute.name == count->elements_of) outputs = std::ssize(stated->items);
      if (stated != nullptr && attribute.name == count->attribute && stated->items.size() == 1)
        outputs = number_of(stated->items.front().text);
      if (const Graph* graph = graph_of(attribute); graph != nullptr && attribute.name == count->outputs_of)
        outputs = std::ssize(graph->outputs) - static_cast<std::int64_t>(count->beyond);
    }
    const auto list = std::ranges::find(bound_.inputs, count->elements_of, &NamedSource::name);
    if (list != bound_.inputs.end()) {
      if (const Literal* literal = list->source.literal()) outputs = std::ssize(literal->elements);
      const auto* file = list->source.file();
      if (file != nullptr && file->path != "-") outputs = elements_of(list->name, list->source);
    }
    return static_cast<size_t>(std::clamp<std::int64_t>(outputs, 1, kMost));
  }

  /// Null where it is none.
  static const Graph* graph_of(const Attribute& attribute) {
    const auto* stated = std::get_if<AttributeValue>(&attribute.value);
    const auto* graph = stated == nullptr ? nullptr : std::get_if<std::shared_ptr<const Graph>>(&stated->value);
    return graph == nullptr ? nullptr : graph->get();
  }

  /// 1 of what is no number.
  static std::int64_t number_of(std::string_view text) {
    std::int64_t number = 1;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  static std::int64_t elements_of(const std::string& input, const TensorSource& file) {
    return at_place([&] { return format("in input '{}'", input); },
                    [&] {
                      const LoadedTensor loaded = io::load(file);
                      const Tensor* tensor = loaded.value.tensor();
                      return tensor == nullptr ? 1 : tensor->count();
                    });
  }

  Bound& bound_;
  const OpSchema& schema_;
  Node& node_;
  std::set<std::string, std::less<>> read_inside_;  ///< by its subgraphs, beside its own parameters
};

void bind_parameters(Bound& bound, std::span<const std::string> arguments) {
  ParameterNames names(bound, *bound.schema);
  names.require_known();
  const KnownNames known = names.inputs();
  ArgumentBinder binder(known, bound);
  binder.bind_all(arguments, true);
  names.name_inputs();
  names.name_outputs();
  bound.graph.inputs.clear();
  bound.graph.outputs.clear();
  name_graph_inputs_and_outputs(bound.graph);
}

void bind_names(Bound& bound, std::span<const std::string> arguments) {
  name_graph_inputs_and_outputs(bound.graph);
  const KnownNames known = names_of_graph(bound, Names::inputs);
  ArgumentBinder binder(known, bound);
  binder.bind_all(arguments, false);
  cut_at(bound.graph, binder.given());
}

}  // namespace

void name_graph_inputs_and_outputs(Graph& graph) {
  if (!graph.inputs.empty() || !graph.outputs.empty()) return;
  std::set<std::string> given, taken;
  for (const Node& node : graph.nodes) given.insert(node.outputs.begin(), node.outputs.end());
  for (const Node& node : graph.nodes) {
    const auto take = [&](const std::string& name) {
      if (!name.empty() && !given.contains(name) && !taken.contains(name)) graph.inputs.push_back({name, "", {}, {}});
      taken.insert(name);
    };
    std::ranges::for_each(node.inputs, take);
    std::ranges::for_each(names_read(node), take);
  }
  for (const Node& node : graph.nodes)
    for (const std::string& name : node.outputs)
      if (!name.empty() && !taken.contains(name)) graph.outputs.push_back({name, "", {}, {}});
  given.erase("");
  if (graph.outputs.empty() && !given.empty())
    fail(Fault::malformed,
         "the nodes form a cycle, in which each needs the value of another: no value is left to be an output");
}

void keep_needed(Bound& bound, std::span<const std::string> outputs) {
  if (bound.graph.nodes.size() < 2 || bound.graph.outputs.empty()) return;
  std::vector<std::string> wanted(outputs.begin(), outputs.end());
  for (const ValueInfo& output : bound.graph.outputs)
    if (outputs.empty()) wanted.push_back(output.name);
  bound.graph = needed_for(bound.graph, wanted);
}

void want_only(Bound& bound, std::span<const std::string> outputs) {
  const bool by_parameters = bound.read->format == CaseFormat::json || bound.read->format == CaseFormat::operator_name;
  if (!by_parameters || bound.schema == nullptr || !bound.read->outputs.empty() || !bound.expected.empty()) return;
  const std::vector<FormalParameter>& formal = bound.schema->outputs();
  const auto is_optional = [](const FormalParameter& output) { return output.arity == Arity::optional; };
  if (outputs.empty() && std::ranges::all_of(formal, is_optional)) return;
  std::vector<std::string>& given = bound.graph.nodes.front().outputs;
  for (size_t i = 0; i < std::min(given.size(), formal.size()); ++i) {
    if (!is_optional(formal[i]) || std::ranges::count(outputs, given[i]) > 0) continue;
    std::erase_if(bound.graph.outputs, [&](const ValueInfo& info) { return info.name == given[i]; });
    given[i].clear();
  }
  while (!given.empty() && given.back().empty()) given.pop_back();
}

Bound bind_case(std::shared_ptr<const Case> read, std::span<const std::string> arguments, const NodeOptions& options) {
  if (read->unreadable) throw Error(*read->unreadable);
  Bound bound{read, read->graph, read->inputs, read->expected, {}, nullptr, {}};
  if (!options.nodes.empty()) pick_nodes(bound, options.nodes);
  find_operators(bound.graph);
  override_attributes(bound.graph, options.attributes);
  read_graph_attributes(bound.graph);
  find_operators(bound.graph);  // of these graphs too
  if (options.opset) override_opset(bound.graph, *options.opset);
  bound.options.readings = options.readings;
  bound.options.readings.insert(read->readings.begin(), read->readings.end());
  const bool by_parameters = read->format == CaseFormat::json || read->format == CaseFormat::operator_name;
  const bool must_be_known = options.takes_unknown ? by_parameters : !arguments.empty();
  if (must_be_known && bound.graph.nodes.size() == 1) require_known_operators(bound.graph);
  bound.schema = schema_in_force(bound.graph);
  const Node* const only = bound.graph.nodes.size() == 1 ? &bound.graph.nodes.front() : nullptr;
  if (by_parameters && bound.schema != nullptr && !canonical_domain(only->domain).empty())  // a name of two domains?
    at_place([&] { return format("in {} of domain '{}'", only->op_type, only->domain); },
             [&] { bind_parameters(bound, arguments); });
  else if (by_parameters && bound.schema != nullptr)
    bind_parameters(bound, arguments);
  else
    bind_names(bound, arguments);
  return bound;
}

Bound bind_case(Case read, std::span<const std::string> arguments, const NodeOptions& options) {
  return bind_case(std::make_shared<const Case>(std::move(read)), arguments, options);
}

NamedSource parse_binding(const Bound& bound, std::string_view given, Names names) {
  const KnownNames known = names_of_graph(bound, names);
  const std::string argument = known.by_name(given);
  const KnownName& name = known.of_argument(argument);
  NamedSource binding{tensor_of(name), parse_source(name, argument)};
  if (binding.source.fill() != nullptr)
    at_place([&] { return format("in the argument '{}'", printable(argument)); },
             [&] { require_generator(bound.graph, binding); });
  return binding;
}

std::optional<std::string> known_tensor(const Bound& bound, std::string_view name, Names names) {
  const KnownNames known = names_of_graph(bound, names);
  const KnownName* found = known.find(name);
  return found == nullptr ? std::nullopt : std::optional(tensor_of(*found));
}

void unknown_tensor(const Bound& bound, std::string_view name, Names names) {
  names_of_graph(bound, names).unknown(name);
}

}  // namespace opref::run
