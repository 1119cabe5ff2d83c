// SPDX-License-Identifier: Apache-2.0
// What stands behind NAME= on the command line.
#pragma once

#include <optional>
#include <string_view>

#include "io/tensor_source.h"

namespace opref::run {

/// A type as an argument states it, with or without a shape.
struct StatedType {
  DType dtype;  ///< of the elements
  std::optional<Dims> shape;
  Form form = Form::tensor;  ///< of maps, else Form::tensor
  DType key = DType::int64;  ///< of maps
};

/// "float32", "float32[1,3]", "map(string,float)" or "seq(map(string,float))"; nothing if the text is no such type.
std::optional<StatedType> parse_type(std::string_view text);

/// The part after NAME= or NAME:DTYPE=: FILE, [[1,2]]:DTYPE, DTYPE[DIMS] or DTYPE[DIMS]:GENERATOR[:SEED];
/// {"a": 1}:map(string,float), [{"3": 1}]:seq(map(int64,float)), or the type of maps alone. Faults: `usage`.
TensorSource parse_value(std::string_view text);

}  // namespace opref::run
