// SPDX-License-Identifier: Apache-2.0
// What operators make of places between pixels, for those who work the places out otherwise.
#pragma once

#include "ops/common/resize.h"

namespace opref::ops::onnx {

/// How the node resizes.
Resizing resizing_of_resize(const Call& call);
Resizing resizing_of_upsample(const Call& call);

/// Where GridSample's n, from -1 to 1, lies among L pixels, as float32 arithmetic has it.
Rational place_in_float32(double n, std::int64_t L, bool aligned);
/// GridSample, each place worked out like that.
std::vector<Value> grid_sample_by(const Call& call, std::span<const Output> outs,
                                  Rational (*place)(double n, std::int64_t L, bool aligned));

}  // namespace opref::ops::onnx
