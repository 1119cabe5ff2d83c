// SPDX-License-Identifier: Apache-2.0
#include "evaluators/bands.h"

#include "core/index.h"
#include "evaluators/parts.h"
#include "system/deadline.h"

namespace opref::evaluators {
namespace {

constexpr std::int64_t kLeastAlong = 32;  // terms of a run that are read along

bool has_long_runs(const TermPlaces& terms) {
  return std::ranges::all_of(terms.runs(), [](const Run& run) { return run.step == 1 && run.count >= kLeastAlong; });
}

/// The sizes of a box's bands of at most so many elements.
struct BandSize {
  std::int64_t rows, count;
};
BandSize size_of_region(const BoxTerms& box, std::int64_t most) {
  const std::int64_t room = BoxTerms::kMostOfARegion - (box.most - box.least + 1);
  const std::int64_t count =
      std::min({box.inner.size, most, box.inner.x == 0 ? most : std::max<std::int64_t>(room / box.inner.x, 0) + 1});
  const std::int64_t left = std::max<std::int64_t>(room - (count - 1) * box.inner.x, 0);
  return {std::min({box.rows.size, most / count, box.rows.x == 0 ? most : left / box.rows.x + 1}), count};
}
BandSize band_size(const BoxTerms& box, std::int64_t most) {
  if (box.reading == Reading::region) return size_of_region(box, most);
  if (box.reading == Reading::along) most = std::clamp<std::int64_t>((1 << 16) / box.terms.count(), 1, most);
  const std::int64_t count = std::min(box.inner.size, most);
  return {std::min(box.rows.size, most / count), count};
}

/// Whether a region is not much more than the terms that are read from it.
bool is_worth_a_region(const BoxTerms& box) {
  if (box.most - box.least >= BoxTerms::kMostOfARegion) return false;
  const auto [rows, count] = size_of_region(box, kMostOfABand);
  const std::int64_t region = box.most - box.least + (rows - 1) * box.rows.x + (count - 1) * box.inner.x + 1;
  return region <= 2 * box.terms.count() * rows * count;
}

}  // namespace

BoxTerms::BoxTerms(const NeighbourBox& box, TermPlaces places)
    : first(box.first), rows{1, 0, 0}, inner{1, 0, 0}, terms(std::move(places)) {
  for (const NeighbourAxis& axis : box.axes)
    if (axis.size != 1) outer.push_back(axis);
  if (!outer.empty()) inner = outer.back(), outer.pop_back();
  if (!outer.empty()) {
    // Of bands that would be tiny, the largest axis.
    constexpr std::int64_t kTiny = 16;
    auto axis = outer.end() - 1;
    if (axis->size * inner.size < kTiny)
      axis = std::ranges::max_element(outer, {}, [](const NeighbourAxis& a) { return a.size; });
    rows = *axis;
    outer.erase(axis);
  }
  if (terms.count() == 0 || elements() == 0) return;
  least = most = terms.runs().front().from;
  for (const Run& run : terms.runs()) {
    const std::int64_t last = run.from + (run.count - 1) * run.step;
    least = std::min({least, run.from, last}), most = std::max({most, run.from, last});
  }
  if (inner.x != 1 && has_long_runs(terms))
    reading = Reading::along;
  else if (is_worth_a_region(*this))
    reading = Reading::region;
  if (reading != Reading::region) return;
  const std::int64_t step = std::max<std::int64_t>(inner.x, 1);
  for (const Run& run : terms.runs())
    for (std::int64_t k = 0; k < run.count; ++k) {
      const std::int64_t place = run.from + k * run.step - least;
      phases.push_back({place % step, place / step});
    }
}

std::int64_t BoxTerms::elements() const {
  std::int64_t count = rows.size * inner.size;
  for (const NeighbourAxis& axis : outer) count = checked_multiply(count, axis.size);
  return count;
}

std::vector<Band> bands_of(std::span<const BoxTerms> boxes, int threads) {
  std::int64_t elements = 0, most = kMostOfABand;
  for (const BoxTerms& box : boxes) elements += box.elements();
  constexpr std::int64_t kBandsPerThread = 8, kLeast = 32;
  if (threads > 1) most = std::clamp(elements / (kBandsPerThread * threads), std::min(kLeast, most), most);
  std::vector<Band> bands;
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    const BoxTerms& box = boxes[b];
    if (box.elements() == 0) continue;
    const auto [rows, count] = band_size(box, most);
    std::vector<std::int64_t> at(box.outer.size());
    for (bool more = true; more;) {
      std::int64_t y = box.first, x = 0;
      for (std::size_t a = 0; a < at.size(); ++a) y += at[a] * box.outer[a].y, x += at[a] * box.outer[a].x;
      for (std::int64_t r = 0; r < box.rows.size; r += rows)
        for (std::int64_t i = 0; i < box.inner.size; i += count)
          bands.push_back({b, y + r * box.rows.y + i * box.inner.y, x + r * box.rows.x + i * box.inner.x,
                           std::min(rows, box.rows.size - r), box.rows.y, box.rows.x,
                           std::min(count, box.inner.size - i), box.inner.y, box.inner.x});
      more = false;
      for (std::size_t a = at.size(); a-- > 0 && !more;) {
        more = ++at[a] < box.outer[a].size;
        if (!more) at[a] = 0;
      }
    }
  }
  std::ranges::sort(bands, {}, &Band::y);
  return bands;
}

void for_each_band(std::span<const BoxTerms> boxes, const Numerics& numerics,
                   const std::function<void(std::span<const Band>)>& f) {
  // Less work than a thread costs to start.
  constexpr double kLeastForThreads = 1 << 16;
  double terms = 0;
  for (const BoxTerms& box : boxes)
    terms += static_cast<double>(box.elements()) * static_cast<double>(box.terms.count());
  const int threads = terms < kLeastForThreads ? 1 : numerics.threads;
  const std::vector<Band> bands = bands_of(boxes, threads);
  Numerics by_threads;
  by_threads.threads = threads;
  for_each_part(std::ssize(bands), 1, by_threads, [&](std::int64_t first, std::int64_t last) {
    f(std::span(bands).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
  });
}

}  // namespace opref::evaluators
