// SPDX-License-Identifier: Apache-2.0
#include "evaluators/neighbours.h"

#include <algorithm>
#include <utility>

namespace opref::evaluators {

Neighbours::Neighbours(std::vector<NeighbourBox> boxes) : boxes_(std::move(boxes)) {
  std::ranges::sort(boxes_, {}, &NeighbourBox::first);
}

Neighbours::Neighbours(const Strided& places) {
  if (places.count() == 0) return;
  NeighbourBox box{0, {}};
  std::int64_t y = places.count();
  for (const Strided::Axis& axis : places.axes()) {
    y /= axis.size;
    box.axes.push_back({axis.size, y, axis.stride});
  }
  boxes_.push_back(std::move(box));
}

void TermPlaces::add(const Run& run) {
  if (run.count == 0) return;
  count_ += run.count;
  if (!runs_.empty()) {
    Run& last = runs_.back();
    const std::int64_t step = last.count > 1 ? last.step : run.from - last.from;
    if (step > 0 && run.from == last.from + last.count * step && (run.count == 1 || run.step == step)) {
      last.step = step;
      last.count += run.count;
      return;
    }
  }
  are_many_ = are_many_ || runs_.size() == kMostRuns;
  if (!are_many_) runs_.push_back(run);
}

std::int64_t TermPlaces::operator[](std::int64_t t) const {
  auto run = runs_.begin();
  for (; t >= run->count; ++run) t -= run->count;
  return run->from + t * run->step;
}

}  // namespace opref::evaluators
