// SPDX-License-Identifier: Apache-2.0
#include "ops/common/quantization.h"

#include "core/error.h"
#include "families/move.h"

namespace opref::ops {
namespace {

bool has_attribute(const Call& call, std::string_view name) { return call.schema().find_attribute(name) != nullptr; }
std::int64_t block_size(const Call& call) { return has_attribute(call, "block_size") ? call.integer("block_size") : 0; }
std::int64_t axis_of(const Call& call, size_t rank) {
  return has_attribute(call, "axis") ? call.axis("axis", rank) : 0;
}

}  // namespace

Tensor per_element(const Output& out, const Tensor& parameter, const Dims& x) {
  if (parameter.count() == 1 && parameter.shape().size() <= 1) return parameter.reshaped({});
  const Call& call = out.call();
  const Output step = out.inner({parameter.dtype(), x});
  const auto axis = static_cast<size_t>(axis_of(call, x.size()));
  const std::int64_t block = block_size(call);
  Dims strides;
  if (block == 0) {
    for (size_t k = 0; k < x.size(); ++k) strides.push_back(k == axis ? 1 : 0);
    return move(step, std::array{parameter}, [places = Strided(x, strides)](std::int64_t i) { return Run{places(i)}; });
  }
  return move(step, std::array{parameter}, [=, shape = parameter.shape()](std::int64_t i) {
    Dims at = coordinates(i, x);
    at[axis] /= block;
    const Dims steps = strides_of(shape);
    std::int64_t from = 0;
    for (size_t k = 0; k < at.size(); ++k) from += at[k] * steps[k];
    return Run{from};
  });
}

void check_quantization(const Call& call, std::string_view scale, std::string_view zero_point) {
  const Dims &x = call.type("x").shape, &s = call.type(scale).shape;
  const bool is_one = element_count(s) == 1 && s.size() <= 1;
  const std::int64_t block = block_size(call);
  require(block >= 0, "attribute 'block_size' is {}, but must not be negative", block);
  if (call.has(zero_point)) {
    const Dims& z = call.type(zero_point).shape;
    require(z == s || (is_one && element_count(z) == 1 && z.size() <= 1), "{} has shape {}, but {} has {}", zero_point,
            z, scale, s);
  }
  if (is_one) return;
  require(has_attribute(call, "axis"), "{} has shape {}, but must be one number in {}", scale, s, call.title());
  const auto axis = static_cast<size_t>(axis_of(call, x.size()));
  if (block == 0) {
    require(s == Dims{x[axis]}, "{} has shape {}, but must be one number or have shape {}", scale, s, Dims{x[axis]});
    return;
  }
  Dims blocks = x;
  blocks[axis] = (x[axis] + block - 1) / block;
  require(s == blocks, "{} has shape {}, but must have {}: one per block of {}", scale, s, blocks, block);
}

std::optional<DType> stated_type(const Call& call, std::string_view attribute) {
  if (!has_attribute(call, attribute) || call.integer(attribute) == 0) return std::nullopt;
  return dtype_from_onnx(static_cast<int>(call.integer(attribute)));
}

Conversion conversion_of(const Call& call, std::int64_t since_newer_infinities) {
  Conversion how;
  if (has_attribute(call, "saturate")) how.saturates = call.integer("saturate") != 0;
  how.infinity_is_nan_without = call.version() < since_newer_infinities;
  if (has_attribute(call, "round_mode")) how.power = call.choice<Conversion::Power>("round_mode");
  return how;
}

}  // namespace opref::ops
