// SPDX-License-Identifier: Apache-2.0
// Every registered version of ai.onnx against the facts of onnx's own schemas, field by field.
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "core/error.h"
#include "io/json/parse.h"
#include "io/json/tree.h"
#include "ops/facts_testing.h"
#include "ops/operators.h"

using namespace opref::ops;
using namespace opref::io;

namespace {

/// What is said of one version: a text per field ("input 0", "attribute p", "type T").
using Fields = std::map<std::string, std::string>;

std::string text_of(const JsonValue& parent, std::string_view key, std::string_view otherwise = "") {
  const auto member = parent.find(key);
  return std::string(member ? member->text() : otherwise);
}

void add_own_parameters(std::string_view kind, const OpSchema& schema, const std::vector<FormalParameter>& parameters,
                        Fields& fields) {
  const auto is_variable = [&](std::string_view type) {
    return std::ranges::find(schema.constraints(), type, &TypeConstraint::variable) != schema.constraints().end();
  };
  for (size_t i = 0; i < parameters.size(); ++i) {
    const FormalParameter& p = parameters[i];
    const std::string type = is_variable(p.type) ? std::string(p.type) : *onnx_names(schema.types_of(p)).begin();
    fields[format("{} {}", kind, i)] = format("{}: {}, {}", p.name, type, name(p.arity));
  }
}

std::string count_text(size_t count) { return count == SIZE_MAX ? "2147483647" : std::to_string(count); }

Fields own_fields(const Operator& op, const OpSchema& schema) {
  Fields fields = {{"shape_inference", schema.shape_inference() == ShapeInference::onnx ? "true" : "false"},
                   {"deprecated", schema.is_deprecated() ? "true" : "false"},
                   {"min_input", count_text(schema.least_inputs())},
                   {"max_input", count_text(schema.most_inputs())},
                   {"min_output", count_text(schema.least_outputs())},
                   {"max_output", count_text(schema.most_outputs())}};
  // The class is the operator's: that of its newest version.
  if (schema.since_version() == op.versions().back().since_version()) fields["support_level"] = op.category();
  add_own_parameters("input", schema, schema.inputs(), fields);
  add_own_parameters("output", schema, schema.outputs(), fields);
  for (const AttributeSchema& a : schema.attributes())
    fields[format("attribute {}", a.name)] =
        format("{}{}{}", a.type, a.presence == Presence::required ? ", required" : "",
               a.default_value ? ", default " + to_text(*a.default_value) : "");
  for (const TypeConstraint& constraint : schema.constraints())
    fields[format("type {}", constraint.variable)] = join_text(onnx_names(constraint.types), " ");
  return fields;
}

std::string default_text(const JsonValue& value, std::string_view type) {
  if (type == "FLOAT") return to_text(AttributeValue::of(std::stof(std::string(value.text()))));
  if (value.kind() != JsonKind::list) return std::string(value.text());
  std::vector<std::string> items;
  for (const JsonValue& item : value) items.emplace_back(item.text());
  return "[" + join_text(items, ",") + "]";
}

std::string arity_text(const JsonValue& parameter) {
  const std::string option = text_of(parameter, "option", "single");
  if (option != "variadic" || !parameter.find("heterogeneous")) return option;
  return text_of(parameter, "min_arity") == "0" ? "heterogeneous or none" : "heterogeneous";
}

Fields stated_fields(const JsonValue& fact) {
  Fields fields = {{"deprecated", text_of(fact, "deprecated", "false")}};
  for (const char* key : {"shape_inference", "min_input", "max_input", "min_output", "max_output"})
    fields[key] = text_of(fact, key);
  for (const char* kind : {"input", "output"}) {
    size_t i = 0;
    const auto parameters = fact.find(format("{}s", kind)).value();
    for (const JsonValue& p : parameters)
      fields[format("{} {}", kind, i++)] = format("{}: {}, {}", text_of(p, "name"), text_of(p, "type"), arity_text(p));
  }
  const auto attributes = fact.find("attributes").value(), constraints = fact.find("types").value();
  for (const JsonValue& a : attributes) {
    const std::string type = text_of(a, "type");
    const auto value = a.find("default");
    fields["attribute " + text_of(a, "name")] = format("{}{}{}", type, a.find("required") ? ", required" : "",
                                                       value ? ", default " + default_text(*value, type) : "");
  }
  for (const JsonValue& types : constraints) {
    std::vector<std::string> names;
    for (const JsonValue& type : types) names.emplace_back(type.text());
    fields[format("type {}", types.key())] = join_text(names, " ");
  }
  return fields;
}

/// The fields that differ, one sentence each.
std::vector<std::string> differences(const Fields& own, const Fields& stated) {
  const auto value = [](const Fields& fields, const std::string& key) {
    const auto found = fields.find(key);
    return found == fields.end() ? std::string("absent") : "'" + found->second + "'";
  };
  std::set<std::string> keys;
  for (const Fields* fields : {&own, &stated})
    for (const auto& [key, text] : *fields) keys.insert(key);
  std::vector<std::string> found;
  for (const std::string& key : keys)
    if (value(own, key) != value(stated, key))
      found.push_back(format("{} is {}, but onnx has {}", key, value(own, key), value(stated, key)));
  return found;
}

/// The facts of ai.onnx and its previews by op_type and since_version.
const std::map<std::string, std::map<std::int64_t, Fields>>& facts() {
  static const auto all = [] {
    std::map<std::string, std::map<std::int64_t, Fields>> read;
    std::map<std::string, std::string> levels;  // of the newest version, which stands last
    std::ifstream file(OPREF_SOURCE_DIR "/testdata/onnx-schemas.jsonl");
    for (std::string line; std::getline(file, line);) {
      const Json document = parse_json(line);
      const JsonValue fact = document.root();
      if (text_of(fact, "domain") == "ai.onnx.ml") continue;
      read[text_of(fact, "op_type")][std::stoll(text_of(fact, "since_version"))] = stated_fields(fact);
      levels[text_of(fact, "op_type")] = "support level " + text_of(fact, "support_level");
    }
    for (auto& [op_type, versions] : read) versions.rbegin()->second["support_level"] = levels[op_type];
    return read;
  }();
  return all;
}

}  // namespace

