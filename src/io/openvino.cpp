#include "io/openvino.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "io/elements.h"

namespace opref {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// A whole number of at least 0; nothing if the text is none that fits into 64 bits.
std::optional<std::int64_t> parse_count(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  if (error != std::errc{} || end != text.end() || value < 0) return std::nullopt;
  return value;
}

/// One parsed file, which knows where each of its elements stands.
class Document {
 public:
  explicit Document(std::string_view text) : text_(text) {
    // Top-level text is kept, so that text around the root element is seen.
    constexpr unsigned kOptions = pugi::parse_default | pugi::parse_fragment;
    const size_t zero = text.find('\0');
    if (zero != std::string_view::npos) fail(Fault::malformed, "{}: a byte 0 in XML", line_and_column(zero));
    for (const std::string_view reference : {"&#0;", "&#x0;"})
      if (const size_t at = text.find(reference); at != std::string_view::npos)
        fail(Fault::malformed, "{}: a character 0 in XML", line_and_column(at));
    const pugi::xml_parse_result result =
        document_.load_buffer(text.data(), text.size(), kOptions, pugi::encoding_utf8);
    if (result.status == pugi::status_out_of_memory) fail(Fault::system, "{}", result.description());
    if (!result)
      fail(Fault::malformed, "{}: this is no XML: {}", line_and_column(static_cast<size_t>(result.offset)),
           lower_case_start(result.description()));
    require_single_attributes();
  }

  /// pugixml lets an attribute stand twice in an element, XML does not.
  void require_single_attributes() {
    struct Walker : pugi::xml_tree_walker {
      explicit Walker(const Document& owner) : document(owner) {}
      bool for_each(pugi::xml_node& node) override {
        std::set<std::string_view> names;
        for (const pugi::xml_attribute attribute : node.attributes())
          if (!names.insert(attribute.name()).second)
            document.fail_at(node, "<{}> has the attribute '{}' twice", name_of(node), printable(attribute.name()));
        return true;
      }
      const Document& document;
    };
    Walker walker(*this);
    document_.traverse(walker);
  }

  /// The one element at the top.
  pugi::xml_node root() const {
    pugi::xml_node root;
    for (const pugi::xml_node node : document_) {
      if (node.type() != pugi::node_element) fail_at(node, "text outside the root element");
      if (root) fail_at(node, "a second element at the top, <{}>: each layer is a file of its own", name_of(node));
      root = node;
    }
    if (!root) fail(Fault::malformed, "the XML has no element");
    return root;
  }

  std::string line_and_column(pugi::xml_node node) const {
    return line_and_column(static_cast<size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)));
  }

  template <class... A>
  [[noreturn]] void fail_at(pugi::xml_node node, std::string_view pattern, const A&... arguments) const {
    fail(Fault::malformed, "{}: {}", line_and_column(node), format(pattern, arguments...));
  }

  /// `malformed` where the attribute is missing.
  std::string_view required(pugi::xml_node node, const char* attribute) const {
    const pugi::xml_attribute found = node.attribute(attribute);
    if (!found) fail_at(node, "<{}> has no attribute '{}'", name_of(node), attribute);
    return found.value();
  }

  std::int64_t required_count(pugi::xml_node node, const char* attribute) const {
    const std::string_view text = required(node, attribute);
    const auto value = parse_count(trimmed(text));
    if (!value) fail_at(node, "attribute '{}' is '{}', but must be a number of at least 0", attribute, printable(text));
    return *value;
  }

  static std::string name_of(pugi::xml_node node) { return printable(node.name()); }

 private:
  std::string line_and_column(size_t offset) const {
    const std::string_view before = text_.substr(0, offset);
    const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return format("line {}, column {}", std::ranges::count(before, '\n') + 1, before.size() - line_start + 1);
  }

  static std::string lower_case_start(std::string text) {
    if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return text;
  }

  std::string_view text_;
  pugi::xml_document document_;
};

