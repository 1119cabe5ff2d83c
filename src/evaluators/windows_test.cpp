// SPDX-License-Identifier: Apache-2.0
#include "evaluators/sum.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/error.h"
#include "evaluators/windows_testing.h"
#include "exact/rounding.h"

namespace opref::evaluators::windows_test {
namespace {

constexpr DType kTypes[] = {DType::float16, DType::bfloat16, DType::float32, DType::float64,
                            DType::int8,    DType::uint8,    DType::int16,   DType::uint16,
                            DType::int32,   DType::uint32,   DType::int64,   DType::uint64};

/// Integers as elements of any type, modulo 2^bits for integer types.
Tensor tensor_of(DType dtype, const Dims& shape, const std::vector<std::int64_t>& values) {
  TensorBuilder builder({dtype, shape});
  const size_t size = static_cast<size_t>(info(dtype).bits) / 8;
  for (size_t i = 0; i < values.size(); ++i) {
    const Scaled parts = scaled(static_cast<double>(values[i]));
    const std::uint64_t bits = info(dtype).kind == Kind::floating ? encode_bits(dtype, parts.negative && values[i] != 0,
                                                                                parts.significand, parts.exponent)
                                                                  : static_cast<std::uint64_t>(values[i]);
    std::memcpy(&builder.bytes()[i * size], &bits, size);
  }
  return std::move(builder).finish();
}

bool same(const Tensor& a, const Tensor& b) { return a.type() == b.type() && std::ranges::equal(a.bytes(), b.bytes()); }

std::vector<std::int64_t> random_integers(std::int64_t count, std::mt19937& random) {
  std::uniform_int_distribution<std::int64_t> uniform(-9, 9);
  std::vector<std::int64_t> values(static_cast<size_t>(count));
  for (auto& value : values) value = uniform(random);
  return values;
}

struct Configuration {
  Dims L, k, s, d, pb, O;
  std::int64_t N, groups, Cg, Mg;
};

/// By scatter, in integers: each element of X, times each weight, goes to where it belongs.
std::vector<std::int64_t> scattered(const Configuration& g, const std::vector<std::int64_t>& x,
                                    const std::vector<std::int64_t>& w, const std::vector<std::int64_t>& b) {
  const std::int64_t M = g.groups * g.Mg, in = element_count(g.L), taps = element_count(g.k), out = element_count(g.O);
  std::vector<std::int64_t> y;
  for (std::int64_t n = 0; n < g.N; ++n)
    for (std::int64_t m = 0; m < M; ++m) y.insert(y.end(), static_cast<size_t>(out), b[static_cast<size_t>(m)]);
  for (std::int64_t n = 0; n < g.N; ++n)
    for (std::int64_t c = 0; c < g.groups * g.Cg; ++c)
      for (std::int64_t i = 0; i < in; ++i)
        for (std::int64_t k = 0; k < taps; ++k) {
          const Dims to = coordinates(i, g.L) * g.s + coordinates(k, g.k) * g.d - g.pb;
          bool inside = true;
          for (size_t axis = 0; axis < to.size(); ++axis) inside = inside && to[axis] >= 0 && to[axis] < g.O[axis];
          if (!inside) continue;
          for (std::int64_t m = 0; m < g.Mg; ++m) {
            const std::int64_t channel = c / g.Cg * g.Mg + m;
            y[static_cast<size_t>((n * M + channel) * out + position(to, g.O))] +=
                x[static_cast<size_t>((n * g.groups * g.Cg + c) * in + i)] *
                w[static_cast<size_t>((c * g.Mg + m) * taps + k)];
          }
        }
  return y;
}

TransposedTest test_of(const Configuration& g, const Tensor& x, const Tensor& w, const Tensor& b) {
  return {x, w, b, g.groups, transposed_axes(g.L, g.k, g.O, g.s, g.d, g.pb)};
}

void check_transposed(const Configuration& g, DType dtype, std::mt19937& random) {
  const Dims nc{g.N, g.groups * g.Cg}, nm{g.N, g.groups * g.Mg};
  const Dims x_shape = join(nc, g.L), w_shape = join({g.groups * g.Cg, g.Mg}, g.k), y_shape = join(nm, g.O);
  const auto x = random_integers(element_count(x_shape), random), w = random_integers(element_count(w_shape), random),
             b = random_integers(g.groups * g.Mg, random);
  const TransposedTest test =
      test_of(g, tensor_of(dtype, x_shape, x), tensor_of(dtype, w_shape, w), tensor_of(dtype, {g.groups * g.Mg}, b));
  CAPTURE(to_text(dtype), to_text(g.L), to_text(g.k), to_text(g.s), to_text(g.d), to_text(g.pb), to_text(g.O), g.N,
          g.groups);
  Call call;
  const Tensor y = transposed(call, {dtype, y_shape}, test);
  CHECK(same(y, tensor_of(dtype, y_shape, scattered(g, x, w, b))));
  Stats stats;
  call.set_numerics({.exact_only = true, .stats = &stats});
  CHECK(same(y, transposed(call, {dtype, y_shape}, test)));
  CHECK(stats.exact == y.count());
  CHECK(stats.estimated == 0);
}

}  // namespace

TEST_CASE("a transposed convolution by taps equals the scatter of all products, 1-D", "[evaluators][sum]") {
  std::mt19937 random(1);
  size_t turn = 0;
  for (std::int64_t L = 1; L <= 4; ++L)
    for (std::int64_t k = 1; k <= 3; ++k)
      for (std::int64_t s = 1; s <= 3; ++s)
        for (std::int64_t d = 1; d <= 2; ++d)
          for (std::int64_t pb = 0; pb <= 2; ++pb)
            for (std::int64_t extra = -1; extra <= 1; ++extra) {
              const std::int64_t O = s * (L - 1) + (k - 1) * d + 1 - pb + extra;
              if (O < 1) continue;
              check_transposed({{L}, {k}, {s}, {d}, {pb}, {O}, 2, 1 + extra * extra, 2, 2}, kTypes[turn++ % 12],
                               random);
            }
}

TEST_CASE("a transposed convolution by taps equals the scatter of all products, 2-D and 3-D", "[evaluators][sum]") {
  std::mt19937 random(2);
  const auto any = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  for (int i = 0; i < 150; ++i) {
    Configuration g{{}, {}, {}, {}, {}, {}, any(1, 2), any(1, 2), any(1, 2), any(1, 2)};
    const size_t axes = i % 3 == 0 ? 3 : 2;
    while (g.O.size() < axes) {
      const std::int64_t L = any(1, 4), k = any(1, 3), s = any(1, 3), d = any(1, 2), pb = any(0, 2);
      const std::int64_t O = s * (L - 1) + (k - 1) * d + 1 - pb + any(-1, 2);
      if (O < 1) continue;
      g.L.push_back(L), g.k.push_back(k), g.s.push_back(s), g.d.push_back(d), g.pb.push_back(pb), g.O.push_back(O);
    }
    check_transposed(g, kTypes[static_cast<size_t>(i) % 12], random);
  }
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor floats(DType dtype, const Dims& shape, const std::vector<double>& values) {
  TensorBuilder builder({dtype, shape});
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == DType::float16)
      builder.values<Half>()[i] = nearest<Half>(values[i]);
    else if (dtype == DType::bfloat16)
      builder.values<BFloat16>()[i] = nearest<BFloat16>(values[i]);
    else if (dtype == DType::float32)
      builder.values<float>()[i] = static_cast<float>(values[i]);
    else
      builder.values<double>()[i] = values[i];
  }
  return std::move(builder).finish();
}

