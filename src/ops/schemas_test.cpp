// SPDX-License-Identifier: Apache-2.0
// Every registered version against the schema that its domain publishes, field by field.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

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
    fields[format("{} {}", kind, i)] = format("{}, {}", p.name, name(p.arity));
    fields[format("{} {}'s type", kind, i)] = type;
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
  // That of the operator's newest version.
  if (schema.since_version() == op.versions().back().since_version()) fields["category"] = op.category();
  add_own_parameters("input", schema, schema.inputs(), fields);
  add_own_parameters("output", schema, schema.outputs(), fields);
  for (const AttributeSchema& a : schema.attributes())
    fields[format("attribute {}", a.name)] =
        format("{}{}{}", a.type, a.presence == Presence::optional ? "" : ", required",
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
    if (fact.find(key)) fields[key] = text_of(fact, key);
  for (const char* kind : {"input", "output"}) {
    size_t i = 0;
    const auto parameters = fact.find(format("{}s", kind)).value();
    for (const JsonValue& p : parameters) {
      fields[format("{} {}", kind, i)] = format("{}, {}", text_of(p, "name"), arity_text(p));
      if (p.find("type")) fields[format("{} {}'s type", kind, i)] = text_of(p, "type");
      ++i;
    }
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

/// OpenVINO's pages say in a word what a type variable may be, and not which of these types an operation supports: then
/// they bound it.
bool is_word(std::string_view type) { return type.find('(') == std::string_view::npos; }

bool means(std::string_view word, const DTypeInfo& type) {
  const bool floating = is_floating(type.dtype), integer = is_integer(type.dtype);
  return !type.openvino.empty() && (word == "any" || (word == "numeric" && (floating || integer)) ||
                                    (word == "floating" && floating) || (word == "integer" && integer));
}

bool agree(const std::string& own, const std::string& stated) {
  if (own == stated) return true;
  std::set<std::string> allowed;
  std::istringstream words(stated), types(own);
  bool bounded = false;
  for (std::string word; words >> word; allowed.insert(word)) {
    bounded |= is_word(word);
    for (const DTypeInfo& type : all_dtypes())
      if (means(word, type)) allowed.insert(format("tensor({})", type.onnx_type));
  }
  for (std::string type; types >> type;) bounded &= allowed.contains(type);
  return bounded;
}

/// Whether the field is none that a page states as a schema does.
bool is_open(const std::string& key, const Fields& stated) {
  return !stated.contains("min_input") && (key == "shape_inference" || key.starts_with("min_") ||
                                           key.starts_with("max_") || key.find("type") != std::string::npos);
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
  for (const std::string& key : keys) {
    const auto ours = own.find(key), theirs = stated.find(key);
    if (theirs == stated.end() ? is_open(key, stated) : ours != own.end() && agree(ours->second, theirs->second))
      continue;
    found.push_back(format("{} is {}, but published is {}", key, value(own, key), value(stated, key)));
  }
  return found;
}

/// What is published, by "ai.onnx:LpPool" and since_version.
const std::map<std::string, std::map<std::int64_t, Fields>>& facts() {
  static const auto all = [] {
    std::map<std::string, std::map<std::int64_t, Fields>> read;
    std::map<std::string, std::string> categories;  // of the newest version, which stands last
    for (const char* name : {"onnx", "contrib", "openvino"}) {
      std::ifstream file(format("{}/testdata/{}-schemas.jsonl", OPREF_SOURCE_DIR, name));
      for (std::string line; std::getline(file, line);) {
        const Json document = parse_json(line);
        const JsonValue fact = document.root();
        const std::string op = format("{}:{}", text_of(fact, "domain"), text_of(fact, "op_type"));
        read[op][std::stoll(text_of(fact, "since_version"))] = stated_fields(fact);
        const auto level = fact.find("support_level");
        categories[op] = level ? format("support level {}", level->text()) : text_of(fact, "category");
      }
    }
    for (auto& [op, versions] : read) versions.rbegin()->second["category"] = categories[op];
    return read;
  }();
  return all;
}

}  // namespace

TEST_CASE("schemas equal what is published, version by version and field by field", "[schema]") {
  CHECK(facts().size() == 586);
  std::set<const Departure*> made;
  for (const OperatorRow& row : operator_rows()) {
    const Operator& op = *find_operator(row.domain, row.op_type);
    const std::string title = format("{}:{}", row.domain, row.op_type);
    INFO(title);
    const auto stated = facts().find(title);
    REQUIRE(stated != facts().end());
    CHECK(op.versions().size() == stated->second.size());
    for (const OpSchema& schema : op.versions()) {
      const std::string version =
          format("{}-{}", row.domain == "ai.onnx" ? row.op_type : title, schema.since_version());
      INFO(version);
      REQUIRE(stated->second.contains(schema.since_version()));
      for (const std::string& difference :
           differences(own_fields(op, schema), stated->second.at(schema.since_version()))) {
        INFO(difference);
        const Departure* known = departure(version, difference.substr(0, difference.find(" is ")));
        CHECK(known != nullptr);
        made.insert(known);
      }
    }
  }
  CHECK(made.size() == kDepartures.size());
}

TEST_CASE("schemas: a difference from the facts is noticed in every field", "[schema]") {
  const Operator& op = *find_operator("", "LpPool");
  const Fields stated = facts().at("ai.onnx:LpPool").at(2);
  const auto planted = [&](const std::function<void(OpSchema&)>& change) {
    OpSchema schema = op.schema_for(2);
    change(schema);
    return join_text(differences(own_fields(op, schema), stated), "; ");
  };
  CHECK(planted([](OpSchema&) {}) == "");
  CHECK(planted([](OpSchema& s) { s.rename("X", "x"); }) == "input 0 is 'x, single', but published is 'X, single'");
  CHECK(planted([](OpSchema& s) { s.change_parameter("X").type = "float32"; }) ==
        "input 0's type is 'tensor(float)', but published is 'T'");
  CHECK(planted([](OpSchema& s) {
          s.change_parameter("Y").type = "T1";
          s.types("T1", DType::int8);
        }) == "output 0's type is 'T1', but published is 'T'; type T1 is 'tensor(int8)', but published is absent");
  CHECK(planted([](OpSchema& s) { s.change_parameter("X").arity = Arity::optional; }) ==
        "input 0 is 'X, optional', but published is 'X, single'; min_input is '0', but published is '1'");
  CHECK(
      planted([](OpSchema& s) { s.change_parameter("Y").arity = Arity::heterogeneous; }) ==
      "max_output is '2147483647', but published is '1'; output 0 is 'Y, heterogeneous', but published is 'Y, single'");
  CHECK(planted([](OpSchema& s) { s.input("Z", "T"); }) ==
        "input 1 is 'Z, single', but published is absent; input 1's type is 'T', but published is absent; max_input is "
        "'2', but published is '1'; min_input is '2', but "
        "published is '1'");
  CHECK(planted([](OpSchema& s) { s.change("p") = with_default("p", 2.0F); }) ==
        "attribute p is 'FLOAT, default 2', but published is 'INT, default 2'");
  CHECK(planted([](OpSchema& s) { s.change("p") = with_default("p", 3); }) ==
        "attribute p is 'INT, default 3', but published is 'INT, default 2'");
  CHECK(planted([](OpSchema& s) { s.change("auto_pad") = optional(STRING, "auto_pad"); }) ==
        "attribute auto_pad is 'STRING', but published is 'STRING, default NOTSET'");
  CHECK(planted([](OpSchema& s) { s.change("kernel_shape").presence = Presence::optional; }) ==
        "attribute kernel_shape is 'INTS', but published is 'INTS, required'");
  CHECK(planted([](OpSchema& s) { s.remove("pads"); }) == "attribute pads is absent, but published is 'INTS'");
  CHECK(planted(adds("T", sequences(DType::float32))) ==
        "type T is 'seq(tensor(float)) tensor(double) tensor(float) tensor(float16)', but published is 'tensor(double) "
        "tensor(float) tensor(float16)'");
  CHECK(planted([](OpSchema& s) { s.shape_inference(ShapeInference::none); }) ==
        "shape_inference is 'false', but published is 'true'");
  CHECK(planted([](OpSchema& s) { s.deprecate(); }) == "deprecated is 'true', but published is 'false'");
  const Operator classed =
      Operator("ai.onnx", "LpPool").category("another").version(22, [&](OpSchema& s) { s = op.versions().back(); });
  CHECK(join_text(differences(own_fields(classed, classed.versions().back()), facts().at("ai.onnx:LpPool").at(22)),
                  "; ") == "category is 'another', but published is 'support level COMMON'");
}

TEST_CASE("schemas: what OpenVINO's pages say in words bounds an operator's types, and in no other field", "[schema]") {
  const Operator& op = *find_operator("openvino", "MaxPool");
  const auto planted = [&](const std::function<void(OpSchema&)>& change) {
    OpSchema schema = op.schema_for(14);
    change(schema);
    return differences(own_fields(op, schema), facts().at("openvino:MaxPool").at(14));
  };
  const size_t before = planted([](OpSchema&) {}).size();
  CHECK(planted([](OpSchema& s) { s.types("T", DType::float32); }).size() == before);
  CHECK(planted([](OpSchema& s) { s.types("T", types::floats | DType::string); }).size() == before + 1);
  CHECK(planted([](OpSchema& s) { s.types("T_IND", DType::int64); }).size() == before + 1);  // of a list it is all
  CHECK(planted([](OpSchema& s) { s.change("axis") = with_default("axis", 1); }).size() == before + 1);
}
