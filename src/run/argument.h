// SPDX-License-Identifier: Apache-2.0
// What stands behind NAME= on the command line.
#pragma once

#include <optional>
#include <string_view>

#include "io/tensor_source.h"

namespace opref::run {

/// A type as an argument states it, with or without a shape.
struct StatedType {
  DType dtype;
  std::optional<Dims> shape;
};

/// "float32" or "float32[1,3]"; nothing if the text is no such type.
std::optional<StatedType> parse_type(std::string_view text);

/// The part after NAME= or NAME:DTYPE=: FILE, [[1,2]]:DTYPE, DTYPE[DIMS] or DTYPE[DIMS]:GENERATOR[:SEED]. Faults:
/// `usage`.
TensorSource parse_value(std::string_view text);

}  // namespace opref::run
