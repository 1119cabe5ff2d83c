// SPDX-License-Identifier: Apache-2.0
#include "run/load_inputs.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "io/literal.h"
#include "io/numpy/npy.h"
#include "run/graph_names.h"
#include "run/sound_names.h"
#include "run/version.h"
#include "schema/remedies.h"

namespace opref::run {
namespace {

/// Whether a literal without a type can be taken as int64: no other kind of number is meant.
bool takes_integers(const std::vector<DType>& allowed) {
  return std::ranges::find(allowed, DType::int64) != allowed.end() && std::ranges::all_of(allowed, [](DType dtype) {
           return info(dtype).kind == Kind::signed_integer || info(dtype).kind == Kind::unsigned_integer;
         });
}

/// The element type of another input of the node that has the type variable of `formal`.
std::optional<DType> dtype_of_variable(const Node& node, const OpSchema& schema, const FormalParameter& formal,
                                       const Environment& settled) {
  if (formal.arity >= Arity::heterogeneous) return std::nullopt;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const auto other = settled.find(node.inputs[i]);
    if (other != settled.end() && OpSchema::formal(schema.inputs(), i).type == formal.type)
      return other->second.type.dtype();
  }
  return std::nullopt;
}

/// What `choose(node, schema, formal)` returns for the first input parameter that takes the tensor and gives a type.
template <class Choose>
std::optional<DType> dtype_from_uses(const Graph& graph, const std::string& name, const Choose& choose) {
  for (const Node& node : graph.nodes) {
    if (std::ranges::find(node.inputs, name) == node.inputs.end()) continue;
    if (operator_of(graph.opset_import, node) == nullptr || find_function(graph.opset_import, node) != nullptr)
      continue;
    const OpSchema& schema = version_in_force(graph.opset_import, node).schema;
    for (size_t i = 0; i < node.inputs.size() && !schema.inputs().empty(); ++i) {
      if (node.inputs[i] != name) continue;
      const std::optional<DType> dtype = choose(node, schema, OpSchema::formal(schema.inputs(), i));
      if (dtype) return dtype;
    }
  }
  return std::nullopt;
}

/// The element type that the graph, by `info` if it declares the tensor, or its operators give to one whose file leaves
/// it open.
std::optional<DType> dtype_from_graph(const Graph& graph, const ValueInfo* info, const std::string& name,
                                      const LoadedTensor& loaded, const Environment& settled) {
  if (info != nullptr && info->dtype) return info->dtype;
  const auto choose = [&](const Node& node, const OpSchema& schema,
                          const FormalParameter& formal) -> std::optional<DType> {
    std::vector<DType> allowed = schema.types_of(formal).dtypes();
    if (!loaded.literal) std::erase_if(allowed, [&](DType dtype) { return !descr_can_be(loaded.open_descr, dtype); });
    // uint16 is a type of its own: only a declaration or another input can say that its bits are bfloat16's.
    const bool is_uint16 = loaded.open_descr.ends_with("u2");
    if (allowed.size() == 1 && !is_uint16) return allowed.front();
    if (const auto dtype = dtype_of_variable(node, schema, formal, settled)) return dtype;
    return loaded.literal && takes_integers(allowed) ? std::optional(DType::int64) : std::nullopt;
  };
  return dtype_from_uses(graph, name, choose);
}

/// A file of one byte an element that a node takes, but none of whose types the node takes, is `invalid`.
void require_possible_type(const Graph& graph, const std::string& name, const LoadedTensor& loaded) {
  if (!loaded.open_descr.ends_with("V1")) return;
  const auto check = [&](const Node& node, const OpSchema& schema,
                         const FormalParameter& formal) -> std::optional<DType> {
    const std::vector<DType> allowed = schema.types_of(formal).dtypes();
    if (std::ranges::none_of(allowed, [&](DType dtype) { return descr_can_be(loaded.open_descr, dtype); }))
      fail(Fault::invalid,
           "the file's descr '{}' means a float8, a float4 or an integer of 2 or 4 bits, but {} of {} takes only {}",
           loaded.open_descr, formal.name, node.op_type, join_text(allowed, ", "));
    return std::nullopt;
  };
  dtype_from_uses(graph, name, check);
}

/// A type that the operator takes here: the one that a user most likely means.
DType likely_dtype(const Graph& graph, const std::string& name) {
  const auto choose = [](const Node&, const OpSchema& schema, const FormalParameter& formal) -> std::optional<DType> {
    const Types allowed = schema.types_of(formal);
    for (const DType dtype : {DType::float32, DType::int64})
      if (allowed.contains(dtype)) return dtype;
    return allowed.empty() ? std::nullopt : std::optional(allowed.dtypes().front());
  };
  return dtype_from_uses(graph, name, choose).value_or(DType::float32);
}

/// The type of an input that nothing is bound to, as far as the graph declares it: all of it, or an element type that
/// another input of the same type variable has; nothing where neither type nor sizes are declared.
std::optional<ValueType> declared_type(const Graph& graph, const ValueInfo& info, const Environment& settled,
                                       const Symbols& symbols) {
  std::optional<DType> dtype = info.dtype;
  if (!dtype && !info.dims) return std::nullopt;
  if (info.form != Form::tensor) return ValueType(info.form, *dtype, info.key);
  if (!dtype)
    dtype =
        dtype_from_uses(graph, info.name, [&](const Node& node, const OpSchema& schema, const FormalParameter& formal) {
          return dtype_of_variable(node, schema, formal, settled);
        });
  const std::optional<Dims> shape = declared_shape(info, symbols);
  if (dtype && shape) return TensorType{*dtype, *shape};
  const DType suggested = dtype ? *dtype : likely_dtype(graph, info.name);
  std::vector<std::string> others;
  for (const ValueInfo& other : graph.inputs) {
    const bool is_typed = other.dtype && declared_shape(other, symbols);
    if (other.name != info.name && !is_typed && settled.find(other.name) == settled.end())
      others.push_back(format("'{}'", printable(other.name)));
  }
  fail(Fault::usage,
       {kGiveOpenInput, format("{}=FILE, or {}={}{} for infer{}", printable(info.name), printable(info.name), suggested,
                               shape ? to_text(*shape) : "[…]",
                               others.empty() ? "" : format("; also open: {}", join_text(others, ", ")))},
       "input '{}' is declared as {}{}", printable(info.name), to_text(info), dtype ? "" : ", without an element type");
}

/// The type of a generated input: stated, or the element type of other inputs of the same type variable.
TensorType generated_type(const Graph& graph, const NamedSource& input, const Environment& settled) {
  require_generator(graph, input);
  std::optional<DType> dtype = input.source.dtype;
  if (!dtype)
    dtype = dtype_from_uses(graph, input.name,
                            [&](const Node& node, const OpSchema& schema, const FormalParameter& formal) {
                              return dtype_of_variable(node, schema, formal, settled);
                            });
  if (!dtype)
    fail(Fault::usage, "input '{}' has a generator, but neither a dtype nor another input of the same type variable",
         printable(input.name));
  require_generates(input.source.fill()->generator, *dtype);
  return {*dtype, input.source.shape.value()};
}

/// The node that takes the input, if it is the only one.
const Node& only_taker(const Graph& graph, const NamedSource& input) {
  const auto takes = [&](const Node& node) { return std::ranges::find(node.inputs, input.name) != node.inputs.end(); };
  const auto taker = std::ranges::find_if(graph.nodes, takes);
  if (std::ranges::count_if(graph.nodes, takes) > 1)
    fail(Fault::usage, "the generator '{}' looks at the node, but several take '{}'", input.source.fill()->generator,
         printable(input.name));
  return *taker;
}

/// The types of the node's inputs are known.
Tensor generated_values(const Graph& graph, const EvaluationOptions& options, const NamedSource& input,
                        const Environment& environment) {
  const Fill& fill = *input.source.fill();
  if (is_generator(fill.generator)) return generate(fill, input.name, environment.find(input.name)->second.type.tensor);
  const Node& node = only_taker(graph, input);
  const Call call = resolve_node(graph, node, environment, options);
  call.op().output_types(call);  // the operator's own rules first
  const auto place = static_cast<size_t>(std::ranges::find(node.inputs, input.name) - node.inputs.begin());
  const std::string_view formal = OpSchema::formal(call.schema().inputs(), place).name;
  return call.op().find_generator(fill.generator)->values(call, formal, stream_of(fill.seed, input.name));
}

/// Where an optional is declared, a tensor or sequence is its element. A file of an optional tensor could be one of a
/// sequence too, and is read as that.
void wrap_as_declared(Value& value, const ValueInfo& info) {
  if (info.form != Form::optional && info.form != Form::optional_sequence) return;
  if (const auto* tensor = std::get_if<Tensor>(&value)) {
    value = Optional{tensor->dtype(), *tensor};
  } else if (const auto* sequence = std::get_if<Sequence>(&value)) {
    const TensorList& elements = sequence->elements;
    if (info.form == Form::optional_sequence)
      value = Optional{sequence->dtype, *sequence};
    else if (elements.empty())
      value = Optional{info.dtype.value()};
    else if (elements.size() == 1)
      value = Optional{sequence->dtype, elements.front()};
  }
}

/// Of a sequence of maps that has none nothing else says which keys they would have.
void take_declared_keys(Value& value, const ValueInfo* info) {
  auto* maps = std::get_if<MapSequence>(&value);
  if (maps != nullptr && info != nullptr && info->form == Form::map_sequence) maps->key = info->key;
}

/// `info`: what the graph declares of the input; may be null.
void require_declared(const ValueInfo* info, const std::string& name, const ValueType& type) {
  if (info == nullptr || agrees(*info, type)) return;
  const bool is_other_type = type.form == Form::tensor && info->form == Form::tensor && info->dtype != type.dtype();
  fail(Fault::invalid, is_other_type && info->dtype ? WayOut(kConvertFile, to_text(*info->dtype)) : WayOut(),
       "input '{}' is {}, but the graph declares {}", printable(name), type, to_text(*info));
}

Input known_value(const ValueInfo* info, const std::string& name, Value value) {
  if (info != nullptr) wrap_as_declared(value, *info);
  ValueType type = type_of(value);
  if (info != nullptr) take_declared_form(*info, value, type);
  require_declared(info, name, type);
  return {name, type, std::move(value)};
}

/// Reads the sources of one graph, one after another: what a type depends on before what depends on it.
class InputLoader {
 public:
  InputLoader(const Bound& bound, const EvaluationOptions& options, std::vector<std::string>& warnings)
      : bound_(bound),
        graph_(bound.graph),
        names_(bound.graph),
        options_(options),
        warnings_(warnings),
        bytes_left_(options.max_bytes) {
    for (const Node& node : graph_.nodes) used_.merge(names_read(node));
    for (const ValueInfo& output : graph_.outputs) used_.insert(output.name);
  }

