// SPDX-License-Identifier: Apache-2.0
// Writing models and values. Fields stand in the order of their numbers, as protobuf's own library writes them.
#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/map.h"
#include "io/onnx/onnx.h"
#include "io/onnx/write.h"
#include "schema/sparse.h"

namespace opref::io {
namespace {

/// The IR version of the ONNX release that an opset of ai.onnx came with; older backends refuse newer ones.
std::int64_t ir_version_for(std::int64_t opset) {
  constexpr std::array<std::pair<std::int64_t, std::int64_t>, 11> kNewest = {
      {{8, 3}, {9, 4}, {10, 5}, {11, 6}, {14, 7}, {18, 8}, {20, 9}, {22, 10}, {23, 11}, {24, 12}, {27, 13}}};
  constexpr std::int64_t kLast = 14;
  for (const auto& [last_opset, ir_version] : kNewest)
    if (opset <= last_opset) return ir_version;
  return kLast;
}

/// `what` is for the message.
WireWriter finished(WireWriter message, std::string_view what) {
  require_message_size(message.size(), what);
  return message;
}

WireWriter encode(std::string_view name, const Tensor& tensor) {
  WireWriter proto(kTensorProto);
  for (const std::int64_t size : tensor.shape()) proto.add("dims", size);
  proto.add("data_type", onnx_number(tensor.dtype()));
  if (tensor.dtype() == DType::string)
    for (const std::string& element : tensor.strings()) proto.add("string_data", element);
  proto.add("name", name);
  if (tensor.dtype() != DType::string) proto.add("raw_data", tensor);
  return proto;
}

WireWriter encode(const SparseTensor& sparse) {
  WireWriter proto(kSparseTensorProto);
  proto.add("values", encode("", sparse.values));
  proto.add("indices", encode("", sparse.indices));
  for (const std::int64_t size : sparse.shape) proto.add("dims", size);
  return proto;
}

WireWriter encode(const Graph& graph);

WireWriter encode(const DeclaredDim& dim) {
  WireWriter proto(kDimension);
  if (dim.size) proto.add("dim_value", *dim.size);
  if (!dim.size && !dim.symbol.empty()) proto.add("dim_param", dim.symbol);
  if (!dim.denotation.empty()) proto.add("denotation", dim.denotation);
  return proto;
}

WireWriter encode(const std::vector<DeclaredDim>& dims) {
  WireWriter proto(kTensorShapeProto);
  for (const DeclaredDim& dim : dims) proto.add("dim", encode(dim));
  return proto;
}

/// A TypeProto that holds another message.
WireWriter type_of(std::string_view field, const WireWriter& held) {
  WireWriter proto(kTypeProto);
  proto.add(field, held);
  return proto;
}

WireWriter type_made_of(std::string_view field, const MessageType& type, const WireWriter& element) {
  WireWriter proto(type);
  proto.add("elem_type", element);
  return type_of(field, proto);
}

/// Adds the field that an attribute's value takes. (A sparse tensor's has a higher number than the type.)
struct ValueEncoder {
  WireWriter& proto;
  const Attribute& attribute;

