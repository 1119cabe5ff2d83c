// SPDX-License-Identifier: Apache-2.0
// Vector loops over the tiles of a convolution in Winograd's forms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fast/winograd_forms.h"

namespace opref::fast::winograd {

/// Tiles, channels and columns come in vectors of so many at most; arrays have room for one more.
constexpr std::int64_t kWhole = 8;

/// `down` rows of `across` tiles each. A tile reads the N×N elements of a plane from (down M·i, across M·j) on.
struct Tiles {
  std::int64_t down, across;
  std::int64_t columns;  ///< of a phase: element x of a row of a plane is at x%M*columns + x/M, M being Across'
  std::int64_t wide;     ///< across, in whole vectors

  Tiles() = default;
  template <class F>
  static Tiles of(F, std::int64_t down, std::int64_t across) {
    const auto whole = [](std::int64_t n) { return (n + kWhole - 1) / kWhole * kWhole; };
    Tiles t;
    t.down = down, t.across = across, t.wide = whole(across);
    t.columns = whole(across + (F::Across::N - 1) / F::Across::M);
    return t;
  }
  std::int64_t count() const { return down * across; }
};

/// values[p*point + i*across + j] = element p of B·x for tile (i, j), and perhaps something in the vector after the
/// last tile; its square is added to squares[(p*down + i)*wide + j].
template <class F>
struct InputTask {
  Tiles tiles;
  const double* plane;
  double* half;  ///< to work in: Down::N rows of the plane
  double* values;
  std::size_t point;
  double* squares;
};

/// For the points p of some rows of Down's G, which begin with point `origin`: values[(p - origin)*point + c*panel + l]
/// = element p of S·(G·w) for channel c and kernel l, whose taps are at taps[(c*F::taps + t)*panel + l]. Its square
/// times weights[c] is added to squares[p*panel + l].
template <class F>
struct FilterTask {
  const float* taps;
  std::int64_t channels, panel;
  int first_row, rows;
  const double* weights;
  double* values;
  std::size_t point;
  double* squares;
};

/// to[o*row + t] = start + element o of A·products for tile t < count, in whole vectors.
template <class F>
struct OutputTask {
  const double* products;
  std::size_t point;
  std::int64_t count;
  double start;
  double* to;
  std::size_t row;
};

/// to[o*row + t] = start + Σ over p of |A|·(of_squares[p]·squares of tile t + of_elements[p]·(|B|·elements)), for each
/// output o; `elements` are those that a plane has, summed over channels.
template <class F>
struct NormTask {
  Tiles tiles;
  const double *squares, *elements;
  const double *of_squares, *of_elements;
  double start;
  double* to;
  std::size_t row;
};

/// to[o] = start + Σ over p of |A|·(of_squares[p]·squares[p*panel] + of_taps[p]·(|G|·taps)[p]) for each output o of a
/// kernel; `taps` are its squared taps, summed over channels.
template <class F>
struct KernelNormTask {
  const double* squares;
  std::size_t panel;
  const double* taps;
  const double *of_squares, *of_taps;
  double start;
  double* to;
};

#define OPREF_OF(F)                               \
  void transform_input(const InputTask<F>& t);    \
  void transform_filters(const FilterTask<F>& t); \
  void transform_output(const OutputTask<F>& t);  \
  void find_squares(const NormTask<F>& t);        \
  void find_squares(const KernelNormTask<F>& t);
OPREF_OF(Two)
OPREF_OF(Four)
OPREF_OF(LineOfFour)
#undef OPREF_OF

/// to[x%M*columns + x/M] = line[x], x < M*columns; M is 1, 2 or 4.
void split_line(const double* line, std::int64_t M, std::int64_t columns, double* to);
/// to[j*M + r] = from[r*row + j], for `count` elements of `to`.
void join_line(const float* from, std::int64_t row, std::int64_t M, std::int64_t count, float* to);
void join_line(const std::uint16_t* from, std::int64_t row, std::int64_t M, std::int64_t count, std::uint16_t* to);

}  // namespace opref::fast::winograd
