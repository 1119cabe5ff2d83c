// SPDX-License-Identifier: Apache-2.0
#include "ops/common/mistakes.h"

#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "exact/rounding.h"
#include "ops/common/spatial.h"

namespace opref::ops {
namespace {

using Integers = std::vector<std::int64_t>;

std::optional<Call> with_list(const Call& call, std::string_view attribute, Integers values) {
  return call.with_attribute(attribute, AttributeValue::of(std::move(values)));
}

/// The place of the formal input of this name; else `other`.
size_t place_of(const Call& call, std::initializer_list<std::string_view> names, size_t other) {
  const auto& formal = call.schema().inputs();
  const auto found = std::ranges::find_first_of(formal, names, {}, &FormalParameter::name);
  return found == formal.end() ? other : static_cast<size_t>(found - formal.begin());
}
size_t kernels(const Call& call) { return place_of(call, {"W", "w"}, 1); }

/// The name of an input that is there with its values, else empty.
std::string_view name_of(const Call& call, size_t input) {
  const auto& formal = call.schema().inputs();
  const bool known = input < std::min(formal.size(), call.inputs().size()) && call.inputs()[input].value;
  return known ? formal[input].name : std::string_view();
}

size_t spatial_axes(const Call& call) { return call.inputs().front().type.tensor.rank() - 2; }

std::optional<Call> with_moved(const Call& call, std::string_view name,
                               const std::function<Dims(const Dims&)>& source) {
  return call.with_input(name, moved(call.input(name), source));
}

/// The kernels as if stored with two axes exchanged, counted from the first spatial one.
std::optional<Call> with_axes_exchanged(const Call& call, std::ptrdiff_t a, std::ptrdiff_t b) {
  const std::string_view name = name_of(call, kernels(call));
  if (name.empty()) return std::nullopt;
  const Dims& w = call.type(name).shape;
  const auto exchanged = [first = static_cast<std::ptrdiff_t>(w.size() - spatial_axes(call)), a, b](Dims dims) {
    std::swap(dims[static_cast<size_t>(first + a)], dims[static_cast<size_t>(first + b)]);
    return dims;
  };
  return with_moved(call, name, [&](const Dims& at) { return coordinates(position(exchanged(at), exchanged(w)), w); });
}

/// The bias whose element m is the original's element `source(m, outputs of a group)`.
std::optional<Call> with_bias(const Call& call, std::int64_t (*source)(std::int64_t m, std::int64_t outputs)) {
  const std::int64_t groups = call.has_here("group") ? call.integer("group") : 1;
  const std::string_view name = name_of(call, place_of(call, {"B"}, SIZE_MAX));
  if (name.empty() || groups < 2 || call.type(name).shape[0] % groups != 0) return std::nullopt;
  const std::int64_t outputs = call.type(name).shape[0] / groups;
  return with_moved(call, name, [&](const Dims& at) { return Dims{source(at[0], outputs)}; });
}

}  // namespace

Tensor moved(const Tensor& tensor, const std::function<Dims(const Dims&)>& source) {
  TensorBuilder result(tensor.type());
  with_unit(tensor.dtype(), [&]<class Unit>(Unit) {
    const auto from = tensor.values<Unit>();
    const auto to = result.values<Unit>();
    for (size_t i = 0; i < to.size(); ++i) {
      const Dims at = coordinates(static_cast<std::int64_t>(i), tensor.shape());
      to[i] = from[static_cast<size_t>(position(source(at), tensor.shape()))];
    }
  });
  return std::move(result).finish();
}

std::optional<Call> pads_swapped(const Call& call) {
  if (call.has_here("pads")) {
    Integers pads = call.integers("pads");
    std::rotate(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2), pads.end());
    return with_list(call, "pads", pads);
  }
  if (!call.has_here("pads_begin") && !call.has_here("pads_end")) return std::nullopt;
  const auto list = [&](std::string_view name) {
    return call.has(name) ? call.integers(name) : Integers(spatial_axes(call), 0);
  };
  return with_list(call, "pads_begin", list("pads_end"))
      ->with_attribute("pads_end", AttributeValue::of(list("pads_begin")));
}

