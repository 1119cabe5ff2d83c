// SPDX-License-Identifier: Apache-2.0
// Layers and edges, of a <net> or of a body inside a layer. Between the files of the OpenVINO reader; nothing else
// includes this.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor.h"
#include "io/openvino/layer.h"
#include "io/openvino/xml.h"

namespace opref::io {

struct Layer {
  enum class Role : std::uint8_t { parameter, constant, widened_constant, result, node } role;
  pugi::xml_node element;
  std::string name;
  std::vector<OpenvinoPort> inputs, outputs;             ///< outputs have the names of tensors
  std::map<std::int64_t, size_t> input_ids, output_ids;  ///< position of a port by its id
  /// Per input port: the layer that gives it, and which of its output ports.
  std::vector<std::optional<std::pair<size_t, size_t>>> givers;

  bool is(std::string_view type) const { return type == element.attribute("type").value(); }
  bool assigns() const { return is("Assign"); }
};
std::string to_text(const Layer& layer);

/// Where the values of a Const lie, and the type that they are wanted in.
struct ConstantPlace {
  std::string name;  ///< of the tensor
  TensorType type;
  std::int64_t offset, size;
  std::optional<DType> widened_to;

  /// Faults: `usage` without a .bin, `malformed` (bytes that it does not have).
  Tensor read(const std::filesystem::path& weights, std::int64_t max_bytes) const;
};

class Net {
 public:
  /// `around` is what the names of its tensors begin with: they hide none around a body.
  Net(const XmlDocument& document, pugi::xml_node element, std::string around);

  const std::vector<Layer>& layers() const { return layers_; }
  /// The layer with this id; null where there is none.
  const Layer* find(std::int64_t id) const;
  /// All layers, each after those that it takes from; otherwise in the file's order.
  std::vector<size_t> sorted() const;
  const ValueInfo& given_to(const Layer& layer, size_t input) const;
  /// Of a ReadValue or an Assign; empty: it has none.
  static std::string_view variable_of(const Layer& layer);
  /// What <data> states of a Parameter or Const: element_type and shape.
  ValueInfo data_type(const Layer& layer) const;
  /// Of a Const, which may be read widened only, or a widened one, the tensor that it gives.
  std::optional<ConstantPlace> constant(const Layer& layer) const;
  /// The other names that the file has for tensors: `names` of ports, `output_names` of a Result, the variable of a
  /// ReadValue.
  std::vector<TensorAlias> aliases() const;

 private:
  void add_layer(pugi::xml_node element);
  std::map<std::int64_t, size_t> ids_of(const std::vector<OpenvinoPort>& ports) const;
  void name_outputs(Layer& layer);
  void name_variables();
  std::pair<size_t, size_t> end_of(pugi::xml_node edge, const char* layer_key, const char* port_key,
                                   std::map<std::int64_t, size_t> Layer::*ports) const;
  void add_edge(pugi::xml_node edge);
  void require_agreement(pugi::xml_node place, const ValueInfo& a, const ValueInfo& b) const;
  void require_edges() const;
  [[noreturn]] void fail_with_cycle(const std::vector<size_t>& open) const;
  std::optional<DType> converted_type(const Layer& layer) const;
  bool widens_constant(const Layer& layer) const;
  bool is_read_widened_only(const Layer& constant) const;

  const XmlDocument& document_;
  std::string around_;
  std::vector<Layer> layers_;
  std::map<std::int64_t, size_t> ids_;  ///< position of a layer by its id
  std::set<std::string> names_;         ///< of tensors
};

}  // namespace opref::io
