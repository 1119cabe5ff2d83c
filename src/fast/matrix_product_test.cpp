// SPDX-License-Identifier: Apache-2.0
// Rows of matrix products give the bytes of the definition's exact tier, and those of rational arithmetic where that is
// hard.
#include <catch2/catch.hpp>
#include <cstring>

#include "evaluators/programs.h"
#include "exact/oracle_testing.h"
#include "fast/fast.h"

namespace opref::fast::matrix_product_test {
namespace {

using oracle::Inputs;
using oracle::Products;
using oracle::Random;

struct Case {
  MatrixProduct p;
  TensorType y;
  bool had_rows = false;
};

/// Y[n, m, j] = scale·Σ over k of A[n, m, k]·B[n, k, j] + c_scale·C[m, j], wherever these lie
Tensor multiplied(Case& one, const Numerics& numerics) {
  const MatrixProduct& p = one.p;
  const evaluators::Elements A(p.a.x), B(p.b.x), C(p.c ? p.c->x : p.a.x);
  const auto definition = [&](std::int64_t i, auto& sum) {
    const auto [n, m, j] = evaluators::split(i, p.M, p.N);
    sum.add(A[evaluators::Run{p.a.batch(n) + m * p.a.line_step, p.K, p.a.depth_step}],
            B[evaluators::Run{p.b.batch(n) + j * p.b.line_step, p.K, p.b.depth_step}]);
    if (p.c) sum.add(C[m * p.c->row_step + j * p.c->column_step]);
  };
  Call call;
  call.set_numerics(numerics);
  const auto rows = [&](const RowTarget& y) { return one.had_rows = matrix_product(y, p); };
  if (p.scale == 1 && (!p.c || p.c->scale == 1))
    return evaluators::sum(Output(call, one.y), p.a.x.dtype(), definition, {}, rows);
  const auto scaled = [&]<class R>(std::int64_t i, const evaluators::Reader<R>& x) {
    const auto [n, m, j] = evaluators::split(i, p.M, p.N);
    R sum = x.zero();
    for (std::int64_t k = 0; k < p.K; ++k)
      sum = sum + x(A, p.a.batch(n) + m * p.a.line_step + k * p.a.depth_step) *
                      x(B, p.b.batch(n) + j * p.b.line_step + k * p.b.depth_step);
    const R first = x.sum(R(p.scale) * sum);
    return p.c ? first + R(p.c->scale) * x(C, m * p.c->row_step + j * p.c->column_step) : first;
  };
  return evaluators::real(Output(call, one.y), scaled, {}, rows);
}

enum class Layout { rows, columns, strided };
constexpr Layout kLayouts[] = {Layout::rows, Layout::columns, Layout::strided};

/// Lines of K numbers, number(line, k), batch after batch; `repeats`: all batches are the first one.
template <class T, class F>
MatrixFactor factor(std::int64_t batches, std::int64_t lines, std::int64_t K, Layout layout, bool repeats,
                    const F& number) {
  const std::int64_t gap = layout == Layout::strided ? 3 : 1, each = lines * K * gap;
  const std::int64_t line_step = layout == Layout::columns ? 1 : K * gap,
                     depth_step = layout == Layout::columns ? lines : gap;
  TensorBuilder x({oracle::kDType<T>, {batches * each}});
  for (std::int64_t n = 0; n < batches; ++n)
    for (std::int64_t i = 0; i < lines; ++i)
      for (std::int64_t k = 0; k < K; ++k)
        x.values<T>()[static_cast<size_t>(n * each + i * line_step + k * depth_step)] = nearest<T>(number(i, k));
  return {std::move(x).finish(), evaluators::Strided({batches}, {repeats ? 0 : each}), line_step, depth_step};
}

bool same(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.bytes(), b.bytes()); }

/// A matrix product whose element (i, i mod N) is the sum of the i-th list's products, the other elements being sums
/// that mix them; all lists have K products.
template <class T>
Case case_of(const std::vector<Products>& lists, std::int64_t N, std::int64_t K, Layout a, Layout b) {
  const auto M = static_cast<std::int64_t>(lists.size());
  const auto product = [&](std::int64_t i, std::int64_t k) {
    return lists[static_cast<size_t>(i)][static_cast<size_t>(k)];
  };
  return {
      {factor<T>(1, M, K, a, false, [&](std::int64_t i, std::int64_t k) { return product(i, k).first; }),
       factor<T>(1, N, K, b, false, [&](std::int64_t i, std::int64_t k) { return product(i % M, k).second; }), M, N, K},
      {oracle::kDType<T>, {M, N}}};
}

template <class T>
std::uint64_t wanted(const Case& one, std::int64_t m, std::int64_t n) {
  const auto number = [](const MatrixFactor& f, std::int64_t line, std::int64_t k) {
    return widen(f.x.values<T>()[static_cast<size_t>(line * f.line_step + k * f.depth_step)]);
  };
  Products products;
  for (std::int64_t k = 0; k < one.p.K; ++k) products.emplace_back(number(one.p.a, m, k), number(one.p.b, n, k));
  return oracle::sum_of_products<T>(products);
}

}  // namespace

