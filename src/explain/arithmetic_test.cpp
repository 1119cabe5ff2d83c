// SPDX-License-Identifier: Apache-2.0
// The terms that other accumulators see are those of the definition, for every storage, in its order.
#include "explain/arithmetic.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/text.h"
#include "exact/rounding.h"
#include "ops/operators.h"
#include "schema/resolve.h"

namespace arithmetic_test {

using namespace opref::explain;

namespace {

Tensor tensor_of(DType dtype, const Dims& shape, const std::vector<int>& values) {
  TensorBuilder tensor({dtype, shape});
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == DType::float16) tensor.values<Half>()[i] = nearest<Half>(values[i]);
    if (dtype == DType::float32) tensor.values<float>()[i] = static_cast<float>(values[i]);
    if (dtype == DType::float64) tensor.values<double>()[i] = values[i];
    if (dtype == DType::int8) tensor.values<std::int8_t>()[i] = static_cast<std::int8_t>(values[i]);
    if (dtype == DType::uint64) tensor.values<std::uint64_t>()[i] = static_cast<std::uint64_t>(values[i]);
  }
  return std::move(tensor).finish();
}

Call call_of(const std::string& domain, Node node, const std::vector<Tensor>& inputs) {
  std::vector<Input> bound;
  for (size_t i = 0; i < inputs.size(); ++i) bound.push_back({node.inputs[i], inputs[i].type(), inputs[i], {}});
  return resolve(find_operator(domain, node.op_type)->at(domain.empty() ? 22 : 1), node, std::move(bound), {});
}

/// "0: 5 1*2; 1: 1*3": by element.
std::string text_of(const TermTable& table) {
  std::string text;
  for (size_t e = 0; e < table.ends.size(); ++e) {
    text += format("{}{}:", e == 0 ? "" : "; ", e);
    for (const auto& [a, b, is_product] : table.of(e)) text += is_product ? format(" {}*{}", a, b) : format(" {}", a);
  }
  return text;
}
std::string terms_of(const Call& call) {
  return text_of(collect_terms(call, call.op().output_types(call), 1000).value());
}

}  // namespace

TEST_CASE("the terms of a convolution: bias, then channels, then taps", "[explain][arithmetic]") {
  // X = [1,2 | 3,4], W[c,m,k] = [5,6 ; 7,8 | -5,-6 ; -7,-8]: two channels in, two out, two taps.
  for (const DType dtype : {DType::float16, DType::float32, DType::float64}) {
    const Call call =
        call_of("", {"ConvTranspose", "", "", {}, {"X", "W", "B"}, {"Y"}},
                {tensor_of(dtype, {1, 2, 2}, {1, 2, 3, 4}), tensor_of(dtype, {2, 2, 2}, {5, 6, 7, 8, -5, -6, -7, -8}),
                 tensor_of(dtype, {2}, {9, -9})});
    CHECK(terms_of(call) ==
          "0: 9 1*5 3*-5; 1: 9 2*5 1*6 4*-5 3*-6; 2: 9 2*6 4*-6; "
          "3: -9 1*7 3*-7; 4: -9 2*7 1*8 4*-7 3*-8; 5: -9 2*8 4*-8");
    const auto table = collect_terms(call, call.op().output_types(call), 22);
    CHECK(table.value().order.channels == 2);
    CHECK_FALSE(table.value().norm);
    CHECK_FALSE(collect_terms(call, call.op().output_types(call), 21));
  }
  const Node node{"GroupConvolutionBackpropData", "openvino", "", {}, {"data", "kernel"}, {"output"}};
  for (const DType dtype : {DType::int8, DType::uint64}) {
    const Call call =
        call_of("openvino", node, {tensor_of(dtype, {1, 2, 1}, {3, 4}), tensor_of(dtype, {2, 1, 1, 2}, {5, 6, 7, 8})});
    CHECK(terms_of(call) == "0: 3*5; 1: 3*6; 2: 4*7; 3: 4*8");
    CHECK(collect_terms(call, call.op().output_types(call), 22).value().order.channels == 1);
  }
}

