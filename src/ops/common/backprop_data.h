// SPDX-License-Identifier: Apache-2.0
// OpenVINO's ConvolutionBackpropData and GroupConvolutionBackpropData: alike but for the kernel's leading axis, GROUPS.
#pragma once

#include "schema/operator.h"

namespace opref::ops {

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
