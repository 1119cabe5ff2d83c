// SPDX-License-Identifier: Apache-2.0
// The numbers that Winograd's bounds are made of are the sums that their declarations state. All are exact here:
// elements and taps are small integers, factors are powers of two. (In a bound each sum would hide what another one
// lacks.)
#include "fast/winograd_transforms.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace opref::fast::winograd_transforms_test {
namespace {

using namespace winograd;
using Doubles = std::vector<double>;

constexpr std::int64_t kDown = 3, kAcross = 11, kChannels = 3, kPanel = 8;

/// Of both axes at once: an entry of Down's matrix times one of Across'.
template <class F, template <class> class Matrix>
double entry(int row, int column) {
  using Down = Matrix<typename F::Down>;
  using Across = Matrix<typename F::Across>;
  return Down::at(row / Across::rows, column / Across::columns) *
         Across::at(row % Across::rows, column % Across::columns);
}

class Numbers {
 public:
  explicit Numbers(unsigned seed) : random_(seed) {}
  Doubles integers(std::size_t count) {
    return made(count, [this] { return static_cast<double>(random_() % 17) - 8; });
  }
  Doubles powers(std::size_t count) {
    return made(count, [this] { return std::ldexp(1.0, static_cast<int>(random_() % 5) - 2); });
  }

 private:
  template <class Make>
  static Doubles made(std::size_t count, Make make) {
    Doubles list(count);
    for (double& x : list) x = make();
    return list;
  }
  std::mt19937_64 random_;
};

/// A plane of elements, and where tile (i, j) has them.
template <class F>
struct Plane {
  Tiles tiles = Tiles::of(F{}, kDown, kAcross);
  std::int64_t row = F::Across::M * tiles.columns;
  std::size_t size = static_cast<std::size_t>((F::Down::M * (kDown - 1) + F::Down::N) * row);

  double at(const Doubles& plane, std::int64_t i, std::int64_t j, int element) const {
    const std::int64_t y = F::Down::M * i + element / F::Across::N, x = F::Across::M * j + element % F::Across::N;
    return plane[static_cast<std::size_t>(y * row + x % F::Across::M * tiles.columns + x / F::Across::M)];
  }
  std::size_t norm(int p, std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>((p * kDown + i) * tiles.wide + j);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("rows: squares of Winograd's tiles are of all channels", "[rows]", Two, Four, LineOfFour) {
  using F = TestType;
  Numbers numbers(21);
  const Plane<F> plane;
  const std::size_t point = kDown * kAcross + kWhole;
  Doubles squares(F::points * kDown * plane.tiles.wide), expected(squares.size());
  for (int c = 0; c < kChannels; ++c) {
    const Doubles x = numbers.integers(plane.size);
    Doubles from = x, half(F::Down::N * plane.row + kWhole), values(F::points * point + kWhole);
    from.resize(from.size() + kWhole);
    transform_input(InputTask<F>{plane.tiles, from.data(), half.data(), values.data(), point, squares.data()});
    for (int p = 0; p < F::points; ++p)
      for (std::int64_t i = 0; i < kDown; ++i)
        for (std::int64_t j = 0; j < kAcross; ++j) {
          double v = 0;
          for (int e = 0; e < F::points; ++e) v += entry<F, MatrixB>(p, e) * plane.at(x, i, j, e);
          CHECK(values[static_cast<std::size_t>(p) * point + static_cast<std::size_t>(i * kAcross + j)] == v);
          expected[plane.norm(p, i, j)] += v * v;
        }
  }
  for (int p = 0; p < F::points; ++p)
    for (std::int64_t i = 0; i < kDown; ++i)
      for (std::int64_t j = 0; j < kAcross; ++j) CHECK(squares[plane.norm(p, i, j)] == expected[plane.norm(p, i, j)]);
}

TEMPLATE_TEST_CASE("rows: norms of Winograd's tiles", "[rows]", Two, Four, LineOfFour) {
  using F = TestType;
  Numbers numbers(22);
  const Plane<F> plane;
  Doubles squares = numbers.integers(F::points * kDown * plane.tiles.wide + kWhole),
          elements = numbers.integers(plane.size + kWhole);
  const Doubles of_squares = numbers.powers(F::points), of_elements = numbers.powers(F::points);
  const std::size_t row = kDown * kAcross + kWhole;
  Doubles norms(F::outputs * row);
  find_squares(NormTask<F>{plane.tiles, squares.data(), elements.data(), of_squares.data(), of_elements.data(), 1,
                           norms.data(), row});
  for (int o = 0; o < F::outputs; ++o)
    for (std::int64_t i = 0; i < kDown; ++i)
      for (std::int64_t j = 0; j < kAcross; ++j) {
        double norm = 1;
        for (int p = 0; p < F::points; ++p) {
          double sum = of_squares[p] * squares[plane.norm(p, i, j)];
          for (int e = 0; e < F::points; ++e)
            sum += of_elements[p] * magnitude(entry<F, MatrixB>(p, e)) * plane.at(elements, i, j, e);
          norm += magnitude(entry<F, MatrixA>(o, p)) * sum;
        }
        CHECK(norms[static_cast<std::size_t>(o) * row + static_cast<std::size_t>(i * kAcross + j)] == norm);
      }
}

TEMPLATE_TEST_CASE("rows: norms of Winograd's kernels", "[rows]", Two, Four, LineOfFour) {
  using F = TestType;
  Numbers numbers(23);
  const Doubles squares = numbers.integers(F::points * kPanel), taps = numbers.integers(F::taps);
  const Doubles of_squares = numbers.powers(F::points), of_taps = numbers.powers(F::points);
  Doubles norms(F::outputs);
  find_squares(
      KernelNormTask<F>{squares.data(), kPanel, taps.data(), of_squares.data(), of_taps.data(), 3, norms.data()});
  for (int o = 0; o < F::outputs; ++o) {
    double norm = 3;
    for (int p = 0; p < F::points; ++p) {
      double sum = of_squares[p] * squares[static_cast<std::size_t>(p) * kPanel];
      for (int k = 0; k < F::taps; ++k) sum += of_taps[p] * magnitude(entry<F, MatrixG>(p, k)) * taps[k];
      norm += magnitude(entry<F, MatrixA>(o, p)) * sum;
    }
    CHECK(norms[o] == norm);
  }
}

}  // namespace opref::fast::winograd_transforms_test