TEST_CASE("the terms of norms; data movement has none", "[explain][arithmetic]") {
  const auto integers = [](std::vector<std::int64_t> values) { return AttributeValue::of(std::move(values)); };
  const Node node{"LpPool", "",   "", {{"kernel_shape", integers({2, 1})}, {"pads", integers({1, 0, 0, 0})}},
                  {"X"},    {"Y"}};
  const Call pool = call_of("", node, {tensor_of(DType::float32, {1, 2, 2, 2}, {1, -2, 3, -4, 5, 6, 7, 8})});
  CHECK(terms_of(pool) == "0: 1; 1: -2; 2: 1 3; 3: -2 -4; 4: 5; 5: 6; 6: 5 7; 7: 6 8");
  const auto table = collect_terms(pool, pool.op().output_types(pool), 1000);
  CHECK(table.value().norm == 2);
  CHECK(table.value().scales.empty());
  CHECK(table.value().order.taps == 2);
  const Call rescaled = pool.with_reading("lp_pool.partial_window", "rescaled");
  // Windows of one element of two: 0, 1, 4 and 5.
  const auto scales = collect_terms(rescaled, pool.op().output_types(pool), 1000).value().scales;
  CHECK(scales.size() == 4);
  for (const size_t element : {0U, 1U, 4U, 5U}) CHECK((scales.at(element).a == 2 && scales.at(element).b == 1));

  const Node unpool{"MaxUnpool", "", "", {{"kernel_shape", integers({2})}}, {"X", "I"}, {"Y"}};
  TensorBuilder index({DType::int64, {1, 1, 1}});
  const Call moves = call_of("", unpool, {tensor_of(DType::float32, {1, 1, 1}, {1}), std::move(index).finish()});
  CHECK_FALSE(collect_terms(moves, moves.op().output_types(moves), 1000));
}

TEST_CASE("every known arithmetic has a name of its own", "[explain][arithmetic]") {
  for (const auto p : {std::optional<double>(), std::optional(2.0), std::optional(2.5)}) {
    std::vector<std::string> names;
    for (const Arithmetic& way : known_arithmetic(DType::float16, p)) names.push_back(to_text(way));
    CHECK(names.front().empty());  // the exact one
    CHECK(names.size() > 100);
    std::ranges::sort(names);
    CHECK(std::ranges::adjacent_find(names) == names.end());
  }
}

