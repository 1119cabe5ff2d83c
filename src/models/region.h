// SPDX-License-Identifier: Apache-2.0
// What lies between a paired tensor and the pairs before it.
#pragma once

#include <functional>
#include <vector>

#include "models/model.h"

namespace opref::models {

struct Region {
  std::vector<size_t> nodes;   ///< in the graph's order, those that are looked through too
  std::vector<size_t> inputs;  ///< entities at which it begins, ascending
};

/// `is_stop`: of entities at which regions begin. The model's inputs always are such.
Region region_of(const Model& model, size_t entity, const std::function<bool(size_t)>& is_stop);

/// What the region gives for `wanted`, the name of a tensor, while `held` bytes of values live. A node's call is
/// replaced where `replaced` says so. Nothing where it needs what has no value.
struct RegionRun {
  const Model& model;
  const Region& region;
  ValueOf value_of;  ///< of its inputs and constants
  std::int64_t held = 0;
  Alter alter = {};
};
std::optional<Value> evaluate(const RegionRun& run, const std::string& wanted);

/// The spread of right kernels' results: of some evaluations of the region whose nodes' results are moved by what
/// kernels lose, each element y by at most 2 u √n max(|y|, rms), n its roundings (see check/rounding_noise.h).
Spread spread_of(const RegionRun& run, const std::string& wanted, const Numbers& right, int runs);

}  // namespace opref::models
