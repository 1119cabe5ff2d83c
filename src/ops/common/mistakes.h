// SPDX-License-Identifier: Apache-2.0
// Known misunderstandings that operators share: Operator::mistake's functions. Each gives the call as somebody may have
// taken it, or nothing where the mistake cannot be made; a stated attribute ignored, a list reversed and an optional
// input left out follow from the schema and are not here.
#pragma once

#include <functional>

#include "schema/operator.h"

namespace opref::ops {

// Of `pads`, or of `pads_begin` and `pads_end`, whichever the operator has.

/// Begins and ends exchanged.
std::optional<Call> pads_swapped(const Call& call);
/// `pads` as [x1_begin, x1_end, x2_begin, …].
std::optional<Call> pads_by_axis(const Call& call);
/// `pads_begin` and `pads_end`, both.
std::optional<Call> both_pads_ignored(const Call& call);

/// SAME_LOWER for SAME_UPPER, which is also taken for what is neither.
std::optional<Call> odd_pad_on_other_side(const Call& call);
/// ceil_mode 1 for 0.
std::optional<Call> ceil_instead_of_floor(const Call& call);

/// In the first input, of the greatest elements: NaN as if it were less than every number.
std::optional<Call> nan_passed_over(const Call& call);

/// Those of pooling: the pads', SAME_*'s and ceil_mode's.
std::vector<Mistake> pooling_mistakes();

// Of convolutions: the data are the first input, the kernels W, w or the second, the bias, where there is one, B.

/// Along all spatial axes.
std::optional<Call> kernel_flipped(const Call& call);
/// The last two spatial ones.
std::optional<Call> kernel_axes_exchanged(const Call& call);
/// The two before the spatial ones.
std::optional<Call> kernel_channels_exchanged(const Call& call);
/// Group g's channels get element g.
std::optional<Call> bias_per_group(const Call& call);
std::optional<Call> bias_of_first_group(const Call& call);

/// Those of convolutions: the pads', SAME_*'s, the kernels' and the bias's.
std::vector<Mistake> convolution_mistakes();

/// In the order of the definition: the bias, then channels, then taps.
TermOrder convolution_order(const Call& call);

/// The tensor whose element `at` is the original's element `source(at)`.
Tensor moved(const Tensor& tensor, const std::function<Dims(const Dims&)>& source);

}  // namespace opref::ops
