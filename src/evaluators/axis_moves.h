// SPDX-License-Identifier: Apache-2.0
// Moves in which each coordinate of Y says by itself which coordinate of X it is.
#pragma once

#include <functional>
#include <optional>

#include "schema/output.h"

namespace opref::evaluators {

/// The coordinate in X of Y's coordinate o along an axis, or -1: the fill. Any may be asked for, by several threads.
using PlaceAlong = std::function<std::int64_t(size_t axis, std::int64_t o)>;

/// Y of `type`, of X's element type and rank: Y[o] = X[place(0, o_0), place(1, o_1), …], or the fill, one element, else
/// the type's 0, False or "".
Tensor move_by_axes(const Output& out, const Tensor& x, const PlaceAlong& place,
                    const std::optional<Tensor>& fill = {});

}  // namespace opref::evaluators
