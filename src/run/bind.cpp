#include "run/bind.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/error.h"
#include "io/literal.h"
#include "io/npy.h"

namespace opref {
namespace {

namespace fs = std::filesystem;

/// A name that an argument can begin with, and the graph's tensor that it means.
struct KnownName {
  std::string name, tensor;
  bool ambiguous;  ///< the operator's name for `tensor`, but also the name of a tensor of another node
};

const std::string& tensor_of(const KnownName& known) {
  if (known.ambiguous)
    fail(
        Fault::usage,
        "'{}' has two meanings: the operator's name of '{}', and another tensor of the graph, which is not one of this "
        "node: write {}=FILE for the first",
        printable(known.name), printable(known.tensor), printable(known.tensor));
  return known.tensor;
}

/// The operator and version of the graph's only node, if it is known.
const OpSchema* only_schema(const Case& loaded) {
  if (loaded.graph.nodes.size() != 1) return nullptr;
  const Node& node = loaded.graph.nodes.front();
  const Operator* op = find_operator(canonical_domain(node.domain), node.op_type);
  return op == nullptr ? nullptr : &op->versions().back();
}

std::vector<KnownName> known_names(const Case& loaded, Names names) {
  std::vector<KnownName> known;
  const auto add = [&](const std::string& name, const std::string& tensor) {
    const bool ambiguous =
        name != tensor && std::ranges::find(loaded.other_tensors, name) != loaded.other_tensors.end();
    if (!name.empty() && !tensor.empty() && std::ranges::find(known, name, &KnownName::name) == known.end())
      known.push_back({name, tensor, ambiguous});
  };
  const auto add_formal = [&](const std::vector<FormalParameter>& formal, const std::vector<std::string>& actual) {
    for (size_t i = 0; i < actual.size() && !formal.empty(); ++i)
      add(std::string(OpSchema::formal(formal, i).name), actual[i]);
  };
  const Graph& graph = loaded.graph;
  const OpSchema* schema = only_schema(loaded);
  if (names == Names::inputs) {
    for (const ValueInfo& info : graph.inputs) add(info.name, info.name);
    for (const NamedSource& source : loaded.inputs) add(source.name, source.name);
    if (schema != nullptr) add_formal(schema->inputs(), graph.nodes.front().inputs);
  } else {
    for (const ValueInfo& info : graph.outputs) add(info.name, info.name);
    for (const Node& node : graph.nodes)
      for (const std::string& output : node.outputs) add(output, output);
    if (schema != nullptr) add_formal(schema->outputs(), graph.nodes.front().outputs);
    if (names == Names::any)
      for (const KnownName& input : known_names(loaded, Names::inputs)) add(input.name, input.tensor);
  }
  return known;
}

[[noreturn]] void unknown_name(std::string_view name, const std::vector<KnownName>& known, Names names) {
  const std::string_view noun = names == Names::inputs    ? "an input"
                                : names == Names::outputs ? "an output"
                                                          : "a tensor";
  std::vector<std::string_view> candidates;
  for (const KnownName& k : known)
    if (!k.ambiguous) candidates.push_back(k.name);
  fail(Fault::usage, "'{}' is not {} here ({}){}", printable(name), noun,
       candidates.empty() ? "there is none" : join_text(candidates, ", "), did_you_mean(name, candidates));
}

/// "[1,3,32,32]" as a shape; nothing if it is none.
std::optional<Dims> parse_shape(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  Dims dims;
  while (!text.empty()) {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), size);
    if (error != std::errc{} || size < 0 || (end != text.end() && *end != ',') || end + 1 == text.end())
      return std::nullopt;
    dims.push_back(size);
    text.remove_prefix(static_cast<size_t>(end - text.begin()) + (end != text.end()));
  }
  return dims;
}

struct StatedType {
  DType dtype;
  std::optional<Dims> shape;
};

/// "float32" or "float32[1,3]"; nothing if the text does not begin with the name of a dtype.
std::optional<StatedType> parse_type(std::string_view text) {
  const size_t bracket = text.find('[');
  const auto dtype = dtype_named(text.substr(0, bracket));
  if (!dtype) return std::nullopt;
  if (bracket == std::string_view::npos) return StatedType{*dtype, std::nullopt};
  const auto shape = parse_shape(text.substr(bracket));
  if (!shape) return std::nullopt;
  return StatedType{*dtype, shape};
}

