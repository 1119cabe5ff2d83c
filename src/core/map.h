// SPDX-License-Identifier: Apache-2.0
// Maps: keys in order. ONNX: "key_type MUST be an integral type ([U]INT{8|16|32|64}) or STRING".
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>

#include "core/error.h"
#include "core/tensor.h"

namespace opref::core {

bool is_key_type(DType dtype);

/// Integers by value, strings by bytes, of tensors of one key type.
std::strong_ordering compare_keys(const Tensor& a, size_t i, const Tensor& b, size_t j);

/// `3`, `"a"`: for people, in a path as Z[0]["a"].
std::string key_text(const Tensor& keys, size_t i);

/// The elements of a 1-D tensor at these places, one after another; bits are copied.
Tensor taken(const Tensor& tensor, std::span<const size_t> places);

/// Of two 1-D tensors of one length, the keys of a key type, put into order; a key that is there twice is an error of
/// this fault.
Map map_of(const Tensor& keys, const Tensor& values, Fault repeated = Fault::malformed);

/// Where the key stands, by its order; nothing where it is not there.
std::optional<size_t> place_of(const Map& map, const Tensor& keys, size_t i);

}  // namespace opref::core
