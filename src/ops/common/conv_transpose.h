// SPDX-License-Identifier: Apache-2.0
// The transposed convolution: its formula and the geometry that ONNX and OpenVINO share.
#pragma once

#include "families/taps.h"
#include "ops/common/spatial.h"
#include "schema/operator.h"

namespace opref::ops {

/// Per spatial axis: L input, k kernel, s strides, d dilations.
struct ConvTransposeGeometry {
  Dims L, k, s, d, output_padding;
  /// (k-1)*d + 1
  Dims span() const;
  /// s*(L-1) + output_padding + span: the output's size where pads take nothing away.
  Dims full() const;
};

/// With the attributes strides, dilations and output_padding.
ConvTransposeGeometry conv_transpose_geometry(const Call& call, const Dims& L, const Dims& k);

/// Pads and the output's sizes: O = full - pads.begin - pads.end, but more where O is stated and exceeds full.
struct ConvTransposePadding {
  Pads pads;
  Dims O;
};

/// Which pad of an axis takes the odd one.
enum class OddPad : std::uint8_t { begin, end };

/// total = begin + end, equally or nearly; halves of a negative total round down.
Pads split_padding(const Dims& total, OddPad odd);

/// Each number, but at least 0.
Dims at_least_zero(Dims numbers);

/// The taps that each output position has.
TapAxes conv_transpose_axes(const ConvTransposeGeometry& geometry, const ConvTransposePadding& padding);

/// The output's sizes are > 0, as far as the node's pads decide them.
void require_output_sizes(const Dims& y);

}  // namespace opref::ops
