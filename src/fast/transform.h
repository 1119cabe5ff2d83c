// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of lines of any length, in double, several lines side by side, with a bound of how wrong
// each bin can be.
//
// u = 2^-53. An operation that is wrong by ε times the norm of its result, in the 2-norm of a line, times √r a unitary
// matrix, passes on what its input was wrong by: the results of several are wrong by (1 + ε1)(1 + ε2)… - 1 times their
// norm (Higham, Accuracy and Stability of Numerical Algorithms, 24.1, of radix 2). So X is wrong by H·u·√N·|x|, where
// H counts
//   a twiddle      both parts are rounded: √2·u/2; a complex product, with FMA or without: √5u (Brent, Percival,
//                  Zimmermann 2007)                                                                              3
//   radix 2        an addition of each part                                                                      1
//   radix 4        two of them                                                                                   2
//   an odd one, r  of each part of u[j]·cos … and v[j]·sin …: u or v, the constant, the product, (r - 1)/2
//                  additions, and the last one: (r + 7)/2·u·Σ|x[j]|; of both parts √2 times that, of r results √r
//                  times, with Σ|x[j]| <= √r·|x|, relative to √r·|x|                              √(2r)·(r + 7)/2
// Lengths with a prime factor above kMostRadix by Bluestein: with w[n] = e^(-πi·n²/N), X[k] = w[k]·Σ (x[n]·w[n])·
// w̄[k - n], a convolution of length L, a power of two >= 2N - 1. With B the transform of w̄, which is made of pairs and
// rounded, X is wrong by H·u·max|B|·|x|, where H counts both transforms of length L, two products with w and one with
// B: 2·H(L) + 9. A stage in pairs is wrong by less than 50u² of its result (products 6u², sums 3u², turns 16u² of
// themselves), all of them, at most 11, by 550u²·√L·√(2N - 1), which is less than 2^-30·u·max|B|.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exact/real/turns.h"
#include "fast/stockham.h"

namespace opref::fast {

/// What all transforms of a length share.
class TransformPlan {
 public:
  explicit TransformPlan(std::int64_t N);

  std::size_t N;
  exact::TurnTable table;                ///< of N turns, or four times or twice as many
  double roundings = 0;                  ///< H
  double gain = 0;                       ///< √N or max|B|: no bin is wrong by more than H·u·gain·|x|, nor larger
  std::size_t length;                    ///< of `stages`: N or L
  std::vector<Stage> stages;             ///< first to last
  std::vector<Complex<Doubles>> turns;   ///< e^(-2πi·j/length)
  std::vector<Complex<Doubles>> chirp;   ///< w, N of them; none where stages do
  std::vector<Complex<Doubles>> filter;  ///< B/L
};

/// Lines that are transformed side by side on this machine; one alone can be, too.
std::size_t transform_lanes();

/// The bins of `lanes` lines, 1 or transform_lanes(). Number n of line l is numbers[(2l)·N + n], its imaginary part
/// numbers[(2l + 1)·N + n]; those have none if `are_real`, and then each line has room for one part alone. x and y have
/// room for 2·lanes·length doubles. Returns where bin k of line l is at [2·lanes·k + l], and its imaginary part at
/// [2·lanes·k + lanes + l]: x or y. squares[l] is the sum of the squares of line l.
double* transform(const TransformPlan& plan, std::size_t lanes, const double* numbers, bool are_real, double* x,
                  double* y, double* squares);

}  // namespace opref::fast
