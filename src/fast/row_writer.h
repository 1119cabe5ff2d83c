// SPDX-License-Identifier: Apache-2.0
// From estimated rows to elements of Y: phases interleaved, undecided elements left to the definition, all counted.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluators/sum.h"
#include "exact/grid.h"
#include "exact/rows.h"

namespace opref::fast {

/// Where a row's elements go: out[j*phases + r], as far as there are `count`, for the j-th of phase r.
struct PhasedRow {
  std::int64_t first;   ///< position in Y
  std::int64_t count;   ///< elements
  std::int64_t phases;  ///< r in [0, phases)
  std::int64_t span;    ///< j in [0, span)
};

/// Writes rows of Y. For one thread at a time.
template <class T>
class RowWriter {
 public:
  RowWriter(std::span<std::byte> y, const ByDefinition& by_definition)
      : y_(reinterpret_cast<T*>(y.data())), by_definition_(&by_definition) {}

  /// settle(out, undecided) rounds `span` elements of each phase, phase by phase, marks those that it could not decide
  /// with 1 instead of 0, and returns how many.
  template <class Settle>
  void write(const PhasedRow& row, const Settle& settle) {
    const auto n = static_cast<size_t>(row.phases * row.span);
    undecided_.resize(n);
    T* out = y_ + row.first;
    if (row.phases == 1) {
      count(row, settle(out, undecided_.data()));
      return;
    }
    phases_.resize(n);
    const size_t doubts = settle(phases_.data(), undecided_.data());
    interleave(row, out);
    count(row, doubts);
  }
  std::int64_t estimated() const { return estimated_; }

 private:
  void interleave(const PhasedRow& row, T* out) const {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
    const T* from = phases_.data();
    if constexpr (sizeof(T) > 1)
      if (row.phases == 2)
        return row_interleave(reinterpret_cast<const Bits*>(from), reinterpret_cast<const Bits*>(from + row.span),
                              static_cast<size_t>(row.count), reinterpret_cast<Bits*>(out));
    for (std::int64_t r = 0; r < row.phases; ++r)
      for (std::int64_t j = 0; j * row.phases + r < row.count; ++j) out[j * row.phases + r] = from[r * row.span + j];
  }

  void count(const PhasedRow& row, size_t doubts) {
    estimated_ += row.count;
    if (doubts == 0) return;
    positions_.clear();
    for (std::int64_t r = 0; r < row.phases; ++r)
      for (std::int64_t j = 0; j * row.phases + r < row.count; ++j)
        if (undecided_[static_cast<size_t>(r * row.span + j)] != 0)
          positions_.push_back(row.first + j * row.phases + r);
    std::ranges::fill(undecided_, std::uint64_t{0});
    estimated_ -= static_cast<std::int64_t>(positions_.size());
    (*by_definition_)(positions_);
  }

  T* y_;
  const ByDefinition* by_definition_;
  std::vector<T> phases_;
  std::vector<std::uint64_t> undecided_;  ///< 0 from row to row
  std::vector<std::int64_t> positions_;
  std::int64_t estimated_ = 0;
};

/// settle_row, and where that leaves doubts once more without an error if there is none.
template <class T>
size_t settle_certified(LazyCertificate& exact_sums, const double* value, const double* magnitude, double scale,
                        size_t n, T* out, std::uint64_t* undecided) {
  if (exact_sums.is_known()) return settle_row(value, magnitude, 0, n, out, undecided);
  const size_t doubts = settle_row(value, magnitude, scale, n, out, undecided);
  if (doubts == 0 || !exact_sums.holds(doubts)) return doubts;
  return settle_row(value, magnitude, 0, n, out, undecided);
}

}  // namespace opref::fast
