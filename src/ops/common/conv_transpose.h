// SPDX-License-Identifier: Apache-2.0
// The transposed convolution: its formula and the geometry that ONNX and OpenVINO share.
#pragma once

#include "evaluators/taps.h"
#include "exact/integer_sum.h"
#include "fast/fast.h"
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

/// What decides where elements meet: Operator::placement.
std::vector<Dims> placement_of(const ConvTransposePadding& padding);

/// Which pad of an axis takes the odd one.
enum class OddPad : std::uint8_t { begin, end };

/// total = begin + end, equally or nearly; halves of a negative total round down.
Pads split_padding(const Dims& total, OddPad odd);

/// Of a stated O: where it exceeds full, there are no pads, or what is left is split as they are.
enum class Surplus : std::uint8_t { end, split };
ConvTransposePadding padded_to(const Dims& O, const ConvTransposeGeometry& geometry, OddPad odd,
                               Surplus surplus = Surplus::end);

/// Each number, but at least 0.
Dims at_least_zero(Dims numbers);

/// The taps that each output position has.
TapAxes conv_transpose_axes(const ConvTransposeGeometry& geometry, const ConvTransposePadding& padding);

/// Y[n, g*M+m, o] = the bias of g*M+m + Σ over c in [0, C) and all i, k that meet in o of X[n, g*C+c, i] * W[g*C+c, m,
/// k].
Tensor conv_transpose(const Output& y, const fast::TransposedConvolution& c, exact::Integers integers = {});

/// `op` with what both standards' have: generators of ties and of sums that cancel, names, the order of terms.
Operator transposed_operator(Operator op);

/// The output's sizes are > 0, as far as the node's pads decide them.
void require_output_sizes(const Dims& y);

}  // namespace opref::ops
