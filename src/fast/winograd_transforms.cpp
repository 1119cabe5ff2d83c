// SPDX-License-Identifier: Apache-2.0
#include "fast/winograd_transforms.h"

#include "exact/lanes.h"

namespace opref::fast::winograd {
namespace {

/// sum (+)= the terms of row I from column J on.
template <class Matrix, int I, int J, bool kHasTerms, class V>
OPREF_INLINE void add_terms(V& sum, const V* in, int step) {
  if constexpr (J < Matrix::columns) {
    constexpr double c = Matrix::at(I, J);
    if constexpr (c != 0) {
      const V& x = in[J * step];
      if constexpr (!kHasTerms)
        sum = c == 1 ? x : c == -1 ? -x : c * x;
      else if constexpr (c == 1)
        sum += x;
      else if constexpr (c == -1)
        sum -= x;
      else
        sum += c * x;
    }
    add_terms<Matrix, I, J + 1, kHasTerms || c != 0>(sum, in, step);
  }
}
/// out[i*out_step] = Σ over j of the matrix' (i, j) times in[j*step].
template <class Matrix, int I = 0, class V>
OPREF_INLINE void apply(V* out, int out_step, const V* in, int step) {
  if constexpr (I < Matrix::rows) {
    V sum;
    add_terms<Matrix, I, 0, false>(sum, in, step);
    out[I * out_step] = sum;
    apply<Matrix, I + 1>(out, out_step, in, step);
  }
}
/// Down's matrix on the columns of `in`, Across' on the rows of that.
template <class Down, class Across, class V>
OPREF_INLINE void apply_both(V* out, const V* in) {
  V half[Down::rows * Across::columns];
#pragma GCC unroll 8
  for (int j = 0; j < Across::columns; ++j) apply<Down>(half + j, Across::columns, in + j, Across::columns);
#pragma GCC unroll 8
  for (int i = 0; i < Down::rows; ++i) apply<Across>(out + i * Across::rows, 1, half + i * Across::columns, 1);
}

template <int L, class F>
OPREF_INLINE void input(const InputTask<F>& t) {
  using Down = typename F::Down;
  using Across = typename F::Across;
  const Tiles tiles = t.tiles;
  const std::int64_t row = Across::M * tiles.columns;
  const auto norms = static_cast<std::size_t>(tiles.down * tiles.wide);
  double* const half = t.half;
  for (std::int64_t i = 0; i < tiles.down; ++i) {
    const double* const from = t.plane + Down::M * i * row;
    for (std::int64_t x = 0; x < row; x += L) {
      Doubles<L> in[Down::N], out[Down::N];
#pragma GCC unroll 8
      for (int k = 0; k < Down::N; ++k) in[k] = vector_at<L>(from + k * row + x);
      apply<MatrixB<Down>>(out, 1, in, 1);
#pragma GCC unroll 8
      for (int k = 0; k < Down::N; ++k) put_vector<L>(half + k * row + x, out[k]);
    }
    for (std::int64_t j = 0; j < tiles.wide; j += L)
      for (int k = 0; k < Down::N; ++k) {
        Doubles<L> in[Across::N], out[Across::N];
#pragma GCC unroll 8
        for (int q = 0; q < Across::N; ++q)
          in[q] = vector_at<L>(half + k * row + q % Across::M * tiles.columns + j + q / Across::M);
        apply<MatrixB<Across>>(out, 1, in, 1);
        double* const to = t.values + static_cast<std::size_t>(k * Across::N) * t.point + i * tiles.across + j;
        double* const squares = t.squares + static_cast<std::size_t>(k * Across::N) * norms + i * tiles.wide + j;
#pragma GCC unroll 8
        for (int q = 0; q < Across::N; ++q) {
          put_vector<L>(to + static_cast<std::size_t>(q) * t.point, out[q]);
          double* const square = squares + static_cast<std::size_t>(q) * norms;
          put_vector<L>(square, vector_at<L>(square) + out[q] * out[q]);
        }
      }
  }
}

template <int L, class F, int kRow>
OPREF_INLINE void filters_of_row(const FilterTask<F>& t) {
  using Across = typename F::Across;
  double* const to = t.values + static_cast<std::size_t>((kRow - t.first_row) * Across::N) * t.point;
  for (std::int64_t l = 0; l < t.panel; l += L) {
    Doubles<L> squares[Across::N] = {};
    for (std::int64_t c = 0; c < t.channels; ++c) {
      const float* const taps = t.taps + c * F::taps * t.panel + l;
      Doubles<L> in[F::taps], half[Across::R], out[Across::N];
#pragma GCC unroll 16
      for (int k = 0; k < F::taps; ++k) in[k] = __builtin_convertvector(vector_at<L>(taps + k * t.panel), Doubles<L>);
#pragma GCC unroll 8
      for (int j = 0; j < Across::R; ++j)
        add_terms<MatrixG<typename F::Down>, kRow, 0, false>(half[j], in + j, Across::R);
      apply<MatrixG<Across>>(out, 1, half, 1);
      const double weight = t.weights[c];
#pragma GCC unroll 8
      for (int q = 0; q < Across::N; ++q) {
        if (scaling<F>(kRow * Across::N + q) != 1) out[q] *= scaling<F>(kRow * Across::N + q);
        put_vector<L>(to + static_cast<std::size_t>(q) * t.point + c * t.panel + l, out[q]);
        squares[q] += weight * (out[q] * out[q]);
      }
    }
    for (int q = 0; q < Across::N; ++q) {
      double* const square = t.squares + (kRow * Across::N + q) * t.panel + l;
      put_vector<L>(square, vector_at<L>(square) + squares[q]);
    }
  }
}
template <int L, int kRow = 0, class F>
OPREF_INLINE void filters(const FilterTask<F>& t) {
  if constexpr (kRow < F::Down::N) {
    if (kRow >= t.first_row && kRow < t.first_row + t.rows) filters_of_row<L, F, kRow>(t);
    filters<L, kRow + 1>(t);
  }
}

template <int L, class F>
OPREF_INLINE void output(const OutputTask<F>& t) {
  using Down = typename F::Down;
  using Across = typename F::Across;
  for (std::int64_t i = 0; i < t.count; i += L) {
    Doubles<L> half[Down::M * Across::N], out[F::outputs];
#pragma GCC unroll 8
    for (int q = 0; q < Across::N; ++q) {
      Doubles<L> in[Down::N];
#pragma GCC unroll 8
      for (int k = 0; k < Down::N; ++k)
        in[k] = vector_at<L>(t.products + static_cast<std::size_t>(k * Across::N + q) * t.point + i);
      apply<MatrixA<Down>>(half + q, Across::N, in, 1);
    }
#pragma GCC unroll 8
    for (int k = 0; k < Down::M; ++k) apply<MatrixA<Across>>(out + k * Across::M, 1, half + k * Across::N, 1);
#pragma GCC unroll 16
    for (int o = 0; o < F::outputs; ++o)
      put_vector<L>(t.to + static_cast<std::size_t>(o) * t.row + i, out[o] + t.start);
  }
}

template <int L, class F>
OPREF_INLINE void norms(const NormTask<F>& t) {
  using Down = typename F::Down;
  using Across = typename F::Across;
  const Tiles tiles = t.tiles;
  const std::int64_t row = Across::M * tiles.columns, all = tiles.down * tiles.wide;
  for (std::int64_t i = 0; i < tiles.down; ++i)
    for (std::int64_t j = 0; j < tiles.across; j += L) {
      Doubles<L> in[F::points], sums[F::points], out[F::outputs];
      for (int p = 0; p < F::points; ++p) {
        const int k = p / Across::N, q = p % Across::N;
        in[p] = vector_at<L>(t.elements + (Down::M * i + k) * row + q % Across::M * tiles.columns + j + q / Across::M);
      }
      apply_both<Magnitudes<MatrixB<Down>>, Magnitudes<MatrixB<Across>>>(sums, in);
      for (int p = 0; p < F::points; ++p)
        sums[p] = sums[p] * t.of_elements[p] + vector_at<L>(t.squares + p * all + i * tiles.wide + j) * t.of_squares[p];
      apply_both<Magnitudes<MatrixA<Down>>, Magnitudes<MatrixA<Across>>>(out, sums);
      for (int o = 0; o < F::outputs; ++o)
        put_vector<L>(t.to + static_cast<std::size_t>(o) * t.row + i * tiles.across + j, out[o] + t.start);
    }
}

template <class F>
void norm_of_kernel(const KernelNormTask<F>& t) {
  using Down = typename F::Down;
  using Across = typename F::Across;
  double sums[F::points], out[F::outputs];
  apply_both<Magnitudes<MatrixG<Down>>, Magnitudes<MatrixG<Across>>>(sums, t.taps);
  for (int p = 0; p < F::points; ++p)
    sums[p] = sums[p] * t.of_taps[p] + t.squares[static_cast<std::size_t>(p) * t.panel] * t.of_squares[p];
  apply_both<Magnitudes<MatrixA<Down>>, Magnitudes<MatrixA<Across>>>(out, sums);
  for (int o = 0; o < F::outputs; ++o) t.to[o] = out[o] + t.start;
}

#define OPREF_OF(F)                                                         \
  OPREF_FOR_LANES(input_of, (const InputTask<F>& t), input<kLanes>(t))      \
  OPREF_FOR_LANES(filters_of, (const FilterTask<F>& t), filters<kLanes>(t)) \
  OPREF_FOR_LANES(output_of, (const OutputTask<F>& t), output<kLanes>(t))   \
  OPREF_FOR_LANES(norms_of, (const NormTask<F>& t), norms<kLanes>(t))
OPREF_OF(Two)
OPREF_OF(Four)
OPREF_OF(LineOfFour)
#undef OPREF_OF

template <int M>
OPREF_INLINE void split(const double* __restrict line, std::int64_t columns, double* __restrict to) {
  for (std::int64_t j = 0; j < columns; ++j)
    for (int q = 0; q < M; ++q) to[q * columns + j] = line[M * j + q];
}
OPREF_CLONES void split_loop(const double* line, std::int64_t M, std::int64_t columns, double* to) {
  M == 4 ? split<4>(line, columns, to) : M == 2 ? split<2>(line, columns, to) : split<1>(line, columns, to);
}
template <int M, class T>
OPREF_INLINE void join(const T* __restrict from, std::int64_t row, std::int64_t count, T* __restrict to) {
  const std::int64_t whole = count / M;
  for (std::int64_t j = 0; j < whole; ++j)
    for (int r = 0; r < M; ++r) to[j * M + r] = from[r * row + j];
  for (std::int64_t i = whole * M; i < count; ++i) to[i] = from[i % M * row + i / M];
}
template <class T>
OPREF_INLINE void join(const T* from, std::int64_t row, std::int64_t M, std::int64_t count, T* to) {
  M == 4 ? join<4>(from, row, count, to) : M == 2 ? join<2>(from, row, count, to) : join<1>(from, row, count, to);
}
OPREF_CLONES void join_loop(const float* from, std::int64_t row, std::int64_t M, std::int64_t count, float* to) {
  join(from, row, M, count, to);
}
OPREF_CLONES void join_loop(const std::uint16_t* from, std::int64_t row, std::int64_t M, std::int64_t count,
                            std::uint16_t* to) {
  join(from, row, M, count, to);
}

}  // namespace

#define OPREF_OF(F)                                                 \
  void transform_input(const InputTask<F>& t) { input_of(t); }      \
  void transform_filters(const FilterTask<F>& t) { filters_of(t); } \
  void transform_output(const OutputTask<F>& t) { output_of(t); }   \
  void find_squares(const NormTask<F>& t) { norms_of(t); }          \
  void find_squares(const KernelNormTask<F>& t) { norm_of_kernel(t); }
OPREF_OF(Two)
OPREF_OF(Four)
OPREF_OF(LineOfFour)
#undef OPREF_OF

void split_line(const double* line, std::int64_t M, std::int64_t columns, double* to) {
  split_loop(line, M, columns, to);
}
void join_line(const float* from, std::int64_t row, std::int64_t M, std::int64_t count, float* to) {
  join_loop(from, row, M, count, to);
}
void join_line(const std::uint16_t* from, std::int64_t row, std::int64_t M, std::int64_t count, std::uint16_t* to) {
  join_loop(from, row, M, count, to);
}

}  // namespace opref::fast::winograd
