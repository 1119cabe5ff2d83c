// SPDX-License-Identifier: Apache-2.0
// What decoders of connectionist temporal classification share.
// https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/ctc-greedy-decoder-1.html
#pragma once

#include <vector>

#include "evaluators/elements.h"
#include "system/deadline.h"
namespace opref::ops {
/// Numbers for each class at each of some steps.
struct ClassSteps {
  evaluators::Elements x;
  std::int64_t classes;
  std::int64_t first, step;  ///< where the first step's numbers begin, and how far that of the next is
};
/// The best path of so many steps: where the greatest number of each step is, of equal ones the first. A step whose
/// class is the blank has none in it, nor, where they are merged, one whose class is that of the step before.
inline std::vector<std::int64_t> best_path(const ClassSteps& numbers, std::int64_t steps, std::int64_t blank,
                                           bool merges) {
  std::vector<std::int64_t> path;
  std::int64_t before = -1;
  for (std::int64_t t = 0; t < steps; ++t) {
    require_time();
    const std::int64_t first = numbers.first + t * numbers.step;
    std::int64_t best = 0;
    for (std::int64_t c = 1; c < numbers.classes; ++c)
      if (numbers.x.number(first + c) > numbers.x.number(first + best)) best = c;
    if (best != blank && !(merges && best == before)) path.push_back(first + best);
    before = best;
  }
  return path;
}
}  // namespace opref::ops