bool is_scalar_literal(std::string_view text) {
  constexpr std::string_view kNames[] = {"NaN", "Inf", "-Inf", "true", "false"};
  return !text.empty() && (std::ranges::find(kNames, text) != std::end(kNames) || (text[0] >= '0' && text[0] <= '9') ||
                           text[0] == '-' || text[0] == '+' || text[0] == '.');
}

/// ":normal" or ":normal:7"
Fill parse_fill(std::string_view text) {
  if (!text.starts_with(':'))
    fail(Fault::usage, "'{}' stands after the type: a generator is written as in float32[1,3]:normal:7",
         printable(text));
  text.remove_prefix(1);
  const size_t colon = text.find(':');
  Fill fill{std::string(text.substr(0, colon))};
  if (colon == std::string_view::npos) return fill;
  const std::string_view seed = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), fill.seed);
  if (error != std::errc{} || end != seed.data() + seed.size())
    fail(Fault::usage, "the seed '{}' is no whole number from 0 to {}", printable(seed), UINT64_MAX);
  return fill;
}

/// The part after NAME= or NAME:DTYPE=.
TensorSource parse_value(std::string_view text) {
  TensorSource source;
  std::error_code ignored;
  const bool exists = text == "-" || fs::exists(fs::path(text), ignored);
  if (!exists && text.starts_with('[')) {
    const size_t end = text.rfind(']');
    const std::string_view suffix = end == std::string_view::npos ? "" : text.substr(end + 1);
    if (suffix.starts_with(':')) source.dtype = parse_dtype(suffix.substr(1));
    source.literal = parse_literal(source.dtype ? text.substr(0, end + 1) : text);
    return source;
  }
  const size_t colon = text.rfind(':');
  if (!exists && colon != std::string_view::npos && is_scalar_literal(text.substr(0, colon)) &&
      dtype_named(text.substr(colon + 1))) {
    source.dtype = dtype_named(text.substr(colon + 1));
    source.literal = parse_literal(text.substr(0, colon));
    return source;
  }
  if (!exists) {
    const size_t bracket = text.find(']');
    const std::string_view type_text = bracket == std::string_view::npos ? text : text.substr(0, bracket + 1);
    if (const auto type = parse_type(type_text); type && type->shape) {
      source.dtype = type->dtype;
      source.shape = type->shape;
      if (type_text.size() == text.size()) return source;
      source.fill = parse_fill(text.substr(type_text.size()));
      require_generates(source.fill->generator, type->dtype);
      return source;
    }
    // "float33[1,3]" is a mistyped type rather than a missing file.
    const size_t open = text.find('[');
    if (open != std::string_view::npos && open > 0 && text.find_first_of("./") == std::string_view::npos) {
      parse_dtype(text.substr(0, open));
      fail(Fault::usage, "'{}' is not a shape such as [1,3]", printable(text.substr(open)));
    }
  }
  if (text.empty()) fail(Fault::usage, "the file's name is missing");
  if (!exists) return TensorSource::of_file(text);
  source.file = text;
  return source;
}

/// Whether a literal without a type can be taken as int64: no other kind of number is meant.
bool takes_integers(const std::vector<DType>& allowed) {
  return std::ranges::find(allowed, DType::int64) != allowed.end() && std::ranges::all_of(allowed, [](DType dtype) {
           return info(dtype).kind == Kind::signed_integer || info(dtype).kind == Kind::unsigned_integer;
         });
}

/// The element type of another input of the node that has the type variable of `formal`.
std::optional<DType> dtype_of_variable(const Node& node, const OpSchema& schema, const FormalParameter& formal,
                                       const Environment& settled) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const auto other = settled.find(node.inputs[i]);
    if (other != settled.end() && OpSchema::formal(schema.inputs(), i).type == formal.type)
      return other->second.type.dtype();
  }
  return std::nullopt;
}

/// What `choose(node, schema, formal)` returns for the first input parameter that takes the tensor and gives a type.
template <class Choose>
std::optional<DType> dtype_from_uses(const Graph& graph, const EvaluationOptions& options, const std::string& name,
                                     const Choose& choose) {
  for (const Node& node : graph.nodes) {
    const Operator* op = find_operator(canonical_domain(node.domain), node.op_type);
    if (op == nullptr) continue;
    const OpSchema& schema = op->schema_for(opset_in_force(graph, node, options));
    for (size_t i = 0; i < node.inputs.size() && !schema.inputs().empty(); ++i) {
      if (node.inputs[i] != name) continue;
      const std::optional<DType> dtype = choose(node, schema, OpSchema::formal(schema.inputs(), i));
      if (dtype) return dtype;
    }
  }
  return std::nullopt;
}

