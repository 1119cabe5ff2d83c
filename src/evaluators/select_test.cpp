// SPDX-License-Identifier: Apache-2.0
#include "evaluators/select.h"

#include <catch2/catch.hpp>
#include <cfloat>
#include <cmath>
#include <limits>
#include <random>

#include "exact/oracle_testing.h"
#include "exact/rounding.h"

namespace evaluators_select_test {

using namespace opref;
using namespace opref::evaluators;

namespace {

template <class T>
Tensor list(DType dtype, const std::vector<T>& values) {
  return Tensor::of<T>(dtype, Dims{static_cast<std::int64_t>(values.size())}, values);
}

std::int64_t best(const Tensor& x, Extreme extreme, Tie tie, Zeros zeros = Zeros::ordered) {
  const auto all = [&](std::int64_t, Best& candidates) {
    for (std::int64_t i = 0; i < x.count(); ++i) candidates.consider(i);
  };
  const Call call;
  return Selection(Output(call, TensorType{DType::int64, {}}), x, zeros, extreme, tie, all)(0);
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("select: NaN wins, ties go to the first or the last, zeros have an order or none", "[evaluators]") {
  const Tensor x = list<float>(DType::float32, {1, -kInfinity, 3, 3, -2, -kInfinity});
  CHECK(best(x, Extreme::greatest, Tie::first) == 2);
  CHECK(best(x, Extreme::greatest, Tie::last) == 3);
  CHECK(best(x, Extreme::least, Tie::first) == 1);
  CHECK(best(x, Extreme::least, Tie::last) == 5);

  const Tensor zeros = list<float>(DType::float32, {-0.0F, 0.0F, -0.0F});
  CHECK(best(zeros, Extreme::greatest, Tie::first) == 1);
  CHECK(best(zeros, Extreme::least, Tie::last) == 2);
  CHECK(best(zeros, Extreme::greatest, Tie::first, Zeros::equal) == 0);
  CHECK(best(zeros, Extreme::least, Tie::last, Zeros::equal) == 2);

  const Tensor nan = list<float>(DType::float32, {kInfinity, -std::numeric_limits<float>::quiet_NaN(), kInfinity});
  CHECK(best(nan, Extreme::greatest, Tie::first) == 1);
  CHECK(best(nan, Extreme::least, Tie::last) == 1);
  CHECK(best(list<float>(DType::float32, {}), Extreme::least, Tie::last) == -1);
}

TEST_CASE("select: integers of 64 bits at their ends are no NaN", "[evaluators]") {
  const Tensor wide = list<std::int64_t>(DType::int64, {INT64_MAX, INT64_MIN, INT64_MAX});
  CHECK(best(wide, Extreme::least, Tie::first) == 1);
  CHECK(best(wide, Extreme::greatest, Tie::last) == 2);
  const Tensor unsigned_wide = list<std::uint64_t>(DType::uint64, {1, UINT64_MAX, INT64_MAX, 0});
  CHECK(best(unsigned_wide, Extreme::greatest, Tie::first) == 1);
  CHECK(best(unsigned_wide, Extreme::least, Tie::first) == 3);
}

TEST_CASE("select: every type's numbers compare as their values do", "[evaluators]") {
  for (const DTypeInfo& type : all_dtypes()) {
    if (type.bits > 16 || type.bits == 0 || type.kind == Kind::complex) continue;
    const std::int64_t count = type.kind == Kind::boolean ? 2 : std::int64_t{1} << type.bits;
    TensorBuilder bits({type.dtype, Dims{count}});
    for (std::int64_t i = 0; i < count * type.bits; ++i)
      if ((i / type.bits >> i % type.bits & 1) != 0) bits.bytes()[static_cast<size_t>(i / 8)] |= std::byte(1 << i % 8);
    const Tensor x = std::move(bits).finish();
    const Elements elements(x);
    const Order order(x, Zeros::equal);
    INFO(type.name);
    size_t wrong = 0;
    for (std::int64_t i = 0; i + 1 < count; ++i) {
      const double a = elements.number(i), b = elements.number(i + 1);
      if (a != a || b != b) continue;
      wrong += (order(i) < order(i + 1)) != (a < b) || (order(i) == order(i + 1)) != (a == b);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("select: what stands where there is nothing to choose", "[evaluators]") {
  CHECK(neutral(DType::float32, Extreme::greatest).values<float>()[0] == -kInfinity);
  CHECK(neutral(DType::float16, Extreme::least).values<std::uint16_t>()[0] == 0x7c00);
  CHECK(neutral(DType::float8_e4m3fn, Extreme::greatest).values<std::uint8_t>()[0] == 0xfe);  // -448
  CHECK(neutral(DType::float32, Extreme::greatest, Ends::finite).values<float>()[0] == -FLT_MAX);
  CHECK(neutral(DType::int8, Extreme::greatest).values<std::int8_t>()[0] == -128);
  CHECK(neutral(DType::int64, Extreme::least).values<std::int64_t>()[0] == INT64_MAX);
  CHECK(neutral(DType::uint8, Extreme::greatest).values<std::uint8_t>()[0] == 0);
  CHECK(neutral(DType::uint16, Extreme::least).values<std::uint16_t>()[0] == 0xffff);
  CHECK(neutral(DType::int4, Extreme::greatest).values<std::uint8_t>()[0] == 8);
  CHECK(neutral(DType::boolean, Extreme::least).values<std::uint8_t>()[0] == 1);
}

TEST_CASE("select: the first of the greatest or least floats of a whole tensor, or the first NaN", "[evaluators]") {
  exact::oracle::Random random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> x(static_cast<std::size_t>(random.in(1, random.one_in(3) ? 5000 : 40)));
    const double spread = random.one_in(2) ? 3 : 1e6;
    for (float& a : x) a = static_cast<float>(std::round(random.normal() * spread));
    const auto any = [&]() -> float& { return x[static_cast<std::size_t>(random.in(0, std::ssize(x) - 1))]; };
    if (random.one_in(3)) any() = -0.0F, any() = 0.0F;
    if (random.one_in(4)) any() = kInfinity, any() = -kInfinity;
    if (random.one_in(4)) any() = std::numeric_limits<float>::quiet_NaN(), any() = -any();
    const Tensor all = list(DType::float32, x);
    for (const Extreme extreme : {Extreme::greatest, Extreme::least})
      CHECK(position_of(extreme, x) == best(all, extreme, Tie::first));
  }
}

TEST_CASE("select: all positions, by threads", "[evaluators]") {
  const Tensor x = list<std::int32_t>(DType::int32, {5, 2, 9, 4, 7, 1});
  Call call;
  call.set_numerics({.threads = 2});
  const Output out(call, TensorType{DType::int64, {1}});
  const Selection pairs(out, x, Zeros::equal, Extreme::least, Tie::first, [](std::int64_t i, Best& best) {
    for (std::int64_t k = i; i != 3 && k < i + 2; ++k) best.consider(k);
  });
  std::vector<std::int64_t> chosen(5);
  pairs.all(chosen);
  CHECK(chosen == std::vector<std::int64_t>{1, 1, 3, -1, 5});
}

TEST_CASE("ranking: the k best of each line are those that a sort of all puts first", "[evaluators]") {
  std::mt19937_64 random(5);
  const auto chosen = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(most) + 1));
  };
  for (const DTypeInfo& type : all_dtypes()) {
    if (type.kind == Kind::string || type.kind == Kind::complex) continue;
    for (int round = 0; round < 12; ++round) {
      // Any bits, NaN among them; few that differ, zeros of both signs among them; ascending ones.
      const Dims shape{1 + chosen(2), 1 + chosen(round % 3 == 0 ? 3000 : 90), 1 + chosen(2)};
      std::uint64_t turn = 0;
      const Tensor x = tensor_of_bits({type.dtype, shape}, [&](std::int64_t) {
        ++turn;
        const std::uint64_t few = (random() & 3) << (type.bits > 1 ? type.bits - 2 : 0);
        const std::uint64_t bits = round % 4 == 0 ? few : round % 4 == 1 ? turn / 3 : random();
        return type.bits == 64 ? bits : bits & ((std::uint64_t{1} << type.bits) - 1);
      });
      const std::int64_t n = shape[1], k = round % 5 == 0 ? n : chosen(n);
      const Lines lines(shape, {1});
      for (const Extreme extreme : {Extreme::greatest, Extreme::least}) {
        INFO(type.name << ", " << k << " of " << n << (extreme == Extreme::least ? " least" : " greatest"));
        Call call;
        call.set_numerics({.threads = 1 + round % 2});
        const Output out(call, TensorType{type.dtype, Dims{shape[0], k, shape[2]}});
        const Ranking ranking(out, x, lines, k, extreme);
        const Order order(x, Zeros::equal);
        bool same = true;
        for (std::int64_t line = 0; line < lines.count(); ++line) {
          std::vector<std::int64_t> all;
          for (std::int64_t j = 0; j < n; ++j) all.push_back(lines.at(line, j));
          std::ranges::stable_sort(all, [&](std::int64_t a, std::int64_t b) {
            return extreme == Extreme::greatest ? order(a) > order(b) : order(a) < order(b);
          });
          for (std::int64_t j = 0; j < k; ++j) same &= ranking(line, j) == all[static_cast<size_t>(j)];
        }
        CHECK(same);
      }
    }
  }
}

}  // namespace evaluators_select_test
