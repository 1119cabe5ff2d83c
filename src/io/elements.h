// SPDX-License-Identifier: Apache-2.0
// Elements as files keep them, made into tensors.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/tensor.h"

namespace opref::io {

/// A tensor of C-order, little-endian bytes, byte_size(type) of them, that live as long as `owner`: they stay where
/// they are if that is aligned to the element size. Any byte but 0 is a true bool; bits after the last packed element
/// count as 0. Not for string.
Tensor tensor_from_bytes(const TensorType& type, std::span<const std::byte> bytes,
                         const std::shared_ptr<const std::byte>& owner);

/// The elements of a tensor that has one byte for each, as another type of at most 8 bits. 4- and 2-bit elements become
/// packed; a byte that is neither such an element nor its sign extension is `malformed`.
Tensor retyped_bytes(const Tensor& tensor, DType dtype);

/// Elements of a packed type, each in a byte's low bits; the other bits are 0. retyped_bytes undoes it.
Tensor unpacked(const Tensor& tensor);

/// A tensor of strings. One that is no UTF-8 is a `fault`, with its place: no format may hold it.
Tensor tensor_of_strings(const Dims& shape, std::vector<std::string> strings, Fault fault = Fault::malformed);

}  // namespace opref::io
