// SPDX-License-Identifier: Apache-2.0
#include "ops/common/cumulative.h"

#include "ops/common/lists.h"

namespace opref::ops {

OpSchema& cumulative(OpSchema& s, const Types& types) {
  s.input("x", "T").input("axis", "T2", "a scalar, negative from the end").output("y", "T");
  s.types("T", types).types("T2", types::signed_wide);
  return s.attribute(with_default("exclusive", 0, flag())).attribute(with_default("reverse", 0, flag()));
}

std::vector<ValueType> cumulative_types(const Call& call) {
  const TensorType& x = call.type("x");
  require_scalar(call, "axis");
  if (call.has_value("axis")) call.axis("axis", x.rank());
  return {x};
}

Running running(const Call& call) {
  return {.axis = call.axis("axis", call.type("x").rank()),
          .exclusive = call.flag("exclusive"),
          .reverse = call.flag("reverse")};
}

}  // namespace opref::ops
