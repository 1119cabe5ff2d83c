// SPDX-License-Identifier: Apache-2.0
// What JSON cases say, and what is wrong with them.
#include <bit>
#include <catch2/catch.hpp>
#include <limits>
#include <regex>

#include "io/folder_testing.h"
#include "io/json/json_testing.h"
#include "io/json/parse.h"
#include "io/literal.h"

using namespace opref::io;

namespace {

/// The only attribute, as "3", "'2'" of a text, "[1,a]".
std::string attribute_text(const std::string& json) {
  const Case loaded = read(R"({"op_type": "A", "attributes": {"a": )" + json + "}}");
  const std::vector<Attribute>& attributes = loaded.graph.nodes.at(0).attributes;
  if (attributes.empty()) return "absent";
  const Untyped& value = std::get<Untyped>(attributes.at(0).value);
  std::vector<std::string> items;
  for (const UntypedItem& item : value.items) items.push_back(item.quoted ? "'" + item.text + "'" : item.text);
  return value.is_list ? "[" + join_text(items, ",") + "]" : items.at(0);
}

const std::string kTensorStart = R"({"op_type": "A", "inputs": {"X": )";
TensorSource tensor(const std::string& json) { return read(kTensorStart + json + "}}").inputs.at(0).source; }
std::string tensor_error(const std::string& json) { return case_error(kTensorStart + json + "}}"); }

/// "[2,2]: 1 2 3 4"
std::string literal_text(const std::string& json) {
  const Literal literal = *tensor(json).literal();
  return format("{}: {}", literal.shape, join_text(literal.elements, " "));
}

}  // namespace

TEST_CASE("json: a case with everything", "[json]") {
  const Case loaded = read(R"({
    "op_type": "ConvTranspose", "domain": "ai.onnx", "opset": 22, "name": "up1",
    "attributes": {"strides": [2, 2], "auto_pad": "SAME_UPPER", "group": null},
    "inputs": {"X": {"dtype": "bfloat16", "file": "x.npy"},
               "W": "w.npz:weights",
               "B": {"dtype": "bfloat16", "data": [1, 2]}},
    "expect": {"Y": "y.npy"},
    "tolerance": {"ulp": 0},
    "readings": {"conv_transpose.same_size": "natural"},
    "source": "where the expected values come from"
  })");
  CHECK(loaded.format == CaseFormat::json);
  REQUIRE(loaded.graph.nodes.size() == 1);
  const Node& node = loaded.graph.nodes[0];
  CHECK(node.op_type == "ConvTranspose");
  CHECK(node.domain.empty());
  CHECK(node.name == "up1");
  CHECK(node.inputs == std::vector<std::string>{"X", "W", "B"});
  CHECK(node.outputs == std::vector<std::string>{"Y"});
  REQUIRE(node.attributes.size() == 2);
  CHECK(node.attributes[0].name == "strides");
  CHECK(node.attributes[1].name == "auto_pad");
  CHECK(loaded.graph.opset_import == decltype(loaded.graph.opset_import){{"", 22}});

  REQUIRE(loaded.inputs.size() == 3);
  CHECK(loaded.inputs[0].name == "X");
  CHECK(loaded.inputs[0].source.file()->path == "folder/x.npy");
  CHECK(loaded.inputs[0].source.dtype == DType::bfloat16);
  CHECK(loaded.inputs[1].source.file()->path == "folder/w.npz");
  CHECK(loaded.inputs[1].source.file()->member == "weights");
  CHECK_FALSE(loaded.inputs[1].source.dtype.has_value());
  CHECK(loaded.inputs[2].source.file() == nullptr);
  CHECK(loaded.inputs[2].source.literal()->elements == std::vector<std::string>{"1", "2"});
  REQUIRE(loaded.expected.size() == 1);
  CHECK(loaded.expected[0].name == "Y");
  CHECK(loaded.expected[0].source.file()->path == "folder/y.npy");
  CHECK(loaded.tolerance.value().rule == Tolerance::Rule::ulp);
  CHECK(loaded.readings == decltype(loaded.readings){{"conv_transpose.same_size", "natural"}});
  CHECK(loaded.source == "where the expected values come from");
  CHECK_FALSE(loaded.expect_error.has_value());
}