/// The sum of all products: a transposed convolution of size 1 with one channel per term.
std::uint64_t dot(DType dtype, const std::vector<double>& x, const std::vector<double>& w, bool exact_only = false) {
  const auto channels = static_cast<std::int64_t>(x.size());
  const TransposedTest t{floats(dtype, {1, channels, 1}, x),
                         floats(dtype, {channels, 1, 1}, w),
                         {},
                         1,
                         transposed_axes({1}, {1}, {1}, {1}, {1}, {0})};
  Call call;
  call.set_numerics({.exact_only = exact_only, .stats = nullptr});
  return element_bits(transposed(call, {dtype, {1, 1, 1}}, t), 0);
}

std::uint64_t sum(DType dtype, const std::vector<double>& x) { return dot(dtype, x, std::vector<double>(x.size(), 1)); }

std::uint64_t bits_of(DType dtype, double x) {
  const Scaled parts = scaled(x);
  return encode_bits(dtype, parts.negative, parts.significand, parts.exponent);
}

Tensor norms(DType dtype, const std::vector<double>& x, std::int64_t k, double p, Stats* stats = nullptr,
             bool exact_only = false, std::int64_t scale_to = 0) {
  const auto L = static_cast<std::int64_t>(x.size());
  Call call;
  call.set_numerics({.exact_only = exact_only, .stats = stats});
  return window_norms(call, {dtype, {1, 1, L - k + 1}}, floats(dtype, {1, 1, L}, x),
                      window_axes({L}, {k}, {L - k + 1}, {1}, {1}, {0}), p, scale_to);
}

