// What a backend may have done instead of what the node says: known mistakes and other arithmetic, generic over
// operators. They are tried, never selectable.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "run/evaluate.h"

namespace opref::explain {

/// A node as somebody may have understood it.
struct KnownMistake {
  std::string name;
  /// The call as they took it; may fail as resolve does.
  std::function<std::optional<Call>(const Call&)> made;
};

/// The one catalogue, for this call: what its operator lists, and what follows from the schema: "strides ignored" of
/// each stated attribute and optional input, "strides in reverse order of axes" of each stated list.
std::vector<KnownMistake> known_mistakes(const Call& call);

/// The call with the mistake; nothing where it says the same as the call itself: then nothing about it is in play here.
std::optional<Call> in_play(const KnownMistake& mistake, const Call& call);

/// The plainest change that gives exactly `actual`, the outputs of the step's node: "kernel flipped", "float32
/// accumulation in order", "pads swapped, double rounding through float32", "reading lp_pool.nan=skip, float32
/// accumulation in order"; or "" where none does or none is needed. Nothing is tried on nodes with outputs of more than
/// 2^22 elements, and no arithmetic on more than 2^21 terms. The step has the values of the node's inputs.
std::string explain_by_mistakes(const Step& step, std::span<const Tensor> actual);

}  // namespace opref::explain
