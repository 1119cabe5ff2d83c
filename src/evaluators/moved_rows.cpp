// SPDX-License-Identifier: Apache-2.0
#include "evaluators/moved_rows.h"

#include <algorithm>

namespace opref::evaluators {

MovedRows::MovedRows(const Strided& place) : row_(1), start_(place.count() == 0 ? 0 : place(0)) {
  for (const auto& [size, stride] : place.axes()) axes_.push_back({size, stride, {}});
  Run run{0};
  if (!axes_.empty()) {
    run = {0, axes_.back().size, axes_.back().stride};
    axes_.pop_back();
  }
  row_ = run.count;
  pieces_.push_back({0, run});
}

MovedRows::MovedRows(const Dims& x, std::span<const Coordinates> from) {
  const auto is_whole = [&](size_t a) {
    const auto& own = from[a];
    if (!own) return true;
    if (std::ssize(*own) != x[a]) return false;
    for (std::int64_t o = 0; o < x[a]; ++o)
      if ((*own)[static_cast<size_t>(o)] != o) return false;
    return true;
  };
  size_t rank = from.size();
  while (rank > 0 && is_whole(rank - 1)) --rank;
  const std::int64_t unit = element_count(x.without_first(rank));  // elements that stay neighbours
  if (rank == 0) {
    row_ = unit;
    pieces_.push_back({0, {0, unit}});
    return;
  }
  --rank;
  take_pieces(*from[rank], unit);
  row_ = std::ssize(*from[rank]) * unit;
  const Dims strides = strides_of(x);
  for (size_t a = 0; a < rank; ++a) {
    Axis axis{x[a], strides[a], {}};
    if (from[a]) {
      axis.size = std::ssize(*from[a]);
      for (const std::int64_t c : *from[a]) axis.places.push_back(c < 0 ? kNowhere : c * strides[a]);
    }
    axes_.push_back(std::move(axis));
  }
}

void MovedRows::take_pieces(std::span<const std::int64_t> from, std::int64_t unit) {
  constexpr std::int64_t kShortest = 8;  // of runs that are copied as such
  const std::int64_t n = std::ssize(from);
  for (std::int64_t o = 0; o < n;) {
    const std::int64_t first = from[static_cast<size_t>(o)];
    std::int64_t count = 1;
    while (o + count < n && from[static_cast<size_t>(o + count)] == (first < 0 ? -1 : first + count)) ++count;
    const std::int64_t elements = count * unit;
    if (first < 0) {
      pieces_.push_back({o * unit, Run::fill(elements)});
    } else if (elements >= kShortest) {
      pieces_.push_back({o * unit, {first * unit, elements}});
    } else {
      if (pieces_.empty() || pieces_.back().places < 0) pieces_.push_back({o * unit, {0, 0}, std::ssize(gathered_)});
      pieces_.back().run.count += elements;
      for (std::int64_t k = 0; k < elements; ++k) gathered_.push_back(first * unit + k);
    }
    o += count;
  }
}

Run MovedRows::at(std::int64_t i) const {
  struct Seen {
    Run* found;
    void run(std::int64_t, const Run& r) const { *found = r; }
    void gather(std::int64_t, std::int64_t, std::int64_t base, const std::int64_t* at) const { *found = {base + *at}; }
  };
  Run found{0};
  copy(i, i + 1, Seen{&found});
  return found;
}

MovedRows::Begin::Begin(const MovedRows& rows, std::int64_t row) : axes_(rows.axes_) {
  for (size_t a = axes_.size(); a-- > 0; row /= axes_[a].size) at_[a] = row % axes_[a].size;
  sums_[0] = rows.start_;
  add_up(0);
}

std::optional<Transposition> Transposition::of(const Strided& place) {
  constexpr std::int64_t kElements = 4096;  // of a job, or more
  const auto& axes = place.axes();
  if (axes.size() < 2 || axes.back().stride == 0 || axes.back().stride == 1) return std::nullopt;
  const auto across = std::ranges::find(axes, 1, &Strided::Axis::stride);
  if (across == axes.end()) return std::nullopt;
  Transposition found;
  std::int64_t y = 1;  // the stride there
  for (auto axis = axes.end(); axis-- != axes.begin(); y *= axis->size) {
    const Axis both{axis->size, axis->stride, y};
    if (axis == axes.end() - 1)
      found.along_ = both;
    else if (axis == across)
      found.across_ = both;
    else
      found.others_.push_back(both), found.count_ *= axis->size;
  }
  found.start_ = place(0);
  found.rows_ = (kElements / found.along_.size + kTransposed) / kTransposed * kTransposed;
  return found;
}

}  // namespace opref::evaluators
