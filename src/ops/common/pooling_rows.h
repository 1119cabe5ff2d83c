// Row estimates of p-norm pooling: the same bytes as by the definition, many elements at once.
#pragma once

#include <span>

#include "ops/common/evaluate.h"

namespace opref::ops {

/// A PoolingRows for norms of windows (window_axes) with a p that Power can hold and no scale.
bool lp_norm_rows(const TensorType& type, const Tensor& x, const TapAxes& axes, const PowerSum& finish,
                  const Numerics& numerics, std::span<std::byte> y, const ByDefinition& by_definition);

}  // namespace opref::ops
