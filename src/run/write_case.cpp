// SPDX-License-Identifier: Apache-2.0
#include "run/write_case.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "io/numpy/npy.h"
#include "io/onnx/onnx.h"
#include "io/openvino/openvino.h"
#include "run/attributes.h"
#include "run/functions.h"
#include "run/graph_names.h"
#include "run/load_inputs.h"
#include "run/node_case.h"
#include "run/version.h"
#include "run/write_outputs.h"
#include "schema/domains.h"
#include "schema/remedies.h"
#include "system/file.h"
#include "system/folder.h"
#include "system/machine_error.h"

namespace opref::run {
namespace {

namespace fs = std::filesystem;

AttributeValue typed(const Attribute& attribute, std::optional<AttributeType> known) {
  if (const auto* value = std::get_if<AttributeValue>(&attribute.value)) return *value;
  const auto& untyped = std::get<Untyped>(attribute.value);
  if (known == AttributeType::INT && untyped.items.size() == 1 && !untyped.items.front().quoted) {
    const std::string& text = untyped.items.front().text;  // a data type by its name?
    for (const DTypeInfo& type : onnx_dtypes())
      if (type.onnx == text || dtype_meant(text) == type.dtype)
        return AttributeValue::of(static_cast<std::int64_t>(type.dtype));
  }
  if (known) {
    try {
      return coerce(attribute.name, untyped, *known);
    } catch (const Error& error) {
      if (error.fault() != Fault::invalid) throw;
    }
  }
  return coerce(attribute.name, untyped, likely_type(untyped));
}

/// Types of what the environment knows, and of what `infer` finds where the case is valid.
void declare_all(Graph& graph, Environment environment, const EvaluationOptions& options) {
  try {
    infer(graph, environment, options);
  } catch (const Error& error) {
    pass_on(error);
  }
  for (auto* infos : {&graph.inputs, &graph.outputs})
    for (ValueInfo& info : *infos)
      if (const auto known = environment.find(info.name); known != environment.end()) declare(info, known->second.type);
  // The outputs of a node that is refused: of the first input's type, for lack of anything better.
  for (ValueInfo& info : graph.outputs)
    if (graph.nodes.size() == 1 && !info.dtype && !graph.inputs.empty()) info.dtype = graph.inputs.front().dtype;
}

const Value& input_value(const Environment& environment, const std::string& name) {
  const auto known = environment.find(name);
  if (known == environment.end() || !known->second.value)
    fail(Fault::usage, "input '{}' has no values to hand to a backend", printable(name));
  return *known->second.value;
}

const Tensor& tensor_of(const Environment& environment, const std::string& name) {
  input_value(environment, name);
  return environment.find(name)->second.tensor();
}

void write_file(const fs::path& path, std::string_view content) {
  FileWriter file(path);
  file.write(content);
  file.commit();
}

/// The nodes inside it state the versions of their operators.
Node with_versions(Node node, const OpsetImport& opsets) {
  for (Attribute& attribute : node.attributes) {
    const Graph* inner = subgraph(attribute);
    if (inner == nullptr) continue;
    Graph copy = *inner;
    for (Node& one : copy.nodes) {
      one = with_versions(std::move(one), opsets);
      if (const auto version = find_version(opsets, one)) one.opset = version->schema.since_version();
    }
    std::get<AttributeValue>(attribute.value).value = std::make_shared<const Graph>(std::move(copy));
  }
  return node;
}

CaseFiles write_layer(const Graph& graph, const Environment& environment, const fs::path& folder) {
  if (graph.nodes.size() != 1) fail(Fault::unsupported, "several nodes cannot be written as one layer");
  const Node& node = graph.nodes.front();
  for (const std::string& input : node.inputs)
    if (!input.empty() && std::ranges::find(graph.inputs, input, &ValueInfo::name) == graph.inputs.end())
      fail(Fault::unsupported, "'{}' cannot be written as an input of a layer, which has no port for it",
           printable(input));
  const std::int64_t opset = opset_in_force(graph.opset_import, node);
  const OpSchema* schema = schema_or_first(graph.opset_import, node, opset);
  const std::int64_t version = schema == nullptr ? opset : schema->since_version();
  const WrittenNet layer =
      openvino_layer(with_versions(node, graph.opset_import), version, graph.inputs, graph.outputs);
  write_file(folder / "layer.xml", layer.text);
  if (layer.weights) write_file(folder / "layer.bin", *layer.weights);
  for (const ValueInfo& input : graph.inputs) {
    FileWriter file(folder / (file_name_of(input.name) + ".npy"));
    write_npy(file, tensor_of(environment, input.name));
    file.commit();
  }
  return {folder / "layer.xml", folder};
}

/// A part of the net in the file `net`, and its .bin: as much as it needs, or that of the net.
void write_net_file(const fs::path& net, const NetPart& part, const fs::path& file) {
  const fs::path weights = fs::path(net).replace_extension(".bin");
  std::optional<FileBytes> bytes;
  if (is_file(weights)) bytes = read_file(weights);
  const WrittenNet written = openvino_part(read_file(net), bytes ? &*bytes : nullptr, part);
  write_file(file, written.text);
  const fs::path own = fs::path(file).replace_extension(".bin");
  std::error_code ignored;
  if (written.weights) {
    write_file(own, *written.weights);
  } else if (bytes && !fs::equivalent(weights, own, ignored)) {
    fs::remove(own, ignored);
    share_file(weights, own);
  }
}

void require_file_of_net(const Case& read) {
  if (read.file.empty()) fail(Fault::unsupported, "a net from standard input cannot be written as a case");
}

/// A part of the net that was read: its layers stay as they are, its Consts in their .bin.
CaseFiles write_net(const Bound& bound, const Graph& graph, const Environment& environment, const fs::path& folder) {
  const Case& read = *bound.read;
  require_file_of_net(read);
  const auto is_input = [&](const std::string& name) {
    return std::ranges::find(graph.inputs, name, &ValueInfo::name) != graph.inputs.end();
  };
  const auto is_constant = [&](const std::string& name) {
    return std::ranges::find(read.inputs, name, &NamedSource::name) != read.inputs.end() &&
           std::ranges::find(read.graph.inputs, name, &ValueInfo::name) == read.graph.inputs.end();
  };
  std::vector<std::string> given;
  for (const NamedSource& source : bound.inputs)
    if (is_constant(source.name) ? source.source.loaded() == nullptr : is_input(source.name))
      given.push_back(source.name);
  NetPart part;
  for (const std::string& name : given) {
    const Tensor& value = tensor_of(environment, name);
    part.inputs.push_back({name, "", {}, {}});
    declare(part.inputs.back(), value.type());
    FileWriter file(folder / (file_name_of(name) + ".npy"));
    write_npy(file, value);
    file.commit();
  }
  for (const ValueInfo& output : graph.outputs) part.outputs.push_back(output.name);
  write_net_file(read.file, part, folder / "model.xml");
  return {folder / "model.xml", folder};
}

/// The type of a node's attribute by its operator, or by the function that it calls.
std::optional<AttributeType> known_type(const Node& node, std::string_view attribute, const OpsetImport& imports) {
  if (const Function* function = find_function(imports, node)) return attribute_type(*function, attribute, imports);
  const OpSchema* schema = schema_or_first(imports, node, opset_in_force(imports, node));
  const AttributeSchema* known = schema == nullptr ? nullptr : schema->find_attribute(attribute);
  return known == nullptr ? std::nullopt : std::optional(known->type);
}

/// Types the attributes of all nodes, in subgraphs too, and imports into `opsets` what they are evaluated by.
void type_attributes(std::vector<Node>& nodes, const OpsetImport& imports, OpsetImport& opsets) {
  for (Node& node : nodes) {
    opsets.insert_or_assign(std::string(canonical_domain(node.domain)), opset_in_force(imports, node));
    for (AttributeReference& reference : node.references)
      if (!reference.type) reference.type = known_type(node, reference.name, imports);
    for (Attribute& attribute : node.attributes) {
      attribute.value = typed(attribute, known_type(node, attribute.name, imports));
      const Graph* inner = subgraph(attribute);
      if (inner == nullptr) continue;
      Graph copy = *inner;
      type_attributes(copy.nodes, imports, opsets);
      std::get<AttributeValue>(attribute.value).value = std::make_shared<const Graph>(std::move(copy));
    }
  }
}

/// The same in all functions.
void type_functions(OpsetImport& opsets) {
  if (opsets.functions == nullptr) return;
  std::vector<Function> typed_ones = *opsets.functions;
  for (Function& function : typed_ones) {
    for (Attribute& attribute : function.defaults)
      attribute.value = typed(attribute, attribute_type(function, attribute.name, opsets));
    const OpsetImport imports = imports_of(function, opsets);
    OpsetImport own = imports;
    type_attributes(function.body.nodes, imports, own);
    own.functions.reset();
    function.body.opset_import = std::move(own);
  }
  opsets.functions = std::make_shared<const std::vector<Function>>(std::move(typed_ones));
}

void write_model_file(Graph graph, const Bound& bound, const Environment& environment, const fs::path& file) {
  OpsetImport opsets = graph.opset_import;
  type_attributes(graph.nodes, graph.opset_import, opsets);
  type_functions(opsets);
  graph.opset_import = std::move(opsets);
  std::vector<std::pair<std::string, Tensor>> initializers;
  for (const NamedSource& source : bound.inputs)
    if (std::ranges::find(graph.inputs, source.name, &ValueInfo::name) == graph.inputs.end() &&
        environment.contains(source.name))
      initializers.emplace_back(source.name, tensor_of(environment, source.name));
  FileWriter model(file);
  write_onnx_model(model, graph, initializers);
  model.commit();
}

CaseFiles write_model(const Graph& graph, const Bound& bound, const Environment& environment, const fs::path& folder) {
  write_model_file(graph, bound, environment, folder / "model.onnx");
  const fs::path inputs = folder / "test_data_set_0";
  make_subfolder(inputs);
  for (size_t k = 0; k < graph.inputs.size(); ++k) {
    const std::string& name = graph.inputs[k].name;
    FileWriter input(inputs / format("input_{}.pb", k));
    write_onnx_value(input, name, input_value(environment, name));
    input.commit();
  }
  return {folder / "model.onnx", inputs};
}

}  // namespace

CaseFiles write_case(const Bound& bound, const EvaluationOptions& options, const fs::path& folder) {
  std::vector<std::string> warnings;
  const Environment environment = load_inputs(bound, options, warnings);
  Graph graph = bound.graph;
  declare_all(graph, environment, options);
  if (bound.read->format == CaseFormat::openvino_ir) return write_net(bound, graph, environment, folder);
  const bool is_layer = !graph.nodes.empty() && is_of_layers(graph.nodes.front().domain);
  return is_layer ? write_layer(graph, environment, folder) : write_model(graph, bound, environment, folder);
}

void write_part_model(const Bound& whole, Graph part, const TypesOfTensors& types, const fs::path& file) {
  const bool is_net = whole.read->format == CaseFormat::openvino_ir;
  if (is_of_openvino(whole.read->format) && file.extension() != ".xml")
    fail(Fault::unsupported, "an .onnx file holds no layers of OpenVINO: a part of a net is NAME.xml");
  if (!is_net && file.extension() == ".xml") fail(Fault::unsupported, "only a part of OpenVINO's net is an .xml file");
  for (auto* infos : {&part.inputs, &part.outputs})
    for (ValueInfo& info : *infos) {
      if (const auto known = types.find(info.name); known != types.end()) {
        if (!info.dtype) info = known->second;
        if (!info.dims) info.dims = known->second.dims;
      }
      if (!info.dtype)
        fail(Fault::usage,
             {kGiveTypes,
              join_some(whole.graph.inputs, ", ", 8, [](const ValueInfo& input) { return printable(input.name); })},
             "the type of '{}' is not known", printable(info.name));
    }
  if (is_net) {
    require_file_of_net(*whole.read);
    NetPart net{part.inputs, {}};
    for (const ValueInfo& output : part.outputs) net.outputs.push_back(output.name);
    return write_net_file(whole.read->file, net, file);
  }
  Bound bound{whole.read, part, held_by(whole, part), {}, {}, nullptr, whole.options};
  bound.graph.inputs.clear();  // which have no values
  std::vector<std::string> warnings;
  const Environment environment = load_inputs(bound, bound.options, warnings);
  write_model_file(std::move(part), bound, environment, file);
}

void write_expected(const CaseFiles& files, const Graph& graph, const Environment& values) {
  const bool is_layer = files.model.extension() == ".xml";
  for (size_t k = 0; k < graph.outputs.size(); ++k) {
    const std::string& name = graph.outputs[k].name;
    FileWriter file(files.inputs / (is_layer ? file_name_of(name) + ".npy" : format("output_{}.pb", k)));
    if (is_layer)
      write_npy(file, tensor_of(values, name));
    else
      write_onnx_value(file, name, value_of(values, name));
    file.commit();
  }
}

}  // namespace opref::run