/// The element type that the graph or its operators give to a tensor whose file leaves it open.
std::optional<DType> dtype_from_graph(const Graph& graph, const EvaluationOptions& options, const std::string& name,
                                      const LoadedTensor& loaded, const Environment& settled) {
  if (const ValueInfo* info = declaration(graph, name); info != nullptr && info->dtype) return info->dtype;
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
  return dtype_from_uses(graph, options, name, choose);
}

/// A type that the operator takes here: the one that a user most likely means.
DType likely_dtype(const Graph& graph, const EvaluationOptions& options, const std::string& name) {
  const auto choose = [](const Node&, const OpSchema& schema, const FormalParameter& formal) -> std::optional<DType> {
    const Types allowed = schema.types_of(formal);
    for (const DType dtype : {DType::float32, DType::int64})
      if (allowed.contains(dtype)) return dtype;
    return allowed.dtypes().front();
  };
  return dtype_from_uses(graph, options, name, choose).value_or(DType::float32);
}

/// The type of an input that nothing is bound to, as far as the graph declares it: all of it, or an element type that
/// another input of the same type variable has; nothing where neither type nor sizes are declared.
std::optional<TensorType> declared_type(const Graph& graph, const ValueInfo& info, const EvaluationOptions& options,
                                        const Environment& settled) {
  std::optional<DType> dtype = info.dtype;
  if (!dtype && !info.dims) return std::nullopt;
  if (!dtype)
    dtype = dtype_from_uses(graph, options, info.name,
                            [&](const Node& node, const OpSchema& schema, const FormalParameter& formal) {
                              return dtype_of_variable(node, schema, formal, settled);
                            });
  std::optional<Dims> shape;
  if (info.dims && std::ranges::all_of(*info.dims, [](const DeclaredDim& dim) { return dim.size.has_value(); })) {
    shape.emplace();
    for (const DeclaredDim& dim : *info.dims) shape->push_back(*dim.size);
  }
  if (dtype && shape) return TensorType{*dtype, *shape};
  const DType suggested = dtype ? *dtype : likely_dtype(graph, options, info.name);
  fail(Fault::usage, "input '{}' is declared as {}{}: give {}=FILE, or {}={}{} for infer", printable(info.name),
       to_text(info), dtype ? "" : ", without an element type", printable(info.name), printable(info.name), suggested,
       shape ? to_text(*shape) : "[…]");
}

/// A `usage` error for what is neither a generator of any input nor of an operator that takes this one.
void require_generator(const Graph& graph, const NamedSource& input) {
  const std::string& generator = input.source.fill->generator;
  if (is_generator(generator)) return;
  std::vector<std::string_view> known = generator_names();
  for (const Node& node : graph.nodes) {
    const Operator* op = find_operator(canonical_domain(node.domain), node.op_type);
    if (op == nullptr || std::ranges::find(node.inputs, input.name) == node.inputs.end()) continue;
    for (const OwnGenerator& own : op->generators()) known.push_back(own.name);
  }
  if (std::ranges::find(known, generator) == known.end()) unknown_generator(generator, known);
}

/// The type of a generated input: stated, or the element type of other inputs of the same type variable.
TensorType generated_type(const Graph& graph, const EvaluationOptions& options, const NamedSource& input,
                          const Environment& settled) {
  require_generator(graph, input);
  std::optional<DType> dtype = input.source.dtype;
  if (!dtype)
    dtype = dtype_from_uses(graph, options, input.name,
                            [&](const Node& node, const OpSchema& schema, const FormalParameter& formal) {
                              return dtype_of_variable(node, schema, formal, settled);
                            });
  if (!dtype)
    fail(Fault::usage, "input '{}' has a generator, but neither a dtype nor another input of the same type variable",
         printable(input.name));
  require_generates(input.source.fill->generator, *dtype);
  return {*dtype, input.source.shape.value()};
}

