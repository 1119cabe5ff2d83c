// SPDX-License-Identifier: Apache-2.0
// The geometry, and a second formulation of the values: scatter in integers, from attributes to elements.
#include "ops/shared/convolutions.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "exact/rounding.h"
#include "ops/operators.h"
#include "schema/resolve.h"

namespace shared_conv_transpose_test {

using namespace opref::ops;
using namespace opref::ops;

namespace {

using Integers = std::vector<std::int64_t>;

/// One spatial axis of a node without automatic pads, or with them: what the node states.
struct Axis {
  std::int64_t L, k, s, d, output_padding, begin, end;
};

struct Config {
  std::vector<Axis> axes;
  std::string auto_pad;              ///< "": absent, and pads are stated
  std::vector<std::int64_t> stated;  ///< output_shape; empty: absent
  std::int64_t opset, group;
  DType dtype;
};

/// A number from -3 to 3 that depends on the seed and the index only.
std::int64_t small_integer(std::int64_t seed, std::int64_t index) {
  const auto mixed = static_cast<std::uint64_t>(index * 2654435761 + seed * 40503 + 12345) * 0x9E3779B97F4A7C15U;
  return static_cast<std::int64_t>(mixed >> 40) % 7 - 3;
}

Tensor tensor_of(DType dtype, const Dims& shape, const Integers& values) {
  TensorBuilder tensor({dtype, shape});
  for (size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    if (dtype == DType::float16) tensor.values<std::uint16_t>()[i] = nearest<Half>(value).bits;
    if (dtype == DType::bfloat16) tensor.values<std::uint16_t>()[i] = nearest<BFloat16>(value).bits;
    if (dtype == DType::float32) tensor.values<float>()[i] = static_cast<float>(value);
    if (dtype == DType::float64) tensor.values<double>()[i] = value;
  }
  return std::move(tensor).finish();
}

/// What is cut off at the begin, and the output's size: the texts of the versions, for one axis.
struct Crop {
  std::int64_t begin, O;
};
Crop crop(const Config& config, size_t axis) {
  const Axis& a = config.axes[axis];
  const std::int64_t full = a.s * (a.L - 1) + a.output_padding + (a.k - 1) * a.d + 1;
  const bool upper = config.auto_pad == "SAME_UPPER";
  if (!config.stated.empty()) {
    const std::int64_t O = config.stated[axis], total = O > full ? 0 : full - O, half = total / 2;
    const bool begin_is_half = config.opset < 11 ? !upper : upper;
    return {begin_is_half ? half : total - half, O};
  }
  if (upper || config.auto_pad == "SAME_LOWER") {
    const std::int64_t O = std::min(full, a.L * a.s), total = full - O;
    return {upper ? total / 2 : total - total / 2, O};
  }
  if (config.auto_pad == "VALID") return {0, full};
  return {a.begin, full - a.begin - a.end};
}

Call call_of(const Config& config, const Tensor& x, const Tensor& w, const Tensor& b) {
  Node node{"ConvTranspose", "", "", {}, {"X", "W", "B"}, {"Y"}};
  const auto add = [&](const char* name, auto member) {
    Integers values;
    for (const Axis& axis : config.axes) values.push_back(axis.*member);
    node.attributes.push_back({name, AttributeValue::of(values)});
  };
  add("strides", &Axis::s);
  add("dilations", &Axis::d);
  add("output_padding", &Axis::output_padding);
  node.attributes.push_back({"group", AttributeValue::of(config.group)});
  if (!config.auto_pad.empty()) {
    node.attributes.push_back({"auto_pad", AttributeValue::of(config.auto_pad)});
  } else {
    Integers pads;
    for (const Axis& axis : config.axes) pads.push_back(axis.begin);
    for (const Axis& axis : config.axes) pads.push_back(axis.end);
    node.attributes.push_back({"pads", AttributeValue::of(pads)});
  }
  if (!config.stated.empty()) node.attributes.push_back({"output_shape", AttributeValue::of(config.stated)});
  return resolve(find_operator("", "ConvTranspose")->at(config.opset), node,
                 {{"X", x.type(), x, {}}, {"W", w.type(), w, {}}, {"B", b.type(), b, {}}}, {});
}

/// Compares the operator with scatter: each element of X adds its multiple of the kernel to what is kept of Y.
void check(const Config& config, std::int64_t seed) {
  constexpr std::int64_t N = 1, kChannels = 2, kOutputs = 2;
  const std::int64_t C = kChannels * config.group, M = kOutputs * config.group;
  Dims x_shape{N, C}, w_shape{C, kOutputs}, y_shape{N, M}, begin;
  for (size_t axis = 0; axis < config.axes.size(); ++axis) {
    const Crop kept = crop(config, axis);
    x_shape.push_back(config.axes[axis].L);
    w_shape.push_back(config.axes[axis].k);
    y_shape.push_back(kept.O);
    begin.push_back(kept.begin);
  }
  const auto filled = [seed](const Dims& shape, std::int64_t which) {
    Integers values;
    for (std::int64_t i = 0; i < element_count(shape); ++i) values.push_back(small_integer(seed * 3 + which, i));
    return values;
  };
  const Integers x = filled(x_shape, 0), w = filled(w_shape, 1), b = filled(Dims{M}, 2);
  Integers y;
  const std::int64_t y_plane = element_count(y_shape) / (N * M), w_plane = element_count(w_shape) / (C * kOutputs);
  for (std::int64_t m = 0; m < M; ++m) y.insert(y.end(), static_cast<size_t>(y_plane), b[static_cast<size_t>(m)]);
  std::vector<Dims> taps;  // (output channel in its group, k)
  for (std::int64_t f = 0; f < kOutputs * w_plane; ++f) taps.push_back(coordinates(f, w_shape).without_first(1));
  for (size_t e = 0; e < x.size(); ++e) {
    const Dims i = coordinates(static_cast<std::int64_t>(e), x_shape);
    const size_t filters = static_cast<size_t>(i[1]) * taps.size();
    for (size_t f = 0; f < taps.size(); ++f) {
      std::int64_t at = i[1] / kChannels * kOutputs + taps[f][0];
      bool kept = true;
      for (size_t axis = 0; axis < config.axes.size(); ++axis) {
        const Axis& a = config.axes[axis];
        const std::int64_t o = i[axis + 2] * a.s + taps[f][axis + 1] * a.d - begin[axis];
        kept = kept && o >= 0 && o < y_shape[axis + 2];
        at = at * y_shape[axis + 2] + o;
      }
      if (kept) y[static_cast<size_t>(at)] += x[e] * w[filters + f];
    }
  }
  const Call call = call_of(config, tensor_of(config.dtype, x_shape, x), tensor_of(config.dtype, w_shape, w),
                            tensor_of(config.dtype, Dims{M}, b));
  const auto types = call.op().output_types(call);
  REQUIRE(types[0] == TensorType{config.dtype, y_shape});
  const Tensor result = std::get<Tensor>(call.op().kernel(call, types)[0]);
  const Tensor expected = tensor_of(config.dtype, y_shape, y);
  REQUIRE(std::ranges::equal(result.bytes(), expected.bytes()));
}

constexpr DType kTypes[] = {DType::float16, DType::bfloat16, DType::float32, DType::float64};

/// Every (size, kernel, stride, dilation, output_padding) of one axis.
template <class F>
void for_each_axis(const F& f) {
  for (std::int64_t L = 1; L <= 5; ++L)
    for (std::int64_t k = 1; k <= 3; ++k)
      for (std::int64_t s = 1; s <= 3; ++s)
        for (std::int64_t d = 1; d <= 2; ++d)
          for (std::int64_t op = 0; op < std::max(s, d); ++op) f(Axis{L, k, s, d, op, 0, 0});
}

std::int64_t full_size(const Axis& a) { return a.s * (a.L - 1) + a.output_padding + (a.k - 1) * a.d + 1; }

}  // namespace

TEST_CASE("a size that leaves 64 bits: the error names the formula and the attributes", "[ConvTranspose]") {
  const ConvTransposeGeometry g{{3, 3}, {2, 2}, {1, INT64_MAX}, {1, 1}, {0, 0}};
  try {
    g.full();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.text() ==
          "9223372036854775807 * 2 does not fit into 64 bits\n"
          "  in axis 1 of [1,9223372036854775807] and [2,2]\n"
          "  in strides*(L-1) + output_padding + span with strides [1,9223372036854775807], L [3,3], output_padding "
          "[0,0]");
  }
}

