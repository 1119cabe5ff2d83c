// SPDX-License-Identifier: Apache-2.0
#include "evaluators/row.h"

#include <algorithm>

namespace opref::evaluators {
namespace {

/// A thread's, in doubles: 1 MiB, which is near.
constexpr std::size_t kMostMemory = std::size_t{1} << 17;
constexpr std::size_t kRowsKept = 16;
/// A thread's, of all precisions together: each takes up to half of what is left.
constexpr std::size_t kMostIntervalBytes = std::size_t{24} << 20;

}  // namespace

Slice::Slice(const Elements& x, std::int64_t n)
    : x_(x),
      size_(static_cast<std::size_t>(n)),
      capacity_(std::min(kMostMemory, kRowsKept * (std::min(size_, kMostMemory) + kRowSlack))),
      memory_(std::make_unique_for_overwrite<double[]>(capacity_)) {}

void Slice::move_to(std::int64_t first, std::int64_t step) {
  first_ = first, step_ = step, used_ = interval_bytes_ = 0;
  double* whole = room(size_);
  if (whole != nullptr) x_.numbers({first, static_cast<std::int64_t>(size_), step}, whole);
  widened_ = whole;
}

const double* Slice::numbers(std::size_t i, std::size_t n, double* room) const {
  if (widened_ != nullptr) return widened_ + i;
  x_.numbers({first_ + static_cast<std::int64_t>(i) * step_, static_cast<std::int64_t>(n), step_}, room);
  return room;
}

double* Slice::room(std::size_t n) {
  if (n > capacity_ - used_ || capacity_ - used_ - n < kRowSlack) return nullptr;
  double* free = &memory_[used_];
  used_ += n + kRowSlack;
  return free;
}

bool Slice::has_room_for_intervals(std::size_t n) {
  constexpr std::size_t kAllocation = 32;  // more or less, what an end takes beside its bits
  const std::size_t each = sizeof(Interval) + 2 * (static_cast<std::size_t>(Interval::precision) / 8 + kAllocation);
  if (n > (kMostIntervalBytes - interval_bytes_) / 2 / each) return false;
  interval_bytes_ += n * each;
  return true;
}

}  // namespace opref::evaluators
