// SPDX-License-Identifier: Apache-2.0
// ONNX's textual syntax. https://github.com/onnx/onnx/blob/main/docs/Syntax.md
#include <algorithm>
#include <array>
#include <variant>

#include "io/onnx/onnx.h"
#include "io/onnx/proto.h"
#include "io/onnx/scanner.h"

namespace opref::io {
namespace {

/// Items of an attribute's list, and a value without brackets: a number or a word, or a value with a type.
using AttributeItem = std::variant<UntypedItem, AttributeValue>;

/// By the words of an attribute's annotation: "int", "floats", "type_proto".
std::optional<AttributeType> attribute_type(std::string_view word) {
  for (int number = 1; number <= static_cast<int>(AttributeType::TYPE_PROTOS); ++number) {
    const auto type = static_cast<AttributeType>(number);
    std::string lower(name(type));
    for (char& c : lower)
      if (c != '_') c = static_cast<char>(c - 'A' + 'a');
    if (lower == word) return type;
  }
  return std::nullopt;
}

AttributeType list_of(AttributeType type) {
  switch (type) {
    case AttributeType::TENSOR:
      return AttributeType::TENSORS;
    case AttributeType::GRAPH:
      return AttributeType::GRAPHS;
    default:
      return AttributeType::TYPE_PROTOS;
  }
}

class TextParser {
 public:
  explicit TextParser(std::string_view text) : scanner_(text) {}

  Graph parse_graph() {
    Graph parsed = subgraph();
    if (!scanner_.at_end()) scanner_.fail_expected("the end of the graph");
    return parsed;
  }

  Case parse() {
    if (scanner_.at_end()) fail(Fault::malformed, "the ONNX text is empty");
    loaded_.format = CaseFormat::onnx_text;
    if (scanner_.peek() == '<') {
      model();
    } else if (is_graph_next()) {
      loaded_.graph = graph(loaded_.inputs);
      if (!scanner_.at_end()) scanner_.fail_expected("the end of the graph");
    } else {
      while (!scanner_.at_end()) loaded_.graph.nodes.push_back(node());
    }
    return std::move(loaded_);
  }

 private:
  /// "NAME (": a node begins with its outputs and '='.
  bool is_graph_next() const {
    OnnxScanner ahead = scanner_;
    return !ahead.optional_identifier().empty() && ahead.peek() == '(';
  }

  void model() {
    header(loaded_.graph);
    if (loaded_.graph.opset_import.empty()) import_opset(loaded_.graph, "", 1);
    Graph parsed = graph(loaded_.inputs);
    parsed.opset_import = std::move(loaded_.graph.opset_import);
    loaded_.graph = std::move(parsed);
    std::vector<Function> functions;
    while (!scanner_.at_end()) functions.push_back(function());
    add_functions(loaded_.graph, std::move(functions));
  }

  /// header? name ('<' attributes '>')? '(' inputs ')' '=>' '(' outputs ')' ('<' value infos '>')? '{' nodes '}'
  Function function() {
    Function function;
    if (scanner_.peek() == '<') header(function.body, &function);
    function.name = scanner_.name("a function");
    at_place([&] { return format("in the function {}", to_text(function)); },
             [&] {
               if (scanner_.take("<")) scanner_.list_until(">", [&] { attribute_of(function); });
               scanner_.expect("(");
               scanner_.list_until(")", [&] { function.body.inputs.push_back(declaration()); });
               scanner_.expect("=>");
               scanner_.expect("(");
               scanner_.list_until(")", [&] { function.body.outputs.push_back(declaration()); });
               if (scanner_.take("<"))
                 scanner_.list_until(">", [&] { function.body.declared.push_back(declaration()); });
               function.body.nodes = braced_nodes();
               require_sound_function(function);
             });
    return function;
  }

  /// name, or name (':' type)? '=' default
  void attribute_of(Function& function) {
    const std::string name = scanner_.identifier("an attribute's name");
    if (const char next = scanner_.peek(); next != '=' && next != ':')
      function.attributes.push_back(name);
    else
      function.defaults.push_back(attribute(name));
  }

  /// '<' key ':' value, … '>' of a model or function; `graph` gets the opset_import.
  void header(Graph& graph, Function* function = nullptr) {
    static constexpr std::array<std::string_view, 8> kKeys = {"ir_version",       "opset_import",  "producer_name",
                                                              "producer_version", "domain",        "model_version",
                                                              "doc_string",       "metadata_props"};
    scanner_.expect("<");
    scanner_.list_until(">", [&] {
      const size_t start = scanner_.position();
      const std::string key = scanner_.identifier("a key");
      if (key != "overload" && std::ranges::find(kKeys, key) == kKeys.end())
        scanner_.fail_at(start, format("unknown key '{}'{}", printable(key), did_you_mean(key, kKeys)));
      scanner_.expect(":");
      if (key == "opset_import" || key == "metadata_props") {
        scanner_.expect("[");
        scanner_.list_until("]", [&] { header_entry(graph, key); });
      } else if (key == "ir_version" || key == "model_version") {
        scanner_.whole_number("an integer");
      } else {
        const std::string text = scanner_.quoted("a quoted string");
        if (function != nullptr && key == "domain") function->domain = text;
        if (function != nullptr && key == "overload") function->overload = text;
      }
    });
  }

