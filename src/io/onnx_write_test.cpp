#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>

#include "io/onnx.h"
#include "io/onnx_testing.h"

using namespace opref;

namespace {

/// Checks that libprotobuf knows all that is written, and writes the same bytes.
template <class Proto>
Proto rewritten(const std::string& bytes) {
  Proto proto;
  REQUIRE(proto.ParseFromString(bytes));
  CHECK(to_hex(proto.SerializeAsString()) == to_hex(bytes));
  CHECK(proto.ByteSizeLong() == bytes.size());
  return proto;
}

Tensor numbers() { return Tensor::of<std::int64_t>(DType::int64, {2}, std::array<std::int64_t, 2>{-1, 1 << 20}); }

Node node_with(std::vector<Attribute> attributes) {
  return {"Op", "com.x", "n", std::move(attributes), {"a", "", "b"}, {"y"}};
}

std::vector<Attribute> every_attribute() {
  const auto body = std::make_shared<const Graph>(
      Graph{"", {node_with({})}, {{"i", "", {}, {}}}, {{"o", "", {}, {}}}, {}, {}, {{"w", numbers()}}});
  return {{"i", AttributeValue::of(std::int64_t{-5})},
          {"f", AttributeValue::of(-0.5f)},
          {"s", AttributeValue::of(std::string("\xff\0", 2))},
          {"is", AttributeValue::of(std::vector<std::int64_t>{INT64_MIN, 0, INT64_MAX})},
          {"none", AttributeValue::of(std::vector<std::int64_t>{})},
          {"fs", AttributeValue::of(std::vector<float>{1, -0.0f})},
          {"ss", AttributeValue::of(std::vector<std::string>{"", "x"})},
          {"t", AttributeValue{AttributeType::TENSOR, numbers()}},
          {"sparse", AttributeValue{AttributeType::SPARSE_TENSOR, SparseTensor{numbers(), numbers(), Dims{9, 300}}}},
          {"g", AttributeValue{AttributeType::GRAPH, body}}};
}

std::vector<ValueInfo> every_declaration() {
  const std::vector<DeclaredDim> dims = {{3, "", ""}, {{}, "N", ""}, {{}, "", "DATA_BATCH"}, {-1, "", "x"}};
  return {{"none", "", {}, {}},
          {"tensor", "", DType::int2, dims},
          {"rank 0", "", DType::float32, std::vector<DeclaredDim>{}},
          {"any rank", "", DType::float32, {}},
          {"sequence", "", DType::string, {}, Form::sequence},
          {"optional", "", DType::float32, dims, Form::optional},
          {"optional sequence", "", DType::float32, {}, Form::optional_sequence}};
}

}  // namespace

// Witness: libprotobuf.
TEST_CASE("onnx: models are written as libprotobuf writes them", "[onnx]") {
  Graph graph{"",
              {node_with(every_attribute()), node_with({})},
              every_declaration(),
              every_declaration(),
              every_declaration(),
              {{"", 22}, {"com.x", 1}}};
  const std::vector<std::pair<std::string, Tensor>> initializers = {
      {"w", numbers()},
      {"text", Tensor(Dims{3}, {"a", "", "\xff"})},
      {"empty", Tensor::of<float>(DType::float32, {0}, {})}};
  const auto model = rewritten<onnx::ModelProto>(onnx_model_bytes(graph, initializers));
  CHECK(model.ir_version() == 10);
  CHECK(model.graph().node(0).attribute_size() == 10);
  CHECK(model.graph().node(0).attribute(8).sparse_tensor().dims(1) == 300);
  CHECK(model.graph().initializer(1).string_data(2) == "\xff");
  CHECK(model.graph().value_info(6).type().optional_type().elem_type().has_sequence_type());
  rewritten<onnx::ModelProto>(onnx_model_bytes({}, {}));
}

TEST_CASE("onnx: values are written as libprotobuf writes them", "[onnx]") {
  rewritten<onnx::TensorProto>(onnx_value_bytes("", numbers()));
  const Sequence sequence{DType::int64, {numbers(), numbers()}};
  CHECK(rewritten<onnx::SequenceProto>(onnx_value_bytes("s", sequence)).tensor_values_size() == 2);
  CHECK(rewritten<onnx::OptionalProto>(onnx_value_bytes("o", Optional{DType::int64, numbers()})).has_tensor_value());
  CHECK(rewritten<onnx::OptionalProto>(onnx_value_bytes("o", Optional{DType::int64, sequence})).has_sequence_value());
  CHECK(rewritten<onnx::OptionalProto>(onnx_value_bytes("o", Optional{DType::int64, {}})).elem_type() == 0);
}