TEST_CASE("json: a case needs an op_type and nothing else", "[json]") {
  const Case loaded = read("\xef\xbb\xbf{\"op_type\": \"LpPool\"}\n");
  CHECK(loaded.graph.nodes.at(0).op_type == "LpPool");
  CHECK(loaded.graph.opset_import.empty());
  CHECK(loaded.inputs.empty());
  CHECK_FALSE(loaded.tolerance.has_value());
  CHECK(loaded.source.empty());

  CHECK(case_error(R"({"opset": 11})") == "malformed: the document has no 'op_type'");
  CHECK(case_error(R"({"op_type": ""})") == "malformed: 'op_type' is empty");
  CHECK(case_error(R"({"op_type": 5})") == "malformed: 'op_type' is 5, but must be a string");
  CHECK(case_error(R"({"op_type": ["A"]})") == "malformed: 'op_type' is a list, but must be a string");
  CHECK(case_error(R"(["op_type"])") == "malformed: the document is a list, but must be an object");
  CHECK(case_error("null") == "malformed: the document is null, but must be an object");
  CHECK(case_error(R"({"op_type": "A", "name": true})") == "malformed: 'name' is true, but must be a string");
  CHECK(case_error(R"({"op_type": "A", "source": {}})") == "malformed: 'source' is an object, but must be a string");
}

TEST_CASE("json: domain and opset", "[json]") {
  const Case openvino = read(R"({"op_type": "A", "domain": "openvino", "opset": 1})");
  CHECK(openvino.graph.nodes.at(0).domain == "openvino");
  CHECK(openvino.graph.opset_import == decltype(openvino.graph.opset_import){{"openvino", 1}});
  CHECK(read(R"({"op_type": "A", "domain": "openvino"})").graph.opset_import.empty());
  CHECK(read(R"({"op_type": "A", "opset": 9223372036854775807})").graph.opset_import.at("") == INT64_MAX);

  const auto opset_error = [](const std::string& opset) {
    return case_error(R"({"op_type": "A", "opset": )" + opset + "}");
  };
  const std::string rule = ", but must be an integer from 1 to 28";
  CHECK(opset_error("0") == "malformed: 'opset' is 0" + rule);
  CHECK(opset_error("-3") == "malformed: 'opset' is -3" + rule);
  CHECK(opset_error("11.0") == "malformed: 'opset' is 11.0" + rule);
  CHECK(opset_error("9223372036854775808") == "malformed: 'opset' is 9223372036854775808" + rule);
  CHECK(opset_error("\"11\"") == "malformed: 'opset' is a string" + rule);
  CHECK(opset_error("null") == "malformed: 'opset' is null" + rule);
}

TEST_CASE("json: unknown keys offer the nearest", "[json]") {
  CHECK(case_error(R"({"op_typ": "A"})") == "malformed: unknown key 'op_typ', did you mean 'op_type'?");
  CHECK(case_error(R"({"op_type": "A", "attribute": {}})") ==
        "malformed: unknown key 'attribute', did you mean 'attributes'?");
  CHECK(case_error(R"({"op_type": "A", "comment": ""})") == "malformed: unknown key 'comment'");
  CHECK(case_error(R"({"op_type": "A", "results": {}})") == "malformed: unknown key 'results'");
  CHECK(tensor_error(R"({"dtyp": "int8", "data": 1})") ==
        "malformed: unknown key 'inputs.X.dtyp', did you mean 'dtype'?");
  CHECK(case_error(R"({"op_type": "A", "tolerance": {"ulps": 1}})") ==
        "malformed: unknown key 'tolerance.ulps', did you mean 'ulp'?");
  CHECK(case_error(R"({"op_type": "A", "a\nb": 1})") == "malformed: unknown key 'a\\x0ab'");
}

TEST_CASE("json: attributes keep the user's own digits", "[json]") {
  CHECK(attribute_text("3") == "3");
  CHECK(attribute_text("-0") == "-0");
  CHECK(attribute_text("-17") == "-17");
  CHECK(attribute_text("1.70") == "1.70");
  CHECK(attribute_text("1E+5") == "1E+5");
  CHECK(attribute_text("0.1000000000000000055511151231257827") == "0.1000000000000000055511151231257827");
  CHECK(attribute_text("18446744073709551616") == "18446744073709551616");
  CHECK(attribute_text("-9223372036854775809") == "-9223372036854775809");
  CHECK(attribute_text("1e400") == "1e400");
  CHECK(attribute_text("\"SAME_UPPER\"") == "SAME_UPPER");  // a word is what -a takes it for
  CHECK(attribute_text("\"2\"") == "'2'");
  CHECK(attribute_text("\"NaN\"") == "'NaN'");
  CHECK(attribute_text("\"\"") == "''");
  CHECK(attribute_text("true") == "true");
  CHECK(attribute_text("[]") == "[]");
  CHECK(attribute_text("[1, 2.50, \"a\", false]") == "[1,2.50,a,false]");
  CHECK(attribute_text("null") == "absent");

  const auto error = [](const std::string& json) {
    return case_error(R"({"op_type": "A", "attributes": {"a": )" + json + "}}");
  };
  CHECK(error("{}") == "malformed: 'attributes.a' has no 'dtype'");
  CHECK(error("[1, [2]]") == "malformed: 'attributes.a[1]' is a list, but must be a number, a string or a boolean");
  CHECK(error("[null]") == "malformed: 'attributes.a[0]' is null, but must be a number, a string or a boolean");
  CHECK(case_error(R"({"op_type": "A", "attributes": []})") ==
        "malformed: 'attributes' is a list, but must be an object");
}

