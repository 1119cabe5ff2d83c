// SPDX-License-Identifier: Apache-2.0
// numpy's .npy (versions 1 to 3) and .npz.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/tensor_source.h"
#include "system/file.h"

namespace opref::io {

/// Reads an array: both byte orders, C and Fortran order, rank 0, empty. A descr that leaves the element type open (V2,
/// V1, and u2, which a node may declare to be bfloat16) gives `open_descr`. Native C-order data stay where they are
/// (mapped). More than `max_bytes` of elements are refused before they are allocated. Faults: `malformed` (truncated,
/// trailing data, a header that lies), `unsupported` (objects, structures), `system` (an array to be converted that
/// memory cannot hold).
LoadedTensor read_npy(const FileBytes& file, std::int64_t max_bytes = INT64_MAX);

/// Whether the open `descr` can mean `dtype`: V2 bfloat16; u2 uint16 or bfloat16; V1 any type of at most 8 bits
/// that has no descr of its own, as u1, i1 and b1.
bool descr_can_be(std::string_view descr, DType dtype);

/// The bytes that numpy.save writes before the elements of a C-order array: version 1, padded to a multiple of 64.
/// Not of strings, whose values decide their descr.
std::string npy_header(const TensorType& type);

/// What numpy.save writes of a tensor: a header, and the bytes of `elements`. Of packed types each element is one byte,
/// in its low bits; strings are "<U", as wide as the longest. Faults: those of width_of_strings and units_of_strings.
struct NpyContent {
  std::string header;
  Tensor elements;
};
NpyContent npy_content(const Tensor& tensor);
/// As numpy.save; faults as npy_content.
void write_npy(FileWriter& file, const Tensor& tensor);

/// An .npz, whose directory is read once for all that read one array after another. One thread at a time may use it.
class NpzArchive {
 public:
  /// Faults: `malformed` (no zip archive, two members of one name).
  explicit NpzArchive(FileBytes file);
  ~NpzArchive();
  NpzArchive(const NpzArchive&) = delete;
  NpzArchive& operator=(const NpzArchive&) = delete;

  /// Names of the arrays, without ".npy", in the archive's order. Other members are left out.
  const std::vector<std::string>& arrays() const;
  bool has_array(std::string_view name) const;
  /// An array, stored or deflated; "a.npy" may be meant by "a" and, as numpy allows too, by "a.npy". A missing member
  /// is a `usage` error that offers the nearest name, a member that is no .npy `unsupported`; sizes that cannot be
  /// true, or exceed `max_bytes` or this machine's memory, are refused before they are allocated.
  LoadedTensor read(std::string_view name, std::int64_t max_bytes = INT64_MAX);

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

/// As numpy.savez (Python 3.11's zipfile), byte for byte. Faults as write_npy; `unsupported` for a name that a zip
/// cannot store so that every reader finds it: no UTF-8, with a null byte, longer than 65,535 bytes.
void write_npz(FileWriter& file, const std::vector<std::pair<std::string, Tensor>>& tensors);

}  // namespace opref::io
