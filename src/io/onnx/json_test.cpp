// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/json.h"

#include <google/protobuf/util/json_util.h>
#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>

#include "io/json/parse.h"
#include "io/onnx/onnx.h"
#include "io/onnx/testing.h"
#include "io/onnx/witness_testing.h"

namespace json_test {

using namespace opref::io;

namespace {

std::string error_of_json(std::string_view text) {
  return error_of([&] { read_onnx_json(text, "."); });
}

OnnxJson read_node(std::string_view text) {
  const Json document = parse_json(text);
  return read_message(document.root(), kNodeProto);
}

/// The fault of a node with one attribute, '{"name": "a", …}'; "" where there is none.
std::string fault_of(std::string_view fields) {
  return read_node(R"({"attribute": [{"name": "a", )" + std::string(fields) + "}]}").fault;
}

/// What libprotobuf reads, unknown fields ignored; whether it does.
bool parse_leniently(const std::string& text, ::onnx::NodeProto& node) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  return google::protobuf::util::JsonStringToMessage(text, &node, options).ok();
}

/// Writes the message with libprotobuf in every style, and reads it again.
void check_round_trip(const MessageType& type, const google::protobuf::Message& message) {
  for (const bool names : {false, true})
    for (const bool numbers : {false, true}) {
      google::protobuf::util::JsonPrintOptions options;
      options.preserve_proto_field_names = names;
      options.always_print_enums_as_ints = numbers;
      std::string text;
      REQUIRE(google::protobuf::util::MessageToJsonString(message, &text, options).ok());
      const Json document = parse_json(text);
      const OnnxJson read = read_message(document.root(), type);
      CHECK(read.fault.empty());
      CHECK(read.ignored.empty());
      REQUIRE(read.message);
      CHECK(difference(*read.message, message) == "");
    }
}

}  // namespace

TEST_CASE("onnx json: a node, its keys in either spelling", "[onnx]") {
  for (
      const std::string_view text :
      {R"({"opType": "LpPool", "input": ["X"], "output": ["Y"], "attribute": [{"name": "p", "i": "2", "type": "INT"}]})",
       R"({"op_type": "LpPool", "input": ["X"], "output": ["Y"], "attribute": [{"name": "p", "i": 2, "type": 2}]})"}) {
    const Case loaded = read_onnx_json(text, ".");
    CHECK(loaded.format == CaseFormat::onnx_node);
    CHECK(loaded.warnings.empty());
    CHECK(loaded.graph.opset_import.empty());
    const Node& node = loaded.graph.nodes.at(0);
    CHECK(node.op_type == "LpPool");
    const auto& p = std::get<AttributeValue>(node.attributes.at(0).value);
    CHECK(p.type == AttributeType::INT);
    CHECK(to_text(p) == "2");
  }
}

TEST_CASE("onnx json: a model; bytes are base64", "[onnx]") {
  // base64 of "SAME_UPPER" and of the float32 numbers 1 and 2.
  const Case loaded = read_onnx_json(R"({"irVersion": "8", "opsetImport": [{"version": "22"}], "graph": {"name": "g",
      "node": [{"opType": "LpPool", "input": ["X"], "output": ["Y"],
                "attribute": [{"name": "auto_pad", "s": "U0FNRV9VUFBFUg==", "type": "STRING"}]}],
      "initializer": [{"name": "X", "dims": ["2"], "dataType": 1, "rawData": "AACAPwAAAEA="}]}})",
                                     ".");
  CHECK(loaded.format == CaseFormat::onnx_model);
  CHECK(loaded.graph.opset_import.at("") == 22);
  CHECK(to_text(std::get<AttributeValue>(loaded.graph.nodes.at(0).attributes.at(0).value)) == "SAME_UPPER");
  CHECK(loaded.inputs.at(0).source.loaded()->decode().tensor()->values<float>()[1] == 2.0f);
}

TEST_CASE("onnx json: unknown fields are ignored with a warning", "[onnx]") {
  const Case node = read_onnx_json(R"({"opType": "Op", "output": ["Y"], "newest": "x"})", ".");
  REQUIRE(node.warnings.size() == 1);
  CHECK(node.warnings[0].find("newest") != std::string::npos);
  const Case model = read_onnx_json(R"({"graph": {"node": [{"opType": "Op", "output": ["Y"], "newer": 1}]}})", ".");
  CHECK(model.format == CaseFormat::onnx_model);
  REQUIRE(model.warnings.size() == 1);
  CHECK(model.warnings[0].find("newer") != std::string::npos);
}