TEST_CASE("terms are found by element where blocks of positions come channel after channel", "[explain][arithmetic]") {
  std::vector<int> values(18000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
  const Node node{"LpPool", "", "", {{"kernel_shape", AttributeValue::of(std::vector<std::int64_t>{1})}}, {"X"}, {"Y"}};
  const Call call = call_of("", node, {tensor_of(DType::float32, {1, 2, 9000}, values)});
  const auto table = collect_terms(call, call.op().output_types(call), 20000).value();
  REQUIRE(table.ends.size() == values.size());
  for (size_t i = 0; i < values.size(); ++i) REQUIRE(table.of(i)[0].a == values[i]);
}

TEST_CASE("what double cannot hold still decides a rounding", "[explain][arithmetic]") {
  const auto element = [](const Arithmetic& way, std::vector<TermTable::Term> terms) {
    const size_t count = terms.size();
    return way.element({{}, {}, std::move(terms), {count}}, 0, DType::float16);
  };
  const Arithmetic through{.through = DType::float32};
  // 1 + 2^-11 is a tie of float16, 1 + 2^-11 + 2^-24 one of float32.
  CHECK(element({}, {{1, 1, true}, {0x1p-11, 1, true}}) == 0x3c00);
  CHECK(element({}, {{1, 1, true}, {0x1p-11, 1, true}, {0x1p-80, 1, true}}) == 0x3c01);
  CHECK(element(through, {{1, 1, true}, {0x1p-11, 1, true}, {0x1p-24, 1, true}}) == 0x3c00);
  CHECK(element(through, {{1, 1, true}, {0x1p-11, 1, true}, {0x1p-24, 1, true}, {0x1p-80, 1, true}}) == 0x3c01);
  CHECK(element({.through = DType::float64}, {{1, 1, true}, {0x1p-11, 1, true}, {0x1p-80, 1, true}}) == 0x3c00);
  // What is flushed to a zero has its sign, whatever is beyond.
  CHECK(element({.flush = Arithmetic::Flush::results}, {{-0x1p-20, 1, true}, {0x1p-120, 1, true}}) == 0x8000);
}

TEST_CASE("the operator says where the bias stands", "[explain][arithmetic]") {
  // In float16 1 + 2^-11 is 1: -1 + (1 + 2^-11) is 0, (-1 + 1) + 2^-11 is not.
  const Arithmetic half{.accumulator = DType::float16};
  TermTable table{{}, {}, {{-1, 1, false}, {1, 1, true}, {0x1p-11, 1, true}}, {3}};
  CHECK(half.element(table, 0, DType::float16) == 0x1000);
  table.order.bias_first = false;
  CHECK(half.element(table, 0, DType::float16) == 0);
}

TEST_CASE("arithmetic: one element shows no order of sums, but the types in which they are added", "[explain]") {
  const Arithmetic way{
      .accumulator = DType::float32, .order = Arithmetic::Order::channels_then_taps, .taps = DType::float16};
  CHECK(to_text(way) == "float32 accumulation over channels, then float16 over taps");
  CHECK(to_text(way, {.orders = false}) == "float32 accumulation, then float16");
}

TEST_CASE("what double cannot hold still decides a norm", "[explain][arithmetic]") {
  const auto element = [](const Arithmetic& way, double p, const std::vector<double>& x,
                          DType output = DType::float16) {
    TermTable table{p, {}, {}, {x.size()}};
    for (const double term : x) table.terms.push_back({term, 1, false});
    return way.element(table, 0, output);
  };
  using Norm = Arithmetic::Norm;
  const Arithmetic no_root{.norm = Norm::without_root}, no_abs{.norm = Norm::without_abs},
      truncated{.rounding = Arithmetic::Rounding::toward_zero}, through{.through = DType::float64};
  // 65520, the sum 3³ + 4³ + 5³ = 6³ times 10920³, and the 3-4-5 triangle: halfway between 65504 and infinity.
  CHECK(element({}, 3, {32760, 43680, 54600}) == 0x7c00);
  CHECK(element({}, 3, {32760, 43680, -54600, 0x1p-40}) == 0x7c00);
  CHECK(element({}, 3, {32760, 43680, std::nextafter(54600, 0)}) == 0x7bff);
  CHECK(element({}, 2, {39312, 52416}) == 0x7c00);
  // 2051 lies between 2050 and 2052, the even one: 0x6801 and 0x6802.
  CHECK(element({}, 2, {2051}) == 0x6802);
  CHECK(element({}, 2, {2049}) == 0x6800);
  for (const double p : {2.0, 3.0}) CHECK(element({}, p, {2049, 0x1p-30}) == 0x6801);
  CHECK(element(through, 3, {2049, 0x1p-30}) == 0x6800);
  CHECK(element(truncated, 3, {2052}) == 0x6802);
  CHECK(element(no_abs, 3, {2051, -0x1p-30}) == 0x6801);
  CHECK(element(no_abs, 3, {-2051, 0x1p-30}) == 0x7e00);
  CHECK(element(no_abs, 1, {-2051, 0x1p-60}) == 0xe801);
  CHECK(element(no_abs, 2, {2049, -0x1p-30}) == 0x6801);
  // 1 + 2^-11 is halfway to the number after 1; the rest decides.
  CHECK(element(no_root, 3, {1, 0x1p-4, 0x1p-4}) == 0x3c00);
  CHECK(element(no_root, 3, {1, 0x1p-4, 0x1p-4, -0x1p-30}) == 0x3c01);
  CHECK(element(no_root, 2, {1, 0x1p-6, 0x1p-6, 0x1p-40}) == 0x3c01);
  CHECK(element(no_root, 0.5, {1, 0x1p-22, 0x1p-200}) == 0x3c01);
  // 3 of float64: the double below what is a little less than 3.
  CHECK(element(truncated, 2, {3, 0x1p-40}, DType::float64) == 0x4008000000000000);
  CHECK(element({.rounding = Arithmetic::Rounding::toward_zero, .norm = Norm::without_abs}, 3, {3, -0x1p-40},
                DType::float64) == 0x4007ffffffffffff);
  // What is not finite.
  const double inf = HUGE_VAL, nan = std::nan("");
  CHECK(element({}, 2, {1, -inf}) == 0x7c00);
  CHECK(element({}, 2, {nan, inf}) == 0x7e00);
  CHECK(element(no_abs, 3, {inf, -inf}) == 0x7e00);
  CHECK(element(no_abs, 3, {1, -inf}) == 0x7e00);
  CHECK(element(no_abs, 2, {1, -inf}) == 0x7c00);
  CHECK(element(no_abs, 1, {1, -inf}) == 0xfc00);
  CHECK(element(no_root, 3, {1, -inf}) == 0x7c00);
  CHECK(element(no_abs, 0.5, {4, -1}) == 0x7e00);
}

}  // namespace arithmetic_test