TEST_CASE("json: tensors in files", "[json]") {
  CHECK(tensor(R"("/data/x.npy")").file()->path == "/data/x.npy");
  CHECK(tensor(R"("../x.npy")").file()->path == "folder/../x.npy");
  CHECK(read(kTensorStart + "\"x.npy\"}}", "").inputs.at(0).source.file()->path == "x.npy");
  CHECK(read(kTensorStart + "\"-\"}}", "").inputs.at(0).source.file()->path == "./-");
  const TensorSource raw = tensor(R"({"dtype": "float16", "file": "x.bin", "shape": [1, 0, 3]})");
  CHECK(raw.file()->path == "folder/x.bin");
  CHECK(raw.dtype == DType::float16);
  CHECK(raw.shape == Dims{1, 0, 3});
  CHECK(raw.has_values());
  const TensorSource member = tensor(R"({"file": "a.npz:dir/b.npz"})");
  CHECK(member.file()->path == "folder/a.npz");
  CHECK(member.file()->member == "dir/b.npz");
  CHECK(tensor(R"("old.npz:1/a.npz:m")").file()->path == "folder/old.npz:1/a.npz");

  const auto example = [](std::string_view data) {
    return R"(, but must be a file name or an object, as {"dtype": "float32", "data": )" + std::string(data) + "} is";
  };
  CHECK(tensor_error("5") == "malformed: 'inputs.X' is 5" + example("5"));
  CHECK(tensor_error("true") == "malformed: 'inputs.X' is true" + example("true"));
  CHECK(tensor_error("null") == "malformed: 'inputs.X' is null" + example("[[1,2]]"));
  CHECK(tensor_error("\"\"") == "malformed: 'inputs.X' is '', which is no file name");
  CHECK(tensor_error(R"({"file": "a\u0000b"})") == "malformed: 'inputs.X.file' is 'a\\x00b', which is no file name");
  CHECK(tensor_error("\"x.npz:\"") == "malformed: 'inputs.X' names no member after '.npz:'");
  CHECK(tensor_error(R"({"file": ["x.npy"]})") == "malformed: 'inputs.X.file' is a list, but must be a string");
  CHECK(tensor_error(R"({"file": "x.bin", "shape": [2]})") ==
        "malformed: 'inputs.X' has a 'shape', as for raw bytes, but no 'dtype'");
  CHECK(tensor_error(R"({"file": "x.npy", "data": [1]})") == "malformed: 'inputs.X' has both 'file' and 'data'");
  CHECK(case_error(R"({"op_type": "A", "inputs": ["x.npy"]})") ==
        R"(malformed: 'inputs' is a list, but must be an object, as {"X": "x.npy"} is, with names as keys)");
  CHECK(case_error(R"({"op_type": "A", "inputs": {"": "x.npy"}})") ==
        "malformed: 'inputs' has a tensor without a name");
}

TEST_CASE("json: types without values", "[json]") {
  const TensorSource type = tensor(R"({"dtype": "float32", "shape": [1, 3]})");
  CHECK(type.dtype == DType::float32);
  CHECK(type.shape == Dims{1, 3});
  CHECK_FALSE(type.has_values());
  CHECK(tensor(R"({"dtype": "int64", "shape": []})").shape == Dims{});

  const std::string rule = "malformed: 'inputs.X' has neither 'file' nor 'data' nor both 'dtype' and 'shape'";
  CHECK(tensor_error("{}") == rule);
  CHECK(tensor_error(R"({"dtype": "float32"})") == rule);
  CHECK(tensor_error(R"({"shape": [1]})") == rule);
  CHECK(case_error(R"({"op_type": "A", "expect": {"Y": {"dtype": "int8", "shape": [1]}}})") ==
        "malformed: 'expect.Y' has neither 'file' nor 'data'");
  CHECK(tensor_error(R"({"dtype": "flaot32", "shape": [1]})") ==
        "malformed: 'inputs.X.dtype': 'flaot32' is not a dtype, did you mean 'float32'?");
  CHECK(tensor_error(R"({"dtype": 1, "shape": [1]})") == "malformed: 'inputs.X.dtype' is 1, but must be a string");
  const auto shape_error = [](const std::string& shape) {
    return tensor_error(R"({"dtype": "int8", "shape": )" + shape + "}");
  };
  CHECK(shape_error("3") == "malformed: 'inputs.X.shape' is 3, but must be a list");
  CHECK(shape_error("[2, -1]") ==
        "malformed: 'inputs.X.shape[1]' is -1, but must be an integer from 0 to 9223372036854775807");
  CHECK(shape_error("[2.0]") ==
        "malformed: 'inputs.X.shape[0]' is 2.0, but must be an integer from 0 to 9223372036854775807");
  CHECK(shape_error("[\"N\"]") ==
        "malformed: 'inputs.X.shape[0]' is a string, but must be an integer from 0 to 9223372036854775807");
  CHECK(shape_error("[4294967296, 4294967296]") ==
        "malformed: 'inputs.X.shape': shape [4294967296,4294967296] has more elements than fit into 64 bits");
  CHECK(shape_error("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]") == "unsupported: 'inputs.X.shape' has more than 16 axes");
  CHECK(tensor_error(R"({"dtype": "int8", "shape": [2], "fill": "normal", "seed": 7})") ==
        "malformed: 'inputs.X.fill': the generator 'normal' has no values of type int8");
  CHECK(tensor_error(R"({"dtype": "float32", "fill": "normal"})") ==
        "malformed: 'inputs.X' has 'fill', but no 'shape'");
  CHECK(tensor_error(R"({"dtype": "float32", "shape": [2], "seed": 7})") ==
        "malformed: 'inputs.X' has a 'seed', but no 'fill'");
  CHECK(tensor_error(R"({"dtype": "float32", "shape": [2], "fill": "normal", "data": [1, 2]})") ==
        "malformed: 'inputs.X' has 'fill' beside 'file' or 'data'");
}