TEST_CASE("onnx json: malformed", "[onnx]") {
  for (const std::string_view text : {"{", "[1]", "", R"({"graph": {"node": [{"opType": 5)"})
    CHECK(error_of_json(text).starts_with("malformed: no ONNX protobuf-JSON: "));
  const std::string wrong_kind =
      error_of_json(R"({"opType": "Op", "output": ["Y"], "attribute": [{"name": "p", "i": "two"}]})");
  CHECK(wrong_kind.starts_with("malformed: no ONNX protobuf-JSON: "));
  CHECK(wrong_kind.find("attribute[0]") != std::string::npos);
  CHECK(error_of_json("{}") ==
        "malformed: neither an ONNX model nor a node: no graph.node, and no opType with an output");
  CHECK(error_of_json(R"({"opType": "Op"})").starts_with("malformed: neither"));
  CHECK(error_of_json(std::string(1 << 20, '[')).starts_with("malformed: "));
  CHECK(error_of_json(std::string("{\"opType\": \"\xff\xfe\", \"output\": [\"Y\"]}")).starts_with("malformed: "));
  CHECK(error_of_json(std::string("{\0}", 3)).starts_with("malformed: "));
}

TEST_CASE("onnx json: what libprotobuf writes is read as it was", "[onnx]") {
  int next = 0;
  ::onnx::ModelProto model;
  fill(model, 4, next);
  check_round_trip(kModelProto, model);
  ::onnx::OptionalProto optional;
  fill(optional, 3, next);
  check_round_trip(kOptionalProto, optional);

  ::onnx::AttributeProto special;
  for (const float value : {0.0f, -0.0f, 1e-45f, -1e-38f, 3.4028235e38f, 0.1f, 16777216.0f, INFINITY, -INFINITY})
    special.add_floats(value);
  for (const std::int64_t value : {INT64_MIN, INT64_MAX, (std::int64_t{1} << 53) + 1}) special.add_ints(value);
  for (const double value : {5e-324, -1.7976931348623157e308, 0.1, double{-INFINITY}})
    special.mutable_t()->add_double_data(value);
  special.mutable_t()->add_int32_data(INT32_MIN);
  special.mutable_t()->add_uint64_data(UINT64_MAX);
  for (const char* value : {"", "\xff", "\xff\xfe", "\xff\xfe\xfd", "\xfb\xff\xbf"}) special.add_strings(value);
  check_round_trip(kAttributeProto, special);
}

// Witness: libprotobuf, in all that is not said to be otherwise.
TEST_CASE("onnx json: values of other forms, as libprotobuf takes them", "[onnx]") {
  for (const std::string fields : {R"("i": "5")",
                                   R"("i": 5.0)",
                                   R"("i": "5.0")",
                                   R"("i": 5e2)",
                                   R"("i": -0)",
                                   R"("i": "+5")",
                                   R"("i": "05")",
                                   R"("i": " 5")",
                                   R"("i": "0x5")",
                                   R"("i": "")",
                                   R"("i": 5.5)",
                                   R"("i": 9223372036854775807)",
                                   R"("i": 9223372036854775808)",
                                   R"("i": "9223372036854775808")",
                                   R"("i": 9.2e18)",
                                   R"("i": 9.3e18)",
                                   R"("i": -9223372036854775808)",
                                   R"("i": true)",
                                   R"("i": null)",
                                   R"("i": [1])",
                                   R"("i": {})",
                                   R"("i": "NaN")",
                                   R"("f": "1.5")",
                                   R"("f": "NaN")",
                                   R"("f": "-Infinity")",
                                   R"("f": "-NaN")",
                                   R"("f": "inf")",
                                   R"("f": "nan")",
                                   R"("f": "+Infinity")",
                                   R"("f": 1e39)",
                                   R"("f": "1e39")",
                                   R"("f": 3.4028235e38)",
                                   R"("f": 1e-50)",
                                   R"("f": 1e400)",
                                   R"("f": " 1")",
                                   R"("f": "1x")",
                                   R"("f": true)",
                                   R"("f": "")",
                                   R"("f": 16777217)",
                                   R"("t": {"int32Data": [2147483648]})",
                                   R"("t": {"int32Data": ["-2147483648", 1.0]})",
                                   R"("t": {"uint64Data": [-1]})",
                                   R"("t": {"uint64Data": ["18446744073709551615", 18446744073709551615, 3.0]})",
                                   R"("t": {"doubleData": ["1e400"]})",
                                   R"("t": {"doubleData": [1e308, "0.1", 5]})",
                                   R"("t": {"dataType": "FLOAT"})",
                                   R"("type": "INTS")",
                                   R"("type": "ints")",
                                   R"("type": "FOO")",
                                   R"("type": 7)",
                                   R"("type": "7")",
                                   R"("type": 7.0)",
                                   R"("type": 7.5)",
                                   R"("type": 99)",
                                   R"("type": -1)",
                                   R"("type": 4294967303)",
                                   R"("type": true)",
                                   R"("s": "QQ==")",
                                   R"("s": "QQ")",
                                   R"("s": "-_-_")",
                                   R"("s": "+/+/")",
                                   R"("s": "")",
                                   R"("s": "Q")",
                                   R"("s": "QQ=")",
                                   R"("s": "QQ=QQ=")",
                                   R"("s": "Q Q==")",
                                   R"("s": "!!")",
                                   R"("s": "QR==")",
                                   R"("i": "5e2")",
                                   R"("i": "+-5")",
                                   R"("i": "-")",
                                   R"("f": "+5")",
                                   R"("f": "+-5")",
                                   R"("f": "5.")",
                                   R"("f": "-.5e+2")",
                                   R"("f": "1e")",
                                   R"("f": "-0")",
                                   R"("f": -0.0)",
                                   R"("f": -1e-50)",
                                   R"("i": 1e400)",
                                   R"("i": 0.5e1)",
                                   R"("s": 5)",
                                   R"("s": "QQ==\n")",
                                   R"("tp": {"tensorType": {}, "sequenceType": {}})",
                                   R"("tp": {"tensorType": null, "sequenceType": {}})",
                                   R"("tp": {"tensor_type": {}, "tensorType": {}})",
                                   R"("t": 5)",
                                   R"("t": "x")",
                                   R"("t": [])",
                                   R"("t": null)",
                                   R"("ints": [])",
                                   R"("ints": 5)",
                                   R"("ints": {})",
                                   R"("ints": [null, 1])",
                                   R"("tensors": [{}, null])",
                                   R"("strings": "QQ==")",
                                   R"("tensors": {"name": "x"})",
                                   R"("tensors": [5])",
                                   R"("docString": 5)",
                                   R"("docString": ["a"])",
                                   R"("refAttrName": "a", "ref_attr_name": "b")",
                                   R"("newer": {"a": [1]}, "i": 1)"}) {
    const std::string text = R"({"attribute": [{"name": "a", )" + fields + "}]}";
    INFO(text);
    ::onnx::NodeProto expected;
    const bool parses = parse_leniently(text, expected);
    const OnnxJson node = read_node(text);
    INFO(node.fault);
    REQUIRE(node.message.has_value() == parses);
    CHECK(node.fault.empty() == parses);
    if (parses) CHECK(difference(*node.message, expected) == "");
  }
}

