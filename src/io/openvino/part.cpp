// SPDX-License-Identifier: Apache-2.0
// A part of a net as a file of its own.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "io/openvino/net.h"
#include "io/openvino/openvino.h"
#include "io/openvino/written.h"

namespace opref::io {
namespace {

/// The elements of a net, some of which go.
class Part {
 public:
  Part(const FileBytes& file, const NetPart& wanted)
      : document_(file.text()), root_(document_.root()), net_(document_, root_, ""), wanted_(wanted) {
    for (size_t place = 0; place < net_.layers().size(); ++place) {
      const Layer& layer = net_.layers()[place];
      next_id_ = std::max(next_id_, checked_add(document_.required_count(layer.element, "id"), 1));
      for (size_t port = 0; port < layer.outputs.size(); ++port)
        givers_.emplace(layer.outputs[port].info.name, std::pair(place, port));
    }
  }

  WrittenNet write(const FileBytes* weights) && {
    const std::vector<pugi::xml_node> before = constants();
    for (const ValueInfo& input : wanted_.inputs) give(input);
    for (const std::string& output : wanted_.outputs) need(asked_at(output));
    need_givers();
    need_assigns();
    rename_partly_given();
    remove_others();
    redirect_edges();
    assign_others();
    for (size_t k = 0; k < wanted_.outputs.size(); ++k) add_result(k);
    WrittenNet written;
    const std::vector<pugi::xml_node> after = constants();
    if (after.size() < before.size() && weights != nullptr) written.weights = packed(after, *weights);
    std::ostringstream text;
    root_.print(text, "  ");
    written.text = std::move(text).str();
    return written;
  }

 private:
  using Port = std::pair<size_t, size_t>;  ///< a layer, and which of its outputs

  Port giver_of(const std::string& tensor) const {
    const auto giver = givers_.find(tensor);
    if (giver == givers_.end()) fail(Fault::unsupported, "no layer of the net gives '{}'", printable(tensor));
    return giver->second;
  }

  /// Where a Result can take the tensor: an Assign passes on what it takes.
  Port asked_at(const std::string& tensor) const {
    const Port port = giver_of(tensor);
    const Layer& layer = net_.layers()[port.first];
    return layer.assigns() && layer.givers.size() == 1 ? *layer.givers[0] : port;
  }

  /// The element <data> of each Const, in bodies too.
  std::vector<pugi::xml_node> constants() const {
    std::vector<pugi::xml_node> found;
    for (const pugi::xpath_node& constant : root_.select_nodes(".//layer[@type='Const']/data"))
      found.push_back(constant.node());
    return found;
  }

  /// A Parameter stays; another layer is not needed for what is given.
  void give(const ValueInfo& input) {
    const Port giver = giver_of(input.name);
    needed_.insert(giver.first);
    if (net_.layers()[giver.first].role == Layer::Role::parameter) return;
    needed_.erase(giver.first);
    given_.emplace(giver, add_parameter(input));
  }

  void need(const Port& port) {
    if (!given_.contains(port)) needed_.insert(port.first);
  }

  void need_givers() {
    const std::vector<size_t> order = net_.sorted();
    for (auto place = order.rbegin(); place != order.rend(); ++place)
      if (needed_.contains(*place))
        for (const auto& giver : net_.layers()[*place].givers) need(*giver);
  }

  /// OpenVINO gives a variable that is read but not assigned no value: an Assign stays, if what it takes does.
  void need_assigns() {
    for (size_t place = 0; place < net_.layers().size(); ++place) {
      const Layer& layer = net_.layers()[place];
      if (!layer.assigns() || layer.givers.size() != 1) continue;
      if (given_.contains(*layer.givers[0]) || needed_.contains(layer.givers[0]->first)) needed_.insert(place);
    }
  }

  /// For the same reason each other variable is assigned what it has.
  void assign_others() {
    std::set<std::string_view> assigned;
    for (const size_t place : needed_)
      if (net_.layers()[place].assigns()) assigned.insert(Net::variable_of(net_.layers()[place]));
    for (const size_t place : needed_) {
      const Layer& layer = net_.layers()[place];
      const std::string variable(Net::variable_of(layer));
      if (!layer.is("ReadValue") || !assigned.insert(Net::variable_of(layer)).second) continue;
      pugi::xml_node added = add("assign " + variable, "Assign", 6);
      added.append_child("data").append_attribute("variable_id").set_value(variable.c_str());
      for (const auto& [side, id] : {std::pair("input", 0), {"output", 1}})
        added.append_child(side).append_child("port").append_attribute("id").set_value(id);
      add_edge({place, 0}, std::to_string(next_id_ - 1), "0");
    }
  }

