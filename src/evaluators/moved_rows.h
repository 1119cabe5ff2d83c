// SPDX-License-Identifier: Apache-2.0
// Moves whose rows are alike: where the elements of a row come from is found once.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/copies.h"
#include "evaluators/move.h"
#include "evaluators/parts.h"
#include "evaluators/strided.h"
#include "system/deadline.h"

namespace opref::evaluators {

/// Y in rows along its last axes, each of the same pieces of x but for the place where it begins, which its coordinates
/// along the axes before say.
class MovedRows {
 public:
  explicit MovedRows(const Strided& place);
  /// y[o0, o1, …] = x[from[0][o0], from[1][o1], …], x being of this shape.
  MovedRows(const Dims& x, std::span<const Coordinates> from);

  /// The elements of Y from position i to before `end`.
  template <class Copier>
  void copy(std::int64_t i, std::int64_t end, const Copier& copier) const {
    Begin begin(*this, i / row_);
    for (std::int64_t o = i % row_; i < end; begin.next(), o = 0) {
      const std::int64_t n = std::min(row_ - o, end - i);
      if (begin.place() < 0)
        copier.run(i, Run::fill(n));
      else
        copy_part(begin.place(), o, n, i, copier);
      i += n;
    }
  }
  /// Where the element at position i comes from.
  Run at(std::int64_t i) const;

 private:
  static constexpr std::int64_t kNowhere = INT64_MIN;  ///< the place of the fill
  struct Axis {
    std::int64_t size, stride;
    std::vector<std::int64_t> places;  ///< of each coordinate; where there are none, they are a stride apart
    std::int64_t place(std::int64_t c) const { return places.empty() ? c * stride : places[static_cast<size_t>(c)]; }
  };
  /// Elements of a row from `first` on: a run, or what is gathered from gathered_[places] on.
  struct Piece {
    std::int64_t first;
    Run run;
    std::int64_t places = -1;
  };
  /// Where rows begin, one after another.
  class Begin {
   public:
    Begin(const MovedRows& rows, std::int64_t row);
    std::int64_t place() const { return sums_[axes_.size()]; }
    void next() {
      size_t a = axes_.size();
      while (a > 0 && ++at_[a - 1] == axes_[a - 1].size) at_[--a] = 0;
      if (a > 0) add_up(a - 1);
    }

   private:
    void add_up(size_t a) {
      for (; a < axes_.size(); ++a) {
        const std::int64_t place = axes_[a].place(at_[a]);
        sums_[a + 1] = sums_[a] < 0 || place == kNowhere ? -1 : sums_[a] + place;
      }
    }

    std::span<const Axis> axes_;
    std::array<std::int64_t, Dims::kCapacity> at_{};
    std::array<std::int64_t, Dims::kCapacity + 1> sums_;
  };

  void take_pieces(std::span<const std::int64_t> from, std::int64_t unit);

  template <class Copier>
  void copy_part(std::int64_t begin, std::int64_t o, std::int64_t n, std::int64_t i, const Copier& copier) const {
    auto piece = pieces_.begin();
    if (o > 0) piece = std::ranges::upper_bound(pieces_, o, {}, &Piece::first) - 1;
    for (; n > 0; ++piece) {
      const std::int64_t skipped = o - piece->first;
      Run run = piece->run;
      run.count = std::min(run.count - skipped, n);
      if (piece->places >= 0) {
        copier.gather(i, run.count, begin, gathered_.data() + piece->places + skipped);
      } else {
        if (!run.is_fill()) run.from += begin + skipped * run.step;
        copier.run(i, run);
      }
      i += run.count, o += run.count, n -= run.count;
    }
  }

  std::vector<Axis> axes_;
  std::vector<Piece> pieces_;
  std::vector<std::int64_t> gathered_;
  std::int64_t row_, start_ = 0;
};

/// A Strided whose last axis lies across the one along which elements are neighbours in x: it is moved in blocks.
class Transposition {
 public:
  /// Nothing where it is none.
  static std::optional<Transposition> of(const Strided& place);

  template <class T>
  void copy(const Numerics& numerics, const PlainCopies<T>& copier) const {
    const std::int64_t blocks = (across_.size + rows_ - 1) / rows_;
    for_each_part(count_ * blocks, 1, numerics, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t job = first; job < last; ++job) {
        require_time();
        const std::int64_t row = job % blocks * rows_;
        std::int64_t x = start_ + row * across_.x, y = row * across_.y, rest = job / blocks;
        for (const Axis& axis : others_) {
          x += rest % axis.size * axis.x, y += rest % axis.size * axis.y;
          rest /= axis.size;
        }
        transpose(copier.from[0] + x, along_.x, copier.y + y, across_.y, std::min(rows_, across_.size - row),
                  along_.size);
      }
    });
  }

 private:
  struct Axis {
    std::int64_t size, x, y;  ///< and the strides in both
  };

  Axis across_, along_;       ///< of neighbours in x, of neighbours in Y
  std::vector<Axis> others_;  ///< the last one first
  std::int64_t start_ = 0, count_ = 1, rows_ = 1;
};

}  // namespace opref::evaluators
