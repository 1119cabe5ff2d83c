// SPDX-License-Identifier: Apache-2.0
// opref ops
#include <algorithm>
#include <charconv>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/operator_table.h"
#include "cli/output.h"
#include "mistakes/mistakes.h"
#include "ops/operators.h"
#include "schema/changes.h"
#include "schema/domains.h"

namespace opref::cli {
namespace {

struct Arguments {
  std::vector<std::string> operators;
  std::optional<std::int64_t> opset;
  bool changes = false, json = false, markdown = false;
};

std::vector<std::int64_t> since_versions(const Operator& op) {
  std::vector<std::int64_t> versions;
  for (const OpSchema& schema : op.versions()) versions.push_back(schema.since_version());
  return versions;
}

std::string default_text(const AttributeSchema& attribute) {
  if (attribute.presence == Presence::required) return "required";
  const std::string value =
      attribute.default_value ? to_text(*attribute.default_value) : std::string(attribute.default_text);
  if (value.empty()) return "optional";
  const std::string_view page = attribute.presence == Presence::required_on_page ? ", though the page requires it"
                                : attribute.default_stated == DefaultStated::no  ? ", not stated on the page"
                                                                                 : "";
  return format("default {}{}", value, page);
}

std::string parameters_text(const std::vector<FormalParameter>& parameters) {
  std::string text;
  for (const FormalParameter& p : parameters) {
    std::vector<std::string_view> words;
    if (p.arity != Arity::single) words.push_back(name(p.arity));
    if (!p.meaning.empty()) words.push_back(p.meaning);
    text += two_columns(format("    {}", p.name),
                        format("{}{}{}", p.type, words.empty() ? "" : ": ", join_text(words, "; ")), 20);
  }
  return text;
}

std::string attribute_text(const AttributeSchema& attribute) {
  const std::string range = to_text(attribute.range, attribute.type);
  return format("{}{}; {}", attribute.type, range.empty() ? "" : " " + range, default_text(attribute));
}

std::string operator_text(const Operator& op, const OpSchema& schema) {
  std::string text = format("{}-{} ({})\n", op.op_type(), schema.since_version(), op.domain());
  text += two_columns("", op.summary(), 2);
  text += format("  {}\n", op.link());
  std::string history = format("versions {}; {}", join_text(since_versions(op), ", "), op.category());
  if (schema.is_deprecated()) history += "; this version is deprecated";
  if (op.domain() == "ai.onnx")
    history += format("; ONNX {} the shapes of this version",
                      schema.shape_inference() == ShapeInference::onnx ? "infers" : "does not infer");
  text += two_columns("", history, 2);
  text += "  attributes\n";
  for (const AttributeSchema& attribute : schema.attributes())
    text += two_columns(format("    {}", attribute.name), attribute_text(attribute), 20);
  text += "  inputs\n" + parameters_text(schema.inputs());
  text += "  outputs\n" + parameters_text(schema.outputs());
  text += "  types\n";
  for (const TypeConstraint& constraint : schema.constraints())
    text += two_columns(format("    {}", constraint.variable),
                        format("{}{}{}", listed(op.type_names(schema, constraint.variable)),
                               constraint.sentence.empty() ? "" : ". ", constraint.sentence),
                        20);
  std::string readings;
  for (const Reading& reading : op.readings()) {
    const std::string_view value = default_of(reading, schema.since_version());
    if (value.empty()) continue;
    readings += two_columns(format("    {}", reading.name), reading.reason, 6);
    for (size_t i = 0; i < reading.alternatives.size(); ++i) {
      const std::string_view one = reading.alternatives[i];
      readings += two_columns(format("      {}{}", one, one == value ? " (default)" : ""), reading.meanings[i], 28);
    }
    readings += format("      {}\n", link_of(reading, op));
  }
  if (!readings.empty()) text += "  readings\n" + readings;
  if (!op.generators().empty()) text += "  generators\n";
  for (const OwnGenerator& generator : op.generators())
    text += two_columns(format("    {}", generator.name), generator.text, 26);
  return text;
}

std::string changes_text(const Operator& op) {
  std::string text = format("{} ({})\n", op.op_type(), op.domain());
  text += format("  {}: first version\n", op.versions().front().since_version());
  for (const VersionChanges& version : changes_of(op)) {
    for (const Change& change : version.changes)
      text += two_columns(format("  {}: {}", version.since_version, name(change.kind)), change.text, 16);
    if (version.changes.empty()) text += format("  {}: no difference\n", version.since_version);
  }
  return text;
}

Json parameters_json(const std::vector<FormalParameter>& parameters) {
  Json list = Json::list();
  for (const FormalParameter& p : parameters)
    list.append(Json().set("name", p.name).set("type", p.type).set("meaning", p.meaning).set("arity", name(p.arity)));
  return list;
}

Json schema_json(const Operator& op, const OpSchema& schema) {
  Json json, attributes = Json::list(), types, readings = Json::list();
  for (const AttributeSchema& attribute : schema.attributes()) {
    Json one;
    one.set("name", attribute.name)
        .set("type", name(attribute.type))
        .set("range", to_text(attribute.range, attribute.type));
    one.set("required", attribute.presence == Presence::required);
    if (attribute.default_value)
      one.set("default", *attribute.default_value);
    else if (!attribute.default_text.empty())
      one.set("default_text", attribute.default_text);
    one.set("default_stated", attribute.default_stated == DefaultStated::yes);
    attributes.append(one);
  }
  for (const TypeConstraint& constraint : schema.constraints())
    types.set(constraint.variable, op.type_names(schema, constraint.variable));
  for (const Reading& reading : op.readings()) {
    const std::string_view value = default_of(reading, schema.since_version());
    if (value.empty()) continue;
    Json one;
    one.set("name", reading.name).set("default", value);
    one.set("alternatives", reading.alternatives).set("meanings", reading.meanings);
    readings.append(one.set("reason", reading.reason).set("link", link_of(reading, op)));
  }
  json.set("since_version", schema.since_version()).set("deprecated", schema.is_deprecated());
  json.set("shape_inference", schema.shape_inference() == ShapeInference::onnx);
  json.set("attributes", attributes).set("inputs", parameters_json(schema.inputs()));
  json.set("outputs", parameters_json(schema.outputs())).set("types", types);
  return std::move(json.set("readings", readings));
}

Json operator_json(const Operator& op) {
  Json json, versions = Json::list(), generators = Json::list(), mistakes = Json::list();
  for (const OwnGenerator& generator : op.generators())
    generators.append(Json().set("name", generator.name).set("text", generator.text));
  for (const Mistake& mistake : listed_mistakes(op)) mistakes.append(mistake.name);
  json.set("op_type", op.op_type()).set("domain", op.domain()).set("summary", op.summary()).set("link", op.link());
  json.set("category", op.category()).set("generators", generators).set("mistakes", mistakes);
  for (const OpSchema& schema : op.versions()) versions.append(schema_json(op, schema));
  return std::move(json.set("versions", versions));
}

/// Those of the domain, or all.
int list_operators(bool as_json, const Domain* domain) {
  if (domain != nullptr &&
      std::ranges::find(operator_rows(), domain->name, &OperatorRow::domain) == operator_rows().end())
    fail(Fault::unsupported, kListOperators, "no operator of domain '{}' is known here yet", domain->name);
  Json list = Json::list();
  for (const OperatorRow& row : operator_rows()) {
    if (domain != nullptr && row.domain != domain->name) continue;
    const Operator& op = *find_operator(row.domain, row.op_type);
    if (as_json)
      list.append(operator_json(op));
    else
      print(two_columns(row.op_type, format("{}  versions {}", row.domain, join_text(since_versions(op), ", ")), 32));
  }
  if (as_json) print(document("ops").set("operators", list).text());
  return 0;
}

/// The domain of "openvino" and "openvino:"; null of an operator.
const Domain* domain_named(std::string_view text) {
  if (text.ends_with(':')) text.remove_suffix(1);
  return text.empty() ? nullptr : find_domain(text);
}

void print_version(const Operator& op, std::optional<std::int64_t> opset) {
  print(operator_text(op, op.schema_for(opset.value_or(kNewestOpset))));
}

/// "11..18": nobody is at two opsets.
std::int64_t opset_of(const std::string& text) {
  constexpr std::string_view kDigits = "0123456789";
  const bool is_range = text.find_first_of(".-,") != std::string::npos && kDigits.find(text[0]) != std::string::npos;
  if (is_range)
    fail(Fault::usage,
         "--opset {}: it is one opset; 'opref ops OPERATOR --changes' tells what changed between versions",
         printable(text));
  std::int64_t opset = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), opset);
  if (error != std::errc() || end != text.data() + text.size() || opset < 1)
    fail(Fault::usage, "--opset {}: it is a whole number from 1 to {}", printable(text), kNewestOpset);
  if (opset > kNewestOpset)
    fail(Fault::unsupported, "opset {} is newer than this opref knows ({})", opset, kNewestOpset);
  return opset;
}

