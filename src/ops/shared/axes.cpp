// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/axes.h"
#include <algorithm>
#include <array>
#include <numeric>

#include "core/error.h"
#include "evaluators/move.h"
#include "ops/shared/parameters.h"
namespace opref::ops {
namespace {
constexpr std::string_view kNegativeAxis = "axis.negative_before_11";

bool refuses_negative(const Call& call) {
  return lists_reading(call, kNegativeAxis) && call.reads(kNegativeAxis, "reject");
}
}  // namespace
Reading negative_axis_reading(std::int64_t first, std::int64_t changed, std::string_view by_default) {
  return {.name = kNegativeAxis,
          .alternatives = {"reject: a negative axis is invalid", "accept: it counts from the last axis"},
          .defaults = {{first, by_default}, {changed, ""}},
          .reason = "the pages speak of negative axes from opset 11 on; onnxruntime takes them in all versions"};
}

void require_known_sign(const Call& call) {
  const std::int64_t axis = call.integer("axis");
  if (axis >= 0 || !refuses_negative(call)) return;
  const auto& by_default = call.schema().find_attribute("axis")->default_value;
  const bool is_default = by_default && std::get<std::int64_t>(by_default->value) == axis;
  require(is_default, "attribute 'axis' is {}, but {} knows no negative axes; the reading {}=accept allows them", axis,
          call.title(), kNegativeAxis);
}

void require_known_signs(const Call& call, std::string_view name, std::span<const std::int64_t> list) {
  const bool has_negative = std::ranges::any_of(list, [](std::int64_t axis) { return axis < 0; });
  if (has_negative && refuses_negative(call))
    fail(Fault::invalid, "{} is [{}], but {} knows no negative axes; the reading {}=accept allows them", name,
         join_some(list, ","), call.title(), kNegativeAxis);
}

size_t axis_of(const Call& call, size_t rank) {
  require_known_sign(call);
  return call.axis("axis", rank);
}

std::vector<size_t> all_axes(size_t rank) {
  std::vector<size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), size_t{0});
  return axes;
}

std::vector<size_t> axes_among(std::string_view name, std::span<const std::int64_t> stated, size_t rank, Twice twice,
                               std::string_view way_out) {
  const auto list = [&] { return join_some(stated, ","); };
  const auto axes = static_cast<std::int64_t>(rank);
  std::vector<size_t> result;
  std::vector<bool> seen(rank);
  for (const std::int64_t axis : stated) {
    if (axes == 0) fail(Fault::invalid, "{} is [{}], but a scalar has no axes", name, list());
    if (axis < -axes || axis >= axes)
      fail(Fault::invalid, "{} is [{}], but each must be from {} to {}: the rank is {}", name, list(), -axes, axes - 1,
           axes);
    const auto a = static_cast<size_t>(axis < 0 ? axis + axes : axis);
    if (seen[a] && twice == Twice::invalid)
      fail(Fault::invalid, "{} is [{}], but names axis {} twice{}", name, list(), a, way_out);
    if (!seen[a]) result.push_back(a);
    seen[a] = true;
  }
  return result;
}

std::vector<size_t> axes_of(const Call& call, size_t rank, Twice twice) {
  if (!call.has("axes")) return all_axes(rank);
  const std::vector<std::int64_t> stated = list_of(call, "axes");
  std::vector<size_t> axes = axes_among("axes", stated, rank, twice);
  require_known_signs(call, "axes", stated);
  return axes;
}

Dims with_axis(const Dims& shape, size_t axis, std::int64_t size) {
  return join(join(shape.first(axis), {size}), shape.without_first(axis));
}

Dims without_axis(const Dims& shape, size_t axis) { return join(shape.first(axis), shape.without_first(axis + 1)); }

Tensor concatenated(const Output& out, std::span<const Tensor> tensors, size_t axis) {
  const std::int64_t inner = strides_of(out.type().shape)[axis];
  std::vector<std::int64_t> ends;  // of each tensor's part of a row of out
  for (const Tensor& tensor : tensors) ends.push_back((ends.empty() ? 0 : ends.back()) + tensor.shape()[axis] * inner);
  return move(out, tensors, [&](std::int64_t i) {
    const std::int64_t row = i / ends.back(), at = i % ends.back();
    const auto end = std::ranges::upper_bound(ends, at);
    const std::int64_t begin = end == ends.begin() ? 0 : end[-1], size = *end - begin;
    return Run{row * size + at - begin, *end - at, 1, static_cast<int>(end - ends.begin())};
  });
}

Tensor stacked(const Output& out, std::span<const Tensor> items, size_t axis) {
  std::vector<Tensor> parts;
  for (const Tensor& item : items) parts.push_back(item.reshaped(with_axis(item.shape(), axis, 1)));
  return concatenated(out, parts, axis);
}

Tensor part_along(const Output& out, const Tensor& x, size_t axis, std::int64_t first) {
  const bool keeps_axis = out.type().rank() == x.shape().size();
  const Dims strides = strides_of(x.shape());
  return move(out, x,
              Strided(out.type().shape, keeps_axis ? strides : without_axis(strides, axis), first * strides[axis]));
}

Tensor moved_by_axis(const Output& out, const Tensor& x, const FromAlong& from, const std::optional<Tensor>& fill) {
  std::vector<Coordinates> coordinates;
  for (size_t axis = 0; axis < out.type().rank(); ++axis) {
    auto& along = coordinates.emplace_back().emplace();
    for (std::int64_t o = 0; o < out.type().shape[axis]; ++o) along.push_back(from(axis, o));
  }
  return move_by_axis(out, x, coordinates, fill);
}

Tensor moved_along(const Output& out, const Tensor& x, size_t axis, const std::vector<std::int64_t>& from) {
  if (element_count(out.type().shape) == 0) return zeros_of(out.type());
  const Dims& shape = x.shape();
  const Dims around{element_count(shape.first(axis)), shape[axis], element_count(shape.without_first(axis + 1))};
  return move_by_axis(out, x.reshaped(around), std::array<Coordinates, 3>{{{}, from, {}}});
}
}  // namespace opref::ops