  Environment load() && {
    for (const NamedSource& input : bound_.inputs)
      if (used_.contains(input.name)) take(input);
    for (auto& [name, tensor] : open_) settle_open(name, std::move(tensor));
    for (const NamedSource* input : generated_)
      if (!input->source.dtype) know_generated(*input);
    const Symbols symbols = bound_symbols(graph_, environment_);
    for (const ValueInfo& info : graph_.inputs) know_declared(info, symbols);
    if (options_.generate)
      for (const NamedSource* input : generated_) generate_values(*input);
    return std::move(environment_);
  }

 private:
  /// What `body` does for the input; its name is the place of errors.
  template <class Body>
  void in_input(const std::string& name, const Body& body) {
    at_place([&] { return format("in input '{}'", printable(name)); }, body);
  }

  void count_bytes(const TensorType& type) {
    require_bytes(type, bytes_left_);
    bytes_left_ -= byte_size(type);
  }

  void know(const std::string& name, Value value) {
    environment_.insert_or_assign(name, known_value(names_.declaration(name), name, std::move(value)));
  }

  void know(const NamedSource& input, Value value) {
    know(input.name, std::move(value));
    Form& form = environment_.find(input.name)->second.type.form;
    if (form == Form::optional && input.source.form == Form::optional_sequence) form = input.source.form;
  }

