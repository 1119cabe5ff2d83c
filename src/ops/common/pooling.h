// SPDX-License-Identifier: Apache-2.0
// Where the windows of a pooling operator lie: sizes, pads and the four modes of auto_pad.
#pragma once

#include "ops/common/spatial.h"

namespace opref::ops {

/// What the texts of pooling operators leave open or contradict.
struct PoolingReadings {
  /// A last window, there only by ceil_mode, that starts at or beyond L + pb is dropped.
  bool drops_ceil_window = false;
  /// O under SAME_* is L, not ceil(L/s).
  bool same_size_is_input = false;
  /// SAME_* takes k for the kernel's size, not the span (k-1)*d + 1; O follows from the pads.
  bool same_ignores_dilations = false;
  /// ceil_mode does nothing beside VALID.
  bool valid_ignores_ceil_mode = false;
  /// OPERATOR.pads_with_auto_pad; empty: pads beside an automatic mode are refused.
  std::string_view pads_with_auto_pad = {};
};

/// The reading OPERATOR.pads_with_auto_pad, of all versions since the first. Zeros beside VALID say what it says and
/// are always taken.
Reading pads_with_auto_pad_reading(std::string_view name, std::int64_t first);

/// Per spatial axis: L input, k kernel, s strides, d dilations, O output; window o reads o*s + tap*d - pads.begin.
struct PoolingWindows {
  Dims L, k, s, d;
  Pads pads;  ///< explicit or automatic
  Dims O;
  /// (k-1)*d + 1
  Dims span() const { return (k - 1) * d + 1; }
};

/// The windows over X by the attributes kernel_shape, strides, dilations, pads, auto_pad and, where the version has it,
/// ceil_mode:
///   NOTSET, VALID:  O = floor((L + pb + pe - span)/s) + 1, with ceil_mode ceil(…) + 1
///   SAME_*:         O = ceil(L/s), pb + pe = max(0, (O-1)*s + span - L)
/// `invalid` where an attribute is wrong or an output size is not positive.
PoolingWindows pooling_windows(const Call& call, const PoolingReadings& readings);
/// The same over an input of shape (N, C, L…), with a kernel of these sizes.
PoolingWindows windows_over(const Call& call, const Dims& L, const Dims& kernel, const PoolingReadings& readings);

/// Notes on the attributes in force.
std::vector<Note> window_notes(const Call& call, const PoolingWindows& windows);

/// Whether some window reaches beyond X.
bool has_partial_window(const PoolingWindows& windows);
/// Whether some window has no element of X.
bool has_empty_window(const PoolingWindows& windows);

/// Whether each of `indices` (int64, of the pooled tensor's shape), decoded as a row-major position in `space`, has its
/// element's N and C and lies in the pooling window of its element i: i*s - pb <= o < i*s - pb + k on every spatial
/// axis. k, s and pad_begin have one value per spatial axis.
bool indices_lie_in_windows(const Tensor& indices, const Dims& space, const Dims& k, const Dims& s,
                            const Dims& pad_begin);

/// Whether an input of any floating type has a NaN; false where its values are not known. Looks at all of them.
bool has_nan(const Call& call, std::string_view input);

}  // namespace opref::ops