TEST_CASE("json: data", "[json]") {
  CHECK(literal_text(R"({"data": [[1, 2], [3, 4]]})") == "[2,2]: 1 2 3 4");
  CHECK_FALSE(tensor(R"({"data": [1]})").dtype.has_value());
  CHECK(tensor(R"({"data": [1], "dtype": "uint8"})").dtype == DType::uint8);
  CHECK(literal_text(R"({"data": 5})") == "[]: 5");
  CHECK(literal_text(R"({"data": []})") == "[0]: ");
  CHECK(literal_text(R"({"data": [[], []]})") == "[2,0]: ");
  CHECK(literal_text(R"({"data": [[[]], [[]]]})") == "[2,1,0]: ");
  CHECK(literal_text(
            R"({"data": ["NaN", "Inf", "-Inf", "0x7fC1", true, false, 1.50, -0, -0.0, 1e400, 1.2e4932, 1e5000]})") ==
        "[12]: NaN Inf -Inf 0x7fC1 true false 1.50 -0 -0.0 1e400 1.2e4932 1e5000");
  CHECK(literal_text(R"({"dtype": "complex64", "data": ["1+2j", 3]})") == "[2]: 1+2j 3");
  CHECK(literal_text(R"({"dtype": "string", "data": ["a", "NaN", ""]})") == "[3]: a NaN ");
  CHECK(literal_text(R"({"data": [[[[[[[[[[[[[[[[7]]]]]]]]]]]]]]]]})") == "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]: 7");

  const auto error = [](const std::string& data) { return tensor_error(R"({"data": )" + data + "}"); };
  CHECK(error("[[1, 2], [3]]") == "malformed: 'inputs.X.data[1]' has 1 item, but the first list beside it has 2");
  CHECK(error("[[[1], [2]], [[3], []]]") ==
        "malformed: 'inputs.X.data[1][1]' has 0 items, but the first list beside it has 1");
  CHECK(error("[[1], 2]") == "malformed: 'inputs.X.data[1]' is 2, but must be a list of 1, as the first beside it");
  CHECK(error("[[], 2]") == "malformed: 'inputs.X.data[1]' is 2, but must be a list of 0, as the first beside it");
  const std::string kinds = R"(, but must be a number, a boolean, "NaN", "Inf", "-Inf" or bits as in "0x7fc1")";
  CHECK(error("[1, [2]]") == "malformed: 'inputs.X.data[1]' is a list" + kinds);
  CHECK(error("[null]") == "malformed: 'inputs.X.data[0]' is null" + kinds);
  CHECK(error("{}") == "malformed: 'inputs.X.data' is an object" + kinds);
  const std::string strings = R"(, but as a string an element is "NaN", "Inf", "-Inf" or its bits as in "0x7fc1")";
  CHECK(error("[\"nan\"]") == "malformed: 'inputs.X.data[0]' is 'nan'" + strings + ", did you mean 'NaN'?");
  CHECK(error("[\"1.5\"]") == "malformed: 'inputs.X.data[0]' is '1.5'" + strings);
  CHECK(error("[\"1+2j\"]") == "malformed: 'inputs.X.data[0]' is '1+2j'" + strings);
  CHECK(error("[\"0x\"]") == "malformed: 'inputs.X.data[0]' is '0x'" + strings);
  CHECK(error("[\"0x7g\"]") == "malformed: 'inputs.X.data[0]' is '0x7g'" + strings);
  CHECK(error("[[[[[[[[[[[[[[[[[7]]]]]]]]]]]]]]]]]") == "unsupported: 'inputs.X.data' has more than 16 axes");
  CHECK(tensor_error(R"({"dtype": "string", "data": ["a", 1]})") ==
        "malformed: 'inputs.X.data[1]' is 1, but must be a string");
}