  void take(const NamedSource& input) {
    if (input.source.fill() != nullptr) {
      generated_.push_back(&input);
      if (input.source.dtype) know_generated(input);
    } else if (input.source.has_values()) {
      in_input(input.name, [&] { read(input); });
    } else {
      know_type(input);
    }
  }

  void know_type(const NamedSource& input) {
    const auto& dtype = input.source.dtype;
    const auto& shape = input.source.shape;
    if (is_of_maps(input.source.form)) {
      const ValueType type(input.source.form, dtype.value(), input.source.key);
      require_declared(names_.declaration(input.name), input.name, type);
      environment_.insert_or_assign(input.name, Input{input.name, type});
      return;
    }
    if (const auto* open = input.source.open_shape())
      fail(Fault::usage, "input '{}' is {}: sizes that are symbols have types alone, no values", printable(input.name),
           to_text(ValueInfo{"", "", dtype, *open}));
    if (!dtype || !shape)
      fail(Fault::usage, "input '{}' has neither values nor a dtype and a shape", printable(input.name));
    require_declared(names_.declaration(input.name), input.name, TensorType{*dtype, *shape});
    environment_.insert_or_assign(input.name, Input{input.name, {*dtype, *shape}});
  }

  void read(const NamedSource& input) {
    LoadedTensor tensor = io::load(input.source, bytes_left_);
    if (!tensor.literal)
      for (const Tensor& known : tensors_in(tensor.value)) count_bytes(known.type());
    if (tensor.open_descr.empty() && !tensor.literal && !tensor.is_open_without_elements)
      know(input, std::move(tensor.value));
    else
      open_.emplace_back(input.name, std::move(tensor));
  }

