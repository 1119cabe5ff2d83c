// Writing models.
#include <algorithm>
#include <array>

#include "core/error.h"
#include "io/onnx.h"
#include "io/onnx_proto.h"

namespace opref {
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

void encode(const Graph& graph, onnx::GraphProto& proto);

struct AttributeEncoder {
  onnx::AttributeProto& proto;
  const Attribute& attribute;

  void operator()(std::int64_t value) const { proto.set_i(value); }
  void operator()(float value) const { proto.set_f(value); }
  void operator()(const std::string& value) const { proto.set_s(value); }
  void operator()(const std::vector<std::int64_t>& values) const {
    proto.mutable_ints()->Add(values.begin(), values.end());
  }
  void operator()(const std::vector<float>& values) const { proto.mutable_floats()->Add(values.begin(), values.end()); }
  void operator()(const std::vector<std::string>& values) const {
    for (const std::string& value : values) proto.add_strings(value);
  }
  void operator()(const Tensor& value) const { *proto.mutable_t() = encode_tensor("", value); }
  void operator()(const SparseTensor& value) const {
    onnx::SparseTensorProto& sparse = *proto.mutable_sparse_tensor();
    *sparse.mutable_values() = encode_tensor("", value.values);
    *sparse.mutable_indices() = encode_tensor("", value.indices);
    for (const std::int64_t size : value.shape) sparse.add_dims(size);
  }
  void operator()(const std::shared_ptr<const Graph>& value) const { encode(*value, *proto.mutable_g()); }
  void operator()(const Opaque&) const {
    fail(Fault::unsupported, "attribute '{}' cannot be written: opref does not keep its content",
         printable(attribute.name));
  }
};

void encode(const Attribute& attribute, onnx::AttributeProto& proto) {
  const auto* value = std::get_if<AttributeValue>(&attribute.value);
  if (value == nullptr) fail(Fault::internal, "attribute '{}' has no type", printable(attribute.name));
  proto.set_name(attribute.name);
  proto.set_type(static_cast<onnx::AttributeProto::AttributeType>(value->type));
  std::visit(AttributeEncoder{proto, attribute}, value->value);
}

void encode(const Node& node, onnx::NodeProto& proto) {
  proto.set_op_type(node.op_type);
  proto.set_domain(node.domain);
  proto.set_name(node.name);
  for (const std::string& input : node.inputs) proto.add_input(input);
  for (const std::string& output : node.outputs) proto.add_output(output);
  for (const Attribute& attribute : node.attributes) encode(attribute, *proto.add_attribute());
}

void encode(const ValueInfo& info, onnx::ValueInfoProto& proto) {
  proto.set_name(info.name);
  if (!info.type_text.empty())
    fail(Fault::unsupported, "'{}' cannot be written: it is {}", printable(info.name), printable(info.type_text));
  if (!info.dtype) return;
  onnx::TypeProto* type = proto.mutable_type();
  if (info.form == Form::optional || info.form == Form::optional_sequence)
    type = type->mutable_optional_type()->mutable_elem_type();
  if (info.form == Form::sequence || info.form == Form::optional_sequence)
    type = type->mutable_sequence_type()->mutable_elem_type();
  onnx::TypeProto::Tensor& tensor = *type->mutable_tensor_type();
  tensor.set_elem_type(static_cast<int>(*info.dtype));
  if (!info.dims) return;
  tensor.mutable_shape();
  for (const DeclaredDim& dim : *info.dims) {
    onnx::TensorShapeProto::Dimension& size = *tensor.mutable_shape()->add_dim();
    if (dim.size) size.set_dim_value(*dim.size);
    if (!dim.size && !dim.symbol.empty()) size.set_dim_param(dim.symbol);
    if (!dim.denotation.empty()) size.set_denotation(dim.denotation);
  }
}

/// Initializers that are no subgraph's are the caller's.
void encode(const Graph& graph, onnx::GraphProto& proto) {
  proto.set_name(graph.name.empty() ? "case" : graph.name);  // ONNX's checker wants one
  for (const Node& node : graph.nodes) encode(node, *proto.add_node());
  for (const ValueInfo& info : graph.inputs) encode(info, *proto.add_input());
  for (const ValueInfo& info : graph.outputs) encode(info, *proto.add_output());
  for (const ValueInfo& info : graph.declared) encode(info, *proto.add_value_info());
  for (const Initializer& initializer : graph.initializers) {
    const auto* tensor = std::get_if<Tensor>(&initializer.value);
    if (tensor == nullptr) throw Error(*std::get<Opaque>(initializer.value).why);
    *proto.add_initializer() = encode_tensor(initializer.name, *tensor);
  }
}

}  // namespace

std::string onnx_model_bytes(const Graph& graph, const std::vector<std::pair<std::string, Tensor>>& initializers) {
  onnx::ModelProto model;
  const auto opset = graph.opset_import.find("");
  // Before IR version 4 every initializer had to be an input too.
  const std::int64_t least = initializers.empty() ? 3 : 4;
  model.set_ir_version(std::max(least, ir_version_for(opset == graph.opset_import.end() ? 1 : opset->second)));
  model.set_producer_name("opref");
  for (const auto& [domain, version] : graph.opset_import) {
    onnx::OperatorSetIdProto& import = *model.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
  onnx::GraphProto& proto = *model.mutable_graph();
  encode(graph, proto);
  for (const auto& [name, tensor] : initializers) *proto.add_initializer() = encode_tensor(name, tensor);
  return message_bytes(model, "the model");
}

}  // namespace opref