/// The node that takes the input, if it is the only one.
const Node& only_taker(const Graph& graph, const NamedSource& input) {
  const auto takes = [&](const Node& node) { return std::ranges::find(node.inputs, input.name) != node.inputs.end(); };
  const auto taker = std::ranges::find_if(graph.nodes, takes);
  if (std::ranges::count_if(graph.nodes, takes) > 1)
    fail(Fault::usage, "the generator '{}' looks at the node, but several take '{}'", input.source.fill->generator,
         printable(input.name));
  return *taker;
}

/// The types of the node's inputs are known.
Tensor generated_values(const Graph& graph, const EvaluationOptions& options, const NamedSource& input,
                        const Environment& environment) {
  const Fill& fill = *input.source.fill;
  if (is_generator(fill.generator)) return generate(fill, input.name, environment.find(input.name)->second.type.tensor);
  const Node& node = only_taker(graph, input);
  const Call call = resolve_node(graph, node, environment, options);
  call.op().output_types(call);  // the operator's own rules first
  const auto place = static_cast<size_t>(std::ranges::find(node.inputs, input.name) - node.inputs.begin());
  const std::string_view formal = OpSchema::formal(call.schema().inputs(), place).name;
  return call.op().find_generator(fill.generator)->values(call, formal, stream_of(fill.seed, input.name));
}

Input known_value(const Graph& graph, const std::string& name, Value value) {
  const Tensor* tensor = value.tensor();
  if (tensor == nullptr) fail(Fault::unsupported, "input '{}' is no tensor", printable(name));
  if (const ValueInfo* info = declaration(graph, name); info != nullptr && !agrees(*info, tensor->type()))
    fail(Fault::invalid, "input '{}' is {}, but the graph declares {}", printable(name), tensor->type(),
         to_text(*info));
  const TensorType type = tensor->type();
  return {name, type, std::move(value)};
}

}  // namespace

std::optional<std::string> known_tensor(const Case& loaded, std::string_view name, Names names) {
  const std::vector<KnownName> known = known_names(loaded, names);
  const auto found = std::ranges::find(known, name, &KnownName::name);
  return found == known.end() ? std::nullopt : std::optional(tensor_of(*found));
}

void unknown_tensor(const Case& loaded, std::string_view name, Names names) {
  unknown_name(name, known_names(loaded, names), names);
}

NamedSource parse_binding(const Case& loaded, std::string_view argument, Names names) {
  const std::vector<KnownName> known = known_names(loaded, names);
  const KnownName* longest = nullptr;
  for (const KnownName& candidate : known) {
    if (!argument.starts_with(candidate.name) || argument.size() == candidate.name.size()) continue;
    const std::string_view rest = argument.substr(candidate.name.size());
    const bool typed = rest[0] == ':' && parse_type(rest.substr(1, rest.find('=') - 1)).has_value();
    if ((rest[0] == '=' || typed) && (longest == nullptr || candidate.name.size() > longest->name.size()))
      longest = &candidate;
  }
  const size_t equals = argument.find('=');
  if (equals == std::string_view::npos && longest == nullptr)
    fail(Fault::usage, "'{}' is neither an option nor NAME=FILE", printable(argument));
  if (longest == nullptr) {
    const std::string_view name = argument.substr(0, equals);
    const size_t colon = name.find(':');
    // A known name with an unknown type, rather than an unknown name.
    for (const KnownName& candidate : known)
      if (colon != std::string_view::npos && name.substr(0, colon) == candidate.name)
        fail(Fault::usage, "'{}' is not a type such as float32 or float32[1,3]", printable(name.substr(colon + 1)));
    unknown_name(name, known, names);
  }
  return at_place([&] { return format("in the argument '{}'", printable(argument)); },
                  [&]() -> NamedSource {
                    const std::string& tensor = tensor_of(*longest);
                    const std::string_view rest = argument.substr(longest->name.size());
                    if (rest[0] == '=') {
                      NamedSource binding{tensor, parse_value(rest.substr(1))};
                      if (binding.source.fill) require_generator(loaded.graph, binding);
                      return binding;
                    }
                    const size_t sign = rest.find('=');
                    if (sign == std::string_view::npos) fail(Fault::usage, "'=FILE' is missing");
                    const StatedType type = parse_type(rest.substr(1, sign - 1)).value();
                    TensorSource source = parse_value(rest.substr(sign + 1));
                    if (!source.has_values()) fail(Fault::usage, "the type is stated twice");
                    if (source.dtype && source.dtype != type.dtype)
                      fail(Fault::usage, "the type is stated as {} and as {}", type.dtype, *source.dtype);
                    source.dtype = type.dtype;
                    source.shape = type.shape;
                    return {tensor, std::move(source)};
                  });
}

