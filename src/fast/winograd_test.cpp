// SPDX-License-Identifier: Apache-2.0
// Convolutions in Winograd's forms give the bytes of the definition's exact tier, also where sums fall on midpoints or
// cancel; with a bound that claims less they do not.
#include "fast/winograd.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "exact/rounding.h"

namespace opref::fast::winograd_test {
namespace {

using Random = std::mt19937_64;
constexpr WinogradForm kForms[] = {WinogradForm::two, WinogradForm::four, WinogradForm::line_of_four};

/// Numbers whose sums of products are hard to round.
enum class Hard { normal, midpoints, outliers, exponents, special };
constexpr Hard kHard[] = {Hard::normal, Hard::midpoints, Hard::outliers, Hard::exponents, Hard::special};

double number(Hard kind, bool is_weight, Random& random) {
  std::normal_distribution<double> normal;
  const auto one_of = [&](std::initializer_list<double> list) { return list.begin()[random() % list.size()]; };
  switch (kind) {
    case Hard::normal:
      return normal(random);
    case Hard::midpoints:  // few terms, of which 1 and 2^-24 make a midpoint
      if (is_weight) return one_of({1, -1, 1, 1 + 0x1p-23, 0x1p-24});
      return random() % 20 == 0 ? one_of({1, -1, 0x1p-24, 0x1p-49, -0x1p-24, 0x1p-52, 3}) : 0;
    case Hard::outliers:
      return normal(random) * (random() % 200 == 0 ? 0x1p40 : 0x1p-20);
    case Hard::exponents:
      return std::ldexp(normal(random), static_cast<int>(random() % 60) - 30);
    case Hard::special:
      break;
  }
  return random() % 80 == 0 ? one_of({0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-140, 0x1p127}) : normal(random);
}

Tensor tensor(DType dtype, const Dims& shape, Hard kind, bool is_weight, Random& random) {
  TensorBuilder builder({dtype, shape});
  const auto fill = [&]<class T>(T) {
    for (T& x : builder.values<T>()) x = nearest<T>(number(kind, is_weight, random));
  };
  if (dtype == DType::float32) fill(float{});
  if (dtype == DType::float16) fill(Half{});
  if (dtype == DType::bfloat16) fill(BFloat16{});
  return std::move(builder).finish();
}

struct Sizes {
  std::int64_t N, groups, C, M, H, W, pad;
};

struct Case {
  Convolution c;
  TensorType y;
  WinogradForm form;
};

Case case_of(const Sizes& s, WinogradForm form, DType dtype, Hard kind, bool has_bias, Random& random) {
  const bool is_line = form == WinogradForm::line_of_four;
  Dims L, k, O, one, pads;
  for (const std::int64_t size : {s.H, s.W}) {
    if (is_line && !L.empty()) break;
    L.push_back(size), k.push_back(3), one.push_back(1), pads.push_back(s.pad), O.push_back(size + 2 * s.pad - 2);
  }
  std::optional<Tensor> b;
  if (has_bias) b = tensor(dtype, {s.groups * s.M}, kind, false, random);
  return {{tensor(dtype, join(Dims{s.N, s.groups * s.C}, L), kind, false, random),
           tensor(dtype, join(Dims{s.groups * s.M, s.C}, k), kind, true, random), b, s.groups,
           evaluators::window_axes(L, k, O, one, one, pads)},
          {dtype, join(Dims{s.N, s.groups * s.M}, O)},
          form};
}

/// Y[n, g*M+m, o] = B[g*M+m] + Σ over c and the taps of o of X[n, g*C+c, x]·W[g*M+m, c, w]
Tensor convolved(const Case& one, const Numerics& numerics) {
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
                         [&](const RowTarget& y) { return winograd_convolution(y, one.c, one.form); });
}

bool is_right(const Case& one, const Numerics& numerics) {
  return std::ranges::equal(convolved(one, numerics).bytes(), convolved(one, {.exact_only = true}).bytes());
}

}  // namespace

TEST_CASE("rows: Winograd's forms of random configurations", "[rows]") {
  Random random(11);
  const auto any = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  constexpr DType kTypes[] = {DType::float32, DType::float16, DType::bfloat16, DType::float32};
  for (int i = 0; i < 120; ++i) {
    const Sizes s{any(1, 2), any(1, 2), any(1, 9), any(1, 11), any(3, 21), any(3, 21), any(0, 3)};
    const WinogradForm form = kForms[i % 3];
    const Hard kind = kHard[i % 5];
    const DType dtype = kTypes[i % 4];
    CAPTURE(i, s.N, s.groups, s.C, s.M, s.H, s.W, s.pad, to_text(dtype), static_cast<int>(kind));
    const Case one = case_of(s, form, dtype, kind, i % 2 == 0, random);
    Stats stats;
    CHECK(is_right(one, {.stats = &stats}));
    CHECK(stats.estimated + stats.exact == element_count(one.y.shape));
    CHECK(is_right(one, {.threads = 3}));
  }
}