TEMPLATE_TEST_CASE("rows: matrix products of hard sums, by rational arithmetic", "[rows]", float, Half, BFloat16,
                   double) {
  Random random(47);
  int served = 0;
  for (int turn = 0; turn < 60; ++turn) {
    std::vector<Products> lists;
    size_t most = 4;
    while (lists.size() < 8) {
      lists.push_back(oracle::products_for<TestType>(random));
      most = std::max(most, lists.back().size());
    }
    for (Products& list : lists) {
      while (list.size() < most) list.emplace_back(0.0, random.one_in(2) ? 0.0 : -1.0);
      random.shuffle(list);
    }
    Case one = case_of<TestType>(lists, 8 + turn % 5, static_cast<std::int64_t>(most), kLayouts[turn % 3],
                                 kLayouts[turn / 3 % 3]);
    const Tensor y = multiplied(one, {.threads = 1 + turn % 2});
    served += one.had_rows;
    for (std::int64_t m = 0; m < one.p.M; ++m)
      for (std::int64_t n = 0; n < one.p.N; ++n) {
        CAPTURE(turn, m, n);
        REQUIRE(to_bits(y.values<TestType>()[static_cast<size_t>(m * one.p.N + n)]) == wanted<TestType>(one, m, n));
      }
  }
  CHECK(served == 60);
}

TEMPLATE_TEST_CASE("rows: matrix products of random sizes, batches and layouts", "[rows]", float, Half, BFloat16,
                   double, std::int32_t, std::uint64_t) {
  Random random(5);
  constexpr bool kIsInteger = std::is_integral_v<TestType>;
  constexpr DType kType = std::is_same_v<TestType, std::int32_t>    ? DType::int32
                          : std::is_same_v<TestType, std::uint64_t> ? DType::uint64
                                                                    : oracle::kDType<TestType>;
  for (int turn = 0; turn < 40; ++turn) {
    const bool is_large = turn % 10 == 9;
    const std::int64_t batches = random.in(1, 3), M = random.in(1, is_large ? 300 : 20),
                       N = random.in(8, is_large ? 80 : 40), K = random.in(4, is_large ? 400 : 60);
    const auto inputs = turn % 4 == 0 ? Inputs::small_integers : turn % 4 == 1 ? Inputs::special : Inputs::normal;
    const auto make = [&](std::int64_t lines) {
      const bool repeats = random.one_in(3);
      if constexpr (kIsInteger) {
        TensorBuilder x({kType, {batches * lines * K}});
        for (TestType& bits : x.values<TestType>()) bits = static_cast<TestType>(random.bits());
        return MatrixFactor{std::move(x).finish(), evaluators::Strided({batches}, {repeats ? 0 : lines * K}), K, 1};
      } else {
        return factor<TestType>(batches, lines, K, random.of(kLayouts), repeats, [&](std::int64_t, std::int64_t) {
          return oracle::random_number<TestType>(random, random.one_in(50) || turn % 4 != 1 ? inputs : Inputs::normal);
        });
      }
    };
    Case one{{make(M), make(N), M, N, K}, {kType, {batches, M, N}}};
    if (random.one_in(2)) {
      const bool by_row = random.one_in(2), by_column = random.one_in(2);
      Tensor c = make((by_row ? M : 1) * (by_column ? N : 1)).x;
      one.p.c = MatrixAddend{std::move(c), by_row ? (by_column ? N : 1) : 0, by_column ? 1 : 0};
    }
    CAPTURE(turn, batches, M, N, K, one.p.c.has_value());
    Stats stats;
    const Tensor y = multiplied(one, {.stats = &stats});
    CHECK(one.had_rows);
    CHECK(stats.estimated + stats.exact == y.count());
    CHECK(same(y, multiplied(one, {.exact_only = true})));
    CHECK(same(y, multiplied(one, {.threads = 5})));
    if (!kIsInteger && turn % 4 != 1) CHECK(stats.exact < y.count() / 4 + 10);
  }
}

