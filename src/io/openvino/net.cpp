// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/net.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "io/elements.h"
#include "io/openvino/widen.h"
#include "system/file.h"

namespace opref::io {
namespace {

namespace fs = std::filesystem;

Layer::Role role_of(std::string_view type) {
  if (type == "Parameter") return Layer::Role::parameter;
  if (type == "Const") return Layer::Role::constant;
  return type == "Result" ? Layer::Role::result : Layer::Role::node;
}

/// How many strings there are, where each begins, where the last one ends, all in int32; then their bytes.
std::vector<std::string> strings_of(std::span<const std::byte> bytes, std::int64_t count, std::string_view name) {
  const auto number = [&](std::int64_t place) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data() + 4 * place, 4);
    return std::int64_t{value};
  };
  const std::int64_t size = std::ssize(bytes), head = 4 * (count + 2);
  const auto fits = [&](std::int64_t k) { return number(k + 1) <= number(k + 2) && number(k + 2) <= size - head; };
  bool sound = count < size && head <= size && number(0) == count && number(1) == 0;
  for (std::int64_t k = 0; sound && k < count; ++k) sound = fits(k);
  if (!sound)
    fail(Fault::malformed, "the Const '{}' has no {}: their number and where each begins come first", printable(name),
         counted(count, "string"));
  std::vector<std::string> strings;
  const auto* const text = reinterpret_cast<const char*>(bytes.data()) + head;
  for (std::int64_t k = 0; k < count; ++k) strings.emplace_back(text + number(k + 1), text + number(k + 2));
  return strings;
}

/// "a,b\\,c": the names between commas, of which a backslash makes a part.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      names.back() += text[++i];
    else if (text[i] == ',')
      names.emplace_back();
    else
      names.back() += text[i];
  }
  std::erase(names, "");
  return names;
}

}  // namespace

std::string to_text(const Layer& layer) { return format("layer '{}'", printable(layer.name)); }

Tensor ConstantPlace::read(const fs::path& weights, std::int64_t max_bytes) const {
  if (weights.empty())
    fail(Fault::usage,
         "the Const '{}' lies in a .bin beside the .xml, but there is none beside standard input: give {}=FILE",
         printable(name), printable(name));
  const FileBytes file = read_file(weights);
  const auto file_size = static_cast<std::int64_t>(file.bytes.size());
  if (offset > file_size || size > file_size - offset)
    fail(Fault::malformed, "the Const '{}' takes {} from {} of {}, but the file has {}", printable(name),
         counted(size, "byte"), offset, shown(weights), counted(file_size, "byte"));
  const auto bytes = file.bytes.subspan(static_cast<size_t>(offset), static_cast<size_t>(size));
  if (type.dtype == DType::string)
    return tensor_of_strings(type.shape, strings_of(bytes, element_count(type.shape), name));
  const Tensor constant = type.dtype == DType::uint1 ? Tensor::copy_of(type, with_bits_turned(bytes))
                                                     : tensor_from_bytes(type, bytes, file.owner);
  return widened_to ? widened(constant, *widened_to, max_bytes) : constant;
}

Net::Net(const XmlDocument& document, pugi::xml_node element, std::string around)
    : document_(document), around_(std::move(around)) {
  const auto child = [&](const char* name) {
    const pugi::xml_node found = element.child(name);
    if (!found) document.fail_at(element, "<{}> has no <{}>", XmlDocument::name_of(element), name);
    return found;
  };
  for (const pugi::xml_node layer : child("layers").children("layer")) add_layer(layer);
  name_variables();
  for (const pugi::xml_node edge : element.child("edges").children("edge")) add_edge(edge);
  require_edges();
  for (Layer& layer : layers_)
    if (widens_constant(layer)) layer.role = Layer::Role::widened_constant;
}

const Layer* Net::find(std::int64_t id) const {
  const auto found = ids_.find(id);
  return found == ids_.end() ? nullptr : &layers_[found->second];
}

void Net::add_layer(pugi::xml_node element) {
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
                      source ? "output" : "input", layer, counted(static_cast<long long>(layer.inputs.size()), "input"),
                      counted(static_cast<long long>(layer.outputs.size()), "output"));
  name_outputs(layer);
  if (!ids_.emplace(document_.required_count(element, "id"), layers_.size()).second)
    document_.fail_at(element, "two layers have the id {}", element.attribute("id").value());
  layers_.push_back(std::move(layer));
}

