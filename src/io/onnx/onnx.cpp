// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/onnx.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/error.h"
#include "io/json/parse.h"
#include "io/json/tree.h"
#include "io/onnx/json.h"
#include "io/onnx/proto.h"
#include "io/onnx/wire.h"
#include "schema/domains.h"
#include "schema/sparse.h"
#include "system/machine_error.h"

namespace opref::io {
namespace {

namespace fs = std::filesystem;

Graph decode_graph(const OnnxMessage& proto, const fs::path& folder);

/// The field of an AttributeProto that holds a value of this type.
std::string_view value_field(AttributeType type) {
  constexpr std::array<std::string_view, 14> kFields = {"f",
                                                        "i",
                                                        "s",
                                                        "t",
                                                        "g",
                                                        "floats",
                                                        "ints",
                                                        "strings",
                                                        "tensors",
                                                        "graphs",
                                                        "sparse_tensor",
                                                        "sparse_tensors",
                                                        "tp",
                                                        "type_protos"};
  return kFields[static_cast<size_t>(type) - static_cast<size_t>(AttributeType::FLOAT)];
}

/// The type of the value that is there, for models from before the field `type`.
std::optional<AttributeType> held_type(const OnnxMessage& proto) {
  for (int type = 1; type <= static_cast<int>(AttributeType::TYPE_PROTOS); ++type)
    if (proto.is_set(value_field(static_cast<AttributeType>(type)))) return static_cast<AttributeType>(type);
  return std::nullopt;
}

/// What `decode` returns, or why it cannot be read: then that is an error only where somebody needs it.
template <class Value, class Decode>
Value read_or_why(const Decode& decode) {
  try {
    return decode();
  } catch (const Error& error) {
    pass_on(error);
    return Opaque{std::make_shared<const Error>(error)};
  }
}

SparseTensor decode_sparse_tensor(const OnnxMessage& proto, const fs::path& folder) {
  const std::vector<std::int64_t> dims = proto.numbers<std::int64_t>("dims");
  return {decode_tensor(proto.message("values"), &folder), decode_tensor(proto.message("indices"), &folder),
          Dims(std::span<const std::int64_t>(dims))};
}

AttributeValue decode_value(const OnnxMessage& proto, AttributeType type, const fs::path& folder) {
  using Held = decltype(AttributeValue::value);
  const std::string_view field = value_field(type);
  switch (type) {
    case AttributeType::FLOAT:
      return AttributeValue::of(proto.real(field));
    case AttributeType::INT:
      return AttributeValue::of(proto.integral(field));
    case AttributeType::STRING:
      return AttributeValue::of(std::string(proto.text(field)));
    case AttributeType::FLOATS:
      return AttributeValue::of(proto.numbers<float>(field));
    case AttributeType::INTS:
      return AttributeValue::of(proto.numbers<std::int64_t>(field));
    case AttributeType::STRINGS:
      return AttributeValue::of(proto.texts(field));
    case AttributeType::TENSOR:
      return {type, read_or_why<Held>([&]() -> Held { return decode_tensor(proto.message(field), &folder); })};
    case AttributeType::SPARSE_TENSOR:
      return {type, read_or_why<Held>([&]() -> Held { return decode_sparse_tensor(proto.message(field), folder); })};
    case AttributeType::TYPE_PROTO:
      return {type, read_or_why<Held>([&]() -> Held { return stated_type(decode_type(proto.message(field))); })};
    case AttributeType::GRAPH:
      return {type, std::make_shared<const Graph>(decode_graph(proto.message(field), folder))};
    default:
      return {type, Opaque{}};
  }
}

Attribute decode_attribute(const OnnxMessage& proto, const fs::path& folder) {
  const std::string name(proto.text("name"));
  const std::optional<AttributeType> held = held_type(proto);
  const std::int64_t number = proto.integral("type");
  if (number == 0) {
    if (held) return {name, decode_value(proto, *held, folder)};
    return {name, Untyped{{}, true}};  // no type and no value: an empty list of some type
  }
  const auto type = static_cast<AttributeType>(number);
  if (held && !proto.is_set(value_field(type)))
    fail(Fault::malformed, "attribute '{}' has type {}, but a value of type {}", printable(name), type, *held);
  return {name, decode_value(proto, type, folder)};
}

AttributeReference decode_reference(const OnnxMessage& proto) {
  AttributeReference reference{std::string(proto.text("name")), std::string(proto.text("ref_attr_name")), {}};
  if (const auto held = held_type(proto))
    fail(Fault::malformed, "attribute '{}' stands for the attribute '{}' of a function, but has a value of type {}",
         printable(reference.name), printable(reference.stands_for), *held);
  if (const std::int64_t number = proto.integral("type"); number != 0)
    reference.type = static_cast<AttributeType>(number);
  return reference;
}

Node decode_node(const OnnxMessage& proto, const fs::path& folder) {
  Node node;
  node.op_type = proto.text("op_type");
  node.domain = proto.text("domain");
  node.overload = proto.text("overload");
  node.name = proto.text("name");
  constexpr std::string_view kInPlaceOf = "in place of ";
  if (const std::string_view doc = proto.text("doc_string"); doc.starts_with(kInPlaceOf))
    node.in_place_of = doc.substr(kInPlaceOf.size());
  node.inputs = proto.texts("input");
  node.outputs = proto.texts("output");
  at_place([&] { return "in " + to_text(node); },
           [&] {
             for (const OnnxMessage& attribute : proto.messages("attribute"))
               if (attribute.text("ref_attr_name").empty())
                 node.attributes.push_back(decode_attribute(attribute, folder));
               else
                 node.references.push_back(decode_reference(attribute));
           });
  return node;
}

Initializer decode_initializer(const OnnxMessage& proto, const fs::path& folder) {
  using Held = decltype(Initializer::value);
  return {std::string(proto.text("name")), read_or_why<Held>([&]() -> Held { return decode_tensor(proto, &folder); })};
}

std::string sparse_name(const OnnxMessage& sparse) { return std::string(sparse.message("values").text("name")); }

/// A sound one: what is the matter with another is the file's fault.
SparseTensor decode_sparse_initializer(const OnnxMessage& proto, const fs::path& folder) {
  try {
    SparseTensor sparse = decode_sparse_tensor(proto, folder);
    dense_type(sparse);
    return sparse;
  } catch (const Error& error) {
    const Fault fault = error.fault() == Fault::invalid ? Fault::malformed : error.fault();
    fail(fault, "the initializer '{}': {}", printable(sparse_name(proto)), error.message());
  }
}

Tensor decode_dense(const OnnxMessage& proto, const fs::path& folder, std::int64_t max_bytes) {
  const SparseTensor sparse = decode_sparse_initializer(proto, folder);
  require_bytes(dense_type(sparse), max_bytes);
  return dense(sparse);
}

/// Everything but initializers and opsets; `initialized` has the names of those that are no inputs.
void decode_graph(const OnnxMessage& proto, const std::set<std::string_view>& initialized, const fs::path& folder,
                  Graph& graph) {
  graph.name = proto.text("name");
  graph.nodes.reserve(proto.count("node"));
  for (const OnnxMessage& node : proto.messages("node")) graph.nodes.push_back(decode_node(node, folder));
  for (const OnnxMessage& info : proto.messages("input"))
    if (!initialized.contains(info.text("name"))) graph.inputs.push_back(decode_value_info(info));
  for (const OnnxMessage& info : proto.messages("output")) graph.outputs.push_back(decode_value_info(info));
  for (const OnnxMessage& info : proto.messages("value_info")) graph.declared.push_back(decode_value_info(info));
}

/// How many subgraphs a graph lies in: of the one that is being decoded.
class Depth {
 public:
  Depth() {
    if (++deep_ <= kDeepestGraph) return;
    --deep_;
    fail(Fault::malformed, "subgraphs are nested more than {} deep", kDeepestGraph);
  }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  ~Depth() { --deep_; }