TEMPLATE_TEST_CASE("rows: scaled matrix products with a scaled addend", "[rows]", float, Half, BFloat16) {
  Random random(11);
  const std::vector<double> scales{1, 0.5, -3, 0, static_cast<double>(0.1F), 0x1p-100};
  size_t exact = 0, all = 0;
  for (int turn = 0; turn < 60; ++turn) {
    const std::int64_t M = random.in(1, 9), N = random.in(8, 40), K = random.in(4, 40);
    // Integers: with a scale of 1/2 every other element is a tie of bfloat16.
    const auto inputs = turn % 3 == 0 ? Inputs::normal : turn % 3 == 1 ? Inputs::small_integers : Inputs::special;
    const auto make = [&](std::int64_t lines) {
      return factor<TestType>(1, lines, K, Layout::rows, false, [&](std::int64_t, std::int64_t) {
        return oracle::random_number<TestType>(random, random.one_in(20) ? inputs : Inputs::normal);
      });
    };
    Case one{{make(M), make(N), M, N, K}, {oracle::kDType<TestType>, {1, M, N}}};
    one.p.scale = random.of(scales);
    if (turn % 2 == 0) one.p.c = MatrixAddend{make(N).x, 0, 1, random.of(scales)};
    CAPTURE(turn, M, N, K, one.p.scale, one.p.c ? one.p.c->scale : 1);
    Stats stats;
    const Tensor y = multiplied(one, {.stats = &stats});
    CHECK(one.had_rows);
    CHECK(stats.estimated + stats.exact == y.count());
    CHECK(same(y, multiplied(one, {.exact_only = true})));
    // -3·c is often a tie, which 2^-100 times the sum decides: no estimate does.
    const bool is_beside_ties = one.p.scale == 0x1p-100 && one.p.c && one.p.c->scale == -3;
    if (turn % 3 == 0 && !is_beside_ties)
      exact += static_cast<size_t>(stats.exact), all += static_cast<size_t>(y.count());
  }
  CHECK(exact < all / 50);
}

TEMPLATE_TEST_CASE("rows: a scaled product beside a midpoint", "[rows]", float, Half, BFloat16) {
  Random random(12);
  for (int turn = 0; turn < 40; ++turn) {
    std::vector<Products> lists;
    while (lists.size() < 8) {
      lists.push_back(oracle::products_beside_tie<TestType>(random));
      lists.back().resize(40, {0.0, 0.0});
    }
    Case one = case_of<TestType>(lists, 8, 40, Layout::rows, Layout::columns);
    one.p.scale = random.of(std::vector<double>{-1, 0.5, 2, 4});  // powers of two move no midpoint
    const Tensor y = multiplied(one, {});
    CHECK(one.had_rows);
    REQUIRE(same(y, multiplied(one, {.exact_only = true})));
  }
}

TEMPLATE_TEST_CASE("rows: estimates of products hold the exact sums", "[rows]", float, Half, BFloat16) {
  using oracle::Rational;
  Random random(13);
  const Slack none{.roundings = 0, .factor = 1};
  int off = 0;
  for (int turn = 0; turn < 12; ++turn) {
    const std::int64_t M = random.in(1, 9), N = random.in(1, 30), K = turn % 4 == 0 ? 9000 : random.in(1, 300);
    const auto number = [&](std::int64_t, std::int64_t k) {
      return k % 7 == 6 ? 0x1p-10 * random.normal() : random.normal();
    };
    const MatrixFactor a = factor<TestType>(1, M, K, Layout::rows, false, number),
                       b = factor<TestType>(1, N, K, Layout::columns, false, number);
    const ProductLines b_lines{b.x, 0, b.line_step, b.depth_step};
    std::vector<double> values(static_cast<size_t>(M * K)), errors(values.size());
    for (double& x : values) x = random.normal() / 3;
    for (size_t k = 0; k < errors.size(); ++k) errors[k] = k % 3 == 0 ? 0x1p-40 * std::abs(random.normal()) : 0;
    ProductEstimates exact, wrong;
    REQUIRE(estimate_products(ProductLines{a.x, 0, a.line_step, a.depth_step}, b_lines, M, N, K, exact, none));
    REQUIRE(estimate_products(EstimatedLines{values.data(), errors.data(), K}, b_lines, M, N, K, wrong, none));
    for (std::int64_t i = 0; i < M; ++i)
      for (std::int64_t j = turn % 3; j < N; j += 3) {
        Rational sum = 0, least = 0, most = 0;  // of the estimated lines, with all errors to one side
        for (std::int64_t k = 0; k < K; ++k) {
          const auto at = static_cast<size_t>(i * K + k);
          const Rational y(widen(b.x.values<TestType>()[static_cast<size_t>(j * b.line_step + k * b.depth_step)]));
          sum += Rational(widen(a.x.values<TestType>()[at])) * y;
          const Rational middle = Rational(values[at]) * y, far = Rational(errors[at]) * abs(y);
          least += middle - far, most += middle + far;
        }
        const auto holds = [](const Bounded& estimate, const Rational& x) {
          return abs(Rational(x - Rational(estimate.v))) <= Rational(estimate.e);
        };
        CAPTURE(turn, i, j, K);
        CHECK(holds(exact(i, j), sum));
        CHECK((holds(wrong(i, j), least) && holds(wrong(i, j), most)));
        CHECK(exact(i, j).e < 0x1p-28);
        off += Rational(exact(i, j).v) == sum ? 0 : 1;
      }
  }
  CHECK(off > 20);  // so that an error of 0 is seen; sums of short numbers are often doubles
}

