// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform X[k] = Σ x[n]·e^(-2πi·kn/N) by stages (Stockham's), for numbers of any kind: vectors
// of doubles, one number a line, or pairs. A stage of radix r is transforms of r numbers and a diagonal of twiddles: √r
// times a unitary matrix. `Transform` says how wrong that is.
#pragma once

#include <cstddef>
#include <vector>

#include "exact/real/pair.h"
#include "exact/vector.h"

namespace opref::fast {

/// Of a kind of numbers V, a name alone: vectors as template arguments lose their alignment.
template <class V>
struct Complex {
  typename V::Number re, im;
};
struct Doubles {
  using Number = double;
};
struct Pairs {
  using Number = exact::Pair;
};
template <class V>
OPREF_INLINE Complex<V> operator+(const Complex<V>& a, const Complex<V>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
OPREF_INLINE Complex<V> operator-(const Complex<V>& a, const Complex<V>& b) {
  return {a.re - b.re, a.im - b.im};
}
template <class V, class W>
OPREF_INLINE Complex<V> operator*(const Complex<V>& a, const Complex<W>& w) {
  return {a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re};
}
template <class V>
OPREF_INLINE Complex<V> conjugate(const Complex<V>& a) {
  return {a.re, -a.im};
}
template <class V>
OPREF_INLINE Complex<V> times_minus_i(const Complex<V>& a) {
  return {a.im, -a.re};
}

/// The greatest radix.
constexpr std::size_t kMostRadix = 61;

/// Of numbers x[q + s·(p + m·j)], j < r, p < m, q < s, to y[q + s·(r·p + k)]; n = r·m. turns[j] = e^(-2πi·j/N), N =
/// n·s.
struct Stage {
  std::size_t n, s, radix;
};

template <class V, class W>
OPREF_INLINE void stage_of_2(const Stage& stage, const Complex<W>* turns, const Complex<V>* x, Complex<V>* y) {
  const std::size_t s = stage.s, m = stage.n / 2;
  for (std::size_t p = 0; p < m; ++p)
    for (std::size_t q = 0; q < s; ++q) {
      const Complex<V> a = x[q + s * p], b = x[q + s * (p + m)];
      y[q + s * 2 * p] = a + b;
      y[q + s * (2 * p + 1)] = (a - b) * turns[s * p];
    }
}
template <class V, class W>
OPREF_INLINE void stage_of_4(const Stage& stage, const Complex<W>* turns, const Complex<V>* x, Complex<V>* y) {
  const std::size_t s = stage.s, m = stage.n / 4;
  for (std::size_t p = 0; p < m; ++p)
    for (std::size_t q = 0; q < s; ++q) {
      const Complex<V>*from = x + q + s * p, a = from[0], b = from[s * m], c = from[2 * s * m], d = from[3 * s * m];
      const Complex<V> ac = a + c, bd = b + d, ca = a - c, db = times_minus_i(b - d);
      Complex<V>* to = y + q + s * 4 * p;
      to[0] = ac + bd;
      to[s] = (ca + db) * turns[s * p];
      to[2 * s] = (ac - bd) * turns[2 * s * p];
      to[3 * s] = (ca - db) * turns[3 * s * p];
    }
}
/// Of an odd radix, R or, with R = 0, any: with u[j] = x[j] + x[r - j] and v[j] = x[j] - x[r - j],
/// X[k] and X[r - k] are x[0] + Σ u[j]·cos(2πjk/r) ∓ i·Σ v[j]·sin(2πjk/r), j <= (r - 1)/2.
template <std::size_t R, class V, class W>
OPREF_INLINE void stage_of_odd(const Stage& stage, const Complex<W>* turns, const Complex<V>* x, Complex<V>* y) {
  const std::size_t r = R == 0 ? stage.radix : R, s = stage.s, m = stage.n / r, half = (r - 1) / 2;
  Complex<W> roots[R == 0 ? kMostRadix : R];
  for (std::size_t j = 0; j < r; ++j) roots[j] = turns[s * m * j];
  Complex<V> u[R == 0 ? kMostRadix / 2 : R / 2], v[R == 0 ? kMostRadix / 2 : R / 2];
  for (std::size_t p = 0; p < m; ++p)
    for (std::size_t q = 0; q < s; ++q) {
      const Complex<V>* from = x + q + s * p;
      Complex<V>* to = y + q + s * r * p;
      const Complex<V> first = from[0];
      Complex<V> all = first;
      for (std::size_t j = 1; j <= half; ++j) {
        const Complex<V> a = from[s * m * j], b = from[s * m * (r - j)];
        u[j - 1] = a + b, v[j - 1] = a - b;
        all = all + u[j - 1];
      }
      to[0] = all;
      for (std::size_t k = 1; k <= half; ++k) {
        Complex<V> even = first, odd = {v[0].re * roots[k].im, v[0].im * roots[k].im};
        even = {even.re + u[0].re * roots[k].re, even.im + u[0].im * roots[k].re};
        for (std::size_t j = 2, at = 2 * k % r; j <= half; ++j, at = at + k < r ? at + k : at + k - r) {
          const Complex<W>& w = roots[at];
          even = {even.re + u[j - 1].re * w.re, even.im + u[j - 1].im * w.re};
          odd = {odd.re + v[j - 1].re * w.im, odd.im + v[j - 1].im * w.im};
        }
        const Complex<V> turned = {-odd.im, odd.re};  // times i: the roots' sines have a minus
        to[s * k] = (even + turned) * turns[s * p * k];
        to[s * (r - k)] = (even - turned) * turns[s * p * (r - k)];
      }
    }
}

/// Of N numbers in x; y is as long. Returns where the result is: x or y.
template <class V, class W>
OPREF_INLINE Complex<V>* by_stages(const std::vector<Stage>& stages, const Complex<W>* turns, Complex<V>* x,
                                   Complex<V>* y) {
  for (const Stage& stage : stages) {
    switch (stage.radix) {
      case 2:
        stage_of_2(stage, turns, x, y);
        break;
      case 3:
        stage_of_odd<3>(stage, turns, x, y);
        break;
      case 4:
        stage_of_4(stage, turns, x, y);
        break;
      case 5:
        stage_of_odd<5>(stage, turns, x, y);
        break;
      default:
        stage_of_odd<0>(stage, turns, x, y);
    }
    Complex<V>* const other = x;
    x = y, y = other;
  }
  return x;
}

}  // namespace opref::fast
