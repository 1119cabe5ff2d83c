// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/redeclare.h"

#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>

#include "io/onnx/testing.h"

namespace redeclare_test {

using namespace opref::io;

namespace {

std::string bytes_of(const std::string& text) {
  ::onnx::ModelProto proto;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &proto));
  return proto.SerializeAsString();
}

std::string redeclared(const std::string& model, const ModelTypes& types) {
  const TemporaryFolder folder;
  FileWriter file(folder / "model.onnx");
  write_redeclared(file, file_of(model), types);
  file.commit();
  return content_of(folder / "model.onnx");
}

std::string text_of(const std::string& model) {
  ::onnx::ModelProto proto;
  REQUIRE(proto.ParseFromString(model));
  return proto.DebugString();
}

ValueInfo tensor(std::string name, std::vector<DeclaredDim> dims) {
  return {std::move(name), "", DType::float32, std::move(dims)};
}

ModelTypes types_of(std::vector<ValueInfo> infos) {
  ModelTypes types;
  for (ValueInfo& info : infos) types.tensors.emplace(info.name, info);
  return types;
}

const DeclaredDim kN = {{}, "N", ""}, kTwiceN = {{}, "2*N", ""}, kUnknown = {{}, "", ""}, kThree = {3, "", ""};

constexpr std::string_view kNodes = R"(
  node { op_type: "Concat" input: "x" input: "x" output: "h" attribute { name: "axis" type: INT i: 0 } }
  node { op_type: "Relu" input: "h" output: "k" }
  node { op_type: "SplitToSequence" input: "k" output: "s" }
  node { op_type: "Mystery" domain: "com.x" input: "k" output: "m" }
  node { op_type: "Relu" input: "k" output: "y" }
  name: "g" initializer { dims: 1 data_type: 1 name: "w" raw_data: "\000\000\000\000" } )";

/// A model around `declarations`, with fields before and behind its graph.
std::string model_of(const std::string& declarations, const std::string& properties = "") {
  return bytes_of(R"(ir_version: 8 producer_name: "p" doc_string: "d" opset_import { domain: "" version: 13 }
    training_info { } graph { )" +
                  std::string(kNodes) + declarations + R"( quantization_annotation { tensor_name: "w" } } )" +
                  properties);
}

}  // namespace

// Witness of all: libprotobuf, which is told in its own text format what must be written.
TEST_CASE("redeclare: inputs, outputs and inner tensors have the types, all else stays", "[onnx]") {
  const std::string model = model_of(
      R"(input { name: "x" doc_string: "an image" type { denotation: "IMAGE" tensor_type { elem_type: 1
             shape { dim { dim_param: "batch" denotation: "DATA_BATCH" } dim { dim_value: 3 } } } } }
         output { name: "y" } output { name: "m" }
         value_info { name: "h" type { tensor_type { elem_type: 1 } } doc_string: "both" }
         value_info { name: "w" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } } } } } )",
      R"(metadata_props { key: "author" value: "a" } metadata_props { key: "opref.rules" value: "old" } )");
  ModelTypes types = types_of({tensor("x", {kN, kThree}),
                               tensor("h", {kTwiceN, kThree}),
                               tensor("k", {kUnknown, kThree}),
                               tensor("y", {kTwiceN, kThree}),
                               {"s", "", DType::float32, {}, Form::sequence},
                               {"m", "", {}, {}}});
  types.properties = {{"opref.basis", "tried"}, {"opref.rules", "N >= 2"}};
  const std::string expected = model_of(
      R"(input { name: "x" doc_string: "an image" type { denotation: "IMAGE" tensor_type { elem_type: 1
             shape { dim { dim_param: "N" denotation: "DATA_BATCH" } dim { dim_value: 3 } } } } }
         output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_param: "2*N" } dim { dim_value: 3 } } } } }
         output { name: "m" }
         value_info { name: "h" doc_string: "both"
             type { tensor_type { elem_type: 1 shape { dim { dim_param: "2*N" } dim { dim_value: 3 } } } } }
         value_info { name: "w" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } } } } }
         value_info { name: "k" type { tensor_type { elem_type: 1 shape { dim { } dim { dim_value: 3 } } } } }
         value_info { name: "s" type { sequence_type { elem_type { tensor_type { elem_type: 1 } } } } } )",
      R"(metadata_props { key: "author" value: "a" }
         metadata_props { key: "opref.basis" value: "tried" } metadata_props { key: "opref.rules" value: "N >= 2" } )");
  CHECK(text_of(redeclared(model, types)) == text_of(expected));
  CHECK(to_hex(redeclared(model, types)) == to_hex(expected));
  CHECK(to_hex(redeclared(expected, types)) == to_hex(expected));
}

