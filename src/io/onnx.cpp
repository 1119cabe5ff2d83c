#include "io/onnx.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/error.h"
#include "io/onnx_proto.h"

namespace opref {
namespace {

namespace fs = std::filesystem;

std::string element_type_text(int data_type) {
  for (const DTypeInfo& type : all_dtypes())
    if (static_cast<int>(type.dtype) == data_type) return std::string(type.onnx_type);
  return format("type {}", data_type);
}

Graph decode_graph(const onnx::GraphProto& proto, const fs::path& folder);

std::optional<DType> known_dtype(int data_type) {
  for (const DTypeInfo& type : all_dtypes())
    if (static_cast<int>(type.dtype) == data_type) return type.dtype;
  return std::nullopt;
}

/// The type of a sequence or optional of tensors, or nothing.
std::optional<ValueType> type_of_list(const onnx::TypeProto& type) {
  const bool optional = type.has_optional_type();
  const onnx::TypeProto& inner = optional ? type.optional_type().elem_type() : type;
  const bool sequence = inner.has_sequence_type();
  const onnx::TypeProto& element = sequence ? inner.sequence_type().elem_type() : inner;
  if (!(optional || sequence) || !element.has_tensor_type()) return std::nullopt;
  const std::optional<DType> dtype = known_dtype(element.tensor_type().elem_type());
  if (!dtype) return std::nullopt;
  return ValueType(optional ? sequence ? Form::optional_sequence : Form::optional : Form::sequence, *dtype);
}

/// In ONNX's notation: "tensor(float)", "seq(tensor(float))", "map(int64,tensor(float))"; empty where nothing is
/// stated.
std::string type_text(const onnx::TypeProto& type) {
  switch (type.value_case()) {
    case onnx::TypeProto::kTensorType:
      return format("tensor({})", element_type_text(type.tensor_type().elem_type()));
    case onnx::TypeProto::kSparseTensorType:
      return format("sparse_tensor({})", element_type_text(type.sparse_tensor_type().elem_type()));
    case onnx::TypeProto::kSequenceType:
      return format("seq({})", type_text(type.sequence_type().elem_type()));
    case onnx::TypeProto::kOptionalType:
      return format("optional({})", type_text(type.optional_type().elem_type()));
    case onnx::TypeProto::kMapType:
      return format("map({},{})", element_type_text(type.map_type().key_type()),
                    type_text(type.map_type().value_type()));
    case onnx::TypeProto::kOpaqueType:
      return "opaque";
    case onnx::TypeProto::VALUE_NOT_SET:
      break;
  }
  return "";
}

DeclaredDim decode_dim(const onnx::TensorShapeProto::Dimension& dim) {
  // Exporters write -1 for a size that they do not know.
  const bool has_size = dim.value_case() == onnx::TensorShapeProto::Dimension::kDimValue && dim.dim_value() >= 0;
  return {has_size ? std::optional(dim.dim_value()) : std::nullopt, dim.dim_param(), dim.denotation()};
}

/// Whether the field that belongs to `type` is set.
bool holds(const onnx::AttributeProto& proto, AttributeType type) {
  switch (type) {
    case AttributeType::FLOAT:
      return proto.has_f();
    case AttributeType::INT:
      return proto.has_i();
    case AttributeType::STRING:
      return proto.has_s();
    case AttributeType::TENSOR:
      return proto.has_t();
    case AttributeType::GRAPH:
      return proto.has_g();
    case AttributeType::SPARSE_TENSOR:
      return proto.has_sparse_tensor();
    case AttributeType::TYPE_PROTO:
      return proto.has_tp();
    case AttributeType::FLOATS:
      return proto.floats_size() > 0;
    case AttributeType::INTS:
      return proto.ints_size() > 0;
    case AttributeType::STRINGS:
      return proto.strings_size() > 0;
    case AttributeType::TENSORS:
      return proto.tensors_size() > 0;
    case AttributeType::GRAPHS:
      return proto.graphs_size() > 0;
    case AttributeType::SPARSE_TENSORS:
      return proto.sparse_tensors_size() > 0;
    case AttributeType::TYPE_PROTOS:
      return proto.type_protos_size() > 0;
  }
  return false;
}

/// The type of the value that is there, for models from before the field `type`.
std::optional<AttributeType> held_type(const onnx::AttributeProto& proto) {
  for (int type = 1; type <= static_cast<int>(AttributeType::TYPE_PROTOS); ++type)
    if (holds(proto, static_cast<AttributeType>(type))) return static_cast<AttributeType>(type);
  return std::nullopt;
}

/// What `decode` returns, or why it cannot be read: then that is an error only where somebody needs it.
template <class Value, class Decode>
Value read_or_why(const Decode& decode) {
  try {
    return decode();
  } catch (const Error& error) {
    if (error.fault() == Fault::internal) throw;
    return Opaque{std::make_shared<const Error>(error)};
  }
}

Tensor decode_held_tensor(const onnx::TensorProto& proto, const fs::path& folder) {
  return decode_tensor(std::make_shared<const onnx::TensorProto>(proto), &folder);
}

SparseTensor decode_sparse_tensor(const onnx::SparseTensorProto& proto, const fs::path& folder) {
  return {decode_held_tensor(proto.values(), folder), decode_held_tensor(proto.indices(), folder),
          Dims(std::span(proto.dims().data(), static_cast<size_t>(proto.dims_size())))};
}

AttributeValue decode_value(const onnx::AttributeProto& proto, AttributeType type, const fs::path& folder) {
  using Held = decltype(AttributeValue::value);
  switch (type) {
    case AttributeType::FLOAT:
      return AttributeValue::of(proto.f());
    case AttributeType::INT:
      return AttributeValue::of(std::int64_t{proto.i()});
    case AttributeType::STRING:
      return AttributeValue::of(proto.s());
    case AttributeType::FLOATS:
      return AttributeValue::of(std::vector<float>(proto.floats().begin(), proto.floats().end()));
    case AttributeType::INTS:
      return AttributeValue::of(std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end()));
    case AttributeType::STRINGS:
      return AttributeValue::of(std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
    case AttributeType::TENSOR:
      return {type, read_or_why<Held>([&]() -> Held { return decode_held_tensor(proto.t(), folder); })};
    case AttributeType::SPARSE_TENSOR:
      return {type, read_or_why<Held>([&]() -> Held { return decode_sparse_tensor(proto.sparse_tensor(), folder); })};
    case AttributeType::GRAPH:
      return {type, std::make_shared<const Graph>(decode_graph(proto.g(), folder))};
    default:
      return {type, Opaque{}};
  }
}

Attribute decode_attribute(const onnx::AttributeProto& proto, const fs::path& folder) {
  if (!proto.ref_attr_name().empty()) {
    fail(Fault::unsupported, "attribute '{}' stands for the attribute '{}' of a function, which has no value here",
         printable(proto.name()), printable(proto.ref_attr_name()));
  }
  const std::optional<AttributeType> held = held_type(proto);
  if (proto.type() == onnx::AttributeProto::UNDEFINED) {
    if (held) return {proto.name(), decode_value(proto, *held, folder)};
    return {proto.name(), Untyped{{}, true}};  // no type and no value: an empty list of some type
  }
  const auto type = static_cast<AttributeType>(proto.type());
  if (held && !holds(proto, type))
    fail(Fault::malformed, "attribute '{}' has type {}, but a value of type {}", printable(proto.name()), type, *held);
  return {proto.name(), decode_value(proto, type, folder)};
}

Node decode_node(const onnx::NodeProto& proto, const fs::path& folder) {
  Node node;
  node.op_type = proto.op_type();
  node.domain = proto.domain();
  node.name = proto.name();
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  at_place([&] { return "in " + to_text(node); },
           [&] {
             for (const onnx::AttributeProto& attribute : proto.attribute())
               node.attributes.push_back(decode_attribute(attribute, folder));
           });
  return node;
}

Initializer decode_initializer(const onnx::TensorProto& proto, const fs::path& folder) {
  using Held = decltype(Initializer::value);
  return {proto.name(), read_or_why<Held>([&]() -> Held { return decode_held_tensor(proto, folder); })};
}

[[noreturn]] void sparse_initializer(const std::string& name) {
  fail(Fault::unsupported, "the initializer '{}' is a sparse tensor", printable(name));
}

/// Everything but initializers and opsets; `initialized` has the names of those that are no inputs.
void decode_graph(const onnx::GraphProto& proto, const std::set<std::string_view>& initialized, const fs::path& folder,
                  Graph& graph) {
  graph.name = proto.name();
  for (const onnx::NodeProto& node : proto.node()) graph.nodes.push_back(decode_node(node, folder));
  for (const onnx::ValueInfoProto& info : proto.input())
    if (!initialized.contains(info.name())) graph.inputs.push_back(decode_value_info(info));
  for (const onnx::ValueInfoProto& info : proto.output()) graph.outputs.push_back(decode_value_info(info));
  for (const onnx::ValueInfoProto& info : proto.value_info()) graph.declared.push_back(decode_value_info(info));
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
Graph decode_graph(const onnx::GraphProto& proto, const fs::path& folder) {
  const Depth depth;
  Graph graph;
  std::set<std::string_view> initialized;
  for (const onnx::TensorProto& initializer : proto.initializer())
    graph.initializers.push_back(decode_initializer(initializer, folder));
  for (const onnx::SparseTensorProto& initializer : proto.sparse_initializer()) {
    using Held = decltype(Initializer::value);
    const std::string& name = initializer.values().name();
    graph.initializers.push_back({name, read_or_why<Held>([&]() -> Held { sparse_initializer(name); })});
  }
  for (const Initializer& initializer : graph.initializers) initialized.insert(initializer.name);
  decode_graph(proto, initialized, folder, graph);
  return graph;
}

void add_initializers(Case& loaded, const std::shared_ptr<const onnx::ModelProto>& model, const fs::path& folder) {
  for (const onnx::TensorProto& initializer : model->graph().initializer()) {
    TensorSource source;
    source.from = TensorSource::Loaded{[tensor = std::shared_ptr<const onnx::TensorProto>(model, &initializer),
                                        folder] { return Value(decode_tensor(tensor, &folder)); }};
    loaded.inputs.push_back({initializer.name(), std::move(source)});
  }
  for (const onnx::SparseTensorProto& initializer : model->graph().sparse_initializer()) {
    TensorSource source;
    source.from = TensorSource::Loaded{[name = initializer.values().name()]() -> Value { sparse_initializer(name); }};
    loaded.inputs.push_back({initializer.values().name(), std::move(source)});
  }
}

Case decode_model(const std::shared_ptr<const onnx::ModelProto>& model, const fs::path& folder) {
  Case loaded{};
  loaded.format = CaseFormat::onnx_model;
  Graph& graph = loaded.graph;
  for (const onnx::OperatorSetIdProto& opset : model->opset_import())
    import_opset(graph, opset.domain(), opset.version());
  if (graph.opset_import.empty()) import_opset(graph, "", 1);
  add_initializers(loaded, model, folder);
  std::set<std::string_view> initialized;
  for (const NamedSource& input : loaded.inputs)
    if (!initialized.insert(input.name).second)
      fail(Fault::malformed, "two initializers have the name '{}'", printable(input.name));
  decode_graph(model->graph(), initialized, folder, graph);
  return loaded;
}

Case decode_single_node(const onnx::NodeProto& node, const fs::path& folder) {
  Case loaded{};
  loaded.format = CaseFormat::onnx_node;
  loaded.graph.nodes.push_back(decode_node(node, folder));
  return loaded;
}

bool is_identifier(std::string_view text) {
  constexpr std::string_view kFirst = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  constexpr std::string_view kLater = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.";
  return !text.empty() && kFirst.find(text.front()) != std::string_view::npos &&
         text.find_first_not_of(kLater) == std::string_view::npos;
}

bool is_node(const onnx::NodeProto& node) { return is_identifier(node.op_type()) && node.output_size() > 0; }

[[noreturn]] void neither(const onnx::NodeProto& node) {
  if (node.op_type().empty()) fail(Fault::malformed, "neither an ONNX model nor a node: no graph.node and no op_type");
  if (!is_identifier(node.op_type()))
    fail(Fault::malformed, "neither an ONNX model nor a node: the op_type would be '{}'", printable(node.op_type()));
  fail(Fault::malformed, "neither an ONNX model nor a node: the node {} has no output", printable(node.op_type()));
}

/// The library's message, or "" on success. `message` is empty before.
std::string parse_json(std::string_view text, google::protobuf::Message& message, bool ignore_unknown_fields) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = ignore_unknown_fields;
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(text.data(), text.size()), &message, options);
  if (status.ok()) return "";
  const auto reason = status.message();
  return reason.empty() ? "not readable" : std::string(reason.data(), reason.size());
}

}  // namespace

