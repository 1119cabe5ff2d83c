// SPDX-License-Identifier: Apache-2.0
// Kernels of float32 loops against simulated ones, and what is wrong by less than the bound allows. Inputs are small
// multiples of powers of two, so that texts have them exactly.
#include "check/typical.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <span>

#include "check/judged_testing.h"

namespace typical_test {

using namespace opref::check;
using namespace opref::check::testing;
using Draws = opref::exact::oracle::Random;

namespace {

Floats times(Floats x, double factor) {
  for (float& one : x) one = static_cast<float>(one * factor);
  return x;
}

}  // namespace

TEST_CASE("typical: a product of float32 sums is, one that is 1e-5 too large is not", "[bound]") {
  constexpr size_t kRows = 12, kInner = 200, kColumns = 12;
  Draws random(1);
  const Floats a = draw(random, kRows * kInner, 4), b = draw(random, kInner * kColumns, 4);
  Floats y;
  for (size_t i = 0; i < kRows; ++i)
    for (size_t j = 0; j < kColumns; ++j) {
      float sum = 0;
      for (size_t k = 0; k < kInner; ++k) sum += a[i * kInner + k] * b[k * kColumns + j];
      y.push_back(sum);
    }
  const NodeUnderTest product("MatMul", {}, {literal("A", a, {kRows, kInner}), literal("B", b, {kInner, kColumns})});
  const auto compared = [&](const Floats& of, const BoundedKernel& kernel = {}) {
    return product.compared(literal("Y", of, {kRows, kColumns}), kernel);
  };
  const Comparison right = compared(y);
  REQUIRE(right.equal());
  CHECK_FALSE(right.is_untypical());
  CHECK(right.typicality.value().median > 0.5);
  CHECK(right.typicality.value().median < 1.5);
  CHECK(right.typicality.value().greatest < 2);
  CHECK(untypical_text(right).empty());

  const Comparison large = compared(times(y, 1 + 1e-5));
  REQUIRE(large.equal());
  CHECK(large.is_untypical());
  CHECK(large.typicality.value().median > 8);
  CHECK(untypical_reason("Y", large) == "output 'Y' is within its bound, but " + untypical_text(large));
  CHECK(untypical_text(large).starts_with("its median error is "));

  // One element alone: its error is the greatest, and the median stays.
  Floats one = y;
  one[17] += 30 * 0x1p-24F * 200;
  const Comparison off = compared(one);
  REQUIRE(off.equal());
  CHECK(off.is_untypical());
  CHECK(off.typicality.value().median < 1.5);
  CHECK(untypical_text(off).starts_with("its greatest error is "));

  // Of a kernel in bfloat16 the bound is far wider, and so is what usual kernels lose.
  const Comparison wide = compared(y, {.accumulator = DType::bfloat16});
  CHECK(wide.typicality.value_or(Typicality{}).median < 0.1);
}

TEST_CASE("typical: of few elements too, and of sums that are exact", "[bound]") {
  Draws random(2);
  for (int draws = 0; draws < 100; ++draws) {
    const Floats x = draw(random, 300, 4);
    float sum = 0;
    for (const float one : x) sum += one;
    const NodeUnderTest reduced("ReduceSum", {}, {literal("data", x, {1, 300})});
    const Comparison comparison = reduced.compared(literal("reduced", {sum}, {1, 1}));
    REQUIRE(comparison.equal());
    CHECK_FALSE(comparison.is_untypical());
  }
}

TEST_CASE("typical: normalizing with another epsilon is not", "[bound]") {
  constexpr size_t kRows = 6, kColumns = 256;
  Draws random(3);
  const Floats x = draw(random, kRows * kColumns, 4);
  const auto normalized = [&](auto epsilon) {
    using T = decltype(epsilon);
    Floats y;
    for (size_t i = 0; i < kRows; ++i) {
      T mean = 0, square = 0;
      for (size_t k = 0; k < kColumns; ++k) mean += static_cast<T>(x[i * kColumns + k]);
      mean /= static_cast<T>(kColumns);
      for (size_t k = 0; k < kColumns; ++k) {
        const T d = static_cast<T>(x[i * kColumns + k]) - mean;
        square += d * d;
      }
      const T root = std::sqrt(square / static_cast<T>(kColumns) + epsilon);
      for (size_t k = 0; k < kColumns; ++k)
        y.push_back(static_cast<float>((static_cast<T>(x[i * kColumns + k]) - mean) / root));
    }
    return y;
  };
  const NodeUnderTest node("LayerNormalization", {"epsilon=1e-4"},
                           {literal("X", x, {kRows, kColumns}), literal("Scale", Floats(kColumns, 1), {kColumns})});
  const auto compared = [&](const Floats& y) { return node.compared(literal("Y", y, {kRows, kColumns})); };
  const Comparison right = compared(normalized(1e-4F));
  REQUIRE(right.equal());
  CHECK_FALSE(right.is_untypical());
  const Comparison without = compared(normalized(0.0));
  REQUIRE(without.equal());  // the bound alone does not see it
  CHECK(without.typicality.value().median > 6);
}

TEST_CASE("typical: only of kernels that neither round inputs nor flush", "[bound]") {
  const NodeUnderTest product("MatMul", {}, {"A=[[1,3]]:float32", "B=[[0.1],[0.3]]:float32"});
  const std::string y = "Y=[[1.0000002]]:float32";
  CHECK(product.compared(y).typicality);
  CHECK_FALSE(product.compared(y, {.input_error = 1e-6}).typicality);
  CHECK_FALSE(product.compared(y, {.subnormals = BoundedKernel::Subnormals::flushed}).typicality);
}

namespace {

bool is_wrong_or_untypical(const Comparison& comparison) { return !comparison.equal() || comparison.is_untypical(); }

/// One channel of RoiAlign in float32, of 2 samples of each of 3x3 bins along each axis.
float mean_of_bin(const Floats& x, std::int64_t L, std::span<const float> region, float scale, std::int64_t bin) {
  const auto place = [&](size_t corner, std::int64_t i, int sample) {
    const float start = region[corner] * scale - 0.5F, end = region[corner + 2] * scale - 0.5F,
                size = (end - start) / 3.0F;
    const float at = start + static_cast<float>(i) * size + (static_cast<float>(sample) + 0.5F) * size / 2.0F;
    return std::clamp(at, 0.0F, static_cast<float>(L - 1));
  };
  float sum = 0;
  for (const int sample : {0, 1, 2, 3}) {
    const float row = place(1, bin / 3, sample / 2), column = place(0, bin % 3, sample % 2);
    const auto top = static_cast<std::int64_t>(row), left = static_cast<std::int64_t>(column);
    const float down = row - static_cast<float>(top), right = column - static_cast<float>(left);
    const auto at = [&](std::int64_t i, std::int64_t j) {
      return x[static_cast<size_t>(std::min(i, L - 1) * L + std::min(j, L - 1))];
    };
    sum += at(top, left) * ((1 - down) * (1 - right)) + at(top, left + 1) * ((1 - down) * right) +
           at(top + 1, left) * (down * (1 - right)) + at(top + 1, left + 1) * (down * right);
  }
  return sum / 4;
}

}  // namespace

TEST_CASE("typical: samples at places that float32 computes", "[bound]") {
  constexpr size_t kSide = 20, kRegions = 24;
  Draws random(4);
  const Floats x = draw(random, kSide * kSide, 4);
  Floats rois, y;
  for (size_t k = 0; k < kRegions; ++k) {
    const Floats low = draw(random, 2, 7), size = draw(random, 2, 7);
    for (const float one : low) rois.push_back(one + 12);
    for (size_t axis = 0; axis < 2; ++axis) rois.push_back(low[axis] + 12 + size[axis] + 27);
    for (std::int64_t bin = 0; bin < 9; ++bin) y.push_back(mean_of_bin(x, kSide, std::span(rois).last(4), 0.3F, bin));
  }
  const NodeUnderTest node(
      "RoiAlign", {"output_height=3", "output_width=3", "sampling_ratio=2", "spatial_scale=0.3"},
      {literal("X", x, {1, 1, kSide, kSide}), literal("rois", rois, {kRegions, 4}), "batch_indices=int64[24]:zeros"});
  const auto compared = [&](const Floats& of) { return node.compared(literal("Y", of, {kRegions, 1, 3, 3})); };
  const Comparison right = compared(y);
  REQUIRE(right.equal());
  CHECK_FALSE(right.is_untypical());
  CHECK(right.typicality.value().median > 0.1);
  CHECK(is_wrong_or_untypical(compared(times(y, 1 + 1e-5))));
}

TEST_CASE("typical: determinants by elimination with pivots", "[bound]") {
  constexpr size_t kCount = 80;
  for (const size_t n : {3, 5}) {
    Draws random(5);
    const Floats x = draw(random, kCount * n * n, 4);
    Floats y;
    for (size_t first = 0; first < x.size(); first += n * n) {
      Floats a(x.begin() + static_cast<std::ptrdiff_t>(first), x.begin() + static_cast<std::ptrdiff_t>(first + n * n));
      float product = 1;
      for (size_t k = 0; k < n; ++k) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; ++i)
          if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
        if (pivot != k) product = -product;
        for (size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
        product *= a[k * n + k];
        for (size_t i = k + 1; i < n; ++i) {
          const float factor = a[i * n + k] / a[k * n + k];
          for (size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
        }
      }
      y.push_back(product);
    }
    const NodeUnderTest node("Det", {}, {literal("X", x, {kCount, n, n})});
    const auto compared = [&](const Floats& of) { return node.compared(literal("Y", of, {kCount})); };
    const Comparison right = compared(y);
    INFO("n = " << n);
    REQUIRE(right.equal());
    CHECK_FALSE(right.is_untypical());
    CHECK(right.typicality.value().median > 0.1);
    CHECK(is_wrong_or_untypical(compared(times(y, 1 + 3e-5))));
  }
}

TEST_CASE("typical: a transform by chirps, whose angles are large", "[bound]") {
  constexpr size_t kLength = 100, kFrames = 5, kStep = 40, kBins = kLength / 2 + 1;
  Draws random(6);
  const Floats signal = draw(random, kLength + kStep * (kFrames - 1), 4);
  const auto chirp = [](size_t n) {
    const auto of = static_cast<float>(n);
    const float angle = 3.14159265F * of * of / static_cast<float>(kLength);
    return std::complex<float>(std::cos(angle), -std::sin(angle));
  };
  Floats y;
  for (size_t frame = 0; frame < kFrames; ++frame)
    for (size_t k = 0; k < kBins; ++k) {
      std::complex<float> sum = 0;
      for (size_t n = 0; n < kLength; ++n)
        sum += signal[frame * kStep + n] * chirp(n) * std::conj(chirp(std::max(k, n) - std::min(k, n)));
      sum *= chirp(k);
      y.push_back(sum.real()), y.push_back(sum.imag());
    }
  const NodeUnderTest node(
      "STFT", {}, {literal("signal", signal, {1, signal.size()}), "frame_step=40:int64", "frame_length=100:int64"});
  const auto compared = [&](const Floats& of) { return node.compared(literal("output", of, {1, kFrames, kBins, 2})); };
  const Comparison right = compared(y);
  REQUIRE(right.equal());
  CHECK_FALSE(right.is_untypical());
  CHECK(right.typicality.value().median > 0.1);
  CHECK_FALSE(compared(times(y, 1 + 1e-3)).equal());  // the angles do not widen the bound
}

}  // namespace typical_test
