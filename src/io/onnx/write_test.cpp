// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/text_format.h>
#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>

#include "core/map.h"
#include "io/onnx/onnx.h"
#include "io/onnx/testing.h"

namespace write_test {

using namespace opref::io;

namespace {

/// The message that protobuf's text format describes, as libprotobuf writes it.
template <class Proto>
std::string bytes_of_text(const std::string& text) {
  Proto proto;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &proto));
  return to_hex(proto.SerializeAsString());
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

constexpr std::string_view kNumbers =
    R"(dims: 2 data_type: 7 raw_data: "\377\377\377\377\377\377\377\377\000\000\020\000\000\000\000\000")";

/// `text` with every # as the fields of numbers() but for the name.
std::string with_numbers(std::string text) {
  for (size_t at = text.find('#'); at != std::string::npos; at = text.find('#')) text.replace(at, 1, kNumbers);
  return text;
}

}  // namespace

// Witness of all: libprotobuf, which is told in its own text format what must be written.
TEST_CASE("onnx: nodes and attributes are written as libprotobuf writes them", "[onnx]") {
  const Graph graph{"g", {node_with(every_attribute())}, {}, {}, {}, {{"", 22}, {"com.x", 1}}};
  CHECK(to_hex(model_bytes(graph, {})) == bytes_of_text<::onnx::ModelProto>(with_numbers(R"(
    ir_version: 10 producer_name: "opref" opset_import { domain: "" version: 22 } opset_import { domain: "com.x" version: 1 }
    graph { name: "g" node { op_type: "Op" domain: "com.x" name: "n" input: "a" input: "" input: "b" output: "y"
      attribute { name: "i" type: INT i: -5 }
      attribute { name: "f" type: FLOAT f: -0.5 }
      attribute { name: "s" type: STRING s: "\377\000" }
      attribute { name: "is" type: INTS ints: -9223372036854775808 ints: 0 ints: 9223372036854775807 }
      attribute { name: "none" type: INTS }
      attribute { name: "fs" type: FLOATS floats: 1 floats: -0 }
      attribute { name: "ss" type: STRINGS strings: "" strings: "x" }
      attribute { name: "t" type: TENSOR t { # name: "" } }
      attribute { name: "sparse" type: SPARSE_TENSOR sparse_tensor { values { # name: "" } indices { # name: "" } dims: 9 dims: 300 } }
      attribute { name: "g" type: GRAPH g {
        name: "case" node { op_type: "Op" domain: "com.x" name: "n" input: "a" input: "" input: "b" output: "y" }
        input { name: "i" } output { name: "o" } initializer { # name: "w" } } } } })")));
}

TEST_CASE("onnx: declarations and initializers are written as libprotobuf writes them", "[onnx]") {
  const std::vector<DeclaredDim> dims = {{3, "", ""}, {{}, "N", ""}, {{}, "", "DATA_BATCH"}, {-1, "", "x"}};
  const Graph graph{"",
                    {},
                    {{"none", "", {}, {}}, {"tensor", "", DType::int2, dims}},
                    {{"rank 0", "", DType::float32, std::vector<DeclaredDim>{}}, {"any rank", "", DType::float32, {}}},
                    {{"s", "", DType::string, {}, Form::sequence},
                     {"o", "", DType::float32, dims, Form::optional},
                     {"os", "", DType::float32, {}, Form::optional_sequence}},
                    {}};
  const std::vector<std::pair<std::string, Tensor>> initializers = {
      {"w", numbers()},
      {"text", Tensor(Dims{3}, {"a", "", "\xff"})},
      {"empty", Tensor::of<float>(DType::float32, {0}, {})}};
  const std::string shape = R"(shape { dim { dim_value: 3 } dim { dim_param: "N" } dim { denotation: "DATA_BATCH" }
                                       dim { dim_value: -1 denotation: "x" } })";
  CHECK(to_hex(model_bytes(graph, initializers)) == bytes_of_text<::onnx::ModelProto>(with_numbers(R"(
    ir_version: 4 producer_name: "opref" graph { name: "case"
      input { name: "none" }
      input { name: "tensor" type { tensor_type { elem_type: 26 )" + shape + R"( } } }
      output { name: "rank 0" type { tensor_type { elem_type: 1 shape {} } } }
      output { name: "any rank" type { tensor_type { elem_type: 1 } } }
      value_info { name: "s" type { sequence_type { elem_type { tensor_type { elem_type: 8 } } } } }
      value_info { name: "o" type { optional_type { elem_type { tensor_type { elem_type: 1 )" + shape +
                                                                                                   R"( } } } } }
      value_info { name: "os" type { optional_type { elem_type { sequence_type { elem_type { tensor_type { elem_type: 1 } } } } } } }
      initializer { # name: "w" }
      initializer { dims: 3 data_type: 8 name: "text" string_data: "a" string_data: "" string_data: "\377" }
      initializer { dims: 0 data_type: 1 name: "empty" raw_data: "" } })")));
}

TEST_CASE("onnx: values are written as libprotobuf writes them", "[onnx]") {
  const auto written = [](const Value& value) { return to_hex(onnx_value_bytes("v", value)); };
  const Sequence sequence{DType::int64, {numbers(), numbers()}};
  CHECK(written(numbers()) == bytes_of_text<::onnx::TensorProto>(with_numbers(R"(# name: "v")")));
  CHECK(written(sequence) ==
        bytes_of_text<::onnx::SequenceProto>(
            with_numbers(R"(name: "v" elem_type: 1 tensor_values { # name: "" } tensor_values { # name: "" })")));
  CHECK(written(Optional{DType::int64, numbers()}) ==
        bytes_of_text<::onnx::OptionalProto>(with_numbers(R"(name: "v" elem_type: 1 tensor_value { # name: "" })")));
  CHECK(
      written(Optional{DType::int64, sequence}) ==
      bytes_of_text<::onnx::OptionalProto>(with_numbers(
          R"(name: "v" elem_type: 3 sequence_value { name: "" elem_type: 1 tensor_values { # name: "" } tensor_values { # name: "" } })")));
  const Map map = map_of({Dims{2}, std::vector<std::string>{"b", "a"}}, numbers());
  const std::string entries = R"(key_type: 8 string_keys: "a" string_keys: "b" values { elem_type: 1
      tensor_values { data_type: 7 name: "" raw_data: "\000\000\020\000\000\000\000\000" }
      tensor_values { data_type: 7 name: "" raw_data: "\377\377\377\377\377\377\377\377" } })";
  CHECK(written(map) == bytes_of_text<::onnx::MapProto>(R"(name: "v" )" + entries));
  MapSequence maps{DType::string, DType::int64};
  maps.push_back(map);
  CHECK(written(maps) ==
        bytes_of_text<::onnx::SequenceProto>(R"(name: "v" elem_type: 4 map_values { name: "" )" + entries + " }"));
  CHECK(written(map_of(numbers(), numbers())) == bytes_of_text<::onnx::MapProto>(with_numbers(R"(name: "v" key_type: 7
      keys: -1 keys: 1048576 values { elem_type: 1
      tensor_values { data_type: 7 name: "" raw_data: "\377\377\377\377\377\377\377\377" }
      tensor_values { data_type: 7 name: "" raw_data: "\000\000\020\000\000\000\000\000" } })")));
  CHECK(written(Optional{DType::int64, {}}) == bytes_of_text<::onnx::OptionalProto>(R"(name: "v" elem_type: 0)"));
}

}  // namespace write_test
