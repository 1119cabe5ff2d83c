// SPDX-License-Identifier: Apache-2.0
// Row estimates give the bytes of the definition's exact tier, and those of rational arithmetic where that is hard.
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "evaluators/windows_testing.h"
#include "exact/oracle_testing.h"
#include "fast/fast.h"
#include "system/memory_testing.h"

namespace opref::fast::definition_test {
namespace {

constexpr DType kFloats[] = {DType::float16, DType::bfloat16, DType::float32, DType::float64};

Tensor norms(const Call& call, const TensorType& type, const Tensor& x, const TapAxes& axes, double p) {
  return window_norms(call, type, x, axes, p, 0, [&](const RowTarget& y) { return lp_norm(y, x, axes, p); });
}

bool same(const Tensor& a, const Tensor& b) { return a.type() == b.type() && std::ranges::equal(a.bytes(), b.bytes()); }

enum class Data { normal, small_integers, special };

Tensor tensor(DType dtype, const Dims& shape, Data data, std::uint64_t seed) {
  TensorBuilder builder({dtype, shape});
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const double specials[] = {0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-24, -0x1p-140, 65504, 0x1p100, 1};
  const size_t size = static_cast<size_t>(info(dtype).bits) / 8;
  for (size_t i = 0; i < static_cast<size_t>(element_count(shape)); ++i) {
    std::uint64_t bits = random();
    if (info(dtype).kind == Kind::floating) {
      double value = normal(random);
      if (data == Data::small_integers) value = std::round(4 * value);
      if (data == Data::special && random() % 40 == 0) value = specials[random() % std::size(specials)];
      if (dtype == DType::float16) bits = to_bits(nearest<Half>(value));
      if (dtype == DType::bfloat16) bits = to_bits(nearest<BFloat16>(value));
      if (dtype == DType::float32) bits = to_bits(nearest<float>(value));
      if (dtype == DType::float64) bits = to_bits(value);
    }
    std::memcpy(&builder.bytes()[i * size], &bits, size);
  }
  return std::move(builder).finish();
}

struct Sizes {
  Dims L, k, s, d, pb, O;
  std::int64_t N = 1, groups = 1, Cg = 1, Mg = 1;
};

Call call_of(const Numerics& numerics) {
  Call call;
  call.set_numerics(numerics);
  return call;
}

Tensor transposed(const Sizes& g, DType dtype, const Tensor& x, const Tensor& w, const std::optional<Tensor>& b,
                  const Numerics& numerics) {
  const TapAxes axes = transposed_axes(g.L, g.k, g.O, g.s, g.d, g.pb);
  const auto rows = [&](const RowTarget& y) { return transposed_convolution(y, {x, w, b, g.groups, axes}); };
  return evaluators::transposed(call_of(numerics), {dtype, join({g.N, g.groups * g.Mg}, g.O)},
                                {x, w, b, g.groups, axes}, {}, rows);
}

/// How many elements of Y the estimate decided; the bytes are those of the exact tier, by any number of threads.
std::int64_t check_transposed(const Sizes& g, DType dtype, Data data, std::uint64_t seed) {
  CAPTURE(to_text(dtype), to_text(g.L), to_text(g.k), to_text(g.s), to_text(g.d), to_text(g.pb), to_text(g.O), g.N,
          g.groups, g.Cg, g.Mg, static_cast<int>(data), seed);
  const Tensor x = tensor(dtype, join({g.N, g.groups * g.Cg}, g.L), data, seed);
  const Tensor w = tensor(dtype, join({g.groups * g.Cg, g.Mg}, g.k), data, ~seed);
  std::optional<Tensor> b;
  if (seed % 2 == 0) b = tensor(dtype, {g.groups * g.Mg}, data, seed ^ 0xb1a5);
  Stats stats;
  const Tensor fast = transposed(g, dtype, x, w, b, {.stats = &stats});
  CHECK(stats.estimated + stats.exact == fast.count());
  const std::int64_t estimated = stats.estimated;
  CHECK(same(fast, transposed(g, dtype, x, w, b, {.exact_only = true})));
  if (seed % 4 == 0) CHECK(same(fast, transposed(g, dtype, x, w, b, {.threads = 3})));
  return estimated;
}

/// How many elements of Y the estimate decided; the bytes are those of the exact tier, by any number of threads.
std::int64_t check_norms(DType dtype, const Dims& nc, double p, const Tensor& x, const TapAxes& axes) {
  Dims shape = nc;
  for (const TapAxis& axis : axes) shape.push_back(axis.output);
  CAPTURE(to_text(dtype), to_text(shape), p);
  Stats stats;
  const auto by = [&](const Numerics& numerics) { return norms(call_of(numerics), {dtype, shape}, x, axes, p); };
  const Tensor fast = by({.stats = &stats});
  CHECK(stats.estimated + stats.exact == fast.count());
  const std::int64_t estimated = stats.estimated;
  CHECK(same(fast, by({.exact_only = true})));
  CHECK(same(fast, by({.threads = 3})));
  return estimated;
}

}  // namespace

TEST_CASE("rows: transposed convolution of every small configuration, 1-D", "[rows]") {
  constexpr DType kTypes[] = {DType::float16, DType::float32, DType::bfloat16, DType::float64, DType::int8,
                              DType::uint16,  DType::int32,   DType::uint64,   DType::float32};
  constexpr std::int64_t kChannels[] = {8, 1, 9, 30};
  std::uint64_t turn = 0;
  for (std::int64_t L = 1; L <= 4; ++L)
    for (std::int64_t k = 1; k <= 3; ++k)
      for (std::int64_t s = 1; s <= 4; ++s)
        for (std::int64_t d = 1; d <= 3; ++d)
          for (std::int64_t pb = 0; pb <= 2; ++pb)
            for (std::int64_t extra = -1; extra <= 2; ++extra) {
              const std::int64_t O = s * (L - 1) + (k - 1) * d + 1 - pb + extra;
              if (O < 1) continue;
              ++turn;
              const auto data = static_cast<Data>(turn % 3);
              check_transposed({{L}, {k}, {s}, {d}, {pb}, {O}, 1, 1 + (extra > 1), kChannels[turn % 4], 2},
                               kTypes[turn % 9], data, turn);
            }
}

TEST_CASE("rows: transposed convolutions of random configurations, 2-D and 3-D", "[rows]") {
  std::mt19937_64 random(2);
  const auto any = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  for (std::uint64_t i = 0; i < 240; ++i) {
    Sizes g;
    g.N = any(1, 2), g.groups = any(1, 2), g.Cg = any(0, 1) == 0 ? any(1, 7) : any(8, 12), g.Mg = any(1, 9);
    const size_t axes = i % 3 == 0 ? 3 : 2;
    while (g.O.size() < axes) {
      const std::int64_t L = any(1, axes == 3 ? 5 : 9), k = any(1, 4), s = any(1, 3), d = any(1, 2), pb = any(0, 3);
      const std::int64_t O = s * (L - 1) + (k - 1) * d + 1 - pb + any(-2, 3);
      if (O < 1) continue;
      g.L.push_back(L), g.k.push_back(k), g.s.push_back(s), g.d.push_back(d), g.pb.push_back(pb), g.O.push_back(O);
    }
    check_transposed(g, kFloats[i % 4], static_cast<Data>(random() % 3), i);
  }
}

TEST_CASE("rows: large transposed convolutions, in several tiles", "[rows]") {
  const auto sizes = GENERATE(
      // More than fits into one tile of a matrix product, of padded rows; one long row; many channels; far taps.
      Sizes{{90, 70}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {179, 139}, 1, 1, 64, 2},
      Sizes{{9, 20, 30}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {0, 1, 1}, {19, 39, 59}, 1, 1, 16, 2},
      Sizes{{200, 300}, {4, 4}, {2, 2}, {1, 1}, {1, 1}, {400, 600}, 1, 1, 4, 1},
      Sizes{{150000}, {3}, {1}, {2}, {2}, {150000}, 1, 1, 1, 1},
      Sizes{{6000}, {4}, {3}, {1}, {0}, {18001}, 1, 1, 80, 1},
      Sizes{{3, 5}, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {6, 10}, 2, 1, 2500, 3},
      Sizes{{40, 40}, {3, 3}, {1, 1}, {16, 16}, {16, 16}, {40, 40}, 1, 2, 16, 3},
      // Enough output channels for copies in the product, and for several blocks of them.
      Sizes{{7, 20}, {4, 4}, {2, 2}, {1, 1}, {1, 1}, {14, 40}, 1, 2, 12, 40},
      Sizes{{4, 9}, {3, 2}, {1, 2}, {1, 1}, {0, 0}, {6, 18}, 1, 1, 300, 150},
      Sizes{{64, 64}, {5, 5}, {1, 1}, {1, 1}, {2, 2}, {64, 64}, 1, 3, 5, 2});
  const DType dtype = GENERATE(DType::float16, DType::bfloat16, DType::float32, DType::float64);
  const std::int64_t estimated = check_transposed(sizes, dtype, Data::normal, 4);
  const double count = static_cast<double>(element_count(sizes.O) * sizes.N * sizes.groups * sizes.Mg);
  CHECK(static_cast<double>(estimated) > (dtype == DType::bfloat16 ? 0.98 : 0.99) * count);
}

TEST_CASE("rows: integer data, ties included, are decided by the grid certificate", "[rows]") {
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32})
    for (const std::int64_t channels : {4, 20}) {
      const Sizes g{{20, 20}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {39, 39}, 1, 1, channels, 3};
      // The first few that ask are computed exactly.
      CHECK(check_transposed(g, dtype, Data::small_integers, 6) >= 3 * 39 * 39 - 200);
    }
}

