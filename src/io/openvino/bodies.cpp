// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/bodies.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>

#include "io/openvino/ir.h"

namespace opref::io {
namespace {

namespace fs = std::filesystem;

using Places = std::vector<std::int64_t>;

/// A whole number, which may be negative.
std::int64_t integer(const XmlDocument& document, pugi::xml_node entry, const char* attribute) {
  const std::string_view text = document.required(entry, attribute);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    document.fail_at(entry, "{} is '{}', but must be a whole number", attribute, printable(text));
  return value;
}

std::int64_t integer_or(const XmlDocument& document, pugi::xml_node entry, const char* attribute,
                        std::int64_t otherwise) {
  return entry.attribute(attribute) ? integer(document, entry, attribute) : otherwise;
}

/// An element that the layer must have.
pugi::xml_node child_of(const XmlDocument& document, pugi::xml_node layer, const char* name) {
  const pugi::xml_node child = layer.child(name);
  if (!child) document.fail_at(layer, "<layer> has no <{}>", name);
  return child;
}

/// One body of a layer.
class Body {
 public:
  Body(const XmlDocument& document, pugi::xml_node layer, const char* name, const std::string& around,
       const fs::path& weights)
      : document_(document),
        layer_(layer),
        name_(name),
        around_(format("{}{}:{}:", around, layer.attribute("name").value(), name)),
        element_(child_of(document, layer, name)),
        net_(document, element_, around_),
        graph_(graph_of_body(document, net_, around_, weights)) {
    for (const Layer& inner : net_.layers()) {
      if (inner.role == Layer::Role::parameter) parameters_.emplace(&inner, parameters_.size());
      if (inner.role == Layer::Role::result) results_.emplace(&inner, results_.size());
    }
    inputs_ = ids_of("input"), outputs_ = ids_of("output");
    if (element_.name() == std::string_view("body")) variables_ = carry_variables(document, net_, graph_);
  }

  size_t input_count() const { return graph_.inputs.size(); }
  size_t output_count() const { return outputs_.size(); }
  std::vector<CarriedVariable>& variables() { return variables_; }

  /// Of the Parameter, or of the Result, that the entry names.
  size_t parameter(pugi::xml_node entry, const char* attribute) const {
    return place_of(parameters_, entry, attribute, "Parameter");
  }
  size_t result(pugi::xml_node entry, const char* attribute) const {
    return place_of(results_, entry, attribute, "Result");
  }

  /// Of the layer's input or output that the entry names; -1 where it says so, and may.
  std::int64_t input(pugi::xml_node entry, bool may_be_none = false) const {
    return port(entry, inputs_, "input", may_be_none);
  }
  std::int64_t output(pugi::xml_node entry, bool may_be_none = false) const {
    return port(entry, outputs_, "output", may_be_none);
  }

  /// A place for each Parameter: each entry <input> of the map gives one; variables are inputs after those of ports.
  Places ports_of_inputs(pugi::xml_node map, bool may_be_none) const {
    std::vector<std::optional<std::int64_t>> places(parameters_.size());
    for (const pugi::xml_node entry : map.children("input")) {
      const size_t k = parameter(entry, "internal_layer_id");
      if (places[k])
        document_.fail_at(entry, "a second <input> for the Parameter '{}'", printable(graph_.inputs[k].name));
      places[k] = input(entry, may_be_none);
    }
    Places all;
    for (size_t k = 0; k < places.size(); ++k) {
      if (!places[k])
        document_.fail_at(layer_, "no <input> of <{}> names the Parameter '{}' of <{}>", XmlDocument::name_of(map),
                          printable(graph_.inputs[k].name), name_);
      all.push_back(*places[k]);
    }
    for (size_t k = 0; k < variables_.size(); ++k) all.push_back(static_cast<std::int64_t>(inputs_.size() + k));
    return all;
  }