std::map<std::int64_t, size_t> Net::ids_of(const std::vector<OpenvinoPort>& ports) const {
  std::map<std::int64_t, size_t> ids;
  for (const OpenvinoPort& port : ports) {
    const std::int64_t id = document_.required_count(port.element, "id");
    if (!ids.emplace(id, ids.size()).second)
      document_.fail_at(port.element, "two ports of one <{}> have the id {}",
                        XmlDocument::name_of(port.element.parent()), id);
  }
  return ids;
}

void Net::name_outputs(Layer& layer) {
  if (layer.role == Layer::Role::result) return;
  for (size_t i = 0; i < layer.outputs.size(); ++i) {
    std::string& name = layer.outputs[i].info.name;
    name = around_ + (layer.outputs.size() == 1 ? layer.name : format("{}:{}", layer.name, i));
    if (name.empty()) document_.fail_at(layer.element, "the layer's name is empty");
    if (!names_.insert(name).second)
      document_.fail_at(layer.element, "two tensors have the name '{}'", printable(name));
  }
}

std::string_view Net::variable_of(const Layer& layer) {
  return layer.element.child("data").attribute("variable_id").value();
}

/// What an Assign gives has the variable's name, if no other tensor has it.
void Net::name_variables() {
  std::set<std::string_view> assigned;
  for (Layer& layer : layers_) {
    if (!layer.assigns() || layer.outputs.size() != 1) continue;
    const std::string_view variable = variable_of(layer);
    if (!assigned.insert(variable).second)
      document_.fail_at(layer.element, "two Assigns write the variable '{}'", printable(variable));
    const std::string name = around_ + std::string(variable);
    if (!variable.empty() && names_.insert(name).second) layer.outputs[0].info.name = name;
  }
}

/// The layer and the position of one of its ports.
std::pair<size_t, size_t> Net::end_of(pugi::xml_node edge, const char* layer_key, const char* port_key,
                                      std::map<std::int64_t, size_t> Layer::*ports) const {
  const std::int64_t id = document_.required_count(edge, layer_key), port_id = document_.required_count(edge, port_key);
  const auto layer = ids_.find(id);
  if (layer == ids_.end()) document_.fail_at(edge, "the edge has {} {}, but there is no such layer", layer_key, id);
  const auto& known = layers_[layer->second].*ports;
  const auto port = known.find(port_id);
  if (port == known.end())
    document_.fail_at(edge, "the edge has {} {}, but {} has no such {} port", port_key, port_id, layers_[layer->second],
                      ports == &Layer::input_ids ? "input" : "output");
  return {layer->second, port->second};
}

