// SPDX-License-Identifier: Apache-2.0
// A model's file with the types that were found: what is to be declared, and its writer.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "run/bind.h"
#include "run/evaluate.h"

namespace opref::symbols {
using namespace run;

/// What a model is to declare.
struct DeclaredTypes {
  /// By name, of what the graph reads and computes (not in its subgraphs). A size is a number, or a text as `symbol`
  /// ("N", "32*floor((H+31)/32)"), or neither where it is not known; without `dims` the rank is not known. Equal texts
  /// promise equal sizes in every run. A tensor without a `dtype`, and one that is not here, keeps what the file says
  /// of it, but for symbols, which would mean something else beside these.
  std::map<std::string, ValueInfo, std::less<>> tensors;
  std::vector<std::string> rules;  ///< what the sizes must fulfil: "H % 32 in 0, 29..31   else Add 'a' refuses it"
  std::string basis;               ///< what it rests on: "tried at 192 sizes (N 1 to 729107, …) …"; may be empty
};

/// How sizes are written that are no number.
enum class SizeNames : std::uint8_t {
  expressions,  ///< as their texts
  identifiers,  ///< what is no identifier as d1, d2 …; metadata_props say what each means
};

/// Adds what is known of the graph's tensors: numbers.
void declare_known(DeclaredTypes& types, const Environment& environment);

/// Adds to the rules which inputs' values were given: what they decide holds for these values alone.
void declare_given_values(DeclaredTypes& types, const Bound& bound, const Environment& environment);

/// A `usage` error where `file` cannot be the model with types: its name is not .onnx, the case is no ONNX model in a
/// file, or arguments give what the model computes or holds itself.
void require_declarable(const Bound& bound, const std::filesystem::path& file);

/// Writes the model that the case was read from, byte for byte but for the types of its graph's inputs, outputs and
/// inner tensors and for metadata_props (opref.rules, opref.basis, opref.sizes). The file never holds half a model.
/// Returns warnings: of external data, which the file would not find. Faults: `unsupported` (more bytes than protobuf
/// writes), those of reading and writing files.
std::vector<std::string> write_declared(const Bound& bound, const DeclaredTypes& types, SizeNames names,
                                        const std::filesystem::path& file);

}  // namespace opref::symbols