TEST_CASE("rows: Winograd's forms in blocks of tiles and of kernels", "[rows]") {
  Random random(12);
  CHECK(
      is_right(case_of({1, 1, 3, 70, 60, 70, 1}, WinogradForm::four, DType::float32, Hard::normal, true, random), {}));
  CHECK(
      is_right(case_of({2, 1, 40, 33, 13, 14, 1}, WinogradForm::two, DType::float32, Hard::normal, true, random), {}));
  CHECK(is_right(
      case_of({1, 2, 5, 9, 3000, 1, 1}, WinogradForm::line_of_four, DType::float32, Hard::normal, false, random), {}));
  // Elements that are left to the definition, in the second block of a row.
  CHECK(is_right(case_of({1, 1, 64, 3, 8, 300, 1}, WinogradForm::two, DType::float32, Hard::midpoints, true, random),
                 {}));
}

TEST_CASE("rows: Winograd's forms in shares of kernels", "[rows]") {
  Random random(15);
  for (const std::int64_t N : {1, 2})  // their filters: of a share's own, kept for both
    for (const std::int64_t groups : {1, 2})
      CHECK(is_right(
          case_of({N, groups, 12, 103, 14, 13, 1}, WinogradForm::two, DType::float32, Hard::normal, true, random),
          {.threads = 3}));
}

TEST_CASE("rows: Winograd's forms of one block of tiles have a job for each thread", "[rows]") {
  Random random(16);
  const Case one = case_of({1, 1, 12, 128, 14, 14, 1}, WinogradForm::two, DType::float32, Hard::normal, true, random);
  const auto jobs = [&](int threads) {
    std::atomic<int> calls = 0;
    const Numerics numerics{.threads = threads};
    TensorBuilder builder(one.y);
    const RowTarget y{one.y, numerics, builder.bytes(), [&](std::span<const std::int64_t>) { ++calls; }};
    winograd_convolution(y, one.c, one.form);
    return calls.load();
  };
  CHECK(jobs(1) == 1);
  CHECK(jobs(2) == 2);
  CHECK(jobs(4) == 4);
}

TEST_CASE("rows: what Winograd's forms are worth", "[rows]") {
  Random random(13);
  const auto form = [&](const Sizes& s, WinogradForm shape, Hard kind) {
    return winograd_form(case_of(s, shape, DType::float32, kind, true, random).c);
  };
  CHECK(form({1, 1, 64, 64, 30, 30, 1}, WinogradForm::two, Hard::normal) == WinogradForm::four);
  CHECK(form({1, 1, 64, 64, 7, 7, 1}, WinogradForm::two, Hard::normal) == WinogradForm::two);
  CHECK(form({1, 1, 64, 64, 300, 1, 1}, WinogradForm::line_of_four, Hard::normal) == WinogradForm::line_of_four);
  CHECK(form({1, 1, 4, 64, 30, 30, 1}, WinogradForm::two, Hard::normal) == WinogradForm::none);
  // Sums that do not round: ties are decided without these forms alone.
  Case whole = case_of({1, 1, 64, 64, 30, 30, 1}, WinogradForm::two, DType::float32, Hard::normal, false, random);
  for (Tensor* t : {&whole.c.x, &whole.c.w}) {
    TensorBuilder integers(t->type());
    for (float& x : integers.values<float>()) x = static_cast<float>(random() % 16);
    *t = std::move(integers).finish();
  }
  CHECK(winograd_form(whole.c) == WinogradForm::none);
}

TEST_CASE("rows: Winograd's bound is needed", "[rows]") {
  for (const WinogradForm form : kForms) {
    Random random(14);
    int wrong = 0, wrong_without = 0;
    for (int i = 0; i < 12; ++i) {
      const Case one = case_of({1, 1, 12, 16, 32, 33, 1}, form, DType::float32, Hard::midpoints, false, random);
      wrong += !is_right(one, {.slack = {.roundings = 0, .factor = 1}});
      wrong_without += !is_right(one, {.slack = {.roundings = 0, .factor = 1.0 / 32}});
    }
    CAPTURE(static_cast<int>(form));
    CHECK(wrong == 0);
    CHECK(wrong_without > 0);
  }
}

}  // namespace opref::fast::winograd_test