std::optional<Call> pads_by_axis(const Call& call) {
  if (!call.has_here("pads")) return std::nullopt;
  const Integers pads = call.integers("pads");
  const size_t axes = pads.size() / 2;
  Integers by_axis = pads;
  for (size_t i = 0; i < axes; ++i) by_axis[i] = pads[2 * i], by_axis[axes + i] = pads[2 * i + 1];
  return with_list(call, "pads", by_axis);
}

std::optional<Call> both_pads_ignored(const Call& call) {
  return call.without_attribute("pads_begin").without_attribute("pads_end");
}

std::optional<Call> odd_pad_on_other_side(const Call& call) {
  const std::vector<std::string_view>& words = call.schema().find_attribute("auto_pad")->range.words;
  const std::string_view upper = words[1], lower = words[2];
  const std::string& side = call.string("auto_pad");
  if (side != upper && side != lower && !call.has_here("output_shape")) return std::nullopt;  // nothing is split
  return call.with_attribute("auto_pad",
                             AttributeValue::of(std::string(call.string("auto_pad") == upper ? lower : upper)));
}

std::optional<Call> ceil_instead_of_floor(const Call& call) {
  if (!call.has_here("ceil_mode")) return std::nullopt;
  return call.with_attribute("ceil_mode", AttributeValue::of(std::int64_t{1}));
}

std::optional<Call> nan_passed_over(const Call& call) {
  const std::string_view name = name_of(call, 0);
  const DType dtype = call.inputs().front().type.tensor.dtype;
  if (name.empty() || info(dtype).kind != Kind::floating || !infinity_of(dtype, true)) return std::nullopt;
  const Tensor& x = call.input(name);
  return call.with_input(name, tensor_of_bits(x.type(), [&](std::int64_t i) {
                           const std::uint64_t bits = element_bits(x, i);
                           return std::isnan(floating_value(dtype, bits)) ? *infinity_of(dtype, true) : bits;
                         }));
}

std::vector<Mistake> pooling_mistakes() {
  return {{"pads swapped", pads_swapped},
          {"pads read axis by axis", pads_by_axis},
          {"odd pad on the other side", odd_pad_on_other_side},
          {"ceil instead of floor", ceil_instead_of_floor}};
}

std::optional<Call> kernel_flipped(const Call& call) {
  const std::string_view name = name_of(call, kernels(call));
  if (name.empty()) return std::nullopt;
  const Dims& w = call.type(name).shape;
  return with_moved(call, name, [&](Dims at) {
    for (size_t axis = w.size() - spatial_axes(call); axis < w.size(); ++axis) at[axis] = w[axis] - 1 - at[axis];
    return at;
  });
}

std::optional<Call> kernel_axes_exchanged(const Call& call) {
  const auto axes = static_cast<std::ptrdiff_t>(spatial_axes(call));
  return axes < 2 ? std::nullopt : with_axes_exchanged(call, axes - 2, axes - 1);
}

std::optional<Call> kernel_channels_exchanged(const Call& call) { return with_axes_exchanged(call, -2, -1); }

std::optional<Call> bias_per_group(const Call& call) {
  return with_bias(call, [](std::int64_t m, std::int64_t outputs) { return m / outputs; });
}

std::optional<Call> bias_of_first_group(const Call& call) {
  return with_bias(call, [](std::int64_t m, std::int64_t outputs) { return m % outputs; });
}

std::vector<Mistake> convolution_mistakes() {
  return {{"pads swapped", pads_swapped},
          {"pads read axis by axis", pads_by_axis},
          {"odd pad on the other side", odd_pad_on_other_side},
          {"kernel flipped", kernel_flipped},
          {"kernel's axes exchanged", kernel_axes_exchanged},
          {"kernel's input and output channels exchanged", kernel_channels_exchanged},
          {"bias per group", bias_per_group},
          {"bias of the first group for all", bias_of_first_group}};
}

TermOrder convolution_order(const Call& call) {
  const TensorType &x = call.inputs()[0].type.tensor, &w = call.inputs()[kernels(call)].type.tensor;
  const bool grouped = w.rank() > x.rank();  // [GROUPS, C_IN, …]
  const std::int64_t groups = grouped ? w.shape[0] : call.has_here("group") ? call.integer("group") : 1;
  return {true, x.shape[1] / groups, element_count(w.shape.without_first(w.rank() - spatial_axes(call)))};
}

}  // namespace opref::ops