TEST_CASE("json: data with a stated shape", "[json]") {
  CHECK(literal_text(R"({"data": [], "shape": [0, 3]})") == "[0,3]: ");
  CHECK(tensor(R"({"data": [], "shape": [0, 3]})").shape == Dims{0, 3});
  CHECK(literal_text(R"({"data": [1, 2, 3, 4], "shape": [2, 2]})") == "[2,2]: 1 2 3 4");
  CHECK(literal_text(R"({"data": [1], "shape": []})") == "[]: 1");
  CHECK(literal_text(R"({"data": 1, "shape": [1, 1]})") == "[1,1]: 1");
  CHECK(literal_text(R"({"data": [[1, 2]], "shape": [1, 2]})") == "[1,2]: 1 2");

  CHECK(tensor_error(R"({"data": [1, 2, 3], "shape": [2, 2]})") ==
        "malformed: 'inputs.X.shape' is [2,2], but 'data' has shape [3]");
  CHECK(tensor_error(R"({"data": [[1, 2]], "shape": [2, 1]})") ==
        "malformed: 'inputs.X.shape' is [2,1], but 'data' has shape [1,2]");
  CHECK(tensor_error(R"({"data": 1, "shape": [2]})") == "malformed: 'inputs.X.shape' is [2], but 'data' has shape []");
}

TEST_CASE("json: an expected error", "[json]") {
  const auto error =
      read(R"({"op_type": "A", "expect_error": {"fault": "invalid", "message": "X has rank 2"}})").expect_error;
  CHECK(error.value().fault == Fault::invalid);
  CHECK(error.value().message == "X has rank 2");
  const ExpectedError own = read_expected_error(R"({"message": "m", "fault": "unsupported"})");
  CHECK(own.fault == Fault::unsupported);
  CHECK(own.message == "m");

  CHECK(case_error(R"({"op_type": "A", "expect": {}, "expect_error": {"fault": "invalid", "message": "m"}})") ==
        "malformed: a case has either 'expect' or 'expect_error', not both");
  const auto stated = [](const std::string& text) {
    return case_error(R"({"op_type": "A", "expect_error": )" + text + "}");
  };
  const std::string kind = "malformed: 'expect_error' is a string, but must be an object, as ";
  CHECK(stated("\"malformed\"") == kind + R"({"fault": "malformed", "message": "axis is 2, but must be …"} is)");
  CHECK(stated("\"a rule\"") == kind + R"({"fault": "invalid", "message": "a rule"} is)");
  CHECK(case_error(R"({"op_type": "If", "attributes": {"then_branch": {"op_type": "Neg"}}})") ==
        R"(malformed: 'attributes.then_branch' is an object, but a graph is ONNX text: "t () => (y) { y = Neg (x) }")");
  CHECK(case_error(R"({"op_type": "A", "expect_error": {"fault": "invalid"}})") ==
        "malformed: 'expect_error' has no 'message'");
  const auto own_error = [](std::string_view text) { return parse_error_of([&] { read_expected_error(text); }); };
  CHECK(own_error(R"({"message": "m"})") == "malformed: the document has no 'fault'");
  CHECK(own_error(R"({"fault": "invald", "message": "m"})") ==
        "malformed: 'fault' is 'invald', which is no fault, did you mean 'invalid'?");
  CHECK(own_error(R"({"fault": "internal", "message": "m"})") == "malformed: 'fault' is 'internal', which is no fault");
  CHECK(own_error(R"({"fault": 4, "message": "m"})") == "malformed: 'fault' is 4, but must be a string");
  CHECK(own_error(R"({"fault": "invalid", "message": ""})") == "malformed: 'message' must be one line");
  CHECK(own_error(R"({"fault": "invalid", "message": "m\n"})") == "malformed: 'message' must be one line");
  CHECK(own_error(R"({"fault": "invalid", "message": "m", "messages": 1})") ==
        "malformed: unknown key 'messages', did you mean 'message'?");
  CHECK(own_error(R"({"fault": "invalid")") ==
        "malformed: line 1, column 20: syntax error while parsing object - unexpected end of input; expected '}'");
}

