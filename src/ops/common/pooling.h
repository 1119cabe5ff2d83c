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

// What the texts of pooling operators leave open or contradict: the readings OPERATOR.ceil_drop, …, which
// pooling_windows and convolution_windows obey where the operator has them. `first`: the version that brought ceil_mode
// or dilations.
Reading ceil_drop_reading(std::string_view name, std::int64_t first);
Reading same_size_reading(std::string_view name);
Reading same_dilation_reading(std::string_view name, std::int64_t first);
Reading valid_ceil_reading(std::string_view name, std::int64_t first);
/// Of all versions since the first. Zeros beside VALID say what it says and are always taken.
Reading pads_with_auto_pad_reading(std::string_view name, std::int64_t first);

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

/// The windows over an input of shape (N, C, L…) with a kernel of these sizes, by the attributes strides, dilations,
/// pads, auto_pad and ceil_mode, as far as the version has them. `invalid` where one is wrong.
PoolingWindows windows_over(const Call& call, const Dims& L, const Dims& kernel);
/// Over X, by kernel_shape.
PoolingWindows pooling_windows(const Call& call);
/// X's type, with the windows' sizes.
TensorType pooled_type(const Call& call);

/// What pooling operators have in common: pooling_windows, where elements meet by it, notes, names and mistakes.
Operator pooling_operator(std::string_view op_type);
/// Attributes of the first version, the input X and the output Y of T, which is floats.
void pooling_version_1(OpSchema& s, std::string_view meaning_of_y);
/// "1 along each spatial axis", "0 along start and end …": version 11 states the defaults.
void pooling_version_11(OpSchema& s);

/// Notes on the attributes in force.
std::vector<Note> window_notes(const Call& call, const PoolingWindows& windows);

/// How many taps of window o lie in [-pb, L + pe) on every axis: those inside X and its pads, not those that a last
/// window has beyond.
std::int64_t taps_inside_pads(const PoolingWindows& windows, std::int64_t o);

/// Whether some window reaches beyond X.
bool has_partial_window(const PoolingWindows& windows);
/// Whether some window has no element of X.
bool has_empty_window(const PoolingWindows& windows);

/// Whether each of `indices` (int64, of the pooled tensor's shape), decoded as a row-major position in `space`, has its
/// element's N and C and lies in the pooling window of its element i: i*s - pb <= o < i*s - pb + k on every spatial
/// axis. k, s and pad_begin have one value per spatial axis.
bool indices_lie_in_windows(const Tensor& indices, const Dims& space, const Dims& k, const Dims& s,
                            const Dims& pad_begin);

/// The power of p-norms, the attribute p: finite and > 0. A FLOAT in version 1, an INT from 2 on.
double power_of_norm(const Call& call);

/// Whether an input of any floating type has a NaN; false where its values are not known. Looks at all of them.
bool has_nan(const Call& call, std::string_view input);

}  // namespace opref::ops