/// "224", "-1" or "?" (not known), "1..8" (a range: not known, and called so).
std::optional<DeclaredDim> parse_dim(std::string_view text) {
  if (text == "-1" || text == "?") return DeclaredDim{};
  if (text.find("..") != std::string_view::npos) return DeclaredDim{{}, std::string(text), {}};
  const auto size = parse_count(text);
  if (!size) return std::nullopt;
  return DeclaredDim{*size, {}, {}};
}

/// A type by one of its names in OpenVINO; nothing where the file says that it is not known.
std::optional<DType> parse_type(const Document& document, pugi::xml_node node, const char* attribute,
                                std::string_view DTypeInfo::*name) {
  const std::string_view text = node.attribute(attribute).value();
  constexpr std::array<std::string_view, 5> kOpen = {"", "dynamic", "undefined", "DYNAMIC", "UNSPECIFIED"};
  if (std::ranges::find(kOpen, text) != kOpen.end()) return std::nullopt;
  std::vector<std::string_view> names;
  for (const DTypeInfo& type : all_dtypes()) {
    if (type.*name == text) return type.dtype;
    if (!(type.*name).empty()) names.push_back(type.*name);
  }
  fail(Fault::unsupported, "{}: {} '{}' is not known{}", document.line_and_column(node), attribute, printable(text),
       did_you_mean(text, names));
}

struct Port {
  pugi::xml_node element;
  ValueInfo info;
};

Port read_port(const Document& document, pugi::xml_node element) {
  Port port{element, {}};
  port.info.dtype = parse_type(document, element, "precision", &DTypeInfo::precision);
  for (const pugi::xml_node dim : element.children("dim")) {
    // A comment would split the text in two.
    const bool one_text = dim.first_child().type() == pugi::node_pcdata && dim.first_child() == dim.last_child();
    const auto size = one_text ? parse_dim(trimmed(dim.child_value())) : std::nullopt;
    if (!size) document.fail_at(dim, "<dim> is '{}', but must be a size or -1", printable(dim.child_value()));
    if (!port.info.dims) port.info.dims.emplace();
    port.info.dims->push_back(*size);
  }
  return port;
}

std::vector<Port> read_ports(const Document& document, pugi::xml_node layer, const char* side) {
  std::vector<Port> ports;
  for (const pugi::xml_node port : layer.child(side).children("port")) ports.push_back(read_port(document, port));
  return ports;
}

std::int64_t opset_of(const Document& document, pugi::xml_node layer) {
  const pugi::xml_attribute version = layer.attribute("version");
  if (!version) return 1;
  const std::string_view text = version.value();
  if (text == "extension") {
    fail(Fault::unsupported, "{}: version '{}': the layer is of no opset", document.line_and_column(layer), text);
  }
  const auto opset = text.starts_with("opset") ? parse_count(text.substr(5)) : std::nullopt;
  if (!opset || *opset < 1)
    document.fail_at(layer, "version is '{}', but must be opset1, opset2, … or extension", printable(text));
  return *opset;
}

/// Type, name and attributes.
Node read_node(const Document& document, pugi::xml_node layer) {
  Node node;
  node.domain = "openvino";
  node.op_type = document.required(layer, "type");
  node.name = layer.attribute("name").value();
  if (layer.child("data").next_sibling("data"))
    document.fail_at(layer.child("data").next_sibling("data"), "a second <data> in one layer");
  for (const pugi::xml_attribute attribute : layer.child("data").attributes())
    node.attributes.push_back({attribute.name(), Untyped{{{attribute.value(), true}}, false}});
  return node;
}

// A single layer.

void check_names(const Document& document, pugi::xml_node node, std::span<const std::string_view> attributes,
                 std::span<const std::string_view> children) {
  for (const pugi::xml_attribute attribute : node.attributes()) {
    const std::string_view name = attribute.name();
    if (std::ranges::find(attributes, name) == attributes.end())
      document.fail_at(node, "<{}> has no attribute '{}'{}", Document::name_of(node), printable(name),
                       did_you_mean(name, attributes));
  }
  for (const pugi::xml_node child : node.children()) {
    const std::string_view name = child.name();
    if (child.type() != pugi::node_element)
      document.fail_at(child, "text in <{}>, which has elements only", Document::name_of(node));
    if (std::ranges::find(children, name) == children.end())
      document.fail_at(child, "<{}> has no element <{}>{}", Document::name_of(node), printable(name),
                       did_you_mean(name, children));
  }
}

