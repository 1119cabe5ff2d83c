// SPDX-License-Identifier: Apache-2.0
// The lines of a tensor along an axis: running sums and products go along them, ranks are within them.
#pragma once

#include <cstring>

#include "evaluators/elements.h"
#include "evaluators/parts.h"
#include "evaluators/running.h"

namespace opref::evaluators {

/// The lines of an array along an axis, in the order in which they are added up.
class Lines {
 public:
  Lines(const Dims& shape, const Running& how)
      : how_(how),
        n_(shape[how.axis]),
        inner_(element_count(shape.without_first(how.axis + 1))),
        count_(n_ == 0 ? 0 : element_count(shape) / n_) {}
  std::int64_t count() const { return count_; }
  std::int64_t length() const { return n_; }
  /// From an element of a line to the next one.
  std::int64_t step() const { return how_.reverse ? -inner_ : inner_; }
  std::int64_t own() const { return how_.exclusive ? 0 : 1; }
  /// Where the element of place j of a line is.
  std::int64_t at(std::int64_t line, std::int64_t j) const {
    return line / inner_ * n_ * inner_ + line % inner_ + (how_.reverse ? n_ - 1 - j : j) * inner_;
  }
  std::int64_t line_of(std::int64_t i) const { return i / (n_ * inner_) * inner_ + i % inner_; }
  std::int64_t place_of(std::int64_t i) const {
    const std::int64_t j = i / inner_ % n_;
    return how_.reverse ? n_ - 1 - j : j;
  }
  /// What element i of the output is made of.
  Run terms(std::int64_t i) const { return {at(line_of(i), 0), place_of(i) + own(), step()}; }

 private:
  Running how_;
  std::int64_t n_, inner_, count_;
};

/// work(line) for all lines, on the output's threads.
template <class Work>
void each_line(const Lines& lines, const Numerics& numerics, const Work& work) {
  for_each_part(lines.count(), 1, numerics, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t line = first; line < last; ++line) work(line);
  });
}

/// The low bits of what f makes of the integers so far.
template <class F>
void run_integers(const Output& out, const Elements& x, const Lines& lines, std::int64_t line, std::byte* y,
                  std::uint64_t so_far, const F& f) {
  const auto size = static_cast<size_t>(info(out.type().dtype).bits / 8);
  for (std::int64_t j = 0, taken = 0; j < lines.length(); ++j) {
    for (; taken < j + lines.own(); ++taken)
      so_far = f(so_far, static_cast<std::uint64_t>(x.integer(lines.at(line, taken))));
    std::memcpy(y + lines.at(line, j) * static_cast<std::int64_t>(size), &so_far, size);
  }
}

}  // namespace opref::evaluators
