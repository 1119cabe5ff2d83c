// SPDX-License-Identifier: Apache-2.0
#include "ops/common/newer_types.h"

namespace opref::ops {

Operator with_newer_types(Operator op, std::string_view variable) {
  return std::move(op)
      .version(21, allows(variable, types::ir10))
      .version(23, allows(variable, types::ir11))
      .version(24, allows(variable, types::ir12))
      .version(25, allows(variable, types::ir13));
}

}  // namespace opref::ops