ValueInfo decode_value_info(const onnx::ValueInfoProto& proto) {
  ValueInfo value;
  value.name = proto.name();
  if (const auto type = type_of_list(proto.type())) {
    value.form = type->form;
    value.dtype = type->dtype();
    return value;
  }
  if (!proto.type().has_tensor_type()) {
    value.type_text = type_text(proto.type());
    return value;
  }
  const onnx::TypeProto::Tensor& tensor = proto.type().tensor_type();
  value.dtype = known_dtype(tensor.elem_type());
  if (tensor.has_shape()) {
    value.dims.emplace();
    for (const auto& dim : tensor.shape().dim()) value.dims->push_back(decode_dim(dim));
  }
  return value;
}

void import_opset(Graph& graph, std::string_view domain, std::int64_t version) {
  const auto [entry, added] = graph.opset_import.emplace(canonical_domain(domain), version);
  if (!added && entry->second != version) {
    fail(Fault::malformed, "opset_import has version {} and version {} of the domain '{}'", entry->second, version,
         domain.empty() ? "ai.onnx" : printable(domain));
  }
}

Case read_onnx(const FileBytes& file, const fs::path& folder) {
  const auto model = std::make_shared<onnx::ModelProto>();
  const bool model_parses = parse_message(*model, file.bytes);
  if (model_parses && model->graph().node_size() > 0) return decode_model(model, folder);
  if (model_parses && model->has_ir_version() && model->has_graph())
    fail(Fault::malformed, "the graph of the ONNX model has no nodes");
  onnx::NodeProto node;
  const bool node_parses = parse_message(node, file.bytes);
  if (node_parses && is_node(node)) return decode_single_node(node, folder);
  if (!model_parses && !node_parses)
    fail(Fault::malformed, "neither an ONNX model nor a node: {} do not parse as protobuf",
         counted(static_cast<long long>(file.bytes.size()), "byte"));
  neither(node);
}

