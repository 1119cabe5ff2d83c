// Row estimates of the transposed convolution: the same bytes as by its definition, many elements at once.
#pragma once

#include <optional>

#include "families/sum.h"
#include "families/taps.h"

namespace opref::ops {

/// Y (N, groups*M, …) from X (N, groups*C, …), filters W, whose elements have the order groups, C, M, kernel, and bias
/// B, all of Y's dtype.
struct TransposedConvolution {
  Tensor x, w;
  std::optional<Tensor> b;  ///< (groups*M)
  std::int64_t groups;
  families::TapAxes axes;  ///< transposed_axes, of the spatial axes
};

/// The Rows of a transposed convolution, whose sums of integers wrap. Any number of spatial axes. Of few channels per
/// group, of float64 and of integers by direct rows, else by a matrix product; a few MiB per thread at any size.
bool conv_transpose_rows(const families::RowTarget& y, const TransposedConvolution& c);

}  // namespace opref::ops