TEST_CASE("rows: estimates of products know nothing of NaN and infinities, and serve no float64", "[rows]") {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x{1, 2, inf, 0}, y{3, 4, 0, 5};
  const Tensor a = Tensor::of<float>(DType::float32, {2, 2}, std::span(x)),
               b = Tensor::of<float>(DType::float32, {2, 2}, std::span(y));
  ProductEstimates c;
  REQUIRE(estimate_products(ProductLines{a, 0, 2, 1}, {b, 0, 2, 1}, 2, 2, 2, c));
  CHECK(c(0, 0).v == 11);
  CHECK(c(0, 1).v == 10);
  CHECK(std::isinf(c(1, 0).e));
  CHECK(std::isinf(c(1, 1).e));
  const Tensor wide = Tensor::of<double>(DType::float64, {1, 1}, std::vector<double>{1});
  CHECK_FALSE(estimate_products(ProductLines{wide, 0, 1, 1}, {wide, 0, 1, 1}, 1, 1, 1, c));
}

TEST_CASE("rows: matrix products in several tiles, of which the first one is zeros", "[rows]") {
  Random random(8);
  const std::int64_t M = 8, N = 1400, zeros = 1300, K = 40;
  std::vector<Products> lists;
  while (lists.size() < M) {
    Products list;
    while (list.size() < K) {
      const Products more = oracle::products_beside_tie<float>(random);
      list.insert(list.end(), more.begin(), more.end());
    }
    list.resize(K);
    lists.push_back(list);
  }
  const auto product = [&](std::int64_t i, std::int64_t k) {
    return lists[static_cast<size_t>(i)][static_cast<size_t>(k)];
  };
  const auto a = [&](std::int64_t i, std::int64_t k) { return product(i, k).first; };
  const auto b = [&](std::int64_t j, std::int64_t k) { return j < zeros ? 0 : product(j % M, k).second; };
  Case one{{factor<float>(1, M, K, Layout::rows, false, a), factor<float>(1, N, K, Layout::columns, false, b), M, N, K},
           {DType::float32, {M, N}}};
  const Tensor y = multiplied(one, {});
  CHECK(one.had_rows);
  for (std::int64_t m = 0; m < M; ++m)
    for (std::int64_t n = zeros - 10; n < N; ++n) {
      CAPTURE(m, n);
      REQUIRE(to_bits(y.values<float>()[static_cast<size_t>(m * N + n)]) == wanted<float>(one, m, n));
    }
}

TEST_CASE("rows: a matrix product of so many terms that they are taken in parts", "[rows]") {
  Random random(6);
  const std::int64_t M = 3, N = 9, K = 20000;
  const auto normal = [&](std::int64_t, std::int64_t) { return random.normal(); };
  Case one{{factor<float>(1, M, K, Layout::rows, false, normal), factor<float>(1, N, K, Layout::columns, false, normal),
            M, N, K},
           {DType::float32, {M, N}}};
  Stats stats;
  const Tensor y = multiplied(one, {.stats = &stats});
  CHECK(one.had_rows);
  CHECK(stats.exact < 9);
  CHECK(same(y, multiplied(one, {.exact_only = true})));
}

}  // namespace opref::fast::matrix_product_test
