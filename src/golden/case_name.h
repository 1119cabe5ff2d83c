// SPDX-License-Identifier: Apache-2.0
// Names of golden cases, built from what is in them: "lp_pool_18_f16_2d_k3_s2_ceil".
#pragma once

#include <cstdint>
#include <string>

#include "io/json/tree.h"

namespace opref::golden {

enum class Detail : std::uint8_t {
  usual,
  shapes  ///< lists in full, the shapes or values of all inputs: where the usual name is another case's already
};

/// The operator, the opset (`opset` where the case states none), the element type and the spatial axes of the first
/// input, the stated attributes in their order, how many tensors a variadic input has ("in3") and how many outputs are
/// stated ("out2"), optional inputs, generators other than normal; attributes, inputs and generators by the short names
/// that the operator gives them; the stated name, chosen readings; what would be longer than 200 characters ends with a
/// hash. Of letters a-z, digits, '_', '-' and '.'. A case of another domain than ai.onnx begins with it.
std::string case_name(const JsonValue& combination, std::int64_t opset, Detail detail);

}  // namespace opref::golden
