// SPDX-License-Identifier: Apache-2.0
#include "ops/stated_type.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ops/shared/parameters.h"

namespace opref::ops {
namespace {

// Not Range, whose stash_type is for narrower types alone: there it is part of the value.
constexpr std::array<std::string_view, 6> kOperators = {"LayerNormalization", "SimplifiedLayerNormalization",
                                                        "GroupNormalization", "RMSNormalization",
                                                        "Attention",          "FlexAttention"};

}  // namespace

std::optional<DType> stated_type(const schema::Call& call) {
  if (std::ranges::find(kOperators, call.op().op_type()) == kOperators.end()) return std::nullopt;
  for (const std::string_view attribute : {"stash_type", "softmax_precision"})
    if (call.has(attribute)) return floating_type_of(call, attribute);
  return std::nullopt;
}

}  // namespace opref::ops