TEST_CASE("split_padding: halves add up, the odd one goes where it is told, halves of negative totals are floors",
          "[ConvTranspose]") {
  const Dims total{0, 1, 2, 5, -1, -2, -5};
  const Pads begin = split_padding(total, OddPad::begin), end = split_padding(total, OddPad::end);
  CHECK(begin.begin == Dims{0, 1, 1, 3, 0, -1, -2});
  CHECK(begin.end == Dims{0, 0, 1, 2, -1, -1, -3});
  CHECK(end.begin == begin.end);
  CHECK(end.end == begin.begin);
}

TEST_CASE("ConvTranspose: every configuration of one axis equals scatter", "[ConvTranspose]") {
  std::int64_t count = 0;
  const auto next = [&count](Config config) {
    config.group = 1 + count % 2;
    config.dtype = config.opset < 22 ? DType::float32 : kTypes[count / 2 % 4];
    ++count;
    check(config, count);
  };
  for_each_axis([&](Axis axis) {
    for (std::int64_t begin = 0; begin <= 2; ++begin)
      for (std::int64_t end = 0; end <= 2; ++end)
        if (begin + end < full_size(axis))
          next({{{axis.L, axis.k, axis.s, axis.d, axis.output_padding, begin, end}}, "", {}, 22, 1, DType::float32});
    for (const char* auto_pad : {"SAME_UPPER", "SAME_LOWER", "VALID"})
      next({{axis}, auto_pad, {}, 22, 1, DType::float32});
    const std::int64_t full = full_size(axis);
    for (std::int64_t O = std::max<std::int64_t>(1, full - 4); O <= full + 1; ++O)
      for (const std::int64_t opset : {1, 11})
        next({{axis},
              count % 3 == 0   ? ""
              : count % 3 == 1 ? "SAME_UPPER"
                               : "SAME_LOWER",
              {O},
              opset,
              1,
              DType::float32});
  });
  CHECK(count > 4000);
}