double norm(DType dtype, const std::vector<double>& x, double p) {
  const double fast = floating_element(norms(dtype, x, static_cast<std::int64_t>(x.size()), p), 0);
  const double exact = floating_element(norms(dtype, x, static_cast<std::int64_t>(x.size()), p, nullptr, true), 0);
  CHECK(to_bits(fast) == to_bits(exact));
  return fast;
}

constexpr DType kFloats[] = {DType::float16, DType::bfloat16, DType::float32, DType::float64};

}  // namespace

TEST_CASE("sums: corner cases", "[evaluators][sum]") {
  // 1e8 is no float16 or bfloat16.
  CHECK(sum(DType::float32, {1e8, 1, -1e8}) == bits_of(DType::float32, 1));
  CHECK(sum(DType::float64, {1e16, 1, -1e16}) == bits_of(DType::float64, 1));
  // Ties to even, and a remainder that decides them.
  CHECK(sum(DType::float16, {2048, 1}) == bits_of(DType::float16, 2048));
  CHECK(sum(DType::float16, {2048, 1, 1, 1}) == bits_of(DType::float16, 2052));
  CHECK(sum(DType::float16, {2048, 1, 0x1p-24}) == bits_of(DType::float16, 2050));
  CHECK(sum(DType::float16, {60000, 10000, -20000}) == bits_of(DType::float16, 49984));
  CHECK(sum(DType::bfloat16, {256, 1, 1}) == bits_of(DType::bfloat16, 258));
  CHECK(sum(DType::bfloat16, {256, 1}) == bits_of(DType::bfloat16, 256));
  CHECK(sum(DType::bfloat16, {256, 2, 1}) == bits_of(DType::bfloat16, 260));
  // Through float32 this would be 1: its last bit is lost there, and the tie then goes to the even neighbour.
  CHECK(dot(DType::float16, {1, 0x1p-11, 0x1p-13}, {1, 1, 0x1p-13}) == bits_of(DType::float16, 1.0009765625));
  CHECK(sum(DType::float32, {0x1p24, 1}) == bits_of(DType::float32, 0x1p24));
  CHECK(sum(DType::float32, {0x1p24, 1, 0x1p-149}) == bits_of(DType::float32, 0x1p24 + 2));
  CHECK(sum(DType::float64, {0x1p53, 1, 0x1p-1074}) == bits_of(DType::float64, 0x1p53 + 2));
  // Overflow begins half a place above the largest number.
  CHECK(dot(DType::float16, {65504, 15.9921875}, {1, 1}) == 0x7bff);
  CHECK(sum(DType::float16, {65504, 16}) == 0x7c00);
  CHECK(sum(DType::float16, {65504, 16, -0x1p-24}) == 0x7bff);
  CHECK(sum(DType::float16, {-65504, -16}) == 0xfc00);
  CHECK(sum(DType::float32, {0x1.fffffep127, 0x1p103}) == 0x7f800000);
  CHECK(sum(DType::float32, {0x1.fffffep127, 0x1p103, -0x1p-149}) == 0x7f7fffff);
  CHECK(dot(DType::float32, {0x1p100, -0x1p100}, {0x1p100, 0x1p100}) == 0);
  CHECK(dot(DType::float64, {1e300, -1e300, 3}, {1e300, 1e300, 1}) == bits_of(DType::float64, 3));
  // Subnormal numbers, and what rounds to zero with its sign.
  CHECK(dot(DType::float16, {0x1p-24}, {0.5}) == 0);
  CHECK(dot(DType::float16, {-0x1p-24}, {0.5}) == 0x8000);
  CHECK(dot(DType::float16, {0x1p-24, 0x1p-24}, {0.5, 0x1p-24}) == 1);
  CHECK(dot(DType::float32, {-0x1p-149}, {0x1p-149}) == 0x80000000);
  CHECK(sum(DType::float64, {0x1p-1074, 0x1p-1074}) == 2);
}

