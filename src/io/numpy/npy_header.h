// SPDX-License-Identifier: Apache-2.0
// What an .npy says before its elements.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/tensor.h"
#include "io/numpy/npy_strings.h"

namespace opref::io {

struct NpyHeader {
  /// numpy's name of the element type: "<f4"; of a structure as Python writes it, without spaces:
  /// "[('a','<f4'),('b','<i4')]".
  std::string descr;
  bool fortran_order;
  Dims shape;
  size_t size;  ///< of the header: the elements begin here
};

/// Bytes of magic, version and length that stand before the dictionary, at most.
constexpr size_t kNpyPrefixSize = 12;

/// Where the elements begin, from the first kNpyPrefixSize bytes. Faults: `malformed`, `unsupported` (a version other
/// than 1.0, 2.0 and 3.0).
size_t npy_header_size(std::span<const std::byte> file);

/// Reads the header from the file's beginning, which holds at least all of it. Faults: `malformed`, `unsupported` (the
/// version, more than 16 axes).
NpyHeader parse_npy_header(std::span<const std::byte> file);

/// Which elements a descr means.
struct NpyElements {
  /// Of an open one what is read for now: bfloat16 for V2, uint16 for u2, uint8 for V1.
  DType dtype;
  bool open;        ///< the descr leaves the type open
  bool big_endian;  ///< and more than one byte long
  std::optional<NpyString> string = {};

  /// What an element takes in the file.
  size_t bytes() const { return string ? string->bytes() : static_cast<size_t>(info(dtype).bits) / 8; }
};

/// Fault: `unsupported` for everything that is no element type of ONNX.
NpyElements npy_elements(const std::string& descr);

/// Checks that what follows the header is the elements and nothing else; else `malformed`.
void require_npy_size(const NpyHeader& header, size_t bytes_after_header);

}  // namespace opref::io