TEST_CASE("schemas equal the facts of onnx, version by version and field by field", "[schema]") {
  CHECK(facts().size() == 208);
  size_t departures = 0;
  for (const OperatorRow& row : operator_rows()) {
    if (row.domain == "openvino") continue;
    const Operator& op = *find_operator(row.domain, row.op_type);
    INFO(row.op_type);
    const auto stated = facts().find(std::string(row.op_type));
    REQUIRE(stated != facts().end());
    CHECK(op.versions().size() == stated->second.size());
    for (const OpSchema& schema : op.versions()) {
      const std::string version = format("{}-{}", row.op_type, schema.since_version());
      INFO(version);
      REQUIRE(stated->second.contains(schema.since_version()));
      for (const std::string& difference :
           differences(own_fields(op, schema), stated->second.at(schema.since_version()))) {
        INFO(difference);
        CHECK(is_departure(version, difference.substr(0, difference.find(" is "))));
        ++departures;
      }
    }
  }
  CHECK(departures == kDepartures.size());
}

TEST_CASE("schemas: a difference from the facts is noticed in every field", "[schema]") {
  const Operator& op = *find_operator("", "LpPool");
  const Fields stated = facts().at("LpPool").at(2);
  const auto planted = [&](const std::function<void(OpSchema&)>& change) {
    OpSchema schema = op.schema_for(2);
    change(schema);
    return join_text(differences(own_fields(op, schema), stated), "; ");
  };
  CHECK(planted([](OpSchema&) {}) == "");
  CHECK(planted([](OpSchema& s) { s.rename("X", "x"); }) == "input 0 is 'x: T, single', but onnx has 'X: T, single'");
  CHECK(planted([](OpSchema& s) { s.change_parameter("X").type = "float32"; }) ==
        "input 0 is 'X: tensor(float), single', but onnx has 'X: T, single'");
  CHECK(planted([](OpSchema& s) {
          s.change_parameter("Y").type = "T1";
          s.types("T1", DType::int8);
        }) ==
        "output 0 is 'Y: T1, single', but onnx has 'Y: T, single'; type T1 is 'tensor(int8)', but onnx has absent");
  CHECK(planted([](OpSchema& s) { s.change_parameter("X").arity = Arity::optional; }) ==
        "input 0 is 'X: T, optional', but onnx has 'X: T, single'; min_input is '0', but onnx has '1'");
  CHECK(planted([](OpSchema& s) { s.change_parameter("Y").arity = Arity::heterogeneous; }) ==
        "max_output is '2147483647', but onnx has '1'; output 0 is 'Y: T, heterogeneous', but onnx has 'Y: T, single'");
  CHECK(planted([](OpSchema& s) { s.input("Z", "T"); }) ==
        "input 1 is 'Z: T, single', but onnx has absent; max_input is '2', but onnx has '1'; min_input is '2', but "
        "onnx has '1'");
  CHECK(planted([](OpSchema& s) { s.change("p") = with_default("p", 2.0F); }) ==
        "attribute p is 'FLOAT, default 2', but onnx has 'INT, default 2'");
  CHECK(planted([](OpSchema& s) { s.change("p") = with_default("p", 3); }) ==
        "attribute p is 'INT, default 3', but onnx has 'INT, default 2'");
  CHECK(planted([](OpSchema& s) { s.change("auto_pad") = optional(STRING, "auto_pad"); }) ==
        "attribute auto_pad is 'STRING', but onnx has 'STRING, default NOTSET'");
  CHECK(planted([](OpSchema& s) { s.change("kernel_shape").presence = Presence::optional; }) ==
        "attribute kernel_shape is 'INTS', but onnx has 'INTS, required'");
  CHECK(planted([](OpSchema& s) { s.remove("pads"); }) == "attribute pads is absent, but onnx has 'INTS'");
  CHECK(planted(adds("T", sequences(DType::float32))) ==
        "type T is 'seq(tensor(float)) tensor(double) tensor(float) tensor(float16)', but onnx has 'tensor(double) "
        "tensor(float) tensor(float16)'");
  CHECK(planted([](OpSchema& s) { s.shape_inference(ShapeInference::none); }) ==
        "shape_inference is 'false', but onnx has 'true'");
  CHECK(planted([](OpSchema& s) { s.deprecate(); }) == "deprecated is 'true', but onnx has 'false'");
  const Operator classed =
      Operator("ai.onnx", "LpPool").category("another").version(22, [&](OpSchema& s) { s = op.versions().back(); });
  CHECK(join_text(differences(own_fields(classed, classed.versions().back()), facts().at("LpPool").at(22)), "; ") ==
        "support_level is 'another', but onnx has 'support level COMMON'");
}