void Net::add_edge(pugi::xml_node edge) {
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
void Net::require_agreement(pugi::xml_node place, const ValueInfo& a, const ValueInfo& b) const {
  const bool types_agree = !a.dtype || !b.dtype || a.dtype == b.dtype;
  const bool dims_agree = !a.dims || !b.dims || std::ranges::equal(*a.dims, *b.dims, [](const auto& x, const auto& y) {
    return !x.size || !y.size || x.size == y.size;
  });
  if (!types_agree || !dims_agree)
    document_.fail_at(place, "the tensor '{}' is declared as {} and as {}", printable(a.name), schema::to_text(a),
                      schema::to_text(b));
}

void Net::require_edges() const {
  for (const Layer& layer : layers_)
    for (size_t i = 0; i < layer.givers.size(); ++i)
      if (!layer.givers[i])
        document_.fail_at(layer.inputs[i].element, "no edge ends at input port {} of {}",
                          layer.inputs[i].element.attribute("id").value(), layer);
}

std::vector<size_t> Net::sorted() const {
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
void Net::fail_with_cycle(const std::vector<size_t>& open) const {
  auto layer = static_cast<size_t>(std::ranges::find_if(open, [](size_t count) { return count > 0; }) - open.begin());
  for (size_t step = 0; step < layers_.size(); ++step) {
    const auto& givers = layers_[layer].givers;
    layer = (*std::ranges::find_if(givers, [&](const auto& giver) { return open[giver->first] > 0; }))->first;
  }
  document_.fail_at(layers_[layer].element, "{} depends on itself: the edges form a cycle", layers_[layer]);
}

const ValueInfo& Net::given_to(const Layer& layer, size_t input) const {
  const auto [giver, port] = *layer.givers[input];
  return layers_[giver].outputs[port].info;
}

ValueInfo Net::data_type(const Layer& layer) const {
  const pugi::xml_node data = layer.element.child("data");
  if (!data) document_.fail_at(layer.element, "{} has no <data>", layer);
  document_.required(data, "element_type");
  const std::string_view shape = document_.required(data, "shape");
  ValueInfo info;
  info.name = layer.outputs[0].info.name;
  info.dtype = parse_type(document_, data, "element_type", &DTypeInfo::openvino);
  if (trimmed(shape) != "...") {  // of any rank
    info.dims = parse_dims(shape);
    if (!info.dims) document_.fail_at(data, "shape is '{}', but must be a list of sizes", printable(shape));
  }
  require_agreement(data, info, layer.outputs[0].info);
  return info;
}

/// What a Convert makes of its input; nothing for another layer.
std::optional<DType> Net::converted_type(const Layer& layer) const {
  const pugi::xml_node data = layer.element.child("data");
  const bool is_convert = std::string_view(layer.element.attribute("type").value()) == "Convert" &&
                          layer.inputs.size() == 1 && layer.outputs.size() == 1 && data;
  return is_convert ? parse_type(document_, data, "destination_type", &DTypeInfo::openvino) : std::nullopt;
}

/// As nets are stored by default: constants in float16, each behind a Convert to the type that is computed in.
bool Net::widens_constant(const Layer& layer) const {
  const std::optional<DType> to = converted_type(layer);
  if (!to || layers_[layer.givers[0]->first].role != Layer::Role::constant) return false;
  const std::optional<DType> from = data_type(layers_[layer.givers[0]->first]).dtype;
  return from && holds_all(*to, *from);
}

bool Net::is_read_widened_only(const Layer& constant) const {
  bool widened = false;
  for (const Layer& layer : layers_)
    for (const auto& giver : layer.givers) {
      if (&layers_[giver->first] != &constant) continue;
      if (layer.role != Layer::Role::widened_constant) return false;
      widened = true;
    }
  return widened;
}

std::optional<ConstantPlace> Net::constant(const Layer& layer) const {
  const bool is_widened = layer.role == Layer::Role::widened_constant;
  if (!is_widened && (layer.role != Layer::Role::constant || is_read_widened_only(layer))) return std::nullopt;
  const Layer& giver = is_widened ? layers_[layer.givers[0]->first] : layer;
  const pugi::xml_node data = giver.element.child("data");
  const ValueInfo info = data_type(giver);
  ConstantPlace place{layer.outputs[0].info.name,
                      {},
                      document_.required_count(data, "offset"),
                      document_.required_count(data, "size"),
                      is_widened ? converted_type(layer) : std::nullopt};
  if (!info.dtype || !info.dims || std::ranges::any_of(*info.dims, [](const auto& dim) { return !dim.size; }))
    document_.fail_at(data, "the type of a Const must be known, but it is '{}', shape '{}'",
                      printable(data.attribute("element_type").value()), printable(data.attribute("shape").value()));
  place.type.dtype = *info.dtype;
  for (const DeclaredDim& dim : *info.dims) place.type.shape.push_back(*dim.size);
  try {
    if (place.type.dtype == DType::string || byte_size(place.type) == place.size) return place;
  } catch (const Error& error) {
    document_.fail_at(data, "{}", error.message());
  }
  document_.fail_at(data, "{} takes {}, but size is {}", place.type, counted(byte_size(place.type), "byte"),
                    place.size);
}

std::vector<TensorAlias> Net::aliases() const {
  std::vector<TensorAlias> aliases;
  const auto add = [&](std::string_view text, const std::string& tensor) {
    for (std::string& name : names_in(text))
      if (!names_.contains(name)) aliases.push_back({std::move(name), tensor});
  };
  for (const Layer& layer : layers_) {
    if (layer.role == Layer::Role::result)
      add(layer.element.attribute("output_names").value(), given_to(layer, 0).name);
    if (layer.is("ReadValue") && !layer.outputs.empty())
      aliases.push_back({std::string(variable_of(layer)), layer.outputs[0].info.name});
    for (const OpenvinoPort& port : layer.outputs) add(port.element.attribute("names").value(), port.info.name);
  }
  return aliases;
}

}  // namespace opref::io