  void operator()(std::int64_t value) const { proto.add("i", value); }
  void operator()(float value) const { proto.add("f", value); }
  void operator()(const std::string& value) const { proto.add("s", value); }
  void operator()(const std::vector<std::int64_t>& values) const {
    for (const std::int64_t value : values) proto.add("ints", value);
  }
  void operator()(const std::vector<float>& values) const {
    for (const float value : values) proto.add("floats", value);
  }
  void operator()(const std::vector<std::string>& values) const {
    for (const std::string& value : values) proto.add("strings", value);
  }
  void operator()(const Tensor& value) const { proto.add("t", encode("", value)); }
  void operator()(const SparseTensor&) const {}
  void operator()(const ValueType& value) const {
    proto.add("tp", encode_type({"", "", value.dtype(), {}, value.form, value.key}));
  }
  void operator()(const std::shared_ptr<const Graph>& value) const { proto.add("g", encode(*value)); }
  void operator()(const Opaque&) const {
    fail(Fault::unsupported, "attribute '{}' cannot be written: opref does not keep its content",
         printable(attribute.name));
  }
};

WireWriter encode(const Attribute& attribute) {
  const auto* value = std::get_if<AttributeValue>(&attribute.value);
  if (value == nullptr) fail(Fault::internal, "attribute '{}' has no type", printable(attribute.name));
  WireWriter proto(kAttributeProto);
  proto.add("name", attribute.name);
  std::visit(ValueEncoder{proto, attribute}, value->value);
  proto.add("type", static_cast<std::int64_t>(value->type));
  if (const auto* sparse = std::get_if<SparseTensor>(&value->value)) proto.add("sparse_tensor", encode(*sparse));
  return proto;
}

WireWriter encode(const AttributeReference& reference) {
  if (!reference.type) fail(Fault::internal, "attribute '{}' has no type", printable(reference.name));
  WireWriter proto(kAttributeProto);
  proto.add("name", reference.name);
  proto.add("type", static_cast<std::int64_t>(*reference.type));
  proto.add("ref_attr_name", reference.stands_for);
  return proto;
}

WireWriter encode(const Node& node) {
  WireWriter proto(kNodeProto);
  for (const std::string& input : node.inputs) proto.add("input", input);
  for (const std::string& output : node.outputs) proto.add("output", output);
  proto.add("name", node.name);
  proto.add("op_type", node.op_type);
  for (const Attribute& attribute : node.attributes) proto.add("attribute", encode(attribute));
  for (const AttributeReference& reference : node.references) proto.add("attribute", encode(reference));
  proto.add("domain", node.domain);
  if (!node.overload.empty()) proto.add("overload", node.overload);
  return proto;
}

WireWriter encode(const ValueInfo& info) {
  if (!info.type_text.empty())
    fail(Fault::unsupported, "'{}' cannot be written: it is {}", printable(info.name), printable(info.type_text));
  WireWriter proto(kValueInfoProto);
  proto.add("name", info.name);
  if (info.dtype) proto.add("type", encode_type(info));
  return proto;
}

WireWriter encode(const Initializer& initializer) {
  if (const auto* unread = std::get_if<Opaque>(&initializer.value)) throw Error(*unread->why);
  const auto* sparse = std::get_if<SparseTensor>(&initializer.value);
  if (sparse == nullptr) return encode(initializer.name, std::get<Tensor>(initializer.value));
  const std::int64_t size = byte_size(dense_type(*sparse));
  require_message_size(static_cast<size_t>(size), "the initializer");
  return encode(initializer.name, dense(*sparse));
}

/// Initializers that are no subgraph's are the caller's.
WireWriter encode(const Graph& graph, const std::vector<std::pair<std::string, Tensor>>& initializers) {
  WireWriter proto(kGraphProto);
  for (const Node& node : graph.nodes) proto.add("node", encode(node));
  proto.add("name", graph.name.empty() ? "case" : graph.name);  // ONNX's checker wants one
  for (const Initializer& initializer : graph.initializers) proto.add("initializer", encode(initializer));
  for (const auto& [name, tensor] : initializers) proto.add("initializer", encode(name, tensor));
  for (const ValueInfo& info : graph.inputs) proto.add("input", encode(info));
  for (const ValueInfo& info : graph.outputs) proto.add("output", encode(info));
  for (const ValueInfo& info : graph.declared) proto.add("value_info", encode(info));
  return proto;
}

WireWriter encode(const Graph& graph) { return encode(graph, {}); }

WireWriter encode(std::string_view domain, std::int64_t version) {
  WireWriter proto(kOperatorSetIdProto);
  proto.add("domain", domain);
  proto.add("version", version);
  return proto;
}

WireWriter encode(const Function& function) {
  WireWriter proto(kFunctionProto);
  proto.add("name", function.name);
  for (const ValueInfo& input : function.body.inputs) proto.add("input", input.name);
  for (const ValueInfo& output : function.body.outputs) proto.add("output", output.name);
  for (const std::string& attribute : function.attributes) proto.add("attribute", attribute);
  for (const Node& node : function.body.nodes) proto.add("node", encode(node));
  for (const auto& [domain, version] : function.body.opset_import) proto.add("opset_import", encode(domain, version));
  proto.add("domain", function.domain);
  for (const Attribute& attribute : function.defaults) proto.add("attribute_proto", encode(attribute));
  for (const ValueInfo& info : function.body.declared) proto.add("value_info", encode(info));
  if (!function.overload.empty()) proto.add("overload", function.overload);
  return proto;
}

WireWriter encode(std::string_view name, const Sequence& sequence) {
  WireWriter proto(kSequenceProto);
  proto.add("name", name);
  proto.add("elem_type", kHoldsTensor);
  for (const Tensor& tensor : sequence.elements) proto.add("tensor_values", encode("", tensor));
  return proto;
}

/// Of an integer type: as a number of 64 bits.
std::vector<std::int64_t> integers_of(const Tensor& keys) {
  std::vector<std::int64_t> integers;
  const bool is_signed = info(keys.dtype()).kind == Kind::signed_integer;
  with_unit(keys.dtype(), [&]<class Unit>(Unit) {
    if constexpr (sizeof(Unit) <= sizeof(std::int64_t))
      for (const Unit key : keys.values<Unit>())
        integers.push_back(is_signed ? static_cast<std::make_signed_t<Unit>>(key) : static_cast<std::int64_t>(key));
  });
  return integers;
}

WireWriter encode(std::string_view name, const Map& map) {
  WireWriter proto(kMapProto), values(kSequenceProto);
  proto.add("name", name);
  proto.add("key_type", static_cast<std::int64_t>(map.keys.dtype()));
  if (map.keys.dtype() == DType::string)
    for (const std::string& key : map.keys.strings()) proto.add("string_keys", key);
  else
    for (const std::int64_t key : integers_of(map.keys)) proto.add("keys", key);
  values.add("elem_type", kHoldsTensor);
  for (size_t i = 0; i < static_cast<size_t>(map.keys.count()); ++i)
    values.add("tensor_values", encode("", taken(map.values, std::array{i}).reshaped({})));
  proto.add("values", values);
  return proto;
}

WireWriter encode(std::string_view name, const MapSequence& maps) {
  WireWriter proto(kSequenceProto);
  proto.add("name", name);
  proto.add("elem_type", kHoldsMap);
  for (size_t i = 0; i < maps.size(); ++i) proto.add("map_values", encode("", maps[i]));
  return proto;
}

WireWriter encode(std::string_view name, const Optional& optional) {
  const auto* tensor = std::get_if<Tensor>(&optional.element);
  const auto* sequence = std::get_if<Sequence>(&optional.element);
  WireWriter proto(kOptionalProto);
  proto.add("name", name);
  proto.add("elem_type", tensor != nullptr ? kHoldsTensor : sequence != nullptr ? kHoldsSequence : kHoldsNothing);
  if (tensor != nullptr) proto.add("tensor_value", encode("", *tensor));
  if (sequence != nullptr) proto.add("sequence_value", encode("", *sequence));
  return proto;
}

WireWriter encode_model(const Graph& graph, const std::vector<std::pair<std::string, Tensor>>& initializers) {
  const auto opset = graph.opset_import.find("");
  // Before IR version 4 every initializer had to be an input too.
  // Functions came with 8, overloads with 10.
  const auto* functions = graph.opset_import.functions.get();
  const bool has_overloads = functions != nullptr && std::ranges::any_of(*functions, [](const Function& function) {
                               return !function.overload.empty();
                             });
  const std::int64_t least = has_overloads ? 10 : functions != nullptr ? 8 : initializers.empty() ? 3 : 4;
  WireWriter model(kModelProto);
  model.add("ir_version", std::max(least, ir_version_for(opset == graph.opset_import.end() ? 1 : opset->second)));
  model.add("producer_name", "opref");
  model.add("graph", encode(graph, initializers));
  for (const auto& [domain, version] : graph.opset_import) model.add("opset_import", encode(domain, version));
  if (functions != nullptr)
    for (const Function& function : *functions) model.add("functions", encode(function));
  return finished(std::move(model), "the model");
}

WireWriter encode_value(const std::string& name, const Value& value) {
  if (const Tensor* tensor = value.tensor()) return finished(encode(name, *tensor), to_text(tensor->type()));
  if (const auto* sequence = std::get_if<Sequence>(&value)) return finished(encode(name, *sequence), "the sequence");
  if (const auto* map = std::get_if<Map>(&value)) return finished(encode(name, *map), "the map");
  if (const auto* maps = std::get_if<MapSequence>(&value)) return finished(encode(name, *maps), "the sequence");
  return finished(encode(name, std::get<Optional>(value)), "the optional");
}

}  // namespace

WireWriter encode_type(const ValueInfo& info) {
  WireWriter tensor(kTensorType);
  tensor.add("elem_type", onnx_number(*info.dtype));
  if (info.dims) tensor.add("shape", encode(*info.dims));
  WireWriter type = type_of("tensor_type", tensor);
  if (is_of_maps(info.form)) {
    WireWriter map(kMapType);
    map.add("key_type", static_cast<std::int64_t>(info.key));
    map.add("value_type", type);
    type = type_of("map_type", map);
    return info.form == Form::map ? type : type_made_of("sequence_type", kSequenceType, type);
  }
  if (info.form == Form::sequence || info.form == Form::optional_sequence)
    type = type_made_of("sequence_type", kSequenceType, type);
  if (info.form == Form::optional || info.form == Form::optional_sequence)
    type = type_made_of("optional_type", kOptionalType, type);
  return type;
}

void require_message_size(size_t size, std::string_view what) {
  if (size > kMostMessageBytes)
    fail(Fault::unsupported, "{} takes {} bytes in protobuf, which writes at most {}", what, size, kMostMessageBytes);
}

void require_onnx_size(const ValueType& type) {
  if (type.form != Form::tensor || !type.has_shape || type.dtype() == DType::string) return;
  require_message_size(static_cast<size_t>(byte_size(type.tensor)), to_text(type.tensor));
}

void write_onnx_model(FileWriter& file, const Graph& graph,
                      const std::vector<std::pair<std::string, Tensor>>& initializers) {
  encode_model(graph, initializers).write(file);
}

std::string onnx_value_bytes(const std::string& name, const Value& value) { return encode_value(name, value).bytes(); }

void write_onnx_value(FileWriter& file, const std::string& name, const Value& value) {
  encode_value(name, value).write(file);
}

}  // namespace opref::io
