// SPDX-License-Identifier: Apache-2.0
// Boxes of neighbours in parts that fit the processor's caches, and their terms as vector loops read them.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "evaluators/neighbours.h"
#include "exact/numerics.h"
#include "exact/term_rows.h"

namespace opref::evaluators {

/// Elements (r, i) of a box, the (r·count + i)-th ones of the band: at y + r·y_row + i·y_step in Y, their terms
/// x + r·x_row + i·x_step further than those of the box's first element.
struct Band {
  std::size_t box;
  std::int64_t y, x;
  std::int64_t rows, y_row, x_row;
  std::int64_t count, y_step, x_step;

  std::int64_t size() const { return rows * count; }
  std::int64_t y_of(std::int64_t j) const { return y + j / count * y_row + j % count * y_step; }
  std::int64_t x_of(std::int64_t j) const { return x + j / count * x_row + j % count * x_step; }
};
constexpr std::int64_t kMostOfABand = 1024;

/// How the terms of a box are read.
enum class Reading : std::uint8_t {
  along,   ///< element by element: its runs are long and contiguous
  region,  ///< all that lies between a band's first and last term, once
  rows     ///< term by term, of a row of elements
};

/// What the elements of a box are made of.
struct BoxTerms {
  explicit BoxTerms(const NeighbourBox& box, TermPlaces terms);
  std::int64_t first;                ///< in Y
  std::vector<NeighbourAxis> outer;  ///< axes beside those of bands
  NeighbourAxis rows, inner;
  TermPlaces terms;
  std::int64_t least = 0, most = 0;  ///< of the terms' places
  Reading reading = Reading::rows;
  /// Of a region, for each term: which of the phases that are inner.x apart, and where in it.
  struct PhasePlace {
    std::int64_t phase, at;
  };
  std::vector<PhasePlace> phases = {};

  std::int64_t elements() const;
  /// So many elements of a region there may be.
  static constexpr std::int64_t kMostOfARegion = 4096;
};

/// The bands of boxes, in the order of their first elements; small enough for each thread to have some.
std::vector<Band> bands_of(std::span<const BoxTerms> boxes, int threads);

/// f(band) for all of them, on the numerics' threads.
void for_each_band(std::span<const BoxTerms> boxes, const Numerics& numerics,
                   const std::function<void(std::span<const Band>)>& f);

/// Calls use(numbers, rows, begun, first, t) until it has had all terms of a band's elements, which are not read along:
/// numbers of which rows are made, those from the band's element `first` on, of terms from the t-th on.
/// read(run, to) reads numbers of X.
template <class U, class Read, class Use>
void for_each_term_row(const BoxTerms& box, const Band& band, std::vector<U>& buffer, const Read& read,
                       const Use& use) {
  constexpr std::int64_t kTermsAtOnce = 8, kTermsOfNearRows = 16;
  std::vector<std::int64_t> at;
  const auto make_room = [&](std::size_t size) {
    if (buffer.size() < size) buffer.resize(size);
  };
  if (box.reading == Reading::region) {
    // Numbers that are x_step apart lie beside each other: phase by phase.
    const std::int64_t step = std::max<std::int64_t>(band.x_step, 1), first = band.x + box.least,
                       size = box.most - box.least + (band.rows - 1) * band.x_row + (band.count - 1) * step + 1;
    const std::int64_t phase = (size + step - 1) / step;
    make_room(static_cast<std::size_t>(phase * step) + kTermSlack);
    for (std::int64_t p = 0; p < std::min(step, size); ++p)
      read(Run{first + p, (size - p + step - 1) / step, step}, buffer.data() + p * phase);
    const bool rows_keep_phase = band.x_row % step == 0;
    const std::int64_t at_once = rows_keep_phase ? band.rows : 1;
    for (std::int64_t r = 0; r < band.rows; r += at_once) {
      at.clear();
      for (const auto& place : box.phases) {
        const std::int64_t p = place.phase + (rows_keep_phase ? 0 : r * band.x_row);
        at.push_back(p < step ? p * phase + place.at : p % step * phase + p / step + place.at);
      }
      use(buffer.data(), TermRows{at, at_once, band.x_row / step, band.count}, Begun::no, r * band.count, 0);
    }
    return;
  }
  // Rows that hardly lie apart are read as one. Loops write beyond rows, so that all terms must be there at once.
  const bool are_near = band.x_step == 1 && band.x_row >= band.count && band.x_row <= 2 * band.count &&
                        box.terms.count() <= kTermsOfNearRows;
  const std::int64_t at_once = are_near ? band.rows : 1, size = (at_once - 1) * band.x_row + band.count,
                     room = size + static_cast<std::int64_t>(kTermSlack),
                     terms = are_near ? box.terms.count() : kTermsAtOnce;
  make_room(static_cast<std::size_t>(terms * room));
  for (std::int64_t r = 0; r < band.rows; r += at_once) {
    std::int64_t t = 0;
    const auto flush = [&] {
      const TermRows rows{at, at_once, at_once > 1 ? band.x_row : 0, band.count};
      use(buffer.data(), rows, t == 0 ? Begun::no : Begun::yes, r * band.count, t);
      t += std::ssize(at);
      at.clear();
    };
    for (const Run& run : box.terms.runs())
      for (std::int64_t k = 0; k < run.count; ++k) {
        at.push_back(std::ssize(at) * room);
        read(Run{band.x + r * band.x_row + run.from + k * run.step, size, band.x_step}, buffer.data() + at.back());
        if (std::ssize(at) == terms) flush();
      }
    if (!at.empty()) flush();
  }
}

}  // namespace opref::evaluators
