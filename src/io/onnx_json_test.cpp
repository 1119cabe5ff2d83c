#include <catch2/catch.hpp>

#include "io/onnx.h"
#include "io/onnx_testing.h"

using namespace opref;

namespace {

std::string error_of_json(std::string_view text) {
  return error_of([&] { read_onnx_json(text, "."); });
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
  const Case node = read_onnx_json(R"({"opType": "Op", "output": ["Y"], "overload": "x"})", ".");
  REQUIRE(node.warnings.size() == 1);
  CHECK(node.warnings[0].find("overload") != std::string::npos);
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