  /// Gives a tensor whose file or literal leaves its element type open the one that the graph has for it.
  void settle_open(const std::string& name, LoadedTensor tensor) {
    in_input(name, [&] {
      const auto dtype = dtype_from_graph(graph_, names_.declaration(name), name, tensor, environment_);
      if (tensor.is_open_without_elements) take_declared_keys(tensor.value, names_.declaration(name));
      if (dtype && tensor.literal) count_bytes({*dtype, tensor.literal->shape});
      if (!dtype) require_possible_type(graph_, name, tensor);
      know(name, dtype ? settle(std::move(tensor), *dtype) : settle_alone(std::move(tensor), warnings_));
    });
  }

  void know_generated(const NamedSource& input) {
    in_input(input.name, [&] {
      const TensorType type = generated_type(graph_, input, environment_);
      if (options_.generate) count_bytes(type);
      environment_.insert_or_assign(input.name, Input{input.name, type});
    });
  }

  /// What the graph declares of an input: its type where nothing is bound to it, and the meaning of its axes.
  void know_declared(const ValueInfo& info, const Symbols& symbols) {
    if (!environment_.contains(info.name) && used_.contains(info.name))
      if (const auto type = declared_type(graph_, info, environment_, symbols))
        environment_.emplace(info.name, Input{info.name, *type});
    const auto known = environment_.find(info.name);
    if (known == environment_.end() || !info.dims) return;
    for (const DeclaredDim& dim : *info.dims) known->second.denotation.push_back(dim.denotation);
  }

  void generate_values(const NamedSource& input) {
    in_input(input.name, [&] {
      Tensor values = generated_values(graph_, options_, input, environment_);
      environment_.find(input.name)->second.value =
          known_value(names_.declaration(input.name), input.name, std::move(values)).value;
    });
  }

  const Bound& bound_;
  const Graph& graph_;
  const GraphNames names_;
  const EvaluationOptions& options_;
  std::vector<std::string>& warnings_;
  std::int64_t bytes_left_;
  std::set<std::string, std::less<>> used_;
  Environment environment_;
  std::vector<std::pair<std::string, LoadedTensor>> open_;
  std::vector<const NamedSource*> generated_;
};

}  // namespace

void require_generator(const Graph& graph, const NamedSource& input) {
  const std::string& generator = input.source.fill()->generator;
  if (is_generator(generator)) return;
  std::vector<std::string_view> known = generator_names();
  for (const Node& node : graph.nodes) {
    const Operator* op = operator_of(graph.opset_import, node);
    if (op == nullptr || std::ranges::find(node.inputs, input.name) == node.inputs.end()) continue;
    for (const OwnGenerator& own : op->generators()) known.push_back(own.name);
  }
  if (std::ranges::find(known, generator) == known.end()) unknown_generator(generator, known);
}

Environment load_inputs(const Bound& bound, const EvaluationOptions& options, std::vector<std::string>& warnings) {
  return InputLoader(bound, options, warnings).load();
}

bool take_accepted_outputs(Bound& bound, const Environment& inputs, const Graph* whole) {
  if (bound.graph.nodes.size() != 1) return false;
  Bound required = bound;
  if (whole != nullptr)
    required.graph = *whole;
  else if (bound.read->format == CaseFormat::operator_name)
    want_only(required, {});
  const auto is_accepted = [&](const Graph& graph) {
    try {
      const Call call = resolve_node(graph, graph.nodes.front(), inputs, bound.options);
      call.op().output_types(call);
      return true;
    } catch (const Error& error) {
      if (error.fault() == Fault::internal || error.fault() == Fault::system) throw;
      return false;
    }
  };
  const bool are_others = required.graph.nodes.front().outputs != bound.graph.nodes.front().outputs;
  if (!are_others || is_accepted(bound.graph) || !is_accepted(required.graph)) return false;
  bound.graph = std::move(required.graph);
  return true;
}

}  // namespace opref::run
