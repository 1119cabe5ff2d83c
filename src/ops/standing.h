// SPDX-License-Identifier: Apache-2.0
// What nodes stand for where two models are compared: tools fold, fuse and quantise operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/call.h"

namespace opref::ops {

/// What a node does with its first input, where it is one that comparisons look through.
enum class NodeRole : std::uint8_t {
  computes,     ///< something else: they do not
  renames,      ///< nothing (Identity, Dropout)
  converts,     ///< its type alone, if both are floats (Cast)
  quantizes,    ///< to integers of a scale
  dequantizes,  ///< the opposite
};

struct Standing {
  std::string_view plain;  ///< the operator of ai.onnx that it computes: Conv of QLinearConv; else its own name
  NodeRole role = NodeRole::computes;
  bool commutes = false;       ///< the order of its operands does not matter
  bool vanishes = false;       ///< folding and quantising may remove it: BatchNormalization, clamps
  bool scales = false;         ///< the same if one of its two operands is constant: Add, Mul, Sub, Div
  bool multiplies = false;     ///< Mul
  bool is_shaped = false;      ///< the shape of its result says all that its attributes and other inputs do: Reshape
  bool keeps_order = false;    ///< its elements are its first operand's, in their order: Reshape
  bool permutes = false;       ///< and these with permuted axes: Transpose
  bool is_quantized = false;   ///< it marks a quantised model
  bool keeps_scale = false;    ///< of integers: its result has the scale of its first input
  bool is_unscaled = false;    ///< its result is of integers, which a Cast and a Mul by their scale follow: ConvInteger
  std::vector<size_t> places;  ///< of the inputs that are the plain operator's operands, in its order
  std::optional<size_t> scale = {};  ///< place of the scale of its result; behind it is the zero point
};

/// `inputs`: how many the node has. Of an unknown operator every input is an operand.
Standing standing_of(std::string_view domain, std::string_view op_type, size_t inputs);

/// Attributes in force, as texts by their names.
using AttributeTexts = std::vector<std::pair<std::string, std::string>>;

/// All of them; graphs by their nodes' operators, tensors by their elements.
AttributeTexts attribute_texts(const Call& call);

/// Those of `all` by which nodes are told apart: without those that follow from inputs or that other opsets have as
/// inputs, and without usual steps, dilations and pads of windows.
AttributeTexts telling_attributes(const Standing& standing, const AttributeTexts& all);

}  // namespace opref::ops
