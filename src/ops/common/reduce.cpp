// SPDX-License-Identifier: Apache-2.0
#include "ops/common/reduce.h"

#include "core/error.h"

namespace opref::ops {
namespace {

constexpr std::string_view kDuplicateAxes = "reduce.duplicate_axes";

/// The axes that the node names, nothing where it names none. Of the input, "a list of integers, along which to
/// reduce".
std::vector<std::int64_t> stated_axes(const Call& call) {
  if (!call.has_here("axes")) return {};
  if (call.schema().find_attribute("axes") == nullptr)
    require(call.type("axes").rank() == 1, "axes has shape {}, but must be a list", call.type("axes").shape);
  return call.integers("axes");
}

}  // namespace

Reduction reduction(const Call& call) {
  const Dims &data = call.type("data").shape, strides = strides_of(data);
  const std::vector<std::int64_t> axes = stated_axes(call);
  const bool is_noop = axes.empty() && call.has_here("noop_with_empty_axes") && call.integer("noop_with_empty_axes") != 0;
  std::vector<bool> is_reduced(data.size(), axes.empty() && !is_noop);
  const auto rank = static_cast<std::int64_t>(data.size());
  require(axes.empty() || rank > 0, "axes is [{}], but a scalar has no axes", join_some(axes, ","));
  for (const std::int64_t axis : axes) {
    require(axis >= -rank && axis < rank, "axes is [{}], but data has shape {}: each must be from {} to {}",
            join_some(axes, ","), data, -rank, rank - 1);
    const auto a = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    require(!is_reduced[a] || call.reads(kDuplicateAxes, "once"),
            "axes is [{}], but names axis {} twice; the reading {}=once allows it", join_some(axes, ","), a,
            kDuplicateAxes);
    is_reduced[a] = true;
  }
  Dims shape, kept, kept_strides, reduced, reduced_strides;
  for (size_t a = 0; a < data.size(); ++a) {
    (is_reduced[a] ? reduced : kept).push_back(data[a]);
    (is_reduced[a] ? reduced_strides : kept_strides).push_back(strides[a]);
    if (!is_reduced[a] || call.integer("keepdims") != 0) shape.push_back(is_reduced[a] ? 1 : data[a]);
  }
  return {shape, Strided(kept, kept_strides), Strided(reduced, reduced_strides), is_noop};
}

std::vector<ValueType> reduced_types(const Call& call) {
  return {TensorType{call.type("data").dtype, reduction(call).shape}};
}

Reading duplicate_axes_reading() {
  return {kDuplicateAxes,
          {"reject: an axis that is named twice is invalid", "once: it counts once"},
          {{1, "reject"}},
          "numpy rejects an axis that is named twice, ONNX's inference takes it once"};
}

}  // namespace opref::ops
