// SPDX-License-Identifier: Apache-2.0
// Tensors put together and taken apart along one axis.
#pragma once

#include <span>

#include "schema/operator.h"

namespace opref::ops {

/// Sizes with one more at the axis, and without the one that is there.
Dims with_axis(const Dims& shape, size_t axis, std::int64_t size);
Dims without_axis(const Dims& shape, size_t axis);

/// out = the tensors one after another along the axis, outside of which they agree.
Tensor concatenated(const Output& out, std::span<const Tensor> tensors, size_t axis);

/// out = the items, of one shape, one after another on a new axis.
Tensor stacked(const Output& out, std::span<const Tensor> items, size_t axis);

/// out = x[…, first … first + size, …]; the size is out's. An out without the axis is x[…, first, …].
Tensor part_along(const Output& out, const Tensor& x, size_t axis, std::int64_t first);

}  // namespace opref::ops
