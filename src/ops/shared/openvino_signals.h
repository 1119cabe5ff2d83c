// SPDX-License-Identifier: Apache-2.0
// What OpenVINO's Fourier transforms share: inputs data, axes and signal_size.
// https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/signals/dft-7.html
#pragma once

#include "ops/shared/signals.h"
namespace opref::ops {
/// The axes, in the order of the list, none of which is that of the parts of complex numbers, and their sizes: those of
/// signal_size, or the data's, where it is absent or has -1.
struct SignalAxes {
  std::vector<size_t> axes;
  std::vector<std::int64_t> sizes;
  std::vector<bool> is_stated;  ///< a size, by signal_size
};
/// Of data without the axis of parts; each rule.
SignalAxes signal_axes(const Call& call, bool is_complex);
/// The length of each transform is at least 1; else `invalid`.
void require_lengths(const SignalAxes& signals);

/// Of T data and axes, T_IND, and perhaps signal_size, T_SIZE.
void add_signal_inputs(OpSchema& s);
/// A transform of complex numbers into as many as the sizes say: types and results.
std::vector<ValueType> complex_transform_types(const Call& call);
std::vector<Value> complex_transform(const Call& call, std::span<const Output> outs, bool inverse);
}  // namespace opref::ops
