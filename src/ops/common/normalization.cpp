// SPDX-License-Identifier: Apache-2.0
#include "ops/common/normalization.h"

#include "core/error.h"

namespace opref::ops {

Reduction neighbours(std::int64_t groups, std::int64_t each) {
  return {{}, Strided(Dims{groups}, Dims{each}), Strided(Dims{each}, Dims{1}), false};
}

Normalization normalization_of_channels(const Call& call) {
  const auto tensor = [&](size_t input) { return call.inputs()[input].tensor(); };
  const Dims& x = call.inputs()[0].type.tensor.shape;
  const std::int64_t N = x[0], groups = call.has_here("num_groups") ? call.integer("num_groups") : x[1],
                     channels = groups == 0 ? 0 : x[1] / groups, spatial = element_count(x.without_first(2)),
                     n = channels * spatial, all = n == 0 ? 0 : N * groups;
  const bool per_group = tensor(1).count() == groups;
  const Strided at(Dims{N, groups, channels, spatial}, Dims{0, per_group ? 1 : channels, per_group ? 0 : 1, 0});
  return {.X = Elements(tensor(0)),
          .groups = neighbours(all, n),
          .group_of = Strided(Dims{all, n}, Dims{1, 0}),
          .epsilon = call.number("epsilon"),
          .scale = Normalization::Parameter{Elements(tensor(1)), at},
          .bias = Normalization::Parameter{Elements(tensor(2)), at}};
}

void require_parameters(const Call& call, std::initializer_list<std::string_view> names, const Dims& shape) {
  for (const std::string_view name : names)
    require(call.type(name).shape == shape, "{} has shape {}, but must have {}", name, call.type(name).shape, shape);
}

}  // namespace opref::ops