 private:
  static inline thread_local int deep_ = 0;
};

/// A subgraph, with its initializers.
Graph decode_graph(const OnnxMessage& proto, const fs::path& folder) {
  const Depth depth;
  Graph graph;
  std::set<std::string_view> initialized;
  for (const OnnxMessage& initializer : proto.messages("initializer"))
    graph.initializers.push_back(decode_initializer(initializer, folder));
  for (const OnnxMessage& initializer : proto.messages("sparse_initializer")) {
    using Held = decltype(Initializer::value);
    graph.initializers.push_back({sparse_name(initializer), read_or_why<Held>([&]() -> Held {
                                    return decode_sparse_initializer(initializer, folder);
                                  })});
  }
  for (const Initializer& initializer : graph.initializers) initialized.insert(initializer.name);
  decode_graph(proto, initialized, folder, graph);
  return graph;
}

/// The initializers of a model, which are decoded when they are asked for.
std::vector<NamedSource> decode_initializers(const OnnxMessage& graph, const fs::path& folder) {
  std::vector<NamedSource> sources;
  std::set<std::string, std::less<>> names;
  const auto add = [&](std::string name, TensorSource::Loaded held) {
    if (!names.insert(name).second) fail(Fault::malformed, "two initializers have the name '{}'", printable(name));
    sources.push_back({std::move(name), {std::move(held)}});
  };
  for (const OnnxMessage& tensor : graph.messages("initializer"))
    add(std::string(tensor.text("name")),
        {[tensor, folder](std::int64_t max_bytes) -> Value { return decode_tensor(tensor, &folder, max_bytes); },
         external_files(tensor, folder)});
  for (const OnnxMessage& sparse : graph.messages("sparse_initializer")) {
    std::vector<fs::path> files = external_files(sparse.message("values"), folder);
    std::ranges::move(external_files(sparse.message("indices"), folder), std::back_inserter(files));
    add(sparse_name(sparse),
        {[sparse, folder](std::int64_t max_bytes) -> Value { return decode_dense(sparse, folder, max_bytes); },
         std::move(files)});
  }
  return sources;
}

Function decode_function(const OnnxMessage& proto, const fs::path& folder) {
  Function function;
  function.domain = proto.text("domain");
  function.name = proto.text("name");
  function.overload = proto.text("overload");
  at_place([&] { return format("in the function {}", to_text(function)); },
           [&] {
             function.attributes = proto.texts("attribute");
             for (const OnnxMessage& attribute : proto.messages("attribute_proto"))
               function.defaults.push_back(decode_attribute(attribute, folder));
             Graph& body = function.body;
             for (const std::string& input : proto.texts("input")) body.inputs.push_back({input, "", {}, {}});
             for (const std::string& output : proto.texts("output")) body.outputs.push_back({output, "", {}, {}});
             for (const OnnxMessage& info : proto.messages("value_info"))
               body.declared.push_back(decode_value_info(info));
             for (const OnnxMessage& opset : proto.messages("opset_import"))
               import_opset(body, opset.text("domain"), opset.integral("version"));
             for (const OnnxMessage& node : proto.messages("node")) body.nodes.push_back(decode_node(node, folder));
             require_sound_function(function);
           });
  return function;
}

Case decode_model(const OnnxMessage& model, const fs::path& folder) {
  Case loaded{};
  loaded.format = CaseFormat::onnx_model;
  loaded.source = model.text("producer_name");
  Graph& graph = loaded.graph;
  for (const OnnxMessage& opset : model.messages("opset_import"))
    import_opset(graph, opset.text("domain"), opset.integral("version"));
  if (graph.opset_import.empty()) import_opset(graph, "", 1);
  const OnnxMessage proto = model.message("graph");
  loaded.inputs = decode_initializers(proto, folder);
  std::set<std::string_view> initialized;
  for (const NamedSource& input : loaded.inputs) initialized.insert(input.name);
  decode_graph(proto, initialized, folder, graph);
  std::vector<Function> functions;
  for (const OnnxMessage& function : model.messages("functions"))
    functions.push_back(decode_function(function, folder));
  add_functions(graph, std::move(functions));
  return loaded;
}

Case decode_single_node(const OnnxMessage& node, const fs::path& folder) {
  Case loaded{};
  loaded.format = CaseFormat::onnx_node;
  loaded.graph.nodes.push_back(decode_node(node, folder));
  return loaded;
}

/// `ignored`: fields; may be empty.
Case with_warning(Case loaded, const std::string& ignored) {
  if (!ignored.empty())
    loaded.warnings.push_back(format("fields that ONNX 1.23 does not know were ignored: {}", ignored));
  return loaded;
}

bool is_identifier(std::string_view text) {
  constexpr std::string_view kFirst = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  constexpr std::string_view kLater = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.";
  return !text.empty() && kFirst.find(text.front()) != std::string_view::npos &&
         text.find_first_not_of(kLater) == std::string_view::npos;
}

/// A graph may have no nodes: its outputs are then inputs or initializers.
bool is_model(const std::optional<OnnxMessage>& model) {
  return model && model->is_set("graph") && (model->is_set("ir_version") || model->message("graph").is_set("node"));
}

bool is_node(const std::optional<OnnxMessage>& node) {
  return node && is_identifier(node->text("op_type")) && node->is_set("output");
}

[[noreturn]] void neither(std::string_view op_type) {
  if (op_type.empty()) fail(Fault::malformed, "neither an ONNX model nor a node: no graph.node and no op_type");
  if (!is_identifier(op_type))
    fail(Fault::malformed, "neither an ONNX model nor a node: the op_type would be '{}'", printable(op_type));
  fail(Fault::malformed, "neither an ONNX model nor a node: the node {} has no output", printable(op_type));
}

/// Of bytes that begin as a model's and end within a field.
std::string_view cut_off(std::span<const std::byte> bytes) {
  constexpr std::uint32_t kIrVersion = 1;
  bool begins_as_model = false;
  try {
    for (WireReader reader(bytes); reader.next();)
      begins_as_model |= reader.number() == kIrVersion && reader.type() == WireType::varint;
  } catch (const Error& error) {
    if (begins_as_model && error.fault() == Fault::malformed)
      return "; they begin as a model, but end within a field: the file may be cut off";
  }
  return "";
}

/// Of JSON text that is no JSON the error says so.
Json parse_onnx_json(std::string_view text) {
  try {
    return parse_json(text);
  } catch (const Error& error) {
    fail(error.fault(), "no ONNX protobuf-JSON: {}", error.message());
  }
}

}  // namespace

void import_opset(Graph& graph, std::string_view domain, std::int64_t version) {
  const auto [entry, added] = graph.opset_import.emplace(canonical_domain(domain), version);
  if (!added && entry->second != version) {
    fail(Fault::malformed, "opset_import has version {} and version {} of the domain '{}'", entry->second, version,
         printable(domain_name(domain)));
  }
}

namespace {

/// The function has an attribute of each name that nodes of the graph refer to.
void require_known_attributes(const Function& function, const Graph& graph) {
  const auto has = [&](const std::string& name) {
    return std::ranges::find(function.attributes, name) != function.attributes.end() ||
           std::ranges::find(function.defaults, name, &Attribute::name) != function.defaults.end();
  };
  for (const Node& node : graph.nodes) {
    for (const AttributeReference& reference : node.references)
      if (!has(reference.stands_for))
        fail(Fault::malformed, "attribute '{}' of {} stands for '{}', which is no attribute of the function",
             printable(reference.name), to_text(node), printable(reference.stands_for));
    for (const Attribute& attribute : node.attributes)
      if (const Graph* inner = subgraph(attribute)) require_known_attributes(function, *inner);
  }
}

}  // namespace

void require_sound_function(const Function& function) {
  std::set<std::string_view> names;
  const auto add = [&](std::string_view name, std::string_view noun) {
    if (!names.insert(name).second)
      fail(Fault::malformed, "the function has two {} of the name '{}'", noun, printable(name));
  };
  for (const std::string& name : function.attributes) add(name, "attributes");
  for (const Attribute& attribute : function.defaults) add(attribute.name, "attributes");
  names.clear();
  for (const ValueInfo& input : function.body.inputs) add(input.name, "inputs");
  names.clear();
  for (const ValueInfo& output : function.body.outputs) add(output.name, "outputs");
  require_known_attributes(function, function.body);
}

void add_functions(Graph& graph, std::vector<Function> functions) {
  if (functions.empty()) return;
  std::set<std::array<std::string_view, 3>> keys;
  for (const Function& function : functions)
    if (!keys.insert({canonical_domain(function.domain), function.name, function.overload}).second)
      fail(Fault::malformed, "two functions are {}", to_text(function));
  graph.opset_import.functions = std::make_shared<const std::vector<Function>>(std::move(functions));
}

Case read_onnx(const FileBytes& file, const fs::path& folder, std::int64_t max_bytes) {
  // A node, a call and a result have copies of their own. What is small counts nowhere.
  constexpr std::int64_t kCopies = 4, kSmall = 1 << 20;
  const size_t most = std::min(kMostDecodedBytes, static_cast<size_t>(std::max(kSmall, max_bytes / kCopies)));

  std::string unknown;
  const std::optional<OnnxMessage> model = OnnxMessage::parse(kModelProto, file, most, &unknown);
  if (is_model(model)) return with_warning(decode_model(*model, folder), unknown);
  const std::optional<OnnxMessage> node = OnnxMessage::parse(kNodeProto, file, most, &unknown);
  if (is_node(node)) return with_warning(decode_single_node(*node, folder), unknown);
  if (!model && !node)
    fail(Fault::malformed, "neither an ONNX model nor a node: {} do not parse as protobuf{}",
         counted(static_cast<long long>(file.bytes.size()), "byte"), cut_off(file.bytes));
  neither(node ? node->text("op_type") : "");
}

Case read_onnx_json(std::string_view text, const fs::path& folder) {
  const Json document = parse_onnx_json(text);
  const OnnxJson model = read_message(document.root(), kModelProto);
  const OnnxJson node = read_message(document.root(), kNodeProto);
  const bool as_model = is_model(model.message);  // never a node too, which has no graph
  if (!as_model && !is_node(node.message)) {
    for (const std::string& fault : {model.fault, node.fault})
      if (!fault.empty()) fail(Fault::malformed, "no ONNX protobuf-JSON: {}", fault);
    fail(Fault::malformed, "neither an ONNX model nor a node: no graph.node, and no opType with an output");
  }
  Case loaded = as_model ? decode_model(*model.message, folder) : decode_single_node(*node.message, folder);
  return with_warning(std::move(loaded), as_model ? model.ignored : node.ignored);
}

}  // namespace opref::io
