// SPDX-License-Identifier: Apache-2.0
// What evaluation may take, and takes.
#pragma once

#include <unordered_set>

#include "run/evaluate.h"

namespace opref::run {

/// What values take, counted as they come to be known. Sequences share their tensors with those that they were made of.
class HeldBytes {
 public:
  HeldBytes() = default;
  explicit HeldBytes(const Environment& environment);
  void add(const Value& value);
  std::int64_t total() const { return total_; }

 private:
  std::int64_t total_ = 0;
  std::unordered_set<const void*> counted_;  ///< elements of sequences and optionals
};

/// Of the outputs whose shape is known before they are computed.
std::int64_t total_bytes(std::span<const ValueType> types);
/// That a step's outputs, those up to the last one that the node names, fit beside `held` bytes of values, with what
/// threads work in; else a `system` error.
void require_memory(const Step& step, std::int64_t held, const EvaluationOptions& options);

/// That values of so many bytes may be held; else a `system` error.
void require_memory(std::int64_t held, const EvaluationOptions& options);

}  // namespace opref::run