namespace {

enum class Along { row, rows, channels };

/// The products' sum by rows: one tap of a row, one row or one channel for each.
template <class T>
std::uint64_t sum_by_rows(const oracle::Products& products, Along along) {
  const auto n = static_cast<std::int64_t>(products.size());
  const bool by_channels = along == Along::channels;
  const Dims axes = along == Along::row ? Dims{1, n} : along == Along::rows ? Dims{n, 1} : Dims{1, 1};
  TensorBuilder x({oracle::kDType<T>, join(by_channels ? Dims{1, n} : Dims{1, 1}, axes)});
  TensorBuilder w({oracle::kDType<T>, join(by_channels ? Dims{n, 1} : Dims{1, 1}, axes)});
  for (size_t i = 0; i < products.size(); ++i) {
    x.values<T>()[i] = nearest<T>(products[i].first);
    w.values<T>()[by_channels ? i : products.size() - 1 - i] = nearest<T>(products[i].second);
  }
  const Sizes g{axes, axes, {1, 1}, {1, 1}, axes - Dims{1, 1}, {1, 1}, 1, 1, by_channels ? n : 1, 1};
  const Tensor y = transposed(g, oracle::kDType<T>, std::move(x).finish(), std::move(w).finish(), {}, {});
  return to_bits(y.values<T>()[0]);
}

template <class T>
void check_products(std::uint64_t seed, int cases) {
  oracle::Random random(seed);
  int differences = 0;
  for (int i = 0; i < cases && differences < 5; ++i) {
    oracle::Products products = oracle::products_for<T>(random);
    const std::uint64_t want = oracle::sum_of_products<T>(products);
    for (const Along along : {Along::row, Along::rows, Along::channels}) {
      const std::uint64_t sum = sum_by_rows<T>(products, along);
      if (sum == want) continue;
      ++differences;
      CAPTURE(i, oracle::described(products), static_cast<int>(along), want);
      CHECK(sum == want);
    }
  }
  CHECK(differences == 0);
}

template <class T>
void check_hard_norms(std::uint64_t seed, int cases) {
  oracle::Random random(seed);
  int differences = 0;
  for (int i = 0; i < cases && differences < 5; ++i) {
    const oracle::Norm norm = oracle::norm_for<T>(random);
    if (norm.scale_to != 0) continue;
    const auto n = static_cast<std::int64_t>(norm.window.size());
    TensorBuilder x({oracle::kDType<T>, {1, 1, n}});
    for (size_t k = 0; k < norm.window.size(); ++k) x.values<T>()[k] = nearest<T>(norm.window[k]);
    const Tensor y = norms(Call{}, {oracle::kDType<T>, {1, 1, 1}}, std::move(x).finish(),
                           window_axes({n}, {n}, {1}, {1}, {1}, {0}), norm.p.value());
    const std::uint64_t want = oracle::norm<T>(norm.window, norm.p, 1);
    if (to_bits(y.values<T>()[0]) == want) continue;
    ++differences;
    CAPTURE(i, join_text(norm.window, ","), norm.p.value(), want);
    CHECK(to_bits(y.values<T>()[0]) == want);
  }
  CHECK(differences == 0);
}

}  // namespace

