// SPDX-License-Identifier: Apache-2.0
// The attribute axis of operators that work along one, and the list axes of those that work along several.
#pragma once

#include <span>
#include <vector>

#include "schema/operator.h"

namespace opref::ops {

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
/// 0, …, rank - 1.
std::vector<size_t> all_axes(size_t rank);
/// The attribute or input `axes` as some of `rank` axes, in its order, likewise; where it is omitted, all of them.
std::vector<size_t> axes_of(const Call& call, size_t rank, Twice twice = Twice::invalid);

}  // namespace opref::ops
