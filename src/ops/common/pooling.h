// Where the windows of a pooling operator lie: sizes, pads and the four modes of auto_pad.
#pragma once

#include "ops/common/spatial.h"

namespace opref::ops {

/// What the texts of pooling operators leave open or contradict.
struct PoolingReadings {
  /// A last window, there only by ceil_mode, that starts at or beyond L + pb.
  enum class CeilWindow : std::uint8_t { keep, drop } ceil_window = CeilWindow::keep;
  /// O under SAME_*: ceil(L/s), or L.
  enum class SameSize : std::uint8_t { ceil, input } same_size = SameSize::ceil;
  /// What SAME_* takes for the kernel's size: the span (k-1)*d + 1, or k. With k, O follows from the pads.
  enum class SameKernel : std::uint8_t { span, kernel_shape } same_kernel = SameKernel::span;
  /// ceil_mode beside VALID.
  enum class ValidCeil : std::uint8_t { honoured, ignored } valid_ceil = ValidCeil::honoured;
};

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

/// Whether some window reaches beyond X.
bool has_partial_window(const PoolingWindows& windows);

/// Whether an input of any floating type has a NaN; false where its values are not known. Looks at all of them.
bool has_nan(const Call& call, std::string_view input);

}  // namespace opref::ops
