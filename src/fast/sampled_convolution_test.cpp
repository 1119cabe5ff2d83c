// SPDX-License-Identifier: Apache-2.0
// Rows of convolutions that read between elements give the bytes of the definition's exact tier.
#include "fast/sampled_convolution.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "evaluators/programs.h"
#include "exact/storage.h"

namespace opref::fast::sampled_convolution_test {
namespace {

using evaluators::Reader, evaluators::WeightedPlaces;

/// A place's terms are any three of the plane, their weights quarters.
struct Case {
  TensorType y;
  Tensor x, w, b;
  std::int64_t groups, taps, sets, plane, places;
  bool has_bias;
  double error = 0;  ///< of all weights
  bool had_rows = false;

  struct Term {
    std::int64_t at;
    double weight;
  };
  Term term(std::int64_t n, std::int64_t set, std::int64_t k, std::int64_t o, std::int64_t t) const {
    const std::int64_t seed = (((n * sets + set) * taps + k) * places + o) * 3 + t;
    return {plane == 3 ? t : seed * 7 % plane, plane == 3 ? 1.0 : static_cast<double>(seed * 5 % 9 - 4) / 4};
  }
  WeightedPlaces listed(std::int64_t n, std::int64_t set, std::int64_t k, std::int64_t first,
                        std::int64_t count) const {
    WeightedPlaces all;
    for (std::int64_t o = first; o < first + count; ++o) {
      for (std::int64_t t = 0; t < 3; ++t) all.add(term(n, set, k, o, t).at, {term(n, set, k, o, t).weight, error});
      all.next();
    }
    return all;
  }
};

/// Y[n, g*M+m, o] = B[g*M+m] + Σ over c, the taps k and their terms of W[g*M+m, c, k]·weight·X[n, g*C+c, at]
Tensor convolved(Case& one, const Numerics& numerics) {
  const evaluators::Elements X(one.x), W(one.w), B(one.b);
  const std::int64_t C = one.w.shape()[1], M = one.w.shape()[0] / one.groups, each = one.groups * C / one.sets;
  const auto definition = [&]<class R>(std::int64_t i, const Reader<R>& x) {
    const auto [n, g, m, o] = evaluators::split(i, one.groups, M, one.places);
    R sum = one.has_bias ? x.sum(x(B, g * M + m)) : x.zero();
    for (std::int64_t c = 0; c < C; ++c)
      for (std::int64_t k = 0; k < one.taps; ++k)
        for (std::int64_t t = 0; t < 3; ++t) {
          const Case::Term term = one.term(n, (g * C + c) / each, k, o, t);
          const R data = x(X, ((n * one.groups + g) * C + c) * one.plane + term.at);
          sum = sum + x(W, ((g * M + m) * C + c) * one.taps + k) * data * R(term.weight);
        }
    return sum;
  };
  Call call;
  call.set_numerics(numerics);
  const auto rows = [&](const RowTarget& y) {
    const auto places = [&](auto... of) { return one.listed(of...); };
    return one.had_rows = sampled_convolution(
               y, {one.x, one.w, one.has_bias ? &one.b : nullptr, one.groups, one.taps, one.sets, places});
  };
  return evaluators::real(Output(call, one.y), definition, {}, rows);
}

template <class T>
Tensor tensor(DType dtype, const Dims& shape, std::mt19937_64& random, bool has_specials) {
  TensorBuilder builder({dtype, shape});
  const float specials[] = {0, -0.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
  for (T& x : builder.values<T>())
    x = exact::nearest<T>(has_specials && random() % 50 == 0 ? static_cast<double>(specials[random() % 4])
                                                             : static_cast<double>(random() % 4096) / 64 - 32);
  return std::move(builder).finish();
}
bool same(const Tensor& a, const Tensor& b) {
  return a.bytes().size() == b.bytes().size() && std::memcmp(a.bytes().data(), b.bytes().data(), a.bytes().size()) == 0;
}
Tensor floats(const Dims& shape, const std::vector<float>& numbers) {
  return Tensor::of<float>(DType::float32, shape, std::span(numbers));
}

}  // namespace

TEST_CASE("rows: sampled convolutions of random configurations", "[rows]") {
  std::mt19937_64 random(5);
  const auto any = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  constexpr DType kTypes[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
  for (int i = 0; i < 60; ++i) {
    const DType dtype = kTypes[i % 4];
    const std::int64_t N = any(1, 2), groups = any(1, 3), C = i % 9 == 0 ? 40 : any(1, 5), M = any(1, 4);
    const std::int64_t taps = any(1, 6), plane = any(4, 30), places = i % 7 == 0 ? 300 : any(1, 40);
    const std::int64_t sets = i % 2 == 0 ? groups : i % 3 == 0 ? groups * C : 1;
    exact::with_float(dtype, [&]<class T>(T) {
      Case one{{dtype, {N, groups * M, places}},
               tensor<T>(dtype, {N, groups * C, plane}, random, i % 3 == 0),
               tensor<T>(dtype, {groups * M, C, taps}, random, i % 5 == 0),
               tensor<T>(dtype, {groups * M}, random, false),
               groups,
               taps,
               sets,
               plane,
               places,
               i % 2 == 1};
      Stats stats;
      const Tensor y = convolved(one, {.stats = &stats, .threads = 2});
      CAPTURE(i, groups, C, M, taps, plane, places, sets);
      CHECK(one.had_rows == (dtype != DType::float64));
      CHECK(stats.estimated + stats.exact == y.count());
      REQUIRE(same(y, convolved(one, {.exact_only = true})));
    });
  }
}

TEST_CASE("rows: what samples have lost leaves sampled convolutions to the definition", "[rows]") {
  // 2^60 + 1 - 2^60, of which a sum of doubles keeps 0; and the bias 1.
  Case one{{DType::float32, {1, 1, 1}},
           floats({1, 1, 3}, {0x1p60F, 1, -0x1p60F}),
           floats({1, 1, 1}, {1}),
           floats({1}, {1}),
           1,
           1,
           1,
           3,
           1,
           true};
  CHECK(convolved(one, {}).values<float>()[0] == 2);
  CHECK(one.had_rows);
  // Weights of which less is known than a float32 tells.
  one.x = floats({1, 1, 3}, {1, 2, 3}), one.error = 0x1p-22;
  Stats stats;
  int left = 0;
  Call call;
  const auto third = [&]<class R>(std::int64_t, const Reader<R>&) { return ++left, R(5.0); };
  const Tensor y = evaluators::real(Output(call, one.y), third, {}, [&](const RowTarget& target) {
    const auto places = [&](auto... of) { return one.listed(of...); };
    return sampled_convolution(target, {one.x, one.w, &one.b, 1, 1, 1, places});
  });
  CHECK(y.values<float>()[0] == 5);
  CHECK(left == 1);
}

}  // namespace opref::fast::sampled_convolution_test