  /// A Result for each output of the layer.
  std::vector<size_t> results_of_outputs(pugi::xml_node map, bool may_be_none) const {
    std::vector<std::optional<size_t>> places(output_count());
    for (const pugi::xml_node entry : map.children("output"))
      if (const std::int64_t place = output(entry, may_be_none); place >= 0) {
        std::optional<size_t>& given = places[static_cast<size_t>(place)];
        if (given) document_.fail_at(entry, "a second <output> for the output number {} of the layer", place);
        given = result(entry, "internal_layer_id");
      }
    std::vector<size_t> all;
    for (size_t k = 0; k < places.size(); ++k) {
      if (!places[k])
        document_.fail_at(layer_, "no <output> of <{}> names the output number {} of the layer",
                          XmlDocument::name_of(map), k);
      all.push_back(*places[k]);
    }
    return all;
  }

  /// The graph, with these Results as its outputs.
  Attribute giving(const std::vector<size_t>& results) && {
    std::vector<ValueInfo> outputs;
    for (const size_t result : results) outputs.push_back(graph_.outputs[result]);
    graph_.outputs = std::move(outputs);
    return {name_, AttributeValue{AttributeType::GRAPH, std::make_shared<const Graph>(std::move(graph_))}};
  }

 private:
  std::map<std::int64_t, size_t> ids_of(const char* side) const {
    std::map<std::int64_t, size_t> ids;
    for (const pugi::xml_node port : layer_.child(side).children("port"))
      ids.emplace(document_.required_count(port, "id"), ids.size());
    return ids;
  }

  std::int64_t port(pugi::xml_node entry, const std::map<std::int64_t, size_t>& ids, std::string_view side,
                    bool may_be_none) const {
    const std::int64_t id = integer(document_, entry, "external_port_id");
    if (id == -1 && may_be_none) return -1;
    const auto found = ids.find(id);
    if (found == ids.end())
      document_.fail_at(entry, "external_port_id is {}, but the layer has no such {} port", id, side);
    return static_cast<std::int64_t>(found->second);
  }

  size_t place_of(const std::map<const Layer*, size_t>& layers, pugi::xml_node entry, const char* attribute,
                  std::string_view role) const {
    const std::int64_t id = document_.required_count(entry, attribute);
    const auto found = layers.find(net_.find(id));
    if (found == layers.end())
      document_.fail_at(entry, "{} is {}, but <{}> has no {} with this id", attribute, id, name_, role);
    return found->second;
  }

  const XmlDocument& document_;
  pugi::xml_node layer_;
  std::string name_, around_;
  pugi::xml_node element_;
  Net net_;
  Graph graph_;
  std::map<const Layer*, size_t> parameters_, results_;
  std::map<std::int64_t, size_t> inputs_, outputs_;  ///< of the layer
  std::vector<CarriedVariable> variables_;
};

Attribute places(const char* name, Places values) { return {name, AttributeValue::of(std::move(values))}; }

void add_if(std::vector<Attribute>& attributes, const XmlDocument& document, pugi::xml_node layer,
            const std::string& around, const fs::path& weights) {
  constexpr std::pair<const char*, const char*> kBodies[] = {{"then_body", "then_port_map"},
                                                             {"else_body", "else_port_map"}};
  for (const auto& [name, map_name] : kBodies) {
    Body body(document, layer, name, around, weights);
    const pugi::xml_node map = child_of(document, layer, map_name);
    attributes.push_back(places(map_name, body.ports_of_inputs(map, false)));
    const std::vector<size_t> results = body.results_of_outputs(map, false);
    attributes.push_back(std::move(body).giving(results));
  }
}

/// The Result that an entry says to be the condition.
size_t condition_of(const XmlDocument& document, pugi::xml_node map, const Body& body) {
  for (const pugi::xml_node entry : map.children("output"))
    if (std::string_view(entry.attribute("purpose").value()) == "execution_condition")
      return body.result(entry, "internal_layer_id");
  document.fail_at(map, "no <output> has the purpose execution_condition");
}

/// What entries with an axis say of the parts of an input; `prefix` "output_" of an output.
struct PartLists {
  std::string prefix;
  Places places = {}, axis = {}, start = {}, end = {}, stride = {}, part_size = {};

