// SPDX-License-Identifier: Apache-2.0
// Where the windows of pooling and convolution lie, in both standards: sizes, pads and the four modes of auto_pad.
#pragma once

#include "ops/common/spatial.h"

namespace opref::ops {

/// What decides where windows lie, beside sizes and pads.
struct WindowRules {
  AutoPad mode = AutoPad::notset;
  /// Sizes round up. Beside SAME_* that plays no part, unless `same_rounds_up`.
  bool ceil = false;
  /// A last window, there only because sizes round up, that starts at or beyond L + pb is dropped.
  bool drops_ceil_window = false;
  /// O under SAME_* is L, not ceil(L/s).
  bool same_size_is_input = false;
  /// SAME_* takes k for the kernel's size, not the span (k-1)*d + 1; O follows from the pads.
  bool same_ignores_dilations = false;
  bool same_rounds_up = false;
};

/// Per spatial axis: L input, k kernel, s strides, d dilations, O output; window o reads o*s + tap*d - pads.begin.
struct PoolingWindows {
  Dims L, k, s, d;
  Pads pads;  ///< explicit or automatic
  Dims O;
  /// (k-1)*d + 1
  Dims span() const { return (k - 1) * d + 1; }
};

/// `w` with pads and O:
///   NOTSET, VALID:  O = floor((L + pb + pe - span)/s) + 1, where sizes round up ceil(…) + 1
///   SAME_*:         O = ceil(L/s), pb + pe = max(0, (O-1)*s + span - L)
/// `invalid` where an output size is not positive. w.pads are those that the node states.
PoolingWindows placed(PoolingWindows w, const WindowRules& rules);

/// How many taps of window o lie in [-pb, L + pe) on every axis: those inside X and its pads, not those that a last
/// window has beyond.
std::int64_t taps_inside_pads(const PoolingWindows& windows, std::int64_t o);

/// Whether some window reaches beyond X.
bool has_partial_window(const PoolingWindows& windows);
/// Whether some window has no element of X.
bool has_empty_window(const PoolingWindows& windows);

}  // namespace opref::ops
