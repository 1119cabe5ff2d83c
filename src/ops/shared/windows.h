// SPDX-License-Identifier: Apache-2.0
// Where the windows of pooling and convolution lie, in both standards: sizes, pads, auto_pad, and readings.
#pragma once

#include <string_view>

#include "core/index.h"
#include "schema/operator.h"
namespace opref::ops {
// Attributes that have one value per spatial axis, shared by pooling and convolution operators.

/// The attribute's value for each of `axes` spatial axes, `by_default` for all where the node omits it. A wrong length
/// is `invalid`.
Dims per_axis(const Call& call, std::string_view attribute, size_t axes, std::int64_t by_default);

/// INTS, at least `least`, one value per spatial axis; `least` along each where a node omits it.
AttributeSchema per_axis_attribute(std::string_view name, std::int64_t least,
                                   DefaultStated stated = DefaultStated::yes);
AttributeSchema pads_attribute(DefaultStated stated = DefaultStated::yes);
AttributeSchema auto_pad_attribute();

/// Pads [x1_begin, x2_begin, …, x1_end, x2_end, …], one pair per spatial axis.
struct Pads {
  Dims begin, end;
};
/// "[1,0,2,0]": all begins, then all ends. (Joined, 9 axes would be more than Dims can hold.)
std::string to_text(const Pads& pads);
bool is_zero(const Pads& pads);
Pads explicit_pads(const Call& call, size_t axes);

enum class AutoPad : std::uint8_t { notset, same_upper, same_lower, valid };

/// The attribute auto_pad.
AutoPad auto_pad(const Call& call);

/// Of the attributes above and of those that go with them: kernel_shape, output_shape, ceil_mode, group.
std::vector<ShortName> spatial_short_names();

/// The sizes after N and C.
Dims spatial(const Dims& shape);
bool all_positive(const Dims& sizes);

/// Notes on the values in force of attributes that the version has: where they are not what the node states.
std::vector<Note> in_force(const Call& call, std::initializer_list<std::pair<std::string_view, std::string>> values);

/// Adds a warning for each axis whose stated denotation is not that of (N, C, D1, …): DATA_BATCH, DATA_CHANNEL,
/// DATA_FEATURE … ("Optionally, if dimension denotation is in effect, the operation expects the input data tensor to
/// arrive with" it).
void warn_of_denotation(const Call& call, std::string_view input, std::vector<Note>& notes);

/// X is (N, C, D1, …): at least one spatial axis.
void require_spatial(const Call& call, std::string_view input);

/// `sizes`, the spatial ones of an input, are > 0.
void require_spatial_sizes(const Call& call, std::string_view input, const Dims& sizes);

/// Each element of the input, or the attribute, is finite; another number is `invalid`.
void require_finite(const Call& call, std::string_view name);
void require_no_nan(const Call& call, std::string_view input);

// Where the windows of pooling and convolution lie, in both standards: sizes, pads and the four modes of auto_pad.

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

// What ONNX's pooling operators share, and convolutions with them: what decides where their windows lie, and readings.

// What the texts of pooling operators leave open or contradict: the readings OPERATOR.ceil_drop, …, which
// pooling_windows and convolution_windows obey where the operator has them. `first`: the version that brought ceil_mode
// or dilations.
Reading ceil_drop_reading(std::string_view name, std::int64_t first);
Reading same_size_reading(std::string_view name);
Reading same_dilation_reading(std::string_view name, std::int64_t first);
Reading valid_ceil_reading(std::string_view name, std::int64_t first);
Reading pads_with_auto_pad_reading(std::string_view name, std::int64_t first);

/// Zeros beside VALID say what it says.
enum class ZeroPads : std::uint8_t { agree_with_valid, rejected };
/// auto_pad, and `pads`, which are the node's, as the operator's reading pads_with_auto_pad takes both together; so are
/// they `invalid` by its default.
AutoPad auto_pad_in_force(const Call& call, Pads& pads, ZeroPads zeros = ZeroPads::agree_with_valid);

/// The windows over an input of shape (N, C, L…) with a kernel of these sizes, by the attributes strides, dilations,
/// pads, auto_pad and ceil_mode, as far as the version has them. `invalid` where one is wrong.
PoolingWindows windows_over(const Call& call, const Dims& L, const Dims& kernel);
/// Over X, by kernel_shape.
PoolingWindows pooling_windows(const Call& call);
/// X's type, with the windows' sizes.
TensorType pooled_type(const Call& call);

/// What pooling operators have in common: pooling_windows, where elements meet by it, notes and names.
Operator pooling_operator(std::string_view op_type);
/// Attributes of the first version, the input X and the output Y of T, which is floats.
void pooling_version_1(OpSchema& s, std::string_view meaning_of_y);
/// "1 along each spatial axis", "0 along start and end …": version 11 states the defaults.
void pooling_version_11(OpSchema& s);

/// Notes on the attributes in force.
std::vector<Note> window_notes(const Call& call, const PoolingWindows& windows);

/// The power of p-norms, the attribute p: finite and > 0. A FLOAT in version 1, an INT from 2 on.
double power_of_norm(const Call& call);

/// Whether an input of any floating type has a NaN; false where its values are not known. Looks at all of them.
bool has_nan(const Call& call, std::string_view input);
}  // namespace opref::ops