  void add(const XmlDocument& document, pugi::xml_node entry, std::int64_t place) {
    places.push_back(place);
    axis.push_back(integer(document, entry, "axis"));
    stride.push_back(integer_or(document, entry, "stride", 1));
    const bool is_output_backwards = !prefix.empty() && stride.back() < 0;
    start.push_back(integer_or(document, entry, "start", is_output_backwards ? -1 : 0));
    end.push_back(integer_or(document, entry, "end", is_output_backwards ? 0 : -1));
    part_size.push_back(integer_or(document, entry, "part_size", 1));
  }
};

void add_parts(std::vector<Attribute>& attributes, const XmlDocument& document, pugi::xml_node map, const Body& body) {
  PartLists sliced{""}, together{"output_"};
  for (const pugi::xml_node entry : map.children("input"))
    if (entry.attribute("axis"))
      sliced.add(document, entry, static_cast<std::int64_t>(body.parameter(entry, "internal_layer_id")));
  for (const pugi::xml_node entry : map.children("output"))
    if (entry.attribute("axis")) together.add(document, entry, body.output(entry, false));
  const auto add = [&](const std::string& name, Places& values) {
    if (!values.empty()) attributes.push_back({name, AttributeValue::of(std::move(values))});
  };
  add("sliced_inputs", sliced.places), add("concatenated_outputs", together.places);
  for (PartLists* lists : {&sliced, &together}) {
    add(lists->prefix + "axis", lists->axis), add(lists->prefix + "start", lists->start);
    add(lists->prefix + "end", lists->end), add(lists->prefix + "stride", lists->stride);
    add(lists->prefix + "part_size", lists->part_size);
  }
}

/// The place of a result among those that the graph gives, where it comes now if it is none yet.
std::int64_t place_of_result(std::vector<size_t>& results, size_t result) {
  auto found = std::ranges::find(results, result);
  if (found == results.end()) found = results.insert(results.end(), result);
  return found - results.begin();
}

void add_iterations(Bodies& bodies, const XmlDocument& document, pugi::xml_node layer, const std::string& around,
                    const fs::path& weights) {
  const bool is_loop = std::string_view(layer.attribute("type").value()) == "Loop";
  std::vector<Attribute>& attributes = bodies.attributes;
  Body body(document, layer, "body", around, weights);
  const pugi::xml_node map = child_of(document, layer, "port_map");
  std::vector<size_t> results = body.results_of_outputs(map, is_loop);
  if (is_loop) results.insert(results.begin(), condition_of(document, map, body));
  attributes.push_back(places("port_map", body.ports_of_inputs(map, is_loop)));
  Places back(body.input_count(), -1);
  bool has_back_edges = false;
  for (const pugi::xml_node edge : layer.child("back_edges").children("edge")) {
    const size_t from = body.result(edge, "from-layer"), to = body.parameter(edge, "to-layer");
    if (back[to] >= 0) document.fail_at(edge, "a second <edge> to the same Parameter");
    back[to] = place_of_result(results, from);
    has_back_edges = true;
  }
  for (CarriedVariable& variable : body.variables()) {
    back[variable.input] = place_of_result(results, variable.output);
    has_back_edges = true;
    bodies.firsts.push_back(std::move(variable.first));
  }
  if (has_back_edges) attributes.push_back(places("back_edges", back));
  add_parts(attributes, document, map, body);
  attributes.push_back(std::move(body).giving(results));
}

}  // namespace

Bodies read_bodies(const XmlDocument& document, pugi::xml_node layer, const std::string& around,
                   const fs::path& weights) {
  Bodies bodies;
  const std::string_view type = layer.attribute("type").value();
  int depth = 0;
  for (pugi::xml_node outer = layer.parent(); outer; outer = outer.parent())
    depth += std::string_view(outer.name()) == "layer" ? 1 : 0;
  if (depth >= kDeepestGraph) document.fail_at(layer, "subgraphs are nested more than {} deep", kDeepestGraph);
  if (type == "If") add_if(bodies.attributes, document, layer, around, weights);
  if (type == "Loop" || type == "TensorIterator") add_iterations(bodies, document, layer, around, weights);
  return bodies;
}

}  // namespace opref::io