Case read_onnx_json(std::string_view text, const fs::path& folder) {
  silence_protobuf();
  std::array<std::string, 2> model_faults, node_faults;  // strictly, then leniently read
  for (const size_t lenient : {0, 1}) {
    const auto model = std::make_shared<onnx::ModelProto>();
    onnx::NodeProto node;
    model_faults[lenient] = parse_json(text, *model, lenient != 0);
    node_faults[lenient] = parse_json(text, node, lenient != 0);
    const bool reads_as_model = model_faults[lenient].empty() && model->graph().node_size() > 0;
    if (!reads_as_model && !(node_faults[lenient].empty() && is_node(node))) continue;
    Case loaded = reads_as_model ? decode_model(model, folder) : decode_single_node(node, folder);
    const std::string& ignored = reads_as_model ? model_faults[0] : node_faults[0];
    if (lenient != 0)
      loaded.warnings.push_back(
          format("fields that ONNX 1.12 does not know were ignored: {}", printable(ignored, 200)));
    return loaded;
  }
  for (const std::string& fault : {model_faults[1], node_faults[1]})
    if (!fault.empty()) fail(Fault::malformed, "no ONNX protobuf-JSON: {}", printable(fault, 200));
  fail(Fault::malformed, "neither an ONNX model nor a node: no graph.node, and no opType with an output");
}

}  // namespace opref
