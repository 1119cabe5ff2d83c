// SPDX-License-Identifier: Apache-2.0
// Hashes by which tensors of two models are found to have the same place in their graphs.
#pragma once

#include <cstdint>
#include <vector>

#include "models/model.h"

namespace opref::models {

/// By entity. 0: the entity has none.
struct PlaceHashes {
  std::vector<std::uint64_t> forward;   ///< of what makes it: operators and their operands, back to the inputs
  std::vector<std::uint64_t> backward;  ///< of who reads it, and so on, down to the outputs
};

enum class Detail : std::uint8_t {
  full,   ///< with attributes and constants' values
  loose,  ///< without them
};
PlaceHashes place_hashes(const Model& model, Detail detail);

/// The same without what folding and quantising make vanish: affine nodes with constants, clamps.
PlaceHashes skeleton_hashes(const Model& model);

}  // namespace opref::models
