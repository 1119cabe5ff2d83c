// What evaluation may take, and takes.
#pragma once

#include "run/evaluate.h"

namespace opref::run {

/// What the environment's values take. Sequences share their tensors with those that they were made of.
std::int64_t bytes_held(const Environment& environment);
/// Of the outputs whose shape is known before they are computed.
std::int64_t total_bytes(std::span<const ValueType> types);
/// That a step's outputs, those up to the last one that the node names, fit beside `held` bytes of values, with what
/// threads work in; else a `system` error.
void require_memory(const Step& step, std::int64_t held, const EvaluationOptions& options);

}  // namespace opref::run
