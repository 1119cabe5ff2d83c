// SPDX-License-Identifier: Apache-2.0
#include "ops/common/quantization.h"

#include "core/error.h"
#include "exact/real/real_number.h"

namespace opref::ops {
namespace {

constexpr std::string_view kScaleOfOne = "quantize.scale_of_one", kRank1 = "quantize.rank_1";

bool has_attribute(const Call& call, std::string_view name) { return call.schema().find_attribute(name) != nullptr; }
std::int64_t block_size(const Call& call) { return has_attribute(call, "block_size") ? call.integer("block_size") : 0; }
size_t axis_of(const Call& call) {
  const size_t rank = call.type("x").rank();
  if (!has_attribute(call, "axis") || (rank == 1 && call.reads(kRank1, "axis_ignored"))) return 0;
  return call.axis("axis", rank);
}
bool is_one_number(const Call& call, const Dims& shape) {
  return shape.empty() || (shape == Dims{1} && !call.reads(kScaleOfOne, "per_axis"));
}

Ieee number(const Interval& x) { return Ieee(RealNumber(x.low()).nearest_double()); }

}  // namespace

Interval named_quotient(const Named& named, std::string_view name, const Interval& x, const Interval& scale,
                        std::optional<DType> precision) {
  const Interval exact = named(name, x / scale);
  if (!precision) return exact;
  const Ieee rounded = rounded_to(quotient_to_odd(number(x), number(scale)), *precision);
  return named(format("rounded to {}", *precision), Interval(rounded.v));
}
Interval named_integer(const Named& named, const Interval& quotient) {
  return named("rounded to an integer", Interval(round(number(quotient)).v));
}

Operand per_element(const Call& call, std::string_view parameter) {
  const Tensor& all = call.input(parameter);
  const Dims& x = call.type("x").shape;
  if (is_one_number(call, all.shape())) return {all.reshaped({})};
  const size_t axis = axis_of(call);
  const std::int64_t block = block_size(call), size = x[axis], inner = element_count(x.without_first(axis + 1));
  if (block == 0) {
    Dims shape{size};
    for (size_t k = axis + 1; k < x.size(); ++k) shape.push_back(1);
    return {all.reshaped(shape)};
  }
  return {all, [=, blocks = ceil_divide(size, block)](std::int64_t i) {
            const auto [outer, j, in] = split(i, size, inner);
            const std::int64_t at = (outer * blocks + j / block) * inner + in;
            return inner == 1 ? Run{at, std::min(block - j % block, size - j), 0} : Run{at, inner - in, 1};
          }};
}
Operand zero_points(const Call& call, std::string_view zero_point) {
  if (call.has(zero_point)) return per_element(call, zero_point);
  return {Tensor::of<float>(DType::float32, {}, std::array{0.0F})};
}

void check_quantization(const Call& call, std::string_view scale, std::string_view zero_point) {
  const Dims &x = call.type("x").shape, &s = call.type(scale).shape;
  if (call.has(zero_point)) {
    const Dims& z = call.type(zero_point).shape;
    const bool are_one = element_count(s) == 1 && s.size() <= 1 && element_count(z) == 1 && z.size() <= 1;
    require(z == s || are_one, "{} has shape {}, but {} has {}: they must be the same", zero_point, z, scale, s);
  }
  if (is_one_number(call, s)) return;
  require(has_attribute(call, "axis"), "{} has shape {}, but must be one number in {}", scale, s, call.title());
  const size_t axis = axis_of(call);
  const std::int64_t block = block_size(call);
  if (block == 0) {
    require(s == Dims{x[axis]}, "{} has shape {}, but must be one number or have shape {}", scale, s, Dims{x[axis]});
    return;
  }
  Dims blocks = x;
  blocks[axis] = ceil_divide(x[axis], block);
  require(s == blocks, "{} has shape {}, but must have {}: one per block of {}", scale, s, blocks, block);
}

Operator with_quantization_readings(Operator op) {
  return std::move(op)
      .reading({.name = kScaleOfOne,
                .alternatives = {"per_tensor: a scale of shape [1] is for all of x",
                                 "per_axis: it is for an axis of size 1"},
                .defaults = {{13, "per_tensor"}},
                .reason = "published data and onnx.reference take it for all of x, whatever axis says"})
      .reading({.name = kRank1,
                .alternatives = {"axis_in_range: axis must be one of x, also where x has one axis",
                                 "axis_ignored: it is that one"},
                .defaults = {{21, "axis_in_range"}},
                .reason = "\"When the rank of the input is 1, per-tensor quantization is applied\" stands against a "
                          "scale of one axis"});
}

}  // namespace opref::ops