TEST_CASE("json: tolerances", "[json]") {
  const auto tolerance = [](const std::string& json) {
    return read(R"({"op_type": "A", "tolerance": )" + json + "}").tolerance.value();
  };
  CHECK(tolerance(R"({"exact": true})").rule == Tolerance::Rule::exact);
  CHECK(tolerance(R"({"ulp": 3})").rule == Tolerance::Rule::ulp);
  CHECK(tolerance(R"({"ulp": 3})").ulp == 3);
  CHECK(tolerance(R"({"rtol": 1e-3, "atol": 1E-7})").rule == Tolerance::Rule::relative);
  CHECK(tolerance(R"({"rtol": 1e-3, "atol": 1E-7})").rtol == 1e-3);
  CHECK(tolerance(R"({"rtol": 1e-3, "atol": 1E-7})").atol == 1e-7);
  CHECK(tolerance(R"({"rtol": 2})").rtol == 2);
  CHECK(tolerance(R"({"rtol": 2})").atol == 0);
  CHECK(tolerance(R"({"atol": 0.5})").rule == Tolerance::Rule::relative);
  CHECK(tolerance(R"({"atol": 0.5})").atol == 0.5);
  CHECK(tolerance(R"({"atol": 0.5})").rtol == 0);

  const auto error = [](const std::string& json) {
    return case_error(R"({"op_type": "A", "tolerance": )" + json + "}");
  };
  const std::string one = ", but must state one of exact, ulp, bound, or rtol and atol";
  CHECK(error("{}") == "malformed: 'tolerance' states 0 rules" + one);
  CHECK(error(R"({"ulp": 1, "rtol": 0})") == "malformed: 'tolerance' states 2 rules" + one);
  CHECK(error(R"({"exact": true, "atol": 0})") == "malformed: 'tolerance' states 2 rules" + one);
  CHECK(error(R"({"exact": false})") == "malformed: 'tolerance.exact' is false, but must be true");
  CHECK(error(R"({"exact": "true"})") == "malformed: 'tolerance.exact' is a string, but must be true");
  CHECK(error(R"({"ulp": -1})") ==
        "malformed: 'tolerance.ulp' is -1, but must be an integer from 0 to 9223372036854775807");
  CHECK(error(R"({"ulp": 0.5})") ==
        "malformed: 'tolerance.ulp' is 0.5, but must be an integer from 0 to 9223372036854775807");
  const std::string real = ", but must be a number of at least 0 that fits into float64";
  CHECK(error(R"({"rtol": -1e-3})") == "malformed: 'tolerance.rtol' is -1e-3" + real);
  CHECK(error(R"({"rtol": 1, "atol": 1e400})") == "malformed: 'tolerance.atol' is 1e400" + real);
  CHECK(error(R"({"rtol": "0"})") == "malformed: 'tolerance.rtol' is a string" + real);
  CHECK(error("1") == R"(malformed: 'tolerance' is 1, but must be an object, as {"rtol": 0.01, "atol": 0} is)");

  CHECK(tolerance(R"({"bound": {}})").rule == Tolerance::Rule::bound);
  CHECK(tolerance(R"({"bound": {}})").kernel.accumulator == std::nullopt);
  CHECK(tolerance(R"({"bound": {}})").kernel.subnormals == BoundedKernel::Subnormals::kept);
  CHECK(tolerance(R"({"bound": {}})").kernel.input_error == 0);
  const BoundedKernel kernel =
      tolerance(R"({"bound": {"accumulator": "bfloat16", "flush": 1, "input-error": 0.125}})").kernel;
  CHECK(kernel.accumulator == DType::bfloat16);
  CHECK(kernel.subnormals == BoundedKernel::Subnormals::flushed);
  CHECK(kernel.input_error == 0.125);
  CHECK(tolerance(R"({"bound": {"flush": 0}})").kernel.subnormals == BoundedKernel::Subnormals::kept);
  CHECK(error(R"({"bound": true})") == "malformed: 'tolerance.bound' is true, but must be an object");
  CHECK(error(R"({"bound": {"accumulater": "float32"}})") ==
        "malformed: unknown key 'tolerance.bound.accumulater', did you mean 'accumulator'?");
  CHECK(error(R"({"bound": {"accumulator": "float23"}})") ==
        "malformed: 'tolerance.bound.accumulator': the accumulator is 'float23', but must be float32, float16, "
        "bfloat16, float64, did you mean 'float32'?");
  CHECK(error(R"({"bound": {"flush": true}})") == "malformed: 'tolerance.bound.flush' is true, but must be 0 or 1");
  CHECK(error(R"({"bound": {"flush": 2}})") == "malformed: 'tolerance.bound.flush' is 2, but must be 0 or 1");
  CHECK(error(R"({"bound": {"input-error": 1.5}})") ==
        "malformed: 'tolerance.bound.input-error': the input error is 1.5, but must be 0, or from 1e-30 to 1");
  CHECK(error(R"({"bound": {"input-error": 1e-31}})") ==
        "malformed: 'tolerance.bound.input-error': the input error is 1e-31, but must be 0, or from 1e-30 to 1");
  CHECK(error(R"({"bound": {}, "ulp": 1})") == "malformed: 'tolerance' states 2 rules" + one);
}

TEST_CASE("json: readings are strings", "[json]") {
  CHECK(read(R"({"op_type": "A", "readings": {"b": "1", "a": "2"}})").readings ==
        decltype(Case::readings){{"a", "2"}, {"b", "1"}});
  CHECK(case_error(R"({"op_type": "A", "readings": {"lp_pool.nan": true}})") ==
        "malformed: 'readings.lp_pool.nan' is true, but must be a string");
  CHECK(case_error(R"({"op_type": "A", "readings": ["lp_pool.nan"]})") ==
        "malformed: 'readings' is a list, but must be an object");
}

