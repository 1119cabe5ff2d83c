// SPDX-License-Identifier: Apache-2.0
// Winograd's forms of short convolutions: M outputs of a kernel of R taps by N = M + R - 1 products instead of M·R,
//   y = A·(S·(G·w) ∘ (B·x)),
// where x are N neighbours, ∘ and S are element by element. All coefficients but those of S are numbers of few bits.
#pragma once

#include <algorithm>

#include "core/rooms.h"

namespace opref::fast::winograd {

/// One tap that is one output.
struct Same {
  static constexpr int M = 1, R = 1, N = 1;
  static constexpr double B[1][1] = {{1}}, G[1][1] = {{1}}, A[1][1] = {{1}}, S[1] = {1};
};
/// By the points 0, 1, -1 and infinity.
struct TwoOfThree {
  static constexpr int M = 2, R = 3, N = 4;
  static constexpr double B[4][4] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
  static constexpr double G[4][3] = {{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}};
  static constexpr double A[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
  static constexpr double S[4] = {1, 1, 1, 1};
};
/// By the points 0, ±1/2, ±2 and infinity: half the error of 0, ±1, ±2.
struct FourOfThree {
  static constexpr int M = 4, R = 3, N = 6;
  static constexpr double B[6][6] = {{1, 0, -4.25, 0, 1, 0},  {0, -2, -4, .5, 1, 0},   {0, 2, -4, -.5, 1, 0},
                                     {0, -.5, -.25, 2, 1, 0}, {0, .5, -.25, -2, 1, 0}, {0, 1, 0, -4.25, 0, 1}};
  static constexpr double G[6][3] = {{1, 0, 0}, {1, .5, .25}, {1, -.5, .25}, {.25, .5, 1}, {.25, -.5, 1}, {0, 0, 1}};
  static constexpr double A[4][6] = {
      {1, 1, 1, 1, 1, 0}, {0, .5, -.5, 2, -2, 0}, {0, .25, .25, 4, 4, 0}, {0, .125, -.125, 8, -8, 1}};
  static constexpr double S[6] = {1, -8 / 15., -8 / 15., 2 / 15., 2 / 15., 1};
};

/// A form along the columns of a plane and one along its rows.
template <class D, class A>
struct Form {
  using Down = D;
  using Across = A;
  static constexpr int points = D::N * A::N, outputs = D::M * A::M, taps = D::R * A::R;
};
using Two = Form<TwoOfThree, TwoOfThree>;
using Four = Form<FourOfThree, FourOfThree>;
using LineOfFour = Form<Same, FourOfThree>;

/// The matrices as types, of which templates make straight code.
template <class F>
struct MatrixB {
  static constexpr int rows = F::N, columns = F::N;
  static constexpr double at(int i, int j) { return F::B[i][j]; }
};
template <class F>
struct MatrixG {
  static constexpr int rows = F::N, columns = F::R;
  static constexpr double at(int i, int j) { return F::G[i][j]; }
};
template <class F>
struct MatrixA {
  static constexpr int rows = F::M, columns = F::N;
  static constexpr double at(int i, int j) { return F::A[i][j]; }
};
constexpr double magnitude(double x) { return x < 0 ? -x : x; }
template <class Matrix>
struct Magnitudes {
  static constexpr int rows = Matrix::rows, columns = Matrix::columns;
  static constexpr double at(int i, int j) { return magnitude(Matrix::at(i, j)); }
};

/// The sum of a row's magnitudes, and of its squares.
template <class Matrix>
constexpr double row_sum(int i) {
  double sum = 0;
  for (int j = 0; j < Matrix::columns; ++j) sum += magnitude(Matrix::at(i, j));
  return sum;
}
template <class Matrix>
constexpr double row_squares(int i) {
  double sum = 0;
  for (int j = 0; j < Matrix::columns; ++j) sum += Matrix::at(i, j) * Matrix::at(i, j);
  return sum;
}

constexpr bool is_power_of_two(double x) {
  while (x < 1) x *= 2;
  while (x >= 2) x /= 2;
  return x == 1;
}
/// Roundings that a term of a row meets, at most: its product's, if that can round, and the additions'.
template <class Matrix>
constexpr int roundings() {
  int most = 0;
  for (int i = 0; i < Matrix::rows; ++i) {
    int terms = 0, product = 0;
    for (int j = 0; j < Matrix::columns; ++j) {
      if (Matrix::at(i, j) == 0) continue;
      ++terms;
      if (!is_power_of_two(magnitude(Matrix::at(i, j)))) product = 1;
    }
    most = std::max(most, terms - 1 + product);
  }
  return most;
}
/// Of one axis after the other.
template <class Down, class Across>
constexpr int roundings_of_both() {
  return roundings<Down>() + roundings<Across>();
}

/// What S multiplies a point with; roundings of that: of both numbers, of their product, and of what it is multiplied
/// with.
template <class F>
constexpr double scaling(int point) {
  return F::Down::S[point / F::Across::N] * F::Across::S[point % F::Across::N];
}
template <class F>
constexpr int roundings_of_scaling() {
  const int scaled = (F::Down::S[F::Down::N / 2] != 1 ? 1 : 0) + (F::Across::S[F::Across::N / 2] != 1 ? 1 : 0);
  return scaled == 0 ? 0 : 2 * scaled;
}

}  // namespace opref::fast::winograd
