// SPDX-License-Identifier: Apache-2.0
#include "ops/unspecified.h"

#include <algorithm>
#include <string_view>

#include "schema/operator.h"

namespace opref::ops {
namespace {

struct Row {
  std::string_view domain, op_type;
  Unspecified (*elements)(const Call& call, size_t output);
};
constexpr Row kRows[] = {
    {"ai.onnx", "Cast", unspecified_of_cast},
    {"ai.onnx", "CastLike", unspecified_of_cast},
    {"ai.onnx", "Det", onnx::unspecified_of_det},
    {"com.microsoft", "GroupQueryAttention", microsoft::unspecified_of_group_query_attention},
};

}  // namespace

Unspecified unspecified_elements(const Call& call, size_t output) {
  const auto row = std::ranges::find_if(
      kRows, [&](const Row& each) { return each.op_type == call.op().op_type() && each.domain == call.op().domain(); });
  return row == std::end(kRows) ? nullptr : row->elements(call, output);
}

}  // namespace opref::ops
