// Do the shipped recipes cover what they promise? Every pair of a version, a type, a number of spatial axes, an
// attribute, an optional input and a kind of values that can be in one case is in one that the specification accepts.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "golden/make_case.h"
#include "golden/shipped_recipes.h"
#include "io/json.h"
#include "ops/operators.h"
#include "spec/node.h"

using namespace opref;

namespace {

using Facts = std::map<std::string, std::string>;  ///< "strides": "set"
using Lines = std::vector<std::string>;

/// "set", or of what has few values the value; "" where it is absent or says the same as if it were.
std::string value_of(const JsonValue& attribute) {
  const std::string text(attribute.text());
  if (attribute.kind() == JsonKind::string) return text == "NOTSET" || text == "explicit" ? "" : text;
  if (attribute.key() == "p") return text == "1" || text == "2" || text == "3" ? text : "other";
  if (attribute.kind() != JsonKind::list) return text == (attribute.key() == "group" ? "1" : "0") ? "" : "set";
  const std::string_view usual = attribute.key() == "strides" || attribute.key() == "dilations" ? "1" : "0";
  for (const JsonValue item : attribute)
    if (item.text() != usual) return "set";
  return "";
}

Facts facts_of(const GoldenCase& golden, const Operator& op) {
  const JsonDocument document = parse_json(golden.text);
  const std::int64_t opset = std::stoll(std::string(document.root().find("opset")->text()));
  Facts facts;
  facts["version"] = std::to_string(op.schema_for(opset).since_version());
  for (const AttributeSchema& attribute : op.versions().back().attributes())
    facts[std::string(attribute.name)] = attribute.name == "p" ? "2" : "";
  if (const auto attributes = document.root().find("attributes"))
    for (const JsonValue attribute : *attributes) facts[std::string(attribute.key())] = value_of(attribute);
  facts.emplace("values", "");
  const auto stated = document.root().find("inputs");
  if (!stated || stated->size() == 0) return facts;
  const JsonValue inputs = *stated, first = *inputs.begin();
  for (const FormalParameter& input : op.versions().back().inputs())
    if (input.arity == Arity::optional) facts[format("input {}", input.name)] = inputs.find(input.name) ? "set" : "";
  facts["type"] = first.find("dtype")->text();
  if (const auto shape = first.find("shape")) facts["axes"] = std::to_string(shape->size() - 2);
  for (const char* kind : {"special", "ties", "cancel"})
    if (const auto fill = first.find("fill"); fill && fill->text() == kind) facts["values"] = kind;
  return facts;
}

/// A version that does not know the attribute, or does not take the type.
bool is_of_another_version(const Operator& op, const Facts& pair) {
  const auto version = pair.find("version");
  if (version == pair.end()) return false;
  const OpSchema& schema = op.schema_for(std::stoll(version->second));
  for (const auto& [what, value] : pair) {
    if (op.versions().back().find_attribute(what) != nullptr && schema.find_attribute(what) == nullptr &&
        !value.empty())
      return true;
    if (what == "type") {
      if (!schema.types_of(schema.inputs().front()).contains(*dtype_named(value))) return true;
    }
  }
  return false;
}

/// "pads=set auto_pad=VALID"
std::string text_of(const Facts& pair) {
  std::string text;
  for (const auto& [what, value] : pair) text += (text.empty() ? "" : " ") + what + "=" + value;
  return text;
}

/// Pairs of facts that each occur, but never in one accepted case.
Lines missing_pairs(const Operator& op, const std::vector<GoldenCase>& cases) {
  std::map<std::string, std::set<std::string>> values;
  std::set<Facts> seen;
  for (const GoldenCase& golden : cases) {
    if (refusal_of(golden, {})) continue;
    const Facts facts = facts_of(golden, op);
    for (auto a = facts.begin(); a != facts.end(); ++a) {
      values[a->first].insert(a->second);
      for (auto b = std::next(a); b != facts.end(); ++b) seen.insert({*a, *b});
    }
  }
  Lines missing;
  for (auto a = values.begin(); a != values.end(); ++a)
    for (auto b = std::next(a); b != values.end(); ++b)
      for (const std::string& one : a->second)
        for (const std::string& other : b->second)
          if (const Facts pair = {{a->first, one}, {b->first, other}};
              !seen.contains(pair) && !is_of_another_version(op, pair))
            missing.push_back(text_of(pair));
  return missing;
}

}  // namespace

TEST_CASE("shipped recipes: every pair that can be in one case is in one") {
  const Lines no_pads_beside_auto_pad = {"auto_pad=SAME_LOWER pads=set", "auto_pad=SAME_UPPER pads=set",
                                         "auto_pad=VALID pads=set"};
  Lines no_ties_of_integers;  // nor terms that cancel: they are not rounded
  for (const char* type : {"int16", "int32", "int64", "int8", "uint16", "uint32", "uint64", "uint8"})
    for (const char* values : {"cancel", "ties"})
      no_ties_of_integers.push_back(format("type={} values={}", type, values));
  const std::map<std::string, Lines> impossible = {
      {"ConvTranspose", no_pads_beside_auto_pad},
      // The generator knows no midpoints of other norms.
      {"LpPool",
       {no_pads_beside_auto_pad[0], no_pads_beside_auto_pad[1], no_pads_beside_auto_pad[2], "p=other values=ties"}},
      {"MaxUnpool", {}},
      {"openvino:ConvolutionBackpropData", no_ties_of_integers},
      {"openvino:GroupConvolutionBackpropData", no_ties_of_integers}};
  for (const OperatorRow& row : operator_rows()) {
    const std::string name = format("{}{}", row.domain == "openvino" ? "openvino:" : "", row.op_type);
    INFO(name);
    REQUIRE(impossible.contains(name));
    CHECK(missing_pairs(*find_operator(row.domain, row.op_type), expand(recipes_named(name), std::nullopt)) ==
          impossible.at(name));
  }
}