TEST_CASE("ConvTranspose: two and three axes equal scatter", "[ConvTranspose]") {
  std::vector<Axis> all;
  for_each_axis([&](const Axis& axis) {
    for (std::int64_t pads = 0; pads < 9; ++pads) {
      Axis padded = axis;
      padded.begin = pads % 3;
      padded.end = pads / 3;
      if (padded.begin + padded.end < full_size(axis)) all.push_back(padded);
    }
  });
  const auto other = [&all](std::int64_t i) { return all[static_cast<size_t>(i % 16 * 101 + 57) % all.size()]; };
  const char* modes[] = {"", "SAME_UPPER", "SAME_LOWER", "VALID"};
  std::int64_t count = 0;
  for (const Axis& first : all) {
    const std::int64_t i = count++;
    check({{first, other(i)}, "", {}, 22, 1 + i / 16 % 2, kTypes[i % 4]}, i);
    if (i % 9 == 0) check({{first, other(i / 9)}, modes[i / 9 % 4], {}, 22, 1, kTypes[i / 36 % 4]}, i);
    if (i % 9 == 4)
      check({{other(i / 9), first}, modes[i / 9 % 4], {2, 3}, i / 9 % 2 == 0 ? 6 : 17, 1, DType::float32}, i);
    if (i % 30 == 1) check({{first, other(i), other(i + 5)}, modes[i / 30 % 4], {}, 22, 1, kTypes[i / 30 % 4]}, i);
  }
  CHECK(count > 1500);
}

}  // namespace shared_conv_transpose_test
