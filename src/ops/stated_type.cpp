// SPDX-License-Identifier: Apache-2.0
#include "ops/stated_type.h"

#include <string_view>

#include "ops/shared/parameters.h"

namespace opref::ops {

std::optional<DType> stated_type(const schema::Call& call) {
  if (call.op().op_type() == "Range") return std::nullopt;  // whose stash_type is part of the value
  for (const std::string_view attribute : {"stash_type", "softmax_precision"})
    if (call.schema().find_attribute(attribute) != nullptr && call.has(attribute))
      return floating_type_of(call, attribute);
  return std::nullopt;
}

}  // namespace opref::ops
