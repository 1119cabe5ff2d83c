// Row estimates of p-norm pooling: the same bytes as by the definition, many elements at once.
#pragma once

#include "families/sum.h"
#include "families/taps.h"

namespace opref::ops {

/// The Rows of p-norms of windows (window_axes) of each plane of X (N, C, …), where Power can hold p; not scaled.
bool lp_norm_rows(const families::RowTarget& y, const Tensor& x, const families::TapAxes& axes, double p);

}  // namespace opref::ops