/// What a person writes by hand may be misspelt; in a net, other programs write what they like.
void check_spelling(const Document& document, pugi::xml_node layer) {
  using Names = std::vector<std::string_view>;
  const Names layer_attributes = {"id", "name", "type", "version"};
  const Names layer_children = {"data", "input", "output", "rt_info"};
  const Names port_attributes = {"id", "precision", "names"};
  const Names port_children = {"dim", "rt_info"};
  check_names(document, layer, layer_attributes, layer_children);
  for (const char* side : {"input", "output"}) {
    const pugi::xml_node ports = layer.child(side);
    if (ports.next_sibling(side)) document.fail_at(ports.next_sibling(side), "a second <{}> in one layer", side);
    check_names(document, ports, {}, Names{"port"});
    for (const pugi::xml_node port : ports) check_names(document, port, port_attributes, port_children);
  }
}

Case read_layer(const Document& document, pugi::xml_node layer) {
  check_spelling(document, layer);
  Case loaded{};
  loaded.format = CaseFormat::openvino_layer;
  Graph& graph = loaded.graph;
  graph.opset_import["openvino"] = opset_of(document, layer);
  Node node = read_node(document, layer);
  const auto add = [&](const char* side, std::vector<std::string>& names, std::vector<ValueInfo>& infos) {
    for (Port& port : read_ports(document, layer, side)) {
      names.push_back(format("{}_{}", side, names.size()));
      port.info.name = names.back();
      infos.push_back(std::move(port.info));
    }
  };
  add("input", node.inputs, graph.inputs);
  add("output", node.outputs, graph.outputs);
  graph.nodes.push_back(std::move(node));
  return loaded;
}

// A net.

struct Layer {
  enum class Role : std::uint8_t { parameter, constant, result, node } role;
  pugi::xml_node element;
  std::string name;
  std::vector<Port> inputs, outputs;
  std::map<std::int64_t, size_t> input_ids, output_ids;  ///< position of a port by its id
  /// Per input port: the layer that gives it, and which of its output ports.
  std::vector<std::optional<std::pair<size_t, size_t>>> givers;
};

Layer::Role role_of(std::string_view type) {
  if (type == "Parameter") return Layer::Role::parameter;
  if (type == "Const") return Layer::Role::constant;
  return type == "Result" ? Layer::Role::result : Layer::Role::node;
}

std::string to_text(const Layer& layer) { return format("layer '{}'", printable(layer.name)); }

class NetReader {
 public:
  NetReader(const Document& document, pugi::xml_node net, const fs::path& weights)
      : document_(document), net_(net), weights_(weights) {}

  Case read() && {
    const pugi::xml_attribute version = net_.attribute("version");
    if (const auto number = parse_count(version.value()); number && *number < 10)
      fail(Fault::unsupported, "IR version {} is not known; OpenVINO has written 10 and 11 since 2020", *number);
    loaded_.format = CaseFormat::openvino_ir;
    loaded_.graph.name = net_.attribute("name").value();
    for (const pugi::xml_node layer : child("layers").children("layer")) add_layer(layer);
    for (const pugi::xml_node edge : net_.child("edges").children("edge")) add_edge(edge);
    require_edges();
    for (const Layer& layer : layers_) add_input_or_output(layer);
    for (const size_t i : sorted())
      if (layers_[i].role == Layer::Role::node) add_node(layers_[i]);
    if (loaded_.graph.nodes.empty()) document_.fail_at(net_, "the net has no operators");
    if (loaded_.graph.outputs.empty()) document_.fail_at(net_, "the net has no Result: nothing says what it gives");
    return std::move(loaded_);
  }

 private:
  pugi::xml_node child(const char* name) const {
    const pugi::xml_node found = net_.child(name);
    if (!found) document_.fail_at(net_, "<{}> has no <{}>", Document::name_of(net_), name);
    return found;
  }