TEST_CASE("json: ONNX's own JSON", "[json]") {
  CHECK(is_onnx_json(parse_json(R"({"irVersion": "8", "graph": {"node": []}})")));
  CHECK(is_onnx_json(parse_json(R"({"opType": "LpPool", "output": ["Y"]})")));
  CHECK(is_onnx_json(parse_json(R"({"op_type": "LpPool", "input": ["X"], "output": ["Y"]})")));
  CHECK(is_onnx_json(parse_json(R"({"op_type": "Constant", "attribute": []})")));
  CHECK_FALSE(is_onnx_json(parse_json(R"({"op_type": "LpPool", "inputs": {"X": "x.npy"}, "attributes": {}})")));
  CHECK_FALSE(is_onnx_json(parse_json(R"({"op_type": "LpPool", "input": {"X": "x.npy"}})")));
  CHECK_FALSE(is_onnx_json(parse_json(R"({"op_type": "LpPool", "attribute": {}, "name": "graph"})")));
  CHECK_FALSE(is_onnx_json(parse_json(R"(["graph"])")));
  CHECK(parse_error_of([] { is_onnx_json(parse_json("{\"graph\"}")); }) ==
        "malformed: line 1, column 9: syntax error while parsing object separator - unexpected '}'; expected ':'");
}

TEST_CASE("json: the schema knows every type and key", "[json]") {
  const Json document = parse_json(content_of(OPREF_SOURCE_DIR "/cli/help/schema.json"));
  const JsonValue types = document.root().find("$defs")->find("dtype")->find("enum").value();
  std::vector<std::string_view> stated, known;
  for (const JsonValue type : types)
    if (dtype_named(type.text())) stated.push_back(type.text());
  for (const DTypeInfo& type : all_dtypes()) known.push_back(type.name);
  CHECK(stated == known);
  CHECK(types.size() == known.size() + 10);  // and how people call them
  for (const JsonValue type : types) CHECK(dtype_meant(type.text()).has_value());
  std::vector<std::string_view> keys;
  const JsonValue properties = document.root().find("$defs")->find("case")->find("properties").value();
  for (const JsonValue property : properties) {
    keys.push_back(property.key());
    const std::string error = case_error(format(R"({}"{}": [null]{})", "{", property.key(), "}"));
    CHECK_THAT(error, !Catch::Matchers::Contains("unknown key"));
  }
  CHECK(keys.size() == 13);
  const std::string fill(document.root().find("$defs")->find("generator")->find("pattern")->text());
  for (const std::string_view name : generator_names()) CHECK(std::regex_match(std::string(name), std::regex(fill)));
}

TEST_CASE("elements that do not fit their dtype are the file's fault", "[json]") {
  const auto loaded = [](const std::string& tensor) {
    return parse_error_of(
        [&] { load(read(R"({"op_type": "A", "inputs": {"X": )" + tensor + "}}").inputs.at(0).source); });
  };
  CHECK(loaded(R"({"dtype": "int8", "data": [[1, 128]]})") ==
        "malformed: 128 does not fit into int8 (-128 to 127)\n  in element [0,1]");
  CHECK(loaded(R"({"dtype": "int8", "data": 1.5})") == "malformed: 1.5 is not an integer");
  CHECK(loaded(R"({"dtype": "float16", "data": ["0x7fc1c"]})").starts_with("malformed: '0x7fc1c' has not the 16 bits"));
  // On the command line they are the user's.
  TensorSource source;
  source.from = parse_literal("128");
  source.dtype = DType::int8;
  CHECK(parse_error_of([&] { load(source); }).starts_with("usage: 128 does not fit"));
}

TEST_CASE("json: a variadic parameter is a list of tensors", "[json]") {
  const Case loaded = read(R"({"op_type": "A", "inputs": {"x": [{"dtype": "int8", "data": [1]}, "b.npy"], "y": "y.npy"},
                               "outputs": ["z", "z"], "expect": {"z": ["z0.npy"]}})");
  REQUIRE(loaded.inputs.size() == 3);
  CHECK(loaded.inputs[0].name == "x_0");
  CHECK(loaded.inputs[0].list == "x");
  CHECK(loaded.inputs[1].name == "x_1");
  CHECK(loaded.inputs[1].source.file()->path == "folder/b.npy");
  CHECK(loaded.inputs[2].list.empty());
  CHECK(loaded.outputs == std::vector<std::string>{"z", "z"});
  CHECK(loaded.expected.at(0).name == "z_0");
  CHECK(tensor_error("[]") == "malformed: 'inputs.X' has no tensors: leave it out");
  const std::string untyped = R"(malformed: 'inputs.X' has values without a type: state it as in "X": )";
  CHECK(tensor_error("[[1, 2.50], [\"NaN\", true]]") ==
        untyped + R"({"dtype": "float32", "data": [[1,2.50],["NaN",true]]})");
  CHECK(tensor_error("[" + join_text(std::vector<int>(300, 1), ",") + "]") ==
        untyped + R"({"dtype": "float32", "data": […]})");
  CHECK(tensor_error("[null]").starts_with("malformed: 'inputs.X[0]' is null, but must be a file name or an object"));
  CHECK(case_error(R"({"op_type": "A", "outputs": []})") == "malformed: 'outputs' is empty, but a node has an output");
  CHECK(case_error(R"({"op_type": "A", "outputs": [""]})") == "malformed: 'outputs[0]' is empty");
  CHECK(case_error(R"({"op_type": "A", "outputs": "z"})") == "malformed: 'outputs' is a string, but must be a list");
}