std::optional<std::int64_t> opset_for(const std::string& name, const NamedVersion& named,
                                      const std::optional<std::int64_t>& stated) {
  if (named.opset && stated && *named.opset != *stated)
    fail(Fault::usage, "'{}' is of opset {}, but --opset is {}", name, *named.opset, *stated);
  const std::optional<std::int64_t> opset = named.opset ? named.opset : stated;
  if (opset && *opset > kNewestOpset)
    fail(Fault::unsupported, "opset {} is newer than this opref knows ({})", *opset, kNewestOpset);
  return opset;
}

void tell_operator(const Arguments& arguments, const std::string& name, Json& document) {
  const NamedVersion named = split_version(name);
  const std::optional<std::int64_t> opset = opset_for(name, named, arguments.opset);
  if (opset && arguments.changes) fail(Fault::usage, "--changes tells the history of all versions: leave out --opset");
  const Operator& op = get_operator_named(named.name);
  if (named.page) note(named.page_text());
  if (arguments.json)
    document.append(operator_json(op));
  else if (arguments.changes)
    print(changes_text(op));
  else
    print_version(op, opset);
}

int ops(const Arguments& arguments) {
  const std::vector<std::string>& names = arguments.operators;
  if (names.empty() && (arguments.opset || arguments.changes))
    fail(Fault::usage, "{} needs an operator: opref ops OPERATOR", arguments.opset ? "--opset" : "--changes");
  if (arguments.markdown && (!names.empty() || arguments.json))
    fail(Fault::usage, "--markdown prints all operators: leave out {}",
         arguments.json ? "--json" : printable(names.front()));
  if (arguments.markdown) return print(operator_table()), 0;
  if (names.empty()) return list_operators(arguments.json, nullptr);
  if (const Domain* domain = domain_named(names.front())) {
    if (names.size() > 1) fail(Fault::usage, "'{}' is a domain, which is listed alone", domain->name);
    if (arguments.opset || arguments.changes)
      fail(Fault::usage, "{} needs an operator, but '{}' is a domain", arguments.opset ? "--opset" : "--changes",
           domain->name);
    return list_operators(arguments.json, domain);
  }
  Json operators = Json::list();
  for (const std::string& name : names) tell_operator(arguments, name, operators);
  if (arguments.json) print(document("ops").set("operators", operators).text());
  return 0;
}

}  // namespace

bool print_operator(const std::string& name) {
  const NamedVersion named = split_version(name);
  try {
    print_version(get_operator_named(named.name), named.opset);
    return true;
  } catch (const Error& error) {
    if (error.fault() != Fault::unsupported) throw;
    return false;
  }
}

Action add_ops(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_argument(command, "OPERATOR", arguments->operators, "operators, in full; or a domain, as openvino");
  add_option(
      command, "--opset", [arguments](const std::string& text) { arguments->opset = opset_of(text); }, "N",
      "the version in force at this opset");
  add_flag(command, "--changes", arguments->changes, "what changed from version to version");
  add_flag(command, "--markdown", arguments->markdown, "all operators in Markdown: the page of help operators");
  add_flag(command, "--json", arguments->json, "print one JSON document, all versions");
  return [arguments] { return ops(*arguments); };
}

}  // namespace opref::cli
