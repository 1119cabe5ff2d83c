// SPDX-License-Identifier: Apache-2.0
// From a node as written to a call that an operator can evaluate.
#pragma once

#include <array>

#include "schema/node.h"
#include "schema/operator.h"

namespace opref::schema {

using ReadingChoices = std::map<std::string, std::string, std::less<>>;

/// What a layer of OpenVINO states beyond its operation's attributes: refused, or left out as its own reader does.
inline constexpr std::string_view kUnknownAttribute = "openvino.unknown_attribute";
inline constexpr std::array<std::string_view, 2> kUnknownAttributes = {"refuse", "ignore"};

using AttributeValues = std::map<std::string, AttributeValue, std::less<>>;

/// The node's attributes in force, of which no type of an input is needed: coerced, checked, with defaults. Faults:
/// `invalid`.
AttributeValues attributes_in_force(const Version& version, const Node& node, const ReadingChoices& choices);

/// Coerces and checks the attributes, fills in defaults, checks the number of inputs and
/// outputs and every type constraint. `inputs` are parallel to node.inputs (omitted ones have an empty name). Faults:
/// `invalid`; `usage` for a reading's value that does not exist. Choices for other operators' readings are ignored.
Call resolve(const Version& version, const Node& node, std::vector<Input> inputs, const ReadingChoices& choices);

/// How many calls of `resolve` there have been: each evaluation of a node takes one.
std::int64_t nodes_resolved();

}  // namespace opref::schema