TEST_CASE("sums: zeros, infinities, NaN", "[evaluators][sum]") {
  for (const DType dtype : kFloats) {
    const std::uint64_t plus = *infinity_of(dtype, false), minus = *infinity_of(dtype, true), nan = *nan_of(dtype);
    for (const bool exact_only : {false, true}) {
      CAPTURE(to_text(dtype), exact_only);
      CHECK(dot(dtype, {-0.0}, {1}, exact_only) == 0);
      CHECK(dot(dtype, {-0.0, -0.0}, {1, 0}, exact_only) == 0);
      CHECK(dot(dtype, {3, -3}, {1, 1}, exact_only) == 0);
      CHECK(dot(dtype, {kInfinity, 1}, {2, 1}, exact_only) == plus);
      CHECK(dot(dtype, {kInfinity, 1}, {-2, 1}, exact_only) == minus);
      CHECK(dot(dtype, {kInfinity, kInfinity}, {1, -1}, exact_only) == nan);
      CHECK(dot(dtype, {kInfinity, 1}, {0, 1}, exact_only) == nan);
      CHECK(dot(dtype, {kNan, 1}, {1, 1}, exact_only) == nan);
      CHECK(dot(dtype, {-kNan, kInfinity}, {0, 1}, exact_only) == nan);
    }
  }
}

TEST_CASE("only taps that reach an element count: an infinite weight does not touch the gaps", "[evaluators][sum]") {
  const Tensor x = floats(DType::float32, {1, 1, 2}, {1, 2}), w = floats(DType::float32, {1, 1, 2}, {kInfinity, 10});
  const TransposedTest t{x, w, {}, 1, transposed_axes({2}, {2}, {6}, {3}, {1}, {0})};
  const Tensor y = transposed(Call{}, {DType::float32, {1, 1, 6}}, t);
  const auto values = y.values<float>();
  CHECK(std::vector<float>(values.begin(), values.end()) == std::vector<float>{INFINITY, 10, 0, INFINITY, 20, 0});
}

TEST_CASE("an empty batch gives nothing, no channels give the bias", "[evaluators][sum]") {
  const TapAxes axes = transposed_axes({2}, {2}, {3}, {1}, {1}, {0});
  const TransposedTest no_batch{
      floats(DType::float32, {0, 1, 2}, {}), floats(DType::float32, {1, 1, 2}, {1, 2}), {}, 1, axes};
  CHECK(transposed(Call{}, {DType::float32, {0, 1, 3}}, no_batch).count() == 0);
  // Without elements, sizes cost nothing: these taps would be 10^10.
  const std::int64_t many = 100000;
  const TransposedTest no_channels{floats(DType::float16, {1, 0, many}, {}), floats(DType::float16, {0, 2, many}, {}),
                                   floats(DType::float16, {2}, {5, 6}), 1,
                                   transposed_axes({many}, {many}, {many}, {1}, {1}, {many / 2})};
  const Tensor y = transposed(Call{}, {DType::float16, {1, 2, many}}, no_channels);
  CHECK(floating_element(y, 0) == 5);
  CHECK(floating_element(y, 2 * many - 1) == 6);
}

