// SPDX-License-Identifier: Apache-2.0
#include "run/attributes.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/error.h"
#include "io/literal.h"
#include "io/onnx/onnx.h"
#include "io/tensor_source.h"
#include "ops/foreign_names.h"
#include "run/argument.h"
#include "run/remedies.h"
#include "run/version.h"

namespace opref::run {
namespace {

/// Whether the attribute has one of the types in some version of the operator; null is one that is not known.
bool has_type(const Operator* op, std::string_view attribute, std::initializer_list<AttributeType> types) {
  if (op == nullptr) return false;  // an error of its own, later, at its place
  return std::ranges::any_of(op->versions(), [&](const OpSchema& version) {
    const AttributeSchema* known = version.find_attribute(attribute);
    return known != nullptr && std::ranges::find(types, known->type) != types.end();
  });
}

/// "[\"a,b\", c]": quotes keep commas and brackets together.
Untyped quoted_items(std::string_view text) {
  const Literal list = parse_literal(text);
  if (list.shape.size() != 1) fail(Fault::usage, "a list of lists, but an attribute has one list");
  Untyped items{{}, true};
  for (const std::string& element : list.elements) items.items.push_back({element});
  return items;
}

Untyped parse_items(std::string_view text) {
  const bool brackets = text.starts_with('[') && text.ends_with(']');
  if (brackets && text.find('"') != std::string_view::npos) return quoted_items(text);
  if (brackets) text = text.substr(1, text.size() - 2);
  Untyped items = split_items(text);
  items.is_list |= brackets;
  return items;
}

/// "[1,2]:int64", "x.npy": as an input is bound.
AttributeValue tensor_value(const std::string& attribute, std::string_view text) {
  return at_place([&] { return format("in attribute '{}'", attribute); },
                  [&] {
                    std::vector<std::string> warnings;  // how a type is stated is said in an error here
                    const Value value = settle_alone(load(parse_value(text)), warnings);
                    if (!warnings.empty()) fail(Fault::usage, "{}", warnings.front());
                    if (value.tensor() == nullptr) fail(Fault::usage, "a sequence, but the attribute is one tensor");
                    return AttributeValue{AttributeType::TENSOR, *value.tensor()};
                  });
}

/// "2x2", "(2,2)", "{2,2}" and "(2,)" as lists are written: "2,2" and "2"; empty where the text is none of these.
std::string as_list(std::string_view text) {
  const auto between = [&](char open, char close) {
    return text.size() > 2 && text.front() == open && text.back() == close;
  };
  const bool bracketed = between('(', ')') || between('{', '}');
  if (bracketed) text = text.substr(1, text.size() - 2);
  if (bracketed && text.ends_with(',')) text.remove_suffix(1);
  std::string list;
  bool is_digit = false, has_separator = false;
  const bool by_spaces = text.find_first_not_of("0123456789- ") == std::string_view::npos;  // "2 2"
  for (const char c : text) {
    const bool separates = c == ',' || (!bracketed && (c == 'x' || c == 'X' || (by_spaces && c == ' ')));
    if (!separates && c != ' ' && c != '-' && (c < '0' || c > '9')) return "";
    if (separates && !is_digit) return "";
    if (separates || c != ' ') list += separates ? ',' : c;
    has_separator |= separates && c != ',';
    is_digit = !separates;
  }
  return is_digit && (bracketed || has_separator) ? list : "";
}

/// `equation` without quotes: "ij->ji" is cut at the sign by which a shell names a file to write.
void require_whole_equation(const std::string& name, std::string_view text) {
  if (name == "equation" && text.ends_with('-'))
    fail(Fault::usage, {kOtherAttribute, format("'equation={}>...'", printable(text))},
         "attribute 'equation': '{}' ends in the middle, since a shell takes '>' for itself; in quotes",
         printable(text));
}

/// A list of numbers that is written as other programs do.
void require_list_form(const Operator* op, const std::string& name, std::string_view text) {
  if (!has_type(op, name, {AttributeType::INTS, AttributeType::FLOATS})) return;
  if (const std::string list = as_list(text); !list.empty())
    fail(Fault::usage, {kWriteList, format("{}={}", name, list)}, "attribute '{}': '{}' is no list", name,
         printable(text));
}

/// Whether the attribute may have this value, as far as its words say.
bool takes_word(const AttributeSchema& attribute, std::string_view word) {
  return attribute.type != AttributeType::STRING || attribute.range.words.empty() ||
         std::ranges::find(attribute.range.words, word) != attribute.range.words.end();
}

/// An attribute that other programs call otherwise: of the node's version in force, if that has no other of this name.
void require_own_name(const Graph& graph, const Node& node, const std::string& name, std::string_view text) {
  const std::optional<Version> version = find_version(graph.opset_import, node);
  if (!version) return;
  const bool is_own = version->schema.find_attribute(name) != nullptr;
  if (!is_own && name == "data_format")
    fail(Fault::invalid,
         "'{}' is not an attribute of {}-{}: the channels are on axis 1, as in NCHW; Transpose with perm=0,3,1,2 makes "
         "that of NHWC",
         name, node.op_type, version->schema.since_version());
  for (const std::string& meant : attributes_meant(name, text)) {
    const std::string own = meant.substr(0, meant.find('='));
    if (is_own && (meant.ends_with(text) || version->schema.find_attribute(own) == nullptr)) continue;
    if (is_own)
      fail(Fault::usage, {kOtherAttribute, printable(meant)}, "attribute '{}': '{}' is no list of numbers", name,
           printable(text));
    const bool is_input =
        std::ranges::find(version->schema.inputs(), own, &FormalParameter::name) != version->schema.inputs().end();
    if (is_input)
      fail(Fault::invalid,
           {kNameInput,
            own == "axes" && !text.starts_with('[') ? format("axes=[{}]", printable(text)) : printable(meant)},
           "'{}' is not an attribute of {}-{}, but an input, '{}'", name, node.op_type, version->schema.since_version(),
           own);
    const AttributeSchema* attribute = version->schema.find_attribute(own);
    if (attribute != nullptr && takes_word(*attribute, meant.substr(meant.find('=') + 1)))
      fail(Fault::invalid, {kOtherAttribute, printable(meant)}, "'{}' is not an attribute of {}-{}", name, node.op_type,
           version->schema.since_version());
    if (const std::string_view other = operator_that_has(own); !other.empty())
      fail(Fault::invalid, "'{}' is not an attribute of {}-{}, but {} has {}", name, node.op_type,
           version->schema.since_version(), other, own);
  }
  const std::string_view other = operator_that_has(name);
  if (!is_own && !other.empty() && other != node.op_type)
    fail(Fault::invalid, "'{}' is not an attribute of {}-{}, but {} has it", name, node.op_type,
         version->schema.since_version(), other);
}

Attribute parse_attribute(const Graph& graph, const Node& node, const std::string& argument) {
  const size_t equals = argument.find('=');
  if (equals == 0 || equals == std::string::npos)
    fail(Fault::usage, "'{}': an attribute is written NAME=VALUE, a list as NAME=1,2", printable(argument));
  const std::string name = argument.substr(0, equals), text = argument.substr(equals + 1);
  const Operator* op = operator_of(graph.opset_import, node);
  require_own_name(graph, node, name, text);
  if (has_type(op, name, {AttributeType::TENSOR})) return {name, tensor_value(name, text)};
  require_whole_equation(name, text);
  require_list_form(op, name, text);
  if (has_type(op, name, {AttributeType::STRING, AttributeType::GRAPH})) {
    const bool is_number = has_type(op, name, {AttributeType::INT, AttributeType::FLOAT});  // in another version
    return {name, Untyped{{{text, !is_number}}}};
  }
  return {name,
          at_place([&] { return format("in attribute '{}'", printable(name)); }, [&] { return parse_items(text); })};
}

template <class T>
bool is_number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

AttributeType likely_type(const Untyped& untyped) {
  const auto all = [&](auto&& is) { return std::ranges::all_of(untyped.items, is); };
  if (all([](const UntypedItem& item) { return !item.quoted && is_number<std::int64_t>(item.text); }))
    return untyped.is_list ? AttributeType::INTS : AttributeType::INT;
  if (all([](const UntypedItem& item) { return !item.quoted && is_number<double>(item.text); }))
    return untyped.is_list ? AttributeType::FLOATS : AttributeType::FLOAT;
  return untyped.is_list ? AttributeType::STRINGS : AttributeType::STRING;
}

void override_attributes(Graph& graph, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  if (graph.nodes.size() != 1)
    fail(Fault::usage, kPickNode, "attributes are set in one node, but there are {}", graph.nodes.size());
  Node& node = graph.nodes.front();
  std::vector<Attribute> given;
  for (const std::string& argument : arguments) given.push_back(parse_attribute(graph, node, argument));
  for (const Attribute& attribute : given)
    std::erase_if(node.attributes, [&](const Attribute& a) { return a.name == attribute.name; });
  node.attributes.insert(node.attributes.end(), given.begin(), given.end());
  // What the file says of its outputs was said of other attributes.
  for (auto* list : {&graph.outputs, &graph.declared})
    for (ValueInfo& info : *list) info.dims.reset();
}

namespace {

/// Neither a file nor a call, "Neg(x)", is a graph in ONNX text.
void require_graph_text(const Node& node, const std::string& text) {
  const std::string_view example = graph_example(node.op_type);
  std::error_code ignored;
  if (text.find('(') == std::string::npos || std::filesystem::exists(text, ignored))
    fail(Fault::malformed, "'{}' is no graph, which is ONNX text here, not a file or a name: write one as in '{}'",
         printable(text), example);
  if (text.find("=>") == std::string::npos)
    fail(Fault::malformed, "'{}' is no graph: one has inputs, '=>', outputs and nodes, as in '{}'", printable(text),
         example);
}

void read_graph_attributes(Node& node, const Operator* op) {
  for (Attribute& attribute : node.attributes) {
    const auto* text = std::get_if<Untyped>(&attribute.value);
    if (text == nullptr || text->is_list || text->items.size() != 1) continue;
    if (!has_type(op, attribute.name, {AttributeType::GRAPH})) continue;
    attribute.value =
        at_place([&] { return format("in attribute '{}'", attribute.name); },
                 [&] {
                   require_graph_text(node, text->items.front().text);
                   Graph graph = read_onnx_text_graph(text->items.front().text);
                   return AttributeValue{AttributeType::GRAPH, std::make_shared<const Graph>(std::move(graph))};
                 });
  }
}

}  // namespace

void read_graph_attributes(Graph& graph) {
  for (Node& node : graph.nodes) read_graph_attributes(node, operator_of(graph.opset_import, node));
}

std::string attribute_text(const Attribute& attribute) {
  if (const auto* value = std::get_if<AttributeValue>(&attribute.value)) return to_text(*value);
  const auto& untyped = std::get<Untyped>(attribute.value);
  std::vector<std::string> items;
  for (const UntypedItem& item : untyped.items) items.push_back(printable(item.text));
  return untyped.is_list ? "[" + join_some(items, ",", 100) + "]" : join_text(items, ",");
}

}  // namespace opref::run