void bind_inputs(Case& loaded, std::span<const std::string> arguments) {
  std::set<std::string> bound;
  for (const std::string& argument : arguments) {
    NamedSource binding = parse_binding(loaded, argument, Names::inputs);
    if (!bound.insert(binding.name).second) fail(Fault::usage, "input '{}' is given twice", printable(binding.name));
    std::erase_if(loaded.inputs, [&](const NamedSource& source) { return source.name == binding.name; });
    loaded.inputs.push_back(std::move(binding));
  }
}

Environment load_inputs(const Case& loaded, const EvaluationOptions& options, std::vector<std::string>& warnings) {
  const Graph& graph = loaded.graph;
  std::set<std::string, std::less<>> used;
  for (const Node& node : graph.nodes) used.insert(node.inputs.begin(), node.inputs.end());
  for (const ValueInfo& output : graph.outputs) used.insert(output.name);
  Environment environment;
  std::vector<std::pair<std::string, LoadedTensor>> open;
  std::int64_t bytes_left = options.max_bytes;
  const auto count_bytes = [&bytes_left](const TensorType& type) {
    require_bytes(type, bytes_left);
    bytes_left -= byte_size(type);
  };
  const auto place = [](const std::string& name) {
    return [&name] { return format("in input '{}'", printable(name)); };
  };
  std::vector<const NamedSource*> generated;
  const auto know_generated = [&](const NamedSource& input) {
    at_place(place(input.name), [&] {
      const TensorType type = generated_type(graph, options, input, environment);
      if (options.generate) count_bytes(type);
      environment.insert_or_assign(input.name, Input{input.name, type});
    });
  };
  for (const NamedSource& input : loaded.inputs) {
    if (!used.contains(input.name)) continue;
    if (input.source.fill) {
      generated.push_back(&input);
      if (input.source.dtype) know_generated(input);
      continue;
    }
    if (!input.source.has_values()) {
      if (!input.source.dtype || !input.source.shape)
        fail(Fault::usage, "input '{}' has neither values nor a dtype and a shape", printable(input.name));
      environment.insert_or_assign(input.name, Input{input.name, {*input.source.dtype, *input.source.shape}});
      continue;
    }
    at_place(place(input.name), [&] {
      LoadedTensor tensor = load(input.source, bytes_left);
      if (const Tensor* read = tensor.value.tensor(); read != nullptr && !tensor.literal) count_bytes(read->type());
      if (tensor.open_descr.empty() && !tensor.literal)
        environment.insert_or_assign(input.name, known_value(graph, input.name, std::move(tensor.value)));
      else
        open.emplace_back(input.name, std::move(tensor));
    });
  }
  for (auto& unsettled : open) {
    const std::string& name = unsettled.first;
    LoadedTensor& tensor = unsettled.second;
    at_place(place(name), [&] {
      const auto dtype = dtype_from_graph(graph, options, name, tensor, environment);
      if (dtype && tensor.literal) count_bytes({*dtype, tensor.literal->shape});
      Value value = dtype ? settle(std::move(tensor), *dtype) : settle_alone(std::move(tensor), warnings);
      environment.insert_or_assign(name, known_value(graph, name, std::move(value)));
    });
  }
  for (const NamedSource* input : generated)
    if (!input->source.dtype) know_generated(*input);
  for (const ValueInfo& info : graph.inputs) {
    if (!environment.contains(info.name) && used.contains(info.name))
      if (const auto type = declared_type(graph, info, options, environment))
        environment.emplace(info.name, Input{info.name, *type});
    const auto known = environment.find(info.name);
    if (known == environment.end() || !info.dims) continue;
    for (const DeclaredDim& dim : *info.dims) known->second.denotation.push_back(dim.denotation);
  }
  if (options.generate)
    for (const NamedSource* input : generated)
      at_place(place(input->name), [&] {
        Tensor values = generated_values(graph, options, *input, environment);
        environment.find(input->name)->second.value = known_value(graph, input->name, std::move(values)).value;
      });
  return environment;
}

}  // namespace opref
