// SPDX-License-Identifier: Apache-2.0
// OpenVINO: IR files (.xml and .bin) and single <layer> elements as the specification prints them.
// https://docs.openvino.ai/2024/documentation/openvino-ir-format.html
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/case.h"
#include "system/file.h"

namespace opref::io {

/// Whether text is XML; ONNX text, too, can begin with '<'.
bool is_xml(std::string_view text);

/// A <net> or a <layer>. Attributes are untyped text, of domain "openvino"; a node's opset is that of its version=,
/// without one opset1. What ports state of precision and sizes becomes declarations. The bodies of If, Loop and
/// TensorIterator are graphs (bodies.h), whose tensors are called LAYER:BODY:NAME. A variable that a body carries from
/// iteration to iteration has its first value by the name LAYER:BODY:READVALUE:first. rt_info says nothing.
///
/// A layer: its ports have no names, only an order, and are called input_0, input_1, …; output_0, ….
///
/// A net: a Parameter is an input with the layer's name; a Const an initializer that is read from `weights` (the .bin;
/// empty: there is none) when it is asked for; what a Result takes is an output, and what an Assign gives is one by the
/// variable's name. Every other layer is a node, sorted along the edges; its output has the layer's name, "NAME:0",
/// "NAME:1" where it has several. Other names of ports are aliases, and a ReadValue's variable is one. -1, ? and 1..8
/// are sizes that are not known. A Convert of a Const to a type that has all of its numbers (nets are stored by default
/// with constants compressed to f16) is an initializer too, by the name of the Convert.
///
/// Faults: `malformed` with line and column (no XML, no such port, a port without an edge, a cycle, bytes that
/// the .bin does not have …); `unsupported` (IR before version 10, element types that are not known, layers of
/// extensions, variables whose order is not known: variables.h).
Case read_openvino(const FileBytes& file, const std::filesystem::path& weights);

/// What is wanted of a net.
struct NetPart {
  std::vector<ValueInfo> inputs;     ///< tensors that are given, with their types; those of Consts are not
  std::vector<std::string> outputs;  ///< tensors
};
/// A file, and its .bin.
struct WrittenNet {
  std::string text;
  std::optional<std::string> weights;  ///< nothing: none, or that of the net it is a part of
};

/// The <layer> of one node, as read_openvino reads it, with the nets inside it, of which the nodes state their opsets.
/// `opset` is that of the operator's version; ports are declared as far as they are known. Fault: `unsupported` (an
/// element type or attribute that a layer cannot state, a body that reads names from around it).
WrittenNet openvino_layer(const Node& node, std::int64_t opset, const std::vector<ValueInfo>& inputs,
                          const std::vector<ValueInfo>& outputs);

/// The layers of the <net> in `file` that the outputs need, as they stand there, with a Parameter for what is given
/// and a Result for each output, in order, called result_0, result_1, …. Where some Consts go, the others get a .bin of
/// their own from `weights`, which may be null. Fault: `unsupported` (a tensor that no layer gives, a type that
/// OpenVINO does not have).
WrittenNet openvino_part(const FileBytes& file, const FileBytes* weights, const NetPart& wanted);

}  // namespace opref::io