TEMPLATE_TEST_CASE("rows: hard sums of products equal the rational sum, rounded once", "[rows][oracle]", Half, BFloat16,
                   float, double) {
  check_products<TestType>(21, 600);
}

namespace {

/// One output element of one input per channel.
template <class T = float>
float one_element(const std::vector<float>& x, const std::vector<float>& w, float bias) {
  const auto channels = static_cast<std::int64_t>(x.size());
  const auto tensor_of = [](const Dims& shape, std::span<const float> values) {
    TensorBuilder built({oracle::kDType<T>, shape});
    std::ranges::transform(values, built.values<T>().begin(), [](float value) { return nearest<T>(value); });
    return std::move(built).finish();
  };
  const Sizes g{{1}, {1}, {1}, {1}, {0}, {1}, 1, 1, channels, 1};
  const Tensor y = transposed(g, oracle::kDType<T>, tensor_of({1, channels, 1}, x), tensor_of({channels, 1, 1}, w),
                              tensor_of({1}, {&bias, 1}), {});
  return static_cast<float>(widen(y.values<T>()[0]));
}

}  // namespace

TEST_CASE("rows: a bias counts in the error bound", "[rows]") {
  // 1 + 2^-24 + 2^-60 is above a midpoint of float, but not in double.
  for (const size_t channels : {2, 8}) {
    std::vector<float> w(channels, 0);
    w[0] = 0x1p-24F, w[1] = 0x1p-60F;
    CHECK(one_element(std::vector<float>(channels, 1), w, 1) == 1 + 0x1p-23F);
  }
}

