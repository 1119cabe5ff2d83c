// SPDX-License-Identifier: Apache-2.0
// What a user may do about an error in a node.
#pragma once

#include "core/error.h"

namespace opref::schema {

/// An input in the place of an attribute: its name.
inline constexpr Remedy kGiveInput{"give_input"};
/// Attributes that have to be there, or have to be so: "axis=INT", several on a line each.
inline constexpr Remedy kGiveAttributes{"give_attributes"};
/// Values of inputs that nothing computes: their names, as in "A, B".
inline constexpr Remedy kGiveValues{"give_values"};
/// The same of one input, of a known type: "x=float32[1,3]:normal".
inline constexpr Remedy kMakeValues{"make_values"};
/// What is open of a declared input: "x=FILE, or x=float32[…] for infer".
inline constexpr Remedy kGiveOpenInput{"give_open_input"};
/// Types, or values, of inputs that nothing computes: their names.
inline constexpr Remedy kGiveTypes{"give_types"};
/// A list in place of a number: the input's name.
inline constexpr Remedy kGiveList{"give_list"};
/// A tensor in place of a sequence.
inline constexpr Remedy kGiveSequence{"give_sequence"};
/// A file's elements as another type: that type.
inline constexpr Remedy kConvertFile{"convert_file"};
/// Inputs that have to be there: their names.
inline constexpr Remedy kMissingInputs{"missing_inputs"};

}  // namespace opref::schema
