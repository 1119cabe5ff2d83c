// SPDX-License-Identifier: Apache-2.0
// Col2Im in both standards: columns, each the elements of a block, and the images to which they add up.
#pragma once

#include <string_view>

#include "ops/shared/windows.h"
#include "schema/operator.h"
namespace opref::ops {
/// What the inputs are called.
struct BlockInputs {
  std::string_view columns;  ///< [(N,) C·block sizes, blocks]
  std::string_view image;    ///< the spatial sizes of the images
  std::string_view block;    ///< those of a block
};
/// Both sizes are lists of numbers > 0 for as many axes; else `invalid`.
std::pair<Dims, Dims> image_and_block(const Call& call, const BlockInputs& inputs);

/// The type of the images [(N,) C, sizes]; `w` are the blocks' windows. Columns of another number or size are
/// `invalid`.
TensorType images_type(const Call& call, const BlockInputs& inputs, const PoolingWindows& w);

/// images[(n,) c, i] = Σ columns[(n,) c*K + k, b] over blocks b and places k in a block with b*s + k*d - pb = i
Tensor images_of(const Output& out, const Tensor& columns, const PoolingWindows& w);
}  // namespace opref::ops
