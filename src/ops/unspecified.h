// SPDX-License-Identifier: Apache-2.0
// Elements of an output that the specification leaves open: comparisons leave them out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "schema/call.h"

namespace opref::ops {

/// Whether the element at flat position i is one of them. Empty: none is.
using Unspecified = std::function<bool(std::int64_t i)>;

/// Of an output of the call; empty too where the values that decide it are not known.
Unspecified unspecified_elements(const schema::Call& call, std::size_t output);

/// Of Cast and CastLike: what -0 and numbers below 0 become in float8e8m0; "Unspecified" on the page.
Unspecified unspecified_of_cast(const schema::Call& call, std::size_t output);
namespace onnx {
inline namespace file_det {
/// Of Det: matrices with an infinity and no NaN. The page has no formula, so that right kernels add up products or
/// eliminate, and with an infinity these do not give the same.
Unspecified unspecified_of_det(const schema::Call& call, std::size_t output);
}  // namespace file_det
}  // namespace onnx
namespace microsoft {
inline namespace file_group_query_attention {
/// Tokens of output and output_qk, rows of present_key and present_value, that lie behind what seqlens_k counts.
Unspecified unspecified_of_group_query_attention(const schema::Call& call, std::size_t output);
}  // namespace file_group_query_attention
}  // namespace microsoft

}  // namespace opref::ops
