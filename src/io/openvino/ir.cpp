// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/ir.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "io/elements.h"
#include "io/openvino/layer.h"
#include "io/openvino/widen.h"
#include "system/file.h"

namespace opref::io {
namespace {

namespace fs = std::filesystem;

struct Layer {
  enum class Role : std::uint8_t { parameter, constant, widened_constant, result, node } role;
  pugi::xml_node element;
  std::string name;
  std::vector<OpenvinoPort> inputs, outputs;
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
  NetReader(const XmlDocument& document, pugi::xml_node net, const fs::path& weights)
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
    const std::vector<size_t> order = sorted();
    for (Layer& layer : layers_)
      if (widens_constant(layer)) layer.role = Layer::Role::widened_constant;
    for (const Layer& layer : layers_) add_input_or_output(layer);
    for (const size_t i : order)
      if (layers_[i].role == Layer::Role::node) add_node(layers_[i]);
    if (loaded_.graph.nodes.empty()) document_.fail_at(net_, "the net has no operators");
    if (loaded_.graph.outputs.empty()) document_.fail_at(net_, "the net has no Result: nothing says what it gives");
    return std::move(loaded_);
  }

 private:
  pugi::xml_node child(const char* name) const {
    const pugi::xml_node found = net_.child(name);
    if (!found) document_.fail_at(net_, "<{}> has no <{}>", XmlDocument::name_of(net_), name);
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

  std::map<std::int64_t, size_t> ids_of(const std::vector<OpenvinoPort>& ports) const {
    std::map<std::int64_t, size_t> ids;
    for (const OpenvinoPort& port : ports) {
      const std::int64_t id = document_.required_count(port.element, "id");
      if (!ids.emplace(id, ids.size()).second)
        document_.fail_at(port.element, "two ports of one <{}> have the id {}",
                          XmlDocument::name_of(port.element.parent()), id);
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
      document_.fail_at(place, "the tensor '{}' is declared as {} and as {}", printable(a.name), schema::to_text(a),
                        schema::to_text(b));
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
    if (layer.role == Layer::Role::constant && !is_read_widened_only(layer)) add_constant(layer, layer.name, {});
    if (layer.role == Layer::Role::widened_constant)
      add_constant(layers_[layer.givers[0]->first], layer.name, converted_type(layer));
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

  /// What a Convert makes of its input; nothing for another layer.
  std::optional<DType> converted_type(const Layer& layer) const {
    const pugi::xml_node data = layer.element.child("data");
    const bool is_convert = std::string_view(layer.element.attribute("type").value()) == "Convert" &&
                            layer.inputs.size() == 1 && layer.outputs.size() == 1 && data;
    return is_convert ? parse_type(document_, data, "destination_type", &DTypeInfo::openvino) : std::nullopt;
  }

  /// As nets are stored by default: constants in float16, each behind a Convert to the type that is computed in.
  bool widens_constant(const Layer& layer) const {
    const std::optional<DType> to = converted_type(layer);
    if (!to || layers_[layer.givers[0]->first].role != Layer::Role::constant) return false;
    const std::optional<DType> from = data_type(layers_[layer.givers[0]->first]).dtype;
    return from && holds_all(*to, *from);
  }

  bool is_read_widened_only(const Layer& constant) const {
    bool widened = false;
    for (const Layer& layer : layers_)
      for (const auto& giver : layer.givers) {
        if (&layers_[giver->first] != &constant) continue;
        if (layer.role != Layer::Role::widened_constant) return false;
        widened = true;
      }
    return widened;
  }

  /// The values of a Const as the input `name`, of the type `to` where that is another one.
  void add_constant(const Layer& layer, const std::string& name, std::optional<DType> to) {
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
    source.from = TensorSource::Loaded{[=, weights = weights_](std::int64_t max_bytes) -> Value {
      const Tensor constant = read_constant(type, offset, size, weights, name);
      return to ? widened(constant, *to, max_bytes) : constant;
    }};
    loaded_.inputs.push_back({name, std::move(source)});
  }

  std::int64_t bytes_of(pugi::xml_node data, const TensorType& type) const {
    try {
      return byte_size(type);
    } catch (const Error& error) {
      document_.fail_at(data, "{}", error.message());
    }
  }

  static Tensor read_constant(const TensorType& type, std::int64_t offset, std::int64_t size, const fs::path& weights,
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
    for (const OpenvinoPort& port : layer.outputs) {
      node.outputs.push_back(port.info.name);
      graph.declared.push_back(port.info);
    }
    graph.nodes.push_back(std::move(node));
  }

  const XmlDocument& document_;
  pugi::xml_node net_;
  fs::path weights_;
  std::vector<Layer> layers_;
  std::map<std::int64_t, size_t> ids_;  ///< position of a layer by its id
  std::set<std::string> names_;         ///< of tensors
  Case loaded_{};
};

}  // namespace

Case read_openvino_ir(const XmlDocument& document, pugi::xml_node net, const fs::path& weights) {
  return NetReader(document, net, weights).read();
}

}  // namespace opref::io