TEST_CASE("integers wrap or saturate", "[evaluators][sum]") {
  struct Row {
    DType dtype;
    std::vector<std::int64_t> x, w;
    std::uint64_t wrapped, saturated;
  };
  const std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  const Row row = GENERATE_COPY(  //
      Row{DType::int8, {100, 100}, {1, 1}, 200, 127}, Row{DType::int8, {-100, 100}, {1, -1}, 56, 0x80},
      Row{DType::uint8, {200, 100}, {1, 1}, 44, 255}, Row{DType::int16, {300}, {300}, 24464, 32767},
      Row{DType::uint16, {300, 1}, {300, 5}, 24469, 65535}, Row{DType::int32, {65536}, {32768}, 0x80000000, 0x7fffffff},
      Row{DType::uint32, {65536}, {65536}, 0, 0xffffffff},
      Row{DType::int64, {most, 1}, {1, 1}, 0x8000000000000000, 0x7fffffffffffffff},
      Row{DType::int64, {least, least, least}, {least, least, 1}, 0x8000000000000000, 0x7fffffffffffffff},
      Row{DType::int64, {least, least, 5}, {least, least, -1}, 0xfffffffffffffffb, 0x7fffffffffffffff},
      Row{DType::int64, {least, least, least, least}, {most, most, most, most}, 0, 0x8000000000000000},
      Row{DType::uint64, {-1, -1, -1}, {-1, -1, -1}, 3, 0xffffffffffffffff},
      Row{DType::int32, {65536, 7}, {-32768, 0}, 0x80000000, 0x80000000});
  const auto channels = static_cast<std::int64_t>(row.x.size());
  const TransposedTest t{tensor_of(row.dtype, {1, channels, 1}, row.x),
                         tensor_of(row.dtype, {channels, 1, 1}, row.w),
                         {},
                         1,
                         transposed_axes({1}, {1}, {1}, {1}, {1}, {0})};
  CAPTURE(to_text(row.dtype), row.x, row.w);
  const TensorType type{row.dtype, {1, 1, 1}};
  CHECK(element_bits(transposed(Call{}, type, t), 0) == row.wrapped);
  CHECK(element_bits(transposed(Call{}, type, t, {Integers::Rounding::saturate}), 0) == row.saturated);
}

TEST_CASE("types without arithmetic are refused", "[evaluators][sum]") {
  const Tensor x = Tensor::of<std::uint8_t>(DType::boolean, {1, 1, 1}, std::vector<std::uint8_t>{1});
  const TransposedTest t{x, x, {}, 1, transposed_axes({1}, {1}, {1}, {1}, {1}, {0})};
  CHECK_THROWS_AS(transposed(Call{}, {DType::boolean, {1, 1, 1}}, t), Error);
}

TEST_CASE("norms: corner cases", "[evaluators][sum]") {
  CHECK(norm(DType::float16, {300, 400}, 2) == 500);
  CHECK(norm(DType::float64, {300, 400}, 2) == 500);
  CHECK(norm(DType::float64, {1, 2, 2}, 2) == 3);
  CHECK(norm(DType::float32, {3, 4, 5}, 3) == 6);
  CHECK(norm(DType::float64, {3, 4, 5}, 3) == 6);
  CHECK(norm(DType::float32, {-1, -2, 3}, 1) == 6);
  CHECK(norm(DType::float32, {3e-30F, 4e-30F}, 2) == 5e-30F);
  CHECK(norm(DType::float32, {1, 0x1p-24}, 1) == 1);
  CHECK(norm(DType::float32, {1, -0x1p-24, 0x1p-149}, 1) == 1 + 0x1p-23);
  // Python 3.11, decimal of 60 digits, rounded to float32: 10·2^(1/40), 10·2^(1/1000), 1e30·2^(1/2) of float32(1e30).
  CHECK(norm(DType::float32, {10, 10}, 40) == 0x1.4597fp3);
  CHECK(norm(DType::float32, {10, 10}, 1000) == 0x1.4038cep3);
  CHECK(norm(DType::float32, {1e30F, 1e30F}, 2) == 0x1.1d992p100);
  CHECK(norm(DType::float32, {0x1p-149, 0}, 40) == 0x1p-149);
  CHECK(norm(DType::float16, {65504, 65504}, 2) == kInfinity);
  CHECK(norm(DType::float64, {0x1p-1074, 0x1p-1074}, 1000) == 0x1p-1074);
}

TEST_CASE("norms: zeros, infinities, NaN", "[evaluators][sum]") {
  for (const DType dtype : kFloats)
    for (const double p : {0.5, 1.0, 2.0, 3.0, 40.0, 1000.0})
      for (const bool exact_only : {false, true}) {
        CAPTURE(to_text(dtype), p, exact_only);
        const std::uint64_t plus = *infinity_of(dtype, false), nan = *nan_of(dtype);
        const Tensor y =
            norms(dtype, {0, -0.0, -0.0, -kInfinity, kInfinity, 1, -kNan, kInfinity, -0.0}, 2, p, nullptr, exact_only);
        const std::vector<std::uint64_t> want = {0, 0, plus, plus, plus, nan, nan, plus};
        for (size_t i = 0; i < want.size(); ++i) CHECK(element_bits(y, static_cast<std::int64_t>(i)) == want[i]);
        CHECK(element_bits(norms(dtype, {5}, 1, p, nullptr, exact_only), 0) == bits_of(dtype, 5));
      }
}

