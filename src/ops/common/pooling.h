// SPDX-License-Identifier: Apache-2.0
// What ONNX's pooling operators share, and convolutions with them: what decides where their windows lie, and readings.
#pragma once

#include "ops/common/windows.h"

namespace opref::ops {

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