  void header_entry(Graph& graph, std::string_view key) {
    const std::string name = scanner_.quoted("a quoted string");
    scanner_.expect(":");
    if (key == "opset_import") {
      import_opset(graph, name, scanner_.whole_number("a version"));
    } else {
      scanner_.quoted("a quoted string");
    }
  }

  /// name '(' inputs ')' '=>' '(' outputs ')' ('<' value infos and initializers '>')? '{' nodes '}'
  template <class Initializers>
  Graph graph(Initializers& initializers) {
    return scanner_.nested([&] {
      Graph graph;
      graph.name = scanner_.name("a graph's name");
      scanner_.expect("(");
      scanner_.list_until(")", [&] { value_or_initializer(graph.inputs, initializers); });
      if (!scanner_.take("=>")) scanner_.fail_expected("'=>', as in the graph 'g (X) => (Y) { Y = Relu (X) }',");
      scanner_.expect("(");
      scanner_.list_until(")", [&] { graph.outputs.push_back(declaration()); });
      if (scanner_.take("<")) scanner_.list_until(">", [&] { value_or_initializer(graph.declared, initializers); });
      std::set<std::string_view> names;
      for (const auto& initializer : initializers)
        if (!names.insert(initializer.name).second)
          fail(Fault::malformed, "two initializers have the name '{}'", printable(initializer.name));
      graph.nodes = braced_nodes();
      return graph;
    });
  }

  std::vector<Node> braced_nodes() {
    std::vector<Node> nodes;
    scanner_.expect("{");
    while (!scanner_.take("}")) nodes.push_back(node());
    return nodes;
  }

  ValueInfo declaration() {
    TypedName value = read_typed_name(scanner_);
    return value_info(std::move(value.name), std::move(value.type));
  }

  template <class Initializers>
  void value_or_initializer(std::vector<ValueInfo>& values, Initializers& initializers) {
    TypedName value = read_typed_name(scanner_);
    if (scanner_.take("="))
      add_initializer(initializers, value.name, read_text_tensor(scanner_, value.type));
    else
      values.push_back(value_info(std::move(value.name), std::move(value.type)));
  }

  static void add_initializer(std::vector<NamedSource>& initializers, const std::string& name, const Tensor& tensor) {
    TensorSource source;
    source.from = TensorSource::Loaded{[tensor](std::int64_t) { return Value(tensor); }};
    initializers.push_back({name, std::move(source)});
  }

  static void add_initializer(std::vector<Initializer>& initializers, const std::string& name, const Tensor& tensor) {
    initializers.push_back({name, tensor});
  }

  Graph subgraph() {
    std::vector<Initializer> initializers;
    Graph parsed = graph(initializers);
    parsed.initializers = std::move(initializers);
    return parsed;
  }

  /// ('[' name ']')? outputs '=' domain.op_type (':' overload)? attributes? '(' inputs ')' attributes?
  Node node() {
    const size_t start = scanner_.position();
    Node node;
    if (scanner_.take("[")) {
      node.name = scanner_.name("a node's name");
      scanner_.expect("]");
    }
    node.outputs = names();
    if (node.outputs.empty() || !scanner_.take("="))
      scanner_.fail_at(start, "a node, 'OUTPUT = OPERATOR (INPUT, …)', expected");
    node.op_type = scanner_.identifier("an operator");
    while (scanner_.take(".")) {
      node.domain += (node.domain.empty() ? "" : ".") + node.op_type;
      node.op_type = scanner_.identifier("an operator");
    }
    at_place([&] { return "in " + to_text(node); },
             [&] {
               if (scanner_.take(":")) node.overload = scanner_.identifier("an overload");
               const bool before = attributes(node);
               scanner_.expect("(");
               node.inputs = names();
               if (scanner_.peek() == '=')
                 scanner_.fail_at(scanner_.position(),
                                  "an attribute stands among the inputs, but belongs before them "
                                  "in <…>, as in LpPool <p = 2> (X),");
               scanner_.expect(")");
               if (!before) attributes(node);
             });
    return node;
  }

  /// Names with commas between them. Nothing before a comma is an omitted one; nothing after the last comma is nothing.
  std::vector<std::string> names() {
    std::vector<std::string> list;
    for (;;) {
      const bool is_quoted = scanner_.peek() == '"';
      std::string name = is_quoted ? scanner_.quoted("a name") : scanner_.optional_identifier();
      if (name.empty() && !is_quoted && scanner_.peek() != ',') return list;
      list.push_back(std::move(name));
      if (!scanner_.take(",")) return list;
    }
  }

