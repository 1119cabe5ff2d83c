// SPDX-License-Identifier: Apache-2.0
#include "ops/common/axis.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "ops/common/lists.h"

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

std::vector<size_t> axes_of(const Call& call, size_t rank, Twice twice) {
  if (!call.has("axes")) return all_axes(rank);
  const std::vector<std::int64_t> stated = list_of(call, "axes");
  const auto list = [&] { return join_some(stated, ","); };
  const auto axes = static_cast<std::int64_t>(rank);
  std::vector<size_t> result;
  std::vector<bool> seen(rank);
  for (const std::int64_t axis : stated) {
    if (axes == 0) fail(Fault::invalid, "axes is [{}], but a scalar has no axes", list());
    if (axis < -axes || axis >= axes)
      fail(Fault::invalid, "axes is [{}], but each must be from {} to {}: the rank is {}", list(), -axes, axes - 1,
           axes);
    const auto a = static_cast<size_t>(axis < 0 ? axis + axes : axis);
    if (seen[a] && twice == Twice::invalid) fail(Fault::invalid, "axes is [{}], but names axis {} twice", list(), a);
    if (!seen[a]) result.push_back(a);
    seen[a] = true;
  }
  require_known_signs(call, "axes", stated);
  return result;
}

}  // namespace opref::ops
