// SPDX-License-Identifier: Apache-2.0
// Data movement along each axis by itself.
#pragma once

#include <functional>
#include <optional>

#include "schema/operator.h"

namespace opref::ops {

/// Which coordinate of x along the axis the coordinate o of y takes; -1: none.
using FromAlong = std::function<std::int64_t(size_t axis, std::int64_t o)>;
/// y[o0, o1, …] = x[from(0, o0), from(1, o1), …], or the fill where one of them is -1. Both have one rank.
Tensor moved_by_axis(const Output& out, const Tensor& x, const FromAlong& from, const std::optional<Tensor>& fill = {});

}  // namespace opref::ops
