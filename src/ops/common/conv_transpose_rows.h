// Row estimates of the transposed convolution: the same bytes as by its definition, many elements at once.
#pragma once

#include <span>

#include "ops/common/evaluate.h"

namespace opref::ops {

/// A ConvolutionRows for conv_transpose, whose filters W have the order groups, Cg, Mg, kernel. Any number of spatial
/// axes; all types but saturating integers. Of few channels per group, of float64 and of integers by direct rows, else
/// by a matrix product; a few MiB per thread at any size.
bool conv_transpose_rows(const TensorType& type, const Convolution& c, const Numerics& numerics, std::span<std::byte> y,
                         const ByDefinition& by_definition);

}  // namespace opref::ops
