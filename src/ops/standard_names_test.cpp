// SPDX-License-Identifier: Apache-2.0
#include "ops/standard_names.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>

#include "io/json/fields.h"
#include "io/json/parse.h"
#include "ops/operators.h"

using namespace opref::run;

TEST_CASE("the standard's names are those of the facts, and only those", "[ops]") {
  std::map<std::string, std::set<std::string>> facts;
  std::ifstream file(OPREF_SOURCE_DIR "/testdata/onnx-schemas.jsonl");
  for (std::string line; std::getline(file, line);) {
    const Json document = parse_json(line);
    facts[string_of(required(document.root(), "domain"))].insert(string_of(required(document.root(), "op_type")));
  }
  CHECK(facts.size() == 4);
  for (const auto& [domain, names] : facts)
    for (const std::string& name : names) CHECK(standard_name(domain, name) == name);
  const std::set<std::string>& onnx = facts.at("ai.onnx");
  for (const auto& [domain, names] : facts)
    for (const std::string& name : names)
      if (!onnx.contains(name)) CHECK(standard_name("", name).empty());
  CHECK(standard_name("", "conv") == "Conv");
  CHECK(standard_name("ai.onnx", "Con").empty());
  CHECK(standard_name("", "Conv ConvInteger").empty());
  CHECK(standard_name("", "").empty());
  CHECK(standard_name("openvino", "Conv").empty());
  CHECK(standard_name("ai.onnx.preview.other", "Adam").empty());
}

TEST_CASE("a name may end with an opset, where it is an operator's", "[ops]") {
  CHECK(split_version("LpPool-11").name == "LpPool");
  CHECK(split_version("LpPool-11").opset == 11);
  CHECK(split_version("ai.onnx:LpPool-11").name == "ai.onnx:LpPool");
  CHECK(split_version("Conv-11").opset == 11);
  CHECK(split_version("LpPool@18").opset == 18);
  CHECK(split_version("openvino.MaxPool-8").name == "openvino.MaxPool");
  for (const char* other : {"LpPool", "LpPool-", "LpPool-0", "LpPool--1", "LpPool-1x", "Frobnicate-11", "-11", ""}) {
    INFO(other);
    CHECK(split_version(other).name == other);
    CHECK_FALSE(split_version(other).opset.has_value());
  }
}

TEST_CASE("an operator's domain stands before a colon or a dot", "[ops]") {
  CHECK(get_operator_named("openvino.MaxPool").domain() == "openvino");
  CHECK(get_operator_named("openvino:MaxPool").domain() == "openvino");
  CHECK(get_operator_named("ai.onnx.MaxPool").domain() == "ai.onnx");
  CHECK(get_operator_named("ai.onnx.preview.training.Adam").op_type() == "Adam");
  CHECK_THROWS_WITH(get_operator_named("MaxPool:8"), Catch::Contains("did you mean 'MaxPool-8'?"));
  CHECK_THROWS_WITH(get_operator_named("elsewhere.MaxPool"), Catch::Contains("not known"));
}