TEST_CASE("a window without taps is +0", "[evaluators][sum]") {
  for (const DType dtype : kFloats)
    for (const double p : {1.0, 2.0, 3.0, 1.5}) {
      const Tensor y = window_norms(Call{}, {dtype, {1, 1, 3}}, floats(dtype, {1, 1, 1}, {-7}),
                                    window_axes({1}, {1}, {3}, {1}, {1}, {1}), p, 4);
      CHECK(element_bits(y, 0) == 0);
      CHECK(element_bits(y, 2) == 0);
    }
}

TEST_CASE("each plane is pooled by itself", "[evaluators][sum]") {
  // 60 planes of 10,000 elements: more coordinates than Taps keeps.
  const std::int64_t planes = 60, L = 10000;
  std::mt19937 random(5);
  const auto x = random_integers(planes * L, random);
  for (const DType dtype : {DType::float16, DType::float32}) {
    const Tensor y = window_norms(Call{}, {dtype, {2, planes / 2, L - 1}}, tensor_of(dtype, {2, planes / 2, L}, x),
                                  window_axes({L}, {2}, {L - 1}, {1}, {1}, {0}), 1);
    int differences = 0;
    for (std::int64_t plane = 0; plane < planes; ++plane)
      for (std::int64_t o = 0; o < L - 1; ++o) {
        const auto at = static_cast<size_t>(plane * L + o);
        differences +=
            floating_element(y, plane * (L - 1) + o) != static_cast<double>(std::abs(x[at]) + std::abs(x[at + 1]));
      }
    CHECK(differences == 0);
  }
}

TEST_CASE("a scaled norm is the root of scale_to / terms times the sum", "[evaluators][sum]") {
  // (4/2 · (3^2 + 3^2))^(1/2) = 6 and (8/2 · (2 + 2)) = 16, (8/4 · 4·2^3)^(1/3) = 4
  for (const DType dtype : kFloats) {
    CHECK(floating_element(norms(dtype, {3, 3}, 2, 2, nullptr, false, 4), 0) == 6);
    CHECK(floating_element(norms(dtype, {2, -2}, 2, 1, nullptr, false, 8), 0) == 16);
    CHECK(floating_element(norms(dtype, {2, 2, 2, 2}, 4, 3, nullptr, false, 8), 0) == 4);
  }
}

TEST_CASE("each element is counted once, by the tier that decided it", "[evaluators][sum]") {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  Stats stats;
  norms(DType::float32, x, 2, 2, &stats);  // no sum is a square, nor near one
  CHECK(stats.estimated == 5);
  CHECK(stats.exact == 0);
  norms(DType::float32, x, 2, 2, &stats, true);
  CHECK(stats.exact == 5);
  norms(DType::float64, x, 2, 2, &stats);
  CHECK(stats.exact == 10);
  norms(DType::float32, x, 2, 1.5, &stats);
  CHECK(stats.estimated == 10);
  norms(DType::float32, x, 2, 65, &stats);
  CHECK(stats.exact == 15);
  CHECK(stats.estimated == 10);
}

TEST_CASE("of random normal float32 data the exact tier decides less than one in a thousand", "[evaluators][sum]") {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  std::vector<double> x(10000);
  for (double& value : x) value = normal(random);
  for (const double p : {1.0, 2.0, 3.0, 7.0, 0.5, 2.75}) {
    Stats stats;
    norms(DType::float32, x, 9, p, &stats);
    CAPTURE(p);
    CHECK(stats.exact <= 9);
    CHECK(stats.exact + stats.estimated == 9992);
  }
  Stats stats;
  Call call;
  call.set_numerics({.exact_only = false, .stats = &stats});
  const TransposedTest t{floats(DType::float32, {1, 1, 10000}, x),
                         floats(DType::float32, {1, 1, 9}, std::vector(x.begin(), x.begin() + 9)),
                         {},
                         1,
                         transposed_axes({10000}, {9}, {10008}, {1}, {1}, {0})};
  transposed(call, {DType::float32, {1, 1, 10008}}, t);
  CHECK(stats.exact <= 10);
  CHECK(stats.exact + stats.estimated == 10008);
}

}  // namespace opref::evaluators::windows_test