  bool attributes(Node& node) {
    if (!scanner_.take("<")) return false;
    scanner_.list_until(">", [&] {
      const bool is_number = std::string_view("+-.0123456789").find(scanner_.peek()) != std::string_view::npos;
      const std::string name = scanner_.identifier(
          is_number ? "an attribute's name, and a list in brackets, as in [1,2]," : "an attribute's name");
      OnnxScanner ahead = scanner_;
      if (auto reference = reference_of(ahead, name)) {
        scanner_ = ahead;
        node.references.push_back(std::move(*reference));
      } else {
        node.attributes.push_back(attribute(name));
      }
    });
    return true;
  }

  /// (':' type)? '=' '@' name
  static std::optional<AttributeReference> reference_of(OnnxScanner& scanner, const std::string& name) {
    std::optional<AttributeType> stated;
    if (scanner.take(":")) stated = attribute_type(scanner.optional_identifier());
    if (!scanner.take("=") || !scanner.take("@")) return std::nullopt;
    return AttributeReference{name, scanner.identifier("a function's attribute"), stated};
  }

  /// (':' type)? '=' value
  Attribute attribute(const std::string& name) {
    std::optional<AttributeType> stated;
    if (scanner_.take(":")) {
      const size_t start = scanner_.position();
      stated = attribute_type(scanner_.identifier("an attribute's type"));
      if (!stated) scanner_.fail_at(start, "an attribute's type (int, floats, tensor, …) expected");
    }
    scanner_.expect("=");
    const size_t start = scanner_.position();
    Attribute attribute{name, attribute_value()};
    if (!stated) return attribute;
    if (const auto* const untyped = std::get_if<Untyped>(&attribute.value)) {
      attribute.value = coerce(name, *untyped, *stated);
    } else if (std::get<AttributeValue>(attribute.value).type != *stated) {
      scanner_.fail_at(start, format("a value of the stated type {} expected", *stated));
    }
    return attribute;
  }

  Alternatives<AttributeValue, Untyped> attribute_value() {
    const size_t start = scanner_.position();
    const bool is_list = scanner_.take("[");
    Untyped untyped{{}, is_list};
    std::vector<AttributeValue> values;
    const auto item = [&] {
      AttributeItem parsed = attribute_item();
      if (auto* const word = std::get_if<UntypedItem>(&parsed)) {
        untyped.items.push_back(std::move(*word));
      } else {
        values.push_back(std::get<AttributeValue>(std::move(parsed)));
      }
    };
    if (!is_list) {
      item();
    } else {
      scanner_.list_until("]", item);
    }
    if (values.empty()) return untyped;
    const bool alike =
        std::ranges::all_of(values, [&](const AttributeValue& v) { return v.type == values.front().type; });
    if (!alike || !untyped.items.empty()) scanner_.fail_at(start, "a list of values of one kind expected");
    if (is_list) return AttributeValue{list_of(values.front().type), Opaque{}};
    return std::move(values.front());
  }

  AttributeItem attribute_item() {
    if (scanner_.peek() == '"') return UntypedItem{scanner_.quoted("a value"), true};
    if (scanner_.peek() == '(') scanner_.fail_expected("a value, and a list in brackets, as in [1,2],");
    OnnxScanner ahead = scanner_;
    const std::string word = ahead.optional_identifier();
    if (word.empty()) return UntypedItem{scanner_.number()};
    if (!is_type_word(word) && ahead.peek() == '(') {
      return AttributeValue{AttributeType::GRAPH, std::make_shared<const Graph>(subgraph())};
    }
    scanner_ = ahead;
    // ONNX's own parser wants quotes and takes a word for a graph; followed by no '(' it can only be a string.
    if (!is_type_word(word)) return UntypedItem{word};
    return type_or_tensor(word);
  }

  /// type, or type name? '='? '{' numbers '}'
  AttributeValue type_or_tensor(std::string_view word) {
    const DeclaredType type = read_text_type(scanner_, word);
    const char next = scanner_.peek();
    const bool has_name = next == '"' || !OnnxScanner(scanner_).optional_identifier().empty();
    if (has_name) scanner_.name("a name");
    const bool has_equals = scanner_.take("=");
    if (!has_name && !has_equals && next != '{') return {AttributeType::TYPE_PROTO, stated_type(type)};
    return {AttributeType::TENSOR, read_text_tensor(scanner_, type)};
  }

  OnnxScanner scanner_;
  Case loaded_{};
};

}  // namespace

Case read_onnx_text(std::string_view text) { return TextParser(text).parse(); }
Graph read_onnx_text_graph(std::string_view text) { return TextParser(text).parse_graph(); }

}  // namespace opref::io
