// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/cuts.h"

#include <algorithm>

#include "core/error.h"
#include "ops/shared/axes.h"
#include "ops/shared/parameters.h"
namespace opref::ops {
namespace {
/// The list, which has as many values as starts.
std::vector<std::int64_t> list_like_starts(const Call& call, const CutNames& names, std::string_view name, size_t n) {
  const std::vector<std::int64_t> list = list_of(call, name);
  require(list.size() == n, "{} has {}, but {} has {}", call.name(name), counted(std::ssize(list), "value"),
          call.name(names.starts), n);
  return list;
}

/// "If axes are omitted, they are set to [0, …, ndim-1]", of which version 1 takes the first len(starts).
std::vector<size_t> sliced_axes(const Call& call, const CutNames& names, size_t rank, size_t n) {
  if (call.has("axes")) {
    list_like_starts(call, names, "axes", n);
    return axes_of(call, rank);
  }
  require(n <= rank, "{} has {}, but data has rank {}", call.name(names.starts),
          counted(static_cast<long long>(n), "value"), rank);
  require(n == rank || !lists_reading(call, "slice.axes_omitted") || call.reads("slice.axes_omitted", "leading"),
          "{} has {}, but data has rank {}: without axes there must be one for each", call.name(names.starts), n, rank);
  return all_axes(n);
}
}  // namespace

Cut::Cut(const Dims& data) : start(Dims::filled(data.size(), 0)), step(Dims::filled(data.size(), 1)), shape(data) {}

void Cut::cut(size_t axis, std::int64_t size, std::int64_t first, std::int64_t end, std::int64_t stride) {
  if (first < 0) first += size;
  if (end < 0) end += size;
  const bool up = stride > 0;
  first = std::clamp<std::int64_t>(first, 0, up ? size : std::max<std::int64_t>(size - 1, 0));
  end = std::clamp<std::int64_t>(end, up ? 0 : -1, up ? size : size - 1);
  const std::int64_t room = up ? end - first : first - end;
  const std::uint64_t magnitude = up ? static_cast<std::uint64_t>(stride) : 0 - static_cast<std::uint64_t>(stride);
  const std::int64_t count =
      room <= 0 || size == 0 ? 0 : static_cast<std::int64_t>((static_cast<std::uint64_t>(room) - 1) / magnitude) + 1;
  start[axis] = first, step[axis] = count <= 1 ? 1 : stride, shape[axis] = count;
}

Strided Cut::places(const Dims& data) const {
  if (element_count(shape) == 0) return {Dims{0}, Dims{0}};
  const Dims strides = strides_of(data);
  std::int64_t first = 0;
  for (size_t a = 0; a < strides.size(); ++a) first += start[a] * strides[a];
  return {shape, step * strides, first};
}

Cut cut_of(const Call& call, const CutNames& names) {
  const Dims& data = call.type("data").shape;
  const std::vector<std::int64_t> starts = list_of(call, names.starts);
  const size_t n = starts.size();
  const std::vector<std::int64_t> ends = list_like_starts(call, names, names.ends, n),
                                  steps = call.has(names.steps) ? list_like_starts(call, names, names.steps, n)
                                                                : std::vector<std::int64_t>(n, 1);
  const std::vector<size_t> axes = sliced_axes(call, names, data.size(), n);
  Cut cut(data);
  for (size_t k = 0; k < n; ++k) {
    require(steps[k] != 0, "{}[{}] is 0, but no step can be", call.name(names.steps), k);
    cut.cut(axes[k], data[axes[k]], starts[k], ends[k], steps[k]);
  }
  return cut;
}
}  // namespace opref::ops