TEST_CASE("onnx json: what libprotobuf takes in another way", "[onnx]") {
  const auto attribute = [](const std::string& fields) {
    return read_node(R"({"attribute": [{)" + fields + "}]}").message.value().messages("attribute").at(0);
  };
  ::onnx::NodeProto node;
  // Just below the middle of two float32 numbers; the nearest float64 is the middle.
  const std::string decimal = R"("f": 1.00000017881393432617187499)";
  REQUIRE(parse_leniently(R"({"attribute": [{)" + decimal + "}]}", node));
  CHECK(node.attribute(0).f() == 1.00000024f);
  CHECK(attribute(decimal).real("f") == 1.00000012f);
  CHECK(parse_leniently(R"({"attribute": [{"f": "0x1p3"}]})", node));
  CHECK(fault_of(R"("f": "0x1p3")").starts_with("'attribute[0].f' is a string, but must be a number"));
  // Both alphabets of base64 in one text.
  CHECK_FALSE(parse_leniently(R"({"attribute": [{"s": "+_+_"}]})", node));
  CHECK(attribute(R"("s": "+_+_")").text("s") == "\xfb\xff\xbf");
  // A list in a list is not the inner list.
  CHECK(parse_leniently(R"({"input": [["a"]]})", node));
  CHECK(read_node(R"({"input": [["a"]]})").fault == "'input[0]' is a list, but must be a string");
}

TEST_CASE("onnx json: faults say the place and what must be there", "[onnx]") {
  CHECK(fault_of(R"("i": "two")") ==
        "'attribute[0].i' is a string, but must be an integer from -9223372036854775808 to 9223372036854775807");
  CHECK(fault_of(R"("t": {"int32Data": [2147483648]})") ==
        "'attribute[0].t.int32Data[0]' is 2147483648, but must be an integer from -2147483648 to 2147483647");
  CHECK(fault_of(R"("f": 1e39)") ==
        "'attribute[0].f' is 1e39, but must be a number in the range of float32, \"NaN\", "
        "\"Infinity\" or \"-Infinity\"");
  CHECK(fault_of(R"("s": "QR==")") == "'attribute[0].s': it is no base64");
  CHECK(fault_of(R"("s": "Q Q==")") == "'attribute[0].s' is a string, but must be base64 without white space");
  CHECK(fault_of(R"("tp": {"tensorType": {}, "mapType": {}})") ==
        "'attribute[0].tp.mapType' cannot be set beside another field of TypeProto");
  CHECK(fault_of(R"("docString": 5)") == "'attribute[0].docString' is 5, but must be a string");
  CHECK(read_node("[1]").fault == "the document is a list, but must be an object");
}

TEST_CASE("onnx json: what is ignored is named by its path, of many the first", "[onnx]") {
  CHECK(read_node(R"({"newer": 1, "attribute": [{"type": "FOO", "OpType": {}}]})").ignored ==
        "'newer', 'attribute[0].type', 'attribute[0].OpType'");
  std::string many = "{";
  for (int i = 0; i < 100; ++i) many += format("{}\"field{}\": 1", i == 0 ? "" : ",", i);
  CHECK(read_node(many + "}").ignored ==
        "'field0', 'field1', 'field2', 'field3', 'field4', 'field5', 'field6', 'field7'");
}

}  // namespace json_test
