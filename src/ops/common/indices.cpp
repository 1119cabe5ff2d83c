// SPDX-License-Identifier: Apache-2.0
#include "ops/common/indices.h"

#include <algorithm>

#include "core/error.h"
#include "evaluators/strided.h"
#include "ops/common/lists.h"

namespace opref::ops {
namespace {

constexpr std::string_view kNegativeIndex = "gather.v1_negative";

bool has_negative(const Call& call) {
  return call.has_value("indices") &&
         std::ranges::any_of(call.integers("indices"), [](std::int64_t index) { return index < 0; });
}

}  // namespace

Reading negative_index_reading(std::int64_t since, std::int64_t changed) {
  return {.name = kNegativeIndex,
          .alternatives = {"invalid: a negative index is invalid", "wrap: it counts from the end"},
          .defaults = {{since, "invalid"}, {changed, ""}},
          .reason = "the pages have negative indices from opset 11 on; onnxruntime takes them in all versions",
          .may_change_values = has_negative};
}

std::vector<std::int64_t> indices_along(const Call& call, const std::function<size_t(std::int64_t k)>& axis) {
  const Dims& data = call.type("data").shape;
  const bool wraps = !lists_reading(call, kNegativeIndex) || !call.reads(kNegativeIndex, "invalid");
  std::vector<std::int64_t> indices = call.integers("indices");
  for (size_t k = 0; k < indices.size(); ++k) {
    const auto flat = static_cast<std::int64_t>(k);
    const size_t a = axis(flat);
    const std::int64_t size = data[a], least = wraps ? -size : 0;
    if (indices[k] < least || indices[k] >= size) [[unlikely]]
      fail(Fault::invalid, "indices{} is {}, but must be from {} to {}: axis {} of data has size {}{}",
           coordinates(flat, call.type("indices").shape), indices[k], least, size - 1, a, size,
           !wraps && indices[k] < 0 && indices[k] >= -size
               ? format("; the reading {}=wrap counts it from the end", kNegativeIndex)
               : "");
    if (indices[k] < 0) indices[k] += size;
  }
  return indices;
}

size_t elements_axis(const Call& call) {
  const Dims &data = call.type("data").shape, &indices = call.type("indices").shape;
  require(data.size() == indices.size(), "indices has shape {}, but data has shape {}: the ranks must be equal",
          indices, data);
  const auto axis = call.axis("axis", data.size());
  for (size_t a = 0; a < data.size(); ++a)
    require(a == axis || indices[a] <= data[a],
            "indices has shape {}, but data has shape {}: but for axis {} no size can be greater", indices, data, axis);
  return axis;
}

std::vector<std::int64_t> elements_places(const Call& call) {
  const Dims &data = call.type("data").shape, &indices = call.type("indices").shape;
  const size_t axis = elements_axis(call);
  Dims strides = strides_of(data);
  const std::int64_t along = strides[axis];
  strides[axis] = 0;
  std::vector<std::int64_t> places = indices_along(call, axis);
  const Strided others(indices, strides);
  for (size_t k = 0; k < places.size(); ++k) places[k] = others(static_cast<std::int64_t>(k)) + places[k] * along;
  return places;
}

NamedSlices named_slices(const Call& call, size_t batch) {
  const Dims &data = call.type("data").shape, &indices = call.type("indices").shape;
  require(!data.empty(), "data is a scalar, but needs an axis to be indexed");
  require(indices.size() > batch, "indices has shape {}, but needs a last axis, which names places", indices);
  const std::int64_t depth = indices[indices.size() - 1], most = std::ssize(data) - static_cast<std::int64_t>(batch);
  require(depth <= most, "indices has shape {}, but data has shape {}: the last axis names from 1 to {} coordinates",
          indices, data, most);
  const auto axes = static_cast<size_t>(depth);
  return {batch, axes, element_count(data.without_first(batch + axes))};
}

std::vector<std::int64_t> NamedSlices::places(const Call& call) const {
  const Dims &data = call.type("data").shape, &indices = call.type("indices").shape;
  const std::vector<std::int64_t> named =
      indices_along(call, [&](std::int64_t k) { return batch + static_cast<size_t>(k) % depth; });
  std::vector<std::int64_t> places;
  if (size == 0) return places;  // any number of slices, of which no tensor has an element
  const std::int64_t slices = element_count(indices.first(indices.size() - 1)),
                     batches = element_count(indices.first(batch));
  for (std::int64_t j = 0; j < slices; ++j) {
    std::int64_t place = j / (slices / batches);
    for (size_t a = 0; a < depth; ++a) place = place * data[batch + a] + named[static_cast<size_t>(j) * depth + a];
    places.push_back(place * size);
  }
  return places;
}

}  // namespace opref::ops
