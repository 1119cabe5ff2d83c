// SPDX-License-Identifier: Apache-2.0
// Where the elements of an array lie that the positions of another one meet. Broadcasting, transposition, slices,
// expansion and reduction are one thing: a stride per axis.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/index.h"

namespace opref::evaluators {

/// `count` elements of an array, `step` apart: those at from, from + step, …
struct Run {
  std::int64_t from;
  std::int64_t count = 1, step = 1;
  int tensor = 0;  ///< of several arrays, this one
  /// Elements that come from no array: the fill.
  static Run fill(std::int64_t count = 1) { return {-1, count, 0}; }
  bool is_fill() const { return from < 0; }
};

/// Row-major strides of an array.
Dims strides_of(const Dims& shape);
/// The strides by which an array of `shape` appears as one of shape `to`, by NumPy's broadcasting: 0 where it repeats.
Dims broadcast_strides(const Dims& shape, const Dims& to);
/// The shape to which both broadcast (NumPy's rule); that there is none is `invalid`.
Dims broadcast(const Dims& a, const Dims& b);

/// The place of each row-major position i of a shape: start + the sum over its axes of coordinate·stride. Axes are
/// merged with their neighbours where that changes nothing. Rank 0 is one position; an empty axis leaves none.
class Strided {
 public:
  Strided(const Dims& shape, const Dims& strides, std::int64_t start = 0);

  struct Axis {
    std::int64_t size, stride;
  };
  std::int64_t count() const { return count_; }
  /// What the axes are merged into.
  const std::vector<Axis>& axes() const { return axes_; }
  std::int64_t operator()(std::int64_t i) const {
    std::int64_t at = start_;
    for (size_t a = axes_.size(); a-- > 1;) {
      const std::int64_t outer = i / axes_[a].size;
      at += (i - outer * axes_[a].size) * axes_[a].stride;
      i = outer;
    }
    return axes_.empty() ? at : at + i * axes_[0].stride;
  }
  /// The place of i, and of what follows it along the innermost axis.
  Run run(std::int64_t i) const {
    if (axes_.empty()) return {start_, 1, 0};
    const auto& [size, stride] = axes_.back();
    return {(*this)(i), axes_.size() == 1 ? count_ - i : size - i % size, stride};
  }
  /// f(run) for all positions in order, `base` added to each place.
  template <class F>
  void each(std::int64_t base, const F& f) const {
    for (std::int64_t i = 0; i < count_;) {
      Run r = run(i);
      i += r.count;
      r.from += base;
      f(r);
    }
  }

 private:
  std::vector<Axis> axes_;
  std::int64_t start_, count_;
};

/// The coordinates of row-major position i of an array whose axes after the first have these sizes:
/// auto [n, c, o] = split(i, C, O).
template <class... Sizes>
std::array<std::int64_t, sizeof...(Sizes) + 1> split(std::int64_t i, Sizes... sizes) {
  std::array<std::int64_t, sizeof...(Sizes) + 1> at{0, static_cast<std::int64_t>(sizes)...};
  for (size_t a = sizeof...(Sizes); a >= 1; --a) {
    const std::int64_t size = at[a];
    at[a] = i % size;
    i /= size;
  }
  at[0] = i;
  return at;
}

}  // namespace opref::evaluators
