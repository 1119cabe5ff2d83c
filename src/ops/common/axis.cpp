// SPDX-License-Identifier: Apache-2.0
#include "ops/common/axis.h"

#include "core/error.h"

namespace opref::ops {
namespace {

constexpr std::string_view kNegativeAxis = "axis.negative_before_11";

}  // namespace

Reading negative_axis_reading(std::int64_t first, std::int64_t changed) {
  return {kNegativeAxis,
          {"reject: a negative axis is invalid", "accept: it counts from the last axis"},
          {{first, "reject"}, {changed, ""}},
          "the pages speak of negative axes from opset 11 on; onnxruntime takes them in all versions"};
}

size_t axis_of(const Call& call, size_t rank) {
  const std::int64_t axis = call.integer("axis");
  require(axis >= 0 || !call.reads(kNegativeAxis, "reject"),
          "attribute 'axis' is {}, but {} knows no negative axes; the reading {}=accept allows them", axis,
          call.title(), kNegativeAxis);
  return static_cast<size_t>(call.axis("axis", rank));
}

}  // namespace opref::ops