TEST_CASE("rows: a bias counts beside small inputs", "[rows]") {
  std::vector<float> w(300, 0);
  w[0] = 0x1p-12F, w[128] = 0x1p-48F;
  CHECK(one_element(std::vector<float>(w.size(), 0x1p-12F), w, 1) == 1 + 0x1p-23F);
}

TEST_CASE("rows: a small bias counts beside products whose sum is a tie", "[rows]") {
  for (const size_t channels : {2, 8, 300}) {
    std::vector<float> x(channels, 0);
    const std::vector<float> w(channels, 1);
    x[0] = 1, x[1] = 0x1p-24F;
    CHECK(one_element(x, w, 0x1p-60F) == 1 + 0x1p-23F);
    CHECK(one_element(x, w, 0) == 1);
    x[1] = 0x1p-8F;
    CHECK(one_element<BFloat16>(x, w, 0x1p-60F) == 1 + 0x1p-7F);
    CHECK(one_element<BFloat16>(x, w, 0) == 1);
  }
}

TEST_CASE("rows: channels of every part count in the error bound", "[rows]") {
  std::vector<float> x(2500, 0), w(x.size(), 0);
  std::fill_n(x.begin(), 1000, 0x1p40F);
  w[0] = 0x1p-40F, w[1] = 0x1p-64F, w[2] = 0x1p-100F;
  CHECK(one_element(x, w, 0) == 1 + 0x1p-23F);
}

TEST_CASE("rows: a sum of negative zeros is +0", "[rows]") {
  for (const size_t channels : {2, 8})
    CHECK(to_bits(one_element(std::vector<float>(channels, 0), std::vector<float>(channels, -1), -0.0F)) == 0);
}

TEMPLATE_TEST_CASE("rows: hard norms equal the rational sum's root, rounded once", "[norms][oracle]", Half, BFloat16,
                   float, double) {
  check_hard_norms<TestType>(22, 400);
}

TEST_CASE("rows: sums of |x| that round in double are not taken for exact, whichever row has the small numbers",
          "[rows]") {
  // 1 + 2^-24 + 2^-60 is above a midpoint of float, but not in double; 1 + 2^-24 is the midpoint, a tie to even.
  const auto norm = [](std::vector<float> window, std::int64_t rows) {
    const auto columns = static_cast<std::int64_t>(window.size()) / rows;
    const Tensor x = Tensor::of<float>(DType::float32, {1, 1, rows, columns}, window);
    const Tensor y = norms(Call{}, {DType::float32, {1, 1, 1, 1}}, x,
                           window_axes({rows, columns}, {rows, columns}, {1, 1}, {1, 1}, {1, 1}, {0, 0}), 1);
    return y.values<float>()[0];
  };
  CHECK(norm({1, 0x1p-24F, 0x1p-60F, 0}, 1) == 1 + 0x1p-23F);
  CHECK(norm({1, 0, 0x1p-24F, 0x1p-60F}, 2) == 1 + 0x1p-23F);
  CHECK(norm({0x1p-24F, -0x1p-60F, -1, 0}, 2) == 1 + 0x1p-23F);
  CHECK(norm({-1, 0x1p-24F}, 1) == 1);
  CHECK(norm({1 + 0x1p-23F, 0, 0, 0x1p-24F}, 2) == 1 + 0x1p-22F);
}

