// SPDX-License-Identifier: Apache-2.0
// The inputs on which two models are compared.
#pragma once

#include <string>
#include <vector>

#include "models/room.h"
#include "run/bind.h"

namespace opref::models {

/// An input that nobody gave.
struct GeneratedInput {
  std::string name;
  TensorType type;
  std::string values;  ///< how a command says them: "normal:1"; or "0 to 15"
};

/// Integers that are tried for generated inputs, from 0 to one below: indices may lie beyond an axis otherwise.
inline constexpr std::uint32_t kIntegerRanges[] = {16, 2, 1};

/// Gives each input of the graph that has no source one: floats are those of normal:1, integers 0 to `integers` - 1. An
/// axis without a size has 1 if it is the first one or its symbol has "batch" in it, else 512, of four axes 64, of more
/// 16; a symbol is one size. What is declared without a type or rank, or as no tensor, stays without a value.
std::vector<GeneratedInput> generate_inputs(Bound& bound, std::uint32_t integers);

/// Gives the other model's inputs the reference's values, floats in its own type: by name where the reference has all
/// names, else by place where as many inputs of such shapes and kinds of types are there, which is a line in `notes`.
/// Else a `usage` error that lists both.
void take_inputs(Bound& fresh, const Bound& reference, const Environment& given, std::vector<std::string>& notes);

/// onnxruntime writes operators into models whose opset is older than they are: such nodes are taken by their first
/// version's rules, with a line in `notes`.
void admit_later_operators(Graph& graph, std::vector<std::string>& notes);

}  // namespace opref::models
