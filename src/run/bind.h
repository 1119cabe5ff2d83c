// NAME=… arguments, and giving every input its final type.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/case.h"
#include "run/evaluate.h"

namespace opref {

/// Which tensors of the graph a NAME can mean.
enum class Names : std::uint8_t { inputs, outputs, any };

/// NAME=FILE (.npy, .npz:member, .pb), NAME:DTYPE=FILE, NAME:DTYPE[DIMS]=FILE (raw bytes), NAME=[[1,2]]:DTYPE,
/// NAME=DTYPE[DIMS] (a type without values) or NAME=DTYPE[DIMS]:GENERATOR[:SEED]. NAME is the longest name of the
/// graph, or for one node of its operator's parameters, that the argument begins with. Faults: `usage`.
NamedSource parse_binding(const Case& loaded, std::string_view argument, Names names);

/// The tensor of the graph that `name` means: the graph's own name first, then the operator's formal one.
std::optional<std::string> known_tensor(const Case& loaded, std::string_view name, Names names);

/// The `usage` error for a name that known_tensor does not know; it offers the nearest.
[[noreturn]] void unknown_tensor(const Case& loaded, std::string_view name, Names names);

/// Binds the arguments, instead of tensors that come with the case.
void bind_inputs(Case& loaded, std::span<const std::string> arguments);

/// Reads all bound inputs of the case's graph. An element type that a file or literal leaves open is what the graph
/// declares, what the operator allows, or what other inputs of the same type variable have. Declared inputs that are
/// not bound are known by their type. Together they take at most options.max_bytes; what would be more is refused
/// before it is decoded, tensors that a model holds after that.
Environment load_inputs(const Case& loaded, const EvaluationOptions& options, std::vector<std::string>& warnings);

}  // namespace opref
