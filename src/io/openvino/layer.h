// SPDX-License-Identifier: Apache-2.0
// <layer> elements of OpenVINO: what a bare one and those of a net have in common, and the bare one. Between the files
// of the OpenVINO reader; nothing else includes this.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "io/case.h"
#include "io/openvino/xml.h"

namespace opref::io {

/// "224", "-1" or "?" (not known), "1..8" (a range: not known, and called so); nothing if the text is none of these.
std::optional<DeclaredDim> parse_dim(std::string_view text);

/// "2,?,1..3", perhaps empty; nothing if the text is no such list.
std::optional<std::vector<DeclaredDim>> parse_dims(std::string_view text);

/// The type that an attribute of the element names, by one of the names that OpenVINO has for types (a member of
/// DTypeInfo); nothing where the file says that it is not known. Another name is an `unsupported` error.
std::optional<DType> parse_type(const XmlDocument& document, pugi::xml_node node, const char* attribute,
                                std::string_view DTypeInfo::*name);

struct OpenvinoPort {
  pugi::xml_node element;
  ValueInfo info;  ///< without a name
};

/// The ports of one side, "input" or "output", in order.
std::vector<OpenvinoPort> read_ports(const XmlDocument& document, pugi::xml_node layer, const char* side);

/// What version= says; without one 1. Layers of extensions are an `unsupported` error.
std::int64_t opset_of(const XmlDocument& document, pugi::xml_node layer);

/// Type, name and attributes; the node has no inputs and outputs yet.
Node read_node(const XmlDocument& document, pugi::xml_node layer);

/// A single layer. What a person writes by hand may be misspelt: names that a layer does not have are faults.
/// `weights` is the .bin, in which the Consts of its bodies lie.
Case read_openvino_layer(const XmlDocument& document, pugi::xml_node layer, const std::filesystem::path& weights);

/// Elements of u1, of which a .bin has the first in a byte's highest bit and a tensor in the lowest: one as the other.
std::vector<std::byte> with_bits_turned(std::span<const std::byte> bytes);

}  // namespace opref::io
