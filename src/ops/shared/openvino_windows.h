// SPDX-License-Identifier: Apache-2.0
// What OpenVINO's pooling and convolution share: attributes, types, where their windows lie; transposed convolution.
#pragma once

#include "ops/shared/windows.h"
#include "schema/operator.h"
namespace opref::ops {
/// strides, pads_begin, pads_end, dilations, auto_pad.
void openvino_convolution_attributes(OpSchema& s);
/// strides, pads_begin, pads_end, kernel, rounding_type, auto_pad.
void openvino_pooling_attributes(OpSchema& s);
/// Any numeric type; with some of them opref does not compute: `unsupported`.
Types openvino_numbers();

/// The windows of a kernel over the first input, data (N, C, L…): by strides, dilations, auto_pad, beside which pads
/// are ignored, and rounding_type, as far as the version has them:
///   explicit, valid  O = floor((L + pb + pe - span)/s) + 1, with ceil and ceil_torch ceil(…) + 1, but ceil_torch drops
///                    a last window that begins at or beyond L + pb
///   same_*           O = ceil(L/s)
PoolingWindows openvino_windows(const Call& call, const Dims& kernel);

/// What OpenVINO's pooling has in common: rules of data, rounding_type's versions, notes, names.
Operator openvino_pooling(std::string_view op_type);
/// The windows of the attribute kernel over data (N, C, L…).
PoolingWindows openvino_pooling_windows(const Call& call);
TensorType openvino_pooled_type(const Call& call);
/// rounding_type may be ceil_torch.
void version_with_ceil_torch(OpSchema& s);

/// What Convolution and GroupConvolution have in common, which is all but the kernel's leading axis, GROUPS.
Operator openvino_convolution(std::string_view op_type);

// OpenVINO's ConvolutionBackpropData and GroupConvolutionBackpropData: alike but for the kernel's leading axis, GROUPS.

/// The attributes that both have.
void add_backprop_attributes(OpSchema& schema);

/// The types of T1 and T2.
void add_backprop_types(OpSchema& schema);

/// `op` with the rules, readings and kernel that both have. With full = s*(L-1) + output_padding + (k-1)*d + 1 the
/// output's size is, per spatial axis,
///   explicit           full - pads_begin - pads_end
///   same_*, valid      full: no pads
///   with output_shape  as stated; begins after pads_begin (explicit), after nothing (valid), or same_* splits
///                      max(0, full - output_shape)
Operator backprop_data(Operator op);
}  // namespace opref::ops
