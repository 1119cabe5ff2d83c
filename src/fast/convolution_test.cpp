// SPDX-License-Identifier: Apache-2.0
// Rows of convolutions give the bytes of the definition's exact tier.
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "fast/fast.h"

namespace opref::fast::convolution_test {
namespace {

/// Elements of few bits, special ones among them.
Tensor tensor(DType dtype, const Dims& shape, std::mt19937_64& random) {
  TensorBuilder builder({dtype, shape});
  const auto fill = [&]<class T>(T) {
    const T specials[] = {T(0), T(-0.0), std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()};
    for (T& x : builder.values<T>())
      x = random() % 60 == 0 ? specials[random() % 4] : static_cast<T>(static_cast<double>(random() % 4096) / 64 - 32);
  };
  if (dtype == DType::int32)
    for (std::uint32_t& x : builder.values<std::uint32_t>()) x = static_cast<std::uint32_t>(random());
  else
    dtype == DType::float64 ? fill(double{}) : fill(float{});
  return std::move(builder).finish();
}

struct Case {
  Convolution c;
  TensorType y;
  bool had_rows = false;
};

/// Y[n, g*M+m, o] = B[g*M+m] + Σ over c and the taps of o of X[n, g*C+c, x]·W[g*M+m, c, w]
Tensor convolved(Case& one, const Numerics& numerics) {
  const auto& [x, w, b, groups, axes] = one.c;
  const std::int64_t C = w.shape()[1], M = w.shape()[0] / groups;
  std::int64_t L = 1, K = 1, O = 1;
  for (const TapAxis& axis : axes) L *= axis.input, K *= axis.kernel, O *= axis.output;
  const evaluators::Taps taps(axes);
  const evaluators::Elements X(x), W(w), B(b ? *b : w);
  const auto definition = [&, has_bias = b.has_value(), groups = groups](std::int64_t i, auto& sum) {
    const auto [n, g, m, o] = evaluators::split(i, groups, M, O);
    if (has_bias) sum.add(B[g * M + m]);
    for (std::int64_t c = 0; c < C; ++c)
      for (const evaluators::Tap& tap : taps.of(o))
        sum.add(X[((n * groups + g) * C + c) * L + tap.x], W[((g * M + m) * C + c) * K + tap.w]);
  };
  Call call;
  call.set_numerics(numerics);
  return evaluators::sum(Output(call, one.y), x.dtype(), definition, {},
                         [&](const RowTarget& y) { return one.had_rows = convolution(y, one.c); });
}

}  // namespace

TEST_CASE("rows: convolutions of random configurations", "[rows]") {
  std::mt19937_64 random(3);
  const auto any = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  constexpr DType kTypes[] = {DType::float32, DType::float64, DType::int32};
  int served = 0, served_with_strides = 0, served_in_place = 0;
  for (int i = 0; i < 300; ++i) {
    const DType dtype = kTypes[i % 3];
    const std::int64_t N = any(1, 2), groups = any(1, 3), C = any(1, 9), M = any(1, 4);
    Dims x{N, groups * C}, w{groups * M, C}, y{N, groups * M}, s, d, pads, L, k, O;
    const bool in_place = i % 5 == 0;  // one tap, at the output's own place: a matrix product
    for (std::int64_t axis = any(1, 3); axis > 0; --axis) {
      if (in_place) {
        const std::int64_t size = any(3, 6);
        L.push_back(size), O.push_back(size), k.push_back(1), s.push_back(1), d.push_back(1), pads.push_back(0);
        continue;
      }
      const std::int64_t stride = any(0, 1) == 0 ? 1 : any(2, 4), dilation = any(0, 2) == 0 ? 2 : 1;
      const std::int64_t kernel = any(1, 5), pad = any(0, 3), end = any(0, 2), size = any(2, 9);
      const std::int64_t room = size + pad + end - (kernel - 1) * dilation - 1;
      if (room < 0) continue;
      L.push_back(size), k.push_back(kernel), s.push_back(stride), d.push_back(dilation), pads.push_back(pad);
      O.push_back(room / stride + 1);
    }
    if (L.empty()) continue;
    CAPTURE(i, to_text(L), to_text(k), to_text(s), to_text(d), to_text(pads), to_text(O), N, groups, C, M);
    std::optional<Tensor> b;
    if (i % 2 == 0) b = tensor(dtype, {groups * M}, random);
    Case one{{tensor(dtype, join(x, L), random), tensor(dtype, join(w, k), random), b, groups,
              evaluators::window_axes(L, k, O, s, d, pads)},
             {dtype, join(y, O)}};
    const Tensor fast = convolved(one, {});
    served += one.had_rows, served_with_strides += one.had_rows && std::ranges::find(s, 1) == s.end();
    served_in_place += one.had_rows && in_place;
    const Tensor exact = convolved(one, {.exact_only = true});
    CHECK(std::ranges::equal(fast.bytes(), exact.bytes()));
  }
  CHECK(served > 150);
  CHECK(served_with_strides > 30);
  CHECK(served_in_place > 30);
}

}  // namespace opref::fast::convolution_test
