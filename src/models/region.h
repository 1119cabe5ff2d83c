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

/// A region with the values on which it is evaluated.
struct RegionRun {
  const Model& model;
  const Region& region;
  ValueOf value_of;       ///< of its inputs and constants
  std::int64_t held = 0;  ///< bytes of values that live beside
  Alter alter = {};
};
/// What it gives for `wanted`, the name of a tensor; nodes that need what has no value are left out, and nothing where
/// `wanted` is not made then. Faults: those of run_graph.
std::optional<Value> evaluate(const RegionRun& run, const std::string& wanted);

/// The spread of right kernels' results: of some evaluations of the region whose nodes' results are moved by what
/// kernels lose, each element y by at most 2 u √n max(|y|, rms), n its roundings (see check/rounding_noise.h).
Spread spread_of(const RegionRun& run, const std::string& wanted, const Numbers& right, int runs);

}  // namespace opref::models