TEST_CASE("redeclare: what is not known keeps the file's type, but for symbols", "[onnx]") {
  const auto model = [](const std::string& first) {
    return model_of(
        R"(input { name: "x" type { tensor_type { elem_type: 1 shape { dim { )" + first +
        R"( } } } } } output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: -1 } } } } }
        value_info { name: "s" type { sequence_type { elem_type { tensor_type { elem_type: 1 shape { dim { dim_value: 5 } } } } } } }
        value_info { name: "m" type { sparse_tensor_type { elem_type: 1 } } } )");
  };
  CHECK(text_of(redeclared(model(R"(dim_param: "N")"), {})) == text_of(model("")));
  CHECK(to_hex(redeclared(model("dim_value: 7"), {})) == to_hex(model("dim_value: 7")));
  const ModelTypes listed = types_of({{"s", "", DType::float32, {}, Form::sequence}});
  CHECK(to_hex(redeclared(model(""), listed)) == to_hex(model("")));
}

TEST_CASE("redeclare: a rank that is not known is no shape, but an output has the file's", "[onnx]") {
  const std::string model = model_of(
      R"(input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } } } } } output { name: "y" }
         output { name: "k" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 2 } } } } })");
  const ModelTypes types = types_of(
      {{"x", "", DType::float32, {}}, {"y", "", DType::int64, {}}, {"k", "", DType::float32, {}}, tensor("h", {})});
  CHECK(text_of(redeclared(model, types)) ==
        text_of(model_of(R"(input { name: "x" type { tensor_type { elem_type: 1 } } }
                            output { name: "y" type { tensor_type { elem_type: 7 } } }
                            output { name: "k" type { tensor_type { elem_type: 1 shape { dim { } dim { } } } } }
                            value_info { name: "h" type { tensor_type { elem_type: 1 shape { } } } } )")));
}

TEST_CASE("redeclare: fields in another order, unknown ones and groups keep their bytes", "[onnx]") {
  const std::string unknown = from_hex("9a0603616263") + from_hex("a306080aa406");  // field 99, and group 100
  ::onnx::GraphProto graph;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(
      R"(node { op_type: "Relu" input: "x" output: "h" } node { op_type: "Relu" input: "h" output: "y" }
         input { name: "x" } output { name: "y" })",
      &graph));
  const auto field = [](char number, const std::string& message) {
    return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(message.size()) + message;
  };
  const std::string head = unknown + from_hex("4202100d"), tail = unknown + from_hex("0808");  // opset 13; ir_version 8
  const std::string own = graph.SerializeAsString();
  const std::string written = redeclared(head + field(7, unknown + own) + tail, types_of({tensor("h", {kN})}));
  ::onnx::ValueInfoProto inner;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(
      R"(name: "h" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } } } })", &inner));
  CHECK(to_hex(written) == to_hex(head + field(7, unknown + own + field(13, inner.SerializeAsString())) + tail));
}

TEST_CASE("redeclare: a graph in two messages is one", "[onnx]") {
  const std::string first = bytes_of(R"(ir_version: 8 graph { node { op_type: "Relu" input: "x" output: "h" }
                                        input { name: "x" } value_info { name: "h" } })");
  const std::string second = bytes_of(R"(graph { node { op_type: "Relu" input: "h" output: "k" }
                                         node { op_type: "Relu" input: "k" output: "y" } output { name: "y" } })");
  const ModelTypes types = types_of({tensor("x", {kN}), tensor("h", {kN}), tensor("k", {kN}), tensor("y", {kN})});
  ::onnx::ModelProto merged;
  REQUIRE(merged.ParseFromString(redeclared(first + second, types)));
  REQUIRE(merged.graph().value_info_size() == 2);
  CHECK(merged.graph().value_info(1).name() == "k");
  for (const auto* infos : {&merged.graph().input(), &merged.graph().output(), &merged.graph().value_info()})
    for (const ::onnx::ValueInfoProto& info : *infos) {
      INFO(info.name());
      REQUIRE(info.type().tensor_type().shape().dim_size() == 1);
      CHECK(info.type().tensor_type().shape().dim(0).dim_param() == "N");
    }
  CHECK(merged.graph().node_size() == 3);
}

TEST_CASE("redeclare: what is no model is refused", "[onnx]") {
  CHECK_FALSE(is_onnx_model(file_of("{\"graph\": {}}")));
  CHECK_FALSE(is_onnx_model(file_of(from_hex("0808"))));
  CHECK(is_onnx_model(file_of(model_of(""))));
  CHECK(error_of([] { redeclared("{}", {}); }) == "malformed: this is no ModelProto in protobuf");
}

}  // namespace redeclare_test