TEST_CASE("rows: norms of every small configuration, 1-D", "[norms]") {
  std::uint64_t turn = 0;
  for (std::int64_t L = 1; L <= 6; ++L)
    for (std::int64_t k = 1; k <= 4; ++k)
      for (std::int64_t s = 1; s <= 3; ++s)
        for (std::int64_t d = 1; d <= 3; ++d)
          for (std::int64_t pb = 0; pb <= 2; ++pb) {
            const std::int64_t room = L + 2 * pb - (k - 1) * d - 1;
            if (room < 0) continue;
            ++turn;
            const DType dtype = kFloats[turn % 4];
            const Tensor x = tensor(dtype, {2, 3, L}, static_cast<Data>(turn % 3), turn);
            check_norms(dtype, {2, 3}, {static_cast<double>(1 + turn % 5)}, x,
                        window_axes({L}, {k}, {room / s + 2}, {s}, {d}, {pb}));
          }
}

TEST_CASE("rows: norms of large tensors", "[norms]") {
  for (const DType dtype : kFloats)
    for (const double p : {1.0, 2.0, 3.0, 4.0, 9.0, 0.5, 2.75}) {
      CAPTURE(to_text(dtype), p);
      // Sums of a few f64 numbers of one size are often ties.
      const std::int64_t least = dtype == DType::float64 && p == 1 ? 3800 : 3990;
      CHECK(check_norms(dtype, {1, 2}, {p}, tensor(dtype, {1, 2, 80, 99}, Data::normal, 7),
                        window_axes({80, 99}, {3, 3}, {40, 50}, {2, 2}, {1, 1}, {1, 1})) >= least);
      check_norms(dtype, {1, 1}, {p}, tensor(dtype, {1, 1, 5, 6, 30}, Data::special, 8),
                  window_axes({5, 6, 30}, {2, 4, 4}, {4, 3, 26}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}));
    }
  check_norms(DType::float32, {1, 1}, {2}, tensor(DType::float32, {1, 1, 90000}, Data::normal, 9),
              window_axes({90000}, {5}, {44999}, {2}, {1}, {1}));
}

TEST_CASE("what is computed beside the tensors takes little memory at any size", "[rows]") {
  // Elements that nobody wrote take no memory: X and W are zero pages.
  const std::int64_t size = std::int64_t{1} << 25;
  const Dims x_shape = GENERATE_COPY(Dims{1, 1, size}, Dims{1, 16, size / 16}, Dims{16, 1, size / 16});
  const DType dtype = GENERATE(DType::float16, DType::bfloat16, DType::int8);
  const bool exact_only = GENERATE(false, true);
  CAPTURE(to_text(dtype), to_text(x_shape), exact_only);
  const Tensor x = TensorBuilder({dtype, x_shape}).finish();
  const std::int64_t N = x_shape[0], C = x_shape[1], L = x_shape[2], k = L / 2;
  const Sizes g{{L}, {k}, {1}, {k}, {5}, {3}, N, 1, C, 1};
  const Tensor w = TensorBuilder({dtype, {C, 1, k}}).finish();
  CHECK(memory_of([&] { transposed(g, dtype, x, w, {}, {.exact_only = exact_only}); }) < kMostScratch);
  // The same X with a small kernel, and little of the output.
  const Sizes small{{L}, {4}, {1}, {1}, {L / 2}, {2000}, N, 1, C, 1};
  const Tensor w4 = TensorBuilder({dtype, {C, 1, 4}}).finish();
  CHECK(memory_of([&] { transposed(small, dtype, x, w4, {}, {.exact_only = exact_only}); }) < kMostScratch);
  if (dtype == DType::int8) return;
  const TapAxes windows = window_axes({L}, {2}, {3}, {1}, {L / 2}, {0});
  CHECK(memory_of([&] {
          norms(call_of({.exact_only = exact_only}), {dtype, {N, C, 3}}, x, windows, 2);
        }) < kMostScratch);
}

}  // namespace opref::fast::definition_test
