// SPDX-License-Identifier: Apache-2.0
// OpenVINO: IR files (.xml and .bin) and single <layer> elements as the specification prints them.
// https://docs.openvino.ai/2024/documentation/openvino-ir-format.html
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/case.h"
#include "system/file.h"

namespace opref::io {

/// Whether text is XML; ONNX text, too, can begin with '<'.
bool is_xml(std::string_view text);

/// A <net> or a <layer>. Attributes are untyped text, of domain "openvino"; the opset is that of version=, without one
/// opset1, of a net the newest of its layers'. What ports state of precision and sizes becomes declarations.
///
/// A layer: its ports have no names, only an order, and are called input_0, input_1, …; output_0, ….
///
/// A net: a Parameter is an input with the layer's name; a Const an initializer that is read from `weights` (the .bin;
/// empty: there is none) when it is asked for; what a Result takes is an output. Every other layer is a node, sorted
/// along the edges; its output has the layer's name, "NAME:0", "NAME:1" where it has several. -1, ? and 1..8 are sizes
/// that are not known. A Convert of a Const to a type that has all of its numbers (nets are stored by default with
/// constants compressed to f16) is an initializer too, by the name of the Convert.
///
/// Faults: `malformed` with line and column (no XML, no such port, a port without an edge, a cycle, bytes that
/// the .bin does not have …); `unsupported` (IR before version 10, element types that are not known, layers of
/// extensions).
Case read_openvino(const FileBytes& file, const std::filesystem::path& weights);

/// The <layer> of one node, as read_openvino reads it. `opset` is that of the operator's version; ports are declared as
/// far as they are known. Fault: `unsupported` (an element type or attribute that a layer cannot state).
std::string openvino_layer_text(const Node& node, std::int64_t opset, const std::vector<ValueInfo>& inputs,
                                const std::vector<ValueInfo>& outputs);

}  // namespace opref::io