  void add_layer(pugi::xml_node element) {
    Layer layer{role_of(document_.required(element, "type")),
                element,
                std::string(document_.required(element, "name")),
                read_ports(document_, element, "input"),
                read_ports(document_, element, "output"),
                {},
                {},
                {}};
    layer.input_ids = ids_of(layer.inputs);
    layer.output_ids = ids_of(layer.outputs);
    layer.givers.resize(layer.inputs.size());
    const bool source = layer.role == Layer::Role::parameter || layer.role == Layer::Role::constant;
    const bool ports_fit = source ? layer.inputs.empty() && layer.outputs.size() == 1
                                  : layer.role != Layer::Role::result || layer.inputs.size() == 1;
    if (!ports_fit)
      document_.fail_at(element, "a {} has one {} port, but {} has {} and {}", element.attribute("type").value(),
                        source ? "output" : "input", layer,
                        counted(static_cast<long long>(layer.inputs.size()), "input"),
                        counted(static_cast<long long>(layer.outputs.size()), "output"));
    name_outputs(layer);
    if (!ids_.emplace(document_.required_count(element, "id"), layers_.size()).second)
      document_.fail_at(element, "two layers have the id {}", element.attribute("id").value());
    layers_.push_back(std::move(layer));
  }

  std::map<std::int64_t, size_t> ids_of(const std::vector<Port>& ports) const {
    std::map<std::int64_t, size_t> ids;
    for (const Port& port : ports) {
      const std::int64_t id = document_.required_count(port.element, "id");
      if (!ids.emplace(id, ids.size()).second)
        document_.fail_at(port.element, "two ports of one <{}> have the id {}",
                          Document::name_of(port.element.parent()), id);
    }
    return ids;
  }

  void name_outputs(Layer& layer) {
    if (layer.role == Layer::Role::result) return;
    for (size_t i = 0; i < layer.outputs.size(); ++i) {
      std::string& name = layer.outputs[i].info.name;
      name = layer.outputs.size() == 1 ? layer.name : format("{}:{}", layer.name, i);
      if (name.empty()) document_.fail_at(layer.element, "the layer's name is empty");
      if (!names_.insert(name).second)
        document_.fail_at(layer.element, "two tensors have the name '{}'", printable(name));
    }
  }

  /// The layer and the position of one of its ports.
  std::pair<size_t, size_t> end_of(pugi::xml_node edge, const char* layer_key, const char* port_key,
                                   std::map<std::int64_t, size_t> Layer::*ports) const {
    const std::int64_t id = document_.required_count(edge, layer_key),
                       port_id = document_.required_count(edge, port_key);
    const auto layer = ids_.find(id);
    if (layer == ids_.end()) document_.fail_at(edge, "the edge has {} {}, but there is no such layer", layer_key, id);
    const auto& known = layers_[layer->second].*ports;
    const auto port = known.find(port_id);
    if (port == known.end())
      document_.fail_at(edge, "the edge has {} {}, but {} has no such {} port", port_key, port_id,
                        layers_[layer->second], ports == &Layer::input_ids ? "input" : "output");
    return {layer->second, port->second};
  }

  void add_edge(pugi::xml_node edge) {
    const auto from = end_of(edge, "from-layer", "from-port", &Layer::output_ids);
    const auto to = end_of(edge, "to-layer", "to-port", &Layer::input_ids);
    auto& giver = layers_[to.first].givers[to.second];
    if (giver)
      document_.fail_at(edge, "two edges end at input port {} of {}", edge.attribute("to-port").value(),
                        layers_[to.first]);
    giver = from;
    const ValueInfo& given = layers_[from.first].outputs[from.second].info;
    const ValueInfo& taken = layers_[to.first].inputs[to.second].info;
    require_agreement(edge, given, taken);
  }