TEST_CASE("json: sequences and optionals", "[json]") {
  const auto value = [](const std::string& json) { return load(tensor(json)).value; };
  const auto load_error = [&](const std::string& json) { return parse_error_of([&] { value(json); }); };
  const auto sequence = [&](const std::string& json) { return std::get<Sequence>(value(json)); };
  const Sequence two =
      sequence(R"({"sequence": [{"data": [1, 2]}, {"dtype": "float16", "data": [[3]]}, {"data": 4}]})");
  CHECK(two.dtype == DType::float16);
  REQUIRE(two.elements.size() == 3);
  CHECK(two.elements[0].type() == TensorType{DType::float16, Dims{2}});
  CHECK(two.elements[1].type() == TensorType{DType::float16, Dims{1, 1}});
  CHECK(two.elements[2].values<std::uint16_t>()[0] == 17 << 10);  // IEEE 754: 4 is 2^2, its exponent field 15 + 2
  const Sequence none = sequence(R"({"sequence": [], "dtype": "string"})");
  CHECK(none.dtype == DType::string);
  CHECK(none.elements.empty());
  CHECK(sequence(R"({"sequence": [{"shape": [2], "fill": "iota"}], "dtype": "int8"})")
            .elements.at(0)
            .values<std::int8_t>()[1] == 1);
  CHECK(tensor_error(R"({"sequence": []})") ==
        "malformed: 'inputs.X.sequence' is empty, so a 'dtype' must say of what");
  CHECK(tensor_error(R"({"sequence": 1})") == "malformed: 'inputs.X.sequence' is 1, but must be a list");
  CHECK(tensor_error(R"({"sequence": [], "dtipe": "int8"})") ==
        "malformed: unknown key 'inputs.X.dtipe', did you mean 'dtype'?");
  CHECK(tensor_error(R"({"sequence": [{"dtype": "int8", "shape": [1]}]})") ==
        "malformed: 'inputs.X.sequence[0]' has no values, but is in a sequence");
  CHECK(load_error(R"({"sequence": [{"data": [1]}]})") ==
        "malformed: a sequence needs a 'dtype', which none of its tensors states");
  CHECK(load_error(R"({"sequence": [{"dtype": "int8", "data": [1]}, {"dtype": "int16", "data": [1]}]})") ==
        "malformed: 'X_1' has type int16, but is in a sequence of int8");

  const auto optional = [&](const std::string& json) { return std::get<Optional>(value(json)); };
  const Optional empty = optional(R"({"optional": null, "type": "int8"})");
  CHECK(empty.dtype == DType::int8);
  CHECK(std::holds_alternative<std::monostate>(empty.element));
  CHECK(tensor(R"({"optional": null, "type": "sequence of int8"})").form == Form::optional_sequence);
  CHECK(std::get<Tensor>(optional(R"({"optional": {"data": [5]}, "type": "int8"})").element).values<std::int8_t>()[0] ==
        5);
  const Optional held = optional(R"({"optional": {"sequence": [{"dtype": "int8", "data": [5]}]}})");
  CHECK(std::get<Sequence>(held.element).elements.size() == 1);
  CHECK(held.dtype == DType::int8);
  CHECK(tensor_error(R"({"optional": null})") == "malformed: 'inputs.X' has no element, so a 'type' must say of what");
  CHECK(tensor_error(R"({"optional": null, "type": "sequence of int9"})").starts_with("malformed: 'inputs.X.type': "));
  CHECK(tensor_error(R"({"optional": {"optional": null}})") ==
        "malformed: 'inputs.X.optional' is an optional in an optional");
  CHECK(load_error(R"({"optional": {"data": [5]}})") ==
        "malformed: an optional needs a 'type', which its tensor does not state");
  CHECK(load_error(R"({"optional": {"dtype": "int8", "data": [5]}, "type": "sequence of int8"})") ==
        "malformed: the optional holds int8, but is stated as sequence of int8");
}
