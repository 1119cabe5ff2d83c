// SPDX-License-Identifier: Apache-2.0
// ONNX's own shape inference (libonnx) as a witness of ours: one node, asked of both.
#pragma once

#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "ops/operators.h"
#include "schema/resolve.h"

namespace opref::ops::witness {

constexpr int kNewestWitnessed = 17;  // of Debian 12's libonnx

using Ints = std::vector<std::int64_t>;

/// Attributes of a node: lists, and texts of which an empty one stands for an absent attribute.
struct Attributes {
  std::map<std::string, Ints> lists = {};
  std::string auto_pad = {};
  std::int64_t group = 1;  ///< 1: absent, which is the same

  std::vector<Attribute> stated() const {
    std::vector<Attribute> all;
    for (const auto& [name, values] : lists) all.push_back({name, AttributeValue::of(values)});
    if (!auto_pad.empty()) all.push_back({"auto_pad", AttributeValue::of(auto_pad)});
    if (group != 1) all.push_back({"group", AttributeValue::of(group)});
    return all;
  }
};

/// A node that both can be asked about: its inputs' names and types, and the values that are known before it runs.
struct Question {
  std::string op_type;
  std::vector<Input> inputs;
  Attributes attributes;
};

/// An input known by its type.
inline Input input(const std::string& name, const Dims& shape, DType dtype = DType::float32) {
  return {name, {dtype, shape}};
}

/// An input of int64 with values: an initializer.
inline Input constant(const std::string& name, const Ints& values) {
  const Dims length{static_cast<std::int64_t>(values.size())};
  return {name, {DType::int64, length}, Tensor::of<std::int64_t>(DType::int64, length, values)};
}

inline void add_input(::onnx::GraphProto& graph, const Input& input) {
  graph.mutable_node(0)->add_input(input.name);
  if (input.value) {
    ::onnx::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(input.name);
    tensor.set_data_type(static_cast<int>(input.type.dtype()));
    for (const std::int64_t size : input.type.tensor.shape) tensor.add_dims(size);
    for (const std::int64_t value : input.tensor().values<std::int64_t>()) tensor.add_int64_data(value);
    return;
  }
  ::onnx::ValueInfoProto& info = *graph.add_input();
  info.set_name(input.name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(static_cast<int>(input.type.dtype()));
  for (const std::int64_t size : input.type.tensor.shape) type.mutable_shape()->add_dim()->set_dim_value(size);
}

inline void add_attribute(::onnx::NodeProto& node, const Attribute& stated) {
  const auto& [type, value] = std::get<AttributeValue>(stated.value);
  ::onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(stated.name);
  attribute.set_type(static_cast<::onnx::AttributeProto::AttributeType>(type));
  if (type == AttributeType::INT) attribute.set_i(std::get<std::int64_t>(value));
  if (type == AttributeType::STRING) attribute.set_s(std::get<std::string>(value));
  if (type == AttributeType::INTS)
    for (const std::int64_t item : std::get<Ints>(value)) attribute.add_ints(item);
}

/// The shape that libonnx infers, or nothing where it refuses or does not know.
inline std::optional<Dims> witnessed_shape(int opset, const Question& question) {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  ::onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(question.op_type);
  const std::string output_name = "Y";
  node.add_output(output_name);
  graph.add_output()->set_name(output_name);
  for (const Input& input : question.inputs) add_input(graph, input);
  for (const Attribute& attribute : question.attributes.stated()) add_attribute(node, attribute);
  try {
    ::onnx::shape_inference::InferShapes(model, ::onnx::OpSchemaRegistry::Instance(), {true, 1, false});
  } catch (const std::exception&) {
    return std::nullopt;
  }
  const ::onnx::ValueInfoProto& output = graph.output(0);
  if (!output.type().tensor_type().has_shape()) return std::nullopt;
  Dims shape;
  for (const auto& dim : output.type().tensor_type().shape().dim()) shape.push_back(dim.dim_value());
  return shape;
}

/// The shape that opref infers, or nothing where it refuses the node as invalid.
inline std::optional<Dims> own_shape(int opset, const Question& question, const ReadingChoices& readings = {}) {
  Node node{question.op_type, {}, {}, question.attributes.stated(), {}, {"Y"}};
  for (const Input& input : question.inputs) node.inputs.push_back(input.name);
  const Operator& op = *find_operator("", question.op_type);
  try {
    return op.output_types(resolve(op.at(opset), node, question.inputs, readings)).front().tensor.shape;
  } catch (const Error& error) {
    if (error.fault() != Fault::invalid) throw;
    return std::nullopt;
  }
}

}  // namespace opref::ops::witness