  /// Two declarations of one tensor.
  void require_agreement(pugi::xml_node place, const ValueInfo& a, const ValueInfo& b) const {
    const bool types_agree = !a.dtype || !b.dtype || a.dtype == b.dtype;
    const bool dims_agree =
        !a.dims || !b.dims || std::ranges::equal(*a.dims, *b.dims, [](const auto& x, const auto& y) {
          return !x.size || !y.size || x.size == y.size;
        });
    if (!types_agree || !dims_agree)
      document_.fail_at(place, "the tensor '{}' is declared as {} and as {}", printable(a.name), opref::to_text(a),
                        opref::to_text(b));
  }

  void require_edges() const {
    for (const Layer& layer : layers_)
      for (size_t i = 0; i < layer.givers.size(); ++i)
        if (!layer.givers[i])
          document_.fail_at(layer.inputs[i].element, "no edge ends at input port {} of {}",
                            layer.inputs[i].element.attribute("id").value(), layer);
  }

  /// All layers, each after those that it takes from; otherwise in the file's order.
  std::vector<size_t> sorted() const {
    std::vector<size_t> open(layers_.size());
    std::vector<std::vector<size_t>> takers(layers_.size());
    std::set<size_t> ready;
    for (size_t i = 0; i < layers_.size(); ++i) {
      open[i] = layers_[i].givers.size();
      if (open[i] == 0) ready.insert(i);
      for (const auto& giver : layers_[i].givers) takers[giver->first].push_back(i);
    }
    std::vector<size_t> order;
    while (!ready.empty()) {
      const size_t next = *ready.begin();
      ready.erase(ready.begin());
      order.push_back(next);
      for (const size_t taker : takers[next])
        if (--open[taker] == 0) ready.insert(taker);
    }
    if (order.size() < layers_.size()) fail_with_cycle(open);
    return order;
  }

  /// Going back through layers that wait ends in a cycle, after as many steps as there are layers at the latest.
  [[noreturn]] void fail_with_cycle(const std::vector<size_t>& open) const {
    auto layer = static_cast<size_t>(std::ranges::find_if(open, [](size_t count) { return count > 0; }) - open.begin());
    for (size_t step = 0; step < layers_.size(); ++step) {
      const auto& givers = layers_[layer].givers;
      layer = (*std::ranges::find_if(givers, [&](const auto& giver) { return open[giver->first] > 0; }))->first;
    }
    document_.fail_at(layers_[layer].element, "{} depends on itself: the edges form a cycle", layers_[layer]);
  }

  void add_input_or_output(const Layer& layer) {
    if (layer.role == Layer::Role::parameter) loaded_.graph.inputs.push_back(data_type(layer));
    if (layer.role == Layer::Role::constant) add_constant(layer);
    if (layer.role == Layer::Role::result) add_result(layer);
  }

  const ValueInfo& given_to(const Layer& layer, size_t input) const {
    const auto [giver, port] = *layer.givers[input];
    return layers_[giver].outputs[port].info;
  }

