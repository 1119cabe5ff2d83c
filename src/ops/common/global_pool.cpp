// SPDX-License-Identifier: Apache-2.0
#include "ops/common/global_pool.h"

#include "ops/common/spatial.h"

namespace opref::ops {

std::int64_t plane_size(const Call& call) { return element_count(spatial(call.type("X").shape)); }

std::vector<ValueType> global_pool_types(const Call& call) {
  require_spatial(call, "X");
  const auto& [dtype, x] = call.type("X");
  return {TensorType{dtype, join(x.first(2), Dims::filled(x.size() - 2, 1))}};
}

void global_pool_version_1(OpSchema& s, std::string_view meaning_of_y) {
  s.input("X", "T", "the data, (N, C, D1, …)")
      .output("Y", "T", meaning_of_y)
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}

}  // namespace opref::ops