  /// A layer of which one output is given, and another one needed, would give a second tensor of the Parameter's name.
  void rename_partly_given() {
    for (const auto& [port, parameter] : given_)
      if (needed_.contains(port.first)) {
        pugi::xml_attribute name = net_.layers()[port.first].element.attribute("name");
        if (const std::string computed = std::string(name.value()) + " (computed)"; !givers_.contains(computed))
          name.set_value(computed.c_str());
      }
  }

  void remove_others() {
    for (size_t place = 0; place < net_.layers().size(); ++place)
      if (!needed_.contains(place)) root_.child("layers").remove_child(net_.layers()[place].element);
  }

  std::string id_of(size_t place) const { return net_.layers()[place].element.attribute("id").value(); }
  std::string port_id(const Port& port) const {
    return net_.layers()[port.first].outputs[port.second].element.attribute("id").value();
  }

  void add_edge(const Port& from, const std::string& to_layer, const std::string& to_port) {
    pugi::xml_node edges = root_.child("edges");
    if (!edges) edges = root_.append_child("edges");
    pugi::xml_node edge = edges.append_child("edge");
    const auto given = given_.find(from);
    edge.append_attribute("from-layer")
        .set_value(given == given_.end() ? id_of(from.first).c_str() : std::to_string(given->second).c_str());
    edge.append_attribute("from-port").set_value(given == given_.end() ? port_id(from).c_str() : "0");
    edge.append_attribute("to-layer").set_value(to_layer.c_str());
    edge.append_attribute("to-port").set_value(to_port.c_str());
  }

  void redirect_edges() {
    root_.remove_child("edges");
    for (const size_t place : needed_) {
      const Layer& layer = net_.layers()[place];
      for (size_t k = 0; k < layer.givers.size(); ++k)
        add_edge(*layer.givers[k], id_of(place), layer.inputs[k].element.attribute("id").value());
    }
  }

  pugi::xml_node add(const std::string& name, std::string_view type, std::int64_t opset = 1) {
    return add_layer(root_.child("layers"), next_id_++, name, type, opset);
  }

  std::int64_t add_parameter(const ValueInfo& input) {
    pugi::xml_node layer = add(input.name, "Parameter");
    add_type(layer, input);
    std::int64_t port = 0;
    add_ports(layer, "output", {input}, port);
    return next_id_ - 1;
  }

  void add_result(size_t k) {
    const Port port = asked_at(wanted_.outputs[k]);
    pugi::xml_node layer = add(format("result_{}", k), "Result");
    layer.append_child("input").append_child("port").append_attribute("id").set_value(0);
    add_edge(port, std::to_string(next_id_ - 1), "0");
  }

  /// The bytes of these constants, and their places among them.
  static std::string packed(const std::vector<pugi::xml_node>& constants, const FileBytes& weights) {
    constexpr size_t kAligned = 64;
    std::string all;
    std::map<std::pair<std::string, std::string>, size_t> places;
    for (pugi::xml_node data : constants) {
      const auto offset = parse_count(data.attribute("offset").value()),
                 size = parse_count(data.attribute("size").value());
      const auto& bytes = weights.text();
      if (!offset || !size || static_cast<size_t>(*offset) > bytes.size() ||
          static_cast<size_t>(*size) > bytes.size() - static_cast<size_t>(*offset))
        continue;  // what is not there before
      const auto [place, is_new] =
          places.try_emplace({data.attribute("offset").value(), data.attribute("size").value()}, all.size());
      if (is_new) {
        all += bytes.substr(static_cast<size_t>(*offset), static_cast<size_t>(*size));
        all.resize((all.size() + kAligned - 1) / kAligned * kAligned);
      }
      data.attribute("offset").set_value(static_cast<unsigned long long>(place->second));
    }
    return all;
  }

  const XmlDocument document_;
  pugi::xml_node root_;
  const Net net_;
  const NetPart& wanted_;
  std::map<std::string, Port, std::less<>> givers_;
  std::map<Port, std::int64_t> given_;  ///< the Parameter's id
  std::set<size_t> needed_;
  std::int64_t next_id_ = 0;
};

}  // namespace

WrittenNet openvino_part(const FileBytes& file, const FileBytes* weights, const NetPart& wanted) {
  return Part(file, wanted).write(weights);
}

}  // namespace opref::io