  /// What <data> states of a Parameter or Const: element_type and shape.
  ValueInfo data_type(const Layer& layer) const {
    const pugi::xml_node data = layer.element.child("data");
    if (!data) document_.fail_at(layer.element, "{} has no <data>", layer);
    document_.required(data, "element_type");
    const std::string_view shape = document_.required(data, "shape");
    ValueInfo info;
    info.name = layer.name;
    info.dtype = parse_type(document_, data, "element_type", &DTypeInfo::openvino);
    if (trimmed(shape) != "...") info.dims.emplace();  // "..." is any rank
    for (std::string_view rest = trimmed(shape); info.dims && !rest.empty();) {
      const size_t comma = rest.find(',');
      const auto dim = parse_dim(trimmed(rest.substr(0, comma)));
      if (!dim || comma + 1 == rest.size())
        document_.fail_at(data, "shape is '{}', but must be a list of sizes", printable(shape));
      info.dims->push_back(*dim);
      rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
    require_agreement(data, info, layer.outputs[0].info);
    return info;
  }

  void add_constant(const Layer& layer) {
    const pugi::xml_node data = layer.element.child("data");
    const ValueInfo info = data_type(layer);
    const std::int64_t offset = document_.required_count(data, "offset"), size = document_.required_count(data, "size");
    if (!info.dtype || !info.dims || std::ranges::any_of(*info.dims, [](const auto& dim) { return !dim.size; }))
      document_.fail_at(data, "the type of a Const must be known, but it is '{}', shape '{}'",
                        printable(data.attribute("element_type").value()), printable(data.attribute("shape").value()));
    TensorType type{*info.dtype, {}};
    for (const DeclaredDim& dim : *info.dims) type.shape.push_back(*dim.size);
    if (type.dtype != DType::string && bytes_of(data, type) != size)
      document_.fail_at(data, "{} takes {}, but size is {}", type, counted(bytes_of(data, type), "byte"), size);
    TensorSource source;
    source.in_memory = [type, offset, size, weights = weights_, name = layer.name] {
      return read_constant(type, offset, size, weights, name);
    };
    loaded_.inputs.push_back({layer.name, std::move(source)});
  }

  std::int64_t bytes_of(pugi::xml_node data, const TensorType& type) const {
    try {
      return byte_size(type);
    } catch (const Error& error) {
      document_.fail_at(data, "{}", error.message());
    }
  }

  static Value read_constant(const TensorType& type, std::int64_t offset, std::int64_t size, const fs::path& weights,
                             const std::string& name) {
    if (type.dtype == DType::string) fail(Fault::unsupported, "the Const '{}' has strings", printable(name));
    if (weights.empty())
      fail(Fault::usage,
           "the Const '{}' lies in a .bin beside the .xml, but there is none beside standard input: give {}=FILE",
           printable(name), printable(name));
    const FileBytes file = read_file(weights);
    const auto file_size = static_cast<std::int64_t>(file.bytes.size());
    if (offset > file_size || size > file_size - offset)
      fail(Fault::malformed, "the Const '{}' takes {} from {} of {}, but the file has {}", printable(name),
           counted(size, "byte"), offset, shown(weights), counted(file_size, "byte"));
    return tensor_from_bytes(type, file.bytes.subspan(static_cast<size_t>(offset), static_cast<size_t>(size)),
                             file.owner);
  }

  void add_result(const Layer& layer) {
    const ValueInfo& info = given_to(layer, 0);
    auto& outputs = loaded_.graph.outputs;
    if (std::ranges::find(outputs, info.name, &ValueInfo::name) == outputs.end()) outputs.push_back(info);
  }

  void add_node(const Layer& layer) {
    Graph& graph = loaded_.graph;
    std::int64_t& opset = graph.opset_import["openvino"];
    opset = std::max(opset, opset_of(document_, layer.element));
    Node node = read_node(document_, layer.element);
    for (size_t i = 0; i < layer.inputs.size(); ++i) node.inputs.push_back(given_to(layer, i).name);
    for (const Port& port : layer.outputs) {
      node.outputs.push_back(port.info.name);
      graph.declared.push_back(port.info);
    }
    graph.nodes.push_back(std::move(node));
  }

  const Document& document_;
  pugi::xml_node net_;
  fs::path weights_;
  std::vector<Layer> layers_;
  std::map<std::int64_t, size_t> ids_;  ///< position of a layer by its id
  std::set<std::string> names_;         ///< of tensors
  Case loaded_{};
};

}  // namespace

bool is_xml(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text = trimmed(text);
  for (const std::string_view start : {"<?", "<!", "<layer", "<net"}) {
    if (!text.starts_with(start)) continue;
    const char next = text.size() > start.size() ? text[start.size()] : '\0';
    return start.size() == 2 || kBlanks.find(next) != std::string_view::npos || next == '>' || next == '/';
  }
  return false;
}

Case read_openvino(const FileBytes& file, const fs::path& weights) {
  const Document document(file.text());
  const pugi::xml_node root = document.root();
  const std::string_view name = root.name();
  if (name == "layer") return read_layer(document, root);
  if (name == "net") return NetReader(document, root, weights).read();
  document.fail_at(root, "the XML is a <{}>, not a <layer> or a <net> of OpenVINO", Document::name_of(root));
}

}  // namespace opref
