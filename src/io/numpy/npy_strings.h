// SPDX-License-Identifier: Apache-2.0
// Strings in .npy: elements of one width, padded with NUL.
// https://numpy.org/doc/stable/reference/arrays.dtypes.html
#pragma once

#include <span>

#include "core/tensor.h"

namespace opref::io {

/// What an element takes in the file.
struct NpyString {
  enum class Unit : std::uint8_t {
    code_point = 4,  ///< "<U5": UCS-4
    byte = 1,        ///< "|S5": whatever they mean
  } unit;
  size_t width;  ///< units of an element

  size_t bytes() const { return width * static_cast<size_t>(unit); }
};

/// The strings that the units stand for, in UTF-8, without the NULs at their ends. `bytes` holds all of them. Faults:
/// `malformed` (what is no code point), `system` (more strings than this machine's memory holds).
Tensor strings_of_units(const NpyString& element, const Dims& shape, bool big_endian, std::span<const std::byte> bytes);

/// The width that numpy gives an array of these strings: of the longest one, at least 1. Fault: `unsupported` for
/// strings that would not be read back: those that are no UTF-8, or end with NUL.
size_t width_of_strings(const Tensor& strings);

/// The elements of "<U`width`", uint32[count,width]. Fault: `system` for more than this machine's memory holds.
Tensor units_of_strings(const Tensor& strings, size_t width);

}  // namespace opref::io
