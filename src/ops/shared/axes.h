// SPDX-License-Identifier: Apache-2.0
// Axes: which ones a node names; tensors put together, taken apart and moved along them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/strided.h"
#include "schema/operator.h"
namespace opref::ops {
// The attribute axis of operators that work along one, and the list axes of those that work along several.

/// What pages before opset 11 leave open: whether a negative axis counts from the end. Of versions since `first`, the
/// operator's first one, until `changed`, the one that says so.
Reading negative_axis_reading(std::int64_t first, std::int64_t changed, std::string_view by_default = "reject");

/// The attribute `axis` as one of `rank` axes; another one is `invalid`. So is a negative one where the operator lists
/// this reading and it refuses them, unless it is the version's own default.
size_t axis_of(const Call& call, size_t rank);
/// That the attribute is no negative axis which the reading refuses.
void require_known_sign(const Call& call);
/// The same of a list.
void require_known_signs(const Call& call, std::string_view name, std::span<const std::int64_t> list);

/// What an axis that a list names twice is.
enum class Twice : std::uint8_t { invalid, once };
/// Each of the list as one of `rank` axes, negative ones from the end; another one, or one that is named twice, is
/// `invalid`, with the way out.
std::vector<size_t> axes_among(std::string_view name, std::span<const std::int64_t> list, size_t rank,
                               Twice twice = Twice::invalid, std::string_view way_out = "");
/// 0, …, rank - 1.
std::vector<size_t> all_axes(size_t rank);
/// The attribute or input `axes` as some of `rank` axes, in its order, likewise; where it is omitted, all of them.
std::vector<size_t> axes_of(const Call& call, size_t rank, Twice twice = Twice::invalid);

// Tensors put together and taken apart along one axis.

/// Where the elements of an array of shape `from` lie that NumPy's broadcasting takes to those of shape `to`.
inline Strided broadcast_places(const Dims& from, const Dims& to) { return {to, broadcast_strides(from, to)}; }

/// Sizes with one more at the axis, and without the one that is there.
Dims with_axis(const Dims& shape, size_t axis, std::int64_t size);
Dims without_axis(const Dims& shape, size_t axis);

/// out = the tensors one after another along the axis, outside of which they agree.
Tensor concatenated(const Output& out, std::span<const Tensor> tensors, size_t axis);

/// out = the items, of one shape, one after another on a new axis.
Tensor stacked(const Output& out, std::span<const Tensor> items, size_t axis);

/// out = x[…, first … first + size, …]; the size is out's. An out without the axis is x[…, first, …].
Tensor part_along(const Output& out, const Tensor& x, size_t axis, std::int64_t first);

// Data movement along each axis by itself.

/// Which coordinate of x along the axis the coordinate o of y takes; -1: none.
using FromAlong = std::function<std::int64_t(size_t axis, std::int64_t o)>;
/// y[o0, o1, …] = x[from(0, o0), from(1, o1), …], or the fill where one of them is -1. Both have one rank.
Tensor moved_by_axis(const Output& out, const Tensor& x, const FromAlong& from, const std::optional<Tensor>& fill = {});
/// y[…, k…, …] = x[…, from[k…], …], k in row-major order along the axis of x.
Tensor moved_along(const Output& out, const Tensor& x, size_t axis, const std::vector<std::int64_t>& from);

// Operators whose output has the elements of their first input, in their order, and another shape.

inline std::vector<Value> in_other_shape(const Call& call, std::span<const Output> outs) {
  return {call.inputs()[0].tensor().reshaped(outs[0].type().shape)};
}
}  // namespace opref::ops
