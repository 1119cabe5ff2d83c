// SPDX-License-Identifier: Apache-2.0
#include "io/numpy/npy.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/error.h"
#include "io/elements.h"
#include "io/numpy/npy_header.h"

namespace opref::io {
namespace {

/// Copies the elements of a non-empty Fortran-order array, whatever their alignment, into C order.
template <class Unit>
void copy_transposed(const std::byte* source, const Dims& shape, Unit* target) {
  Dims stride = shape;
  std::int64_t count = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) stride[axis] = std::exchange(count, count * shape[axis]);
  const size_t last = shape.size() - 1;
  Dims at = Dims::filled(shape.size(), 0);
  std::int64_t begin = 0;
  for (const Unit* end = target + count; target != end;) {
    for (std::int64_t i = 0; i < shape[last]; ++i)
      std::memcpy(target++, source + (begin + i * stride[last]) * sizeof(Unit), sizeof(Unit));
    for (size_t axis = last; axis-- > 0;) {
      begin += stride[axis];
      if (++at[axis] < shape[axis]) break;
      begin -= stride[axis] * shape[axis];
      at[axis] = 0;
    }
  }
}

void swap_bytes(std::span<std::byte> bytes, DType dtype) {
  const int numbers = info(dtype).kind == Kind::complex ? 2 : 1;
  const auto size = static_cast<size_t>(info(dtype).bits / 8 / numbers);
  for (; !bytes.empty(); bytes = bytes.subspan(size)) std::ranges::reverse(bytes.first(size));
}

Tensor converted(const TensorType& type, std::span<const std::byte> bytes, bool transpose, bool big_endian) {
  // Allocated all the same, it would end the process once its pages are written.
  if (byte_size(type) > physical_memory())
    fail(Fault::system,
         "big-endian and Fortran-order arrays are converted in memory: {} bytes are more than this machine has ({})",
         byte_size(type), physical_memory());
  TensorBuilder builder(type);
  if (transpose && !bytes.empty()) {
    with_unit(type.dtype, [&]<class Unit>(Unit) {
      copy_transposed(bytes.data(), type.shape, reinterpret_cast<Unit*>(builder.bytes().data()));
    });
  } else {
    std::ranges::copy(bytes, builder.bytes().begin());
  }
  if (big_endian) swap_bytes(builder.bytes(), type.dtype);
  return std::move(builder).finish();
}

/// Strings of an array in Fortran order, in C order.
Tensor transposed_strings(const Tensor& tensor) {
  std::vector<std::int64_t> places(static_cast<size_t>(tensor.count())), from(places.size());
  std::iota(places.begin(), places.end(), 0);
  if (!places.empty()) copy_transposed(reinterpret_cast<const std::byte*>(places.data()), tensor.shape(), from.data());
  std::vector<std::string> strings;
  strings.reserve(from.size());
  for (const std::int64_t place : from) strings.push_back(tensor.strings()[static_cast<size_t>(place)]);
  return {tensor.shape(), std::move(strings)};
}

/// "(1, 3)", "(3,)", "()"
std::string python_tuple(const Dims& shape) { return "(" + join_text(shape, ", ") + (shape.size() == 1 ? ",)" : ")"); }

}  // namespace

LoadedTensor read_npy(const FileBytes& file, std::int64_t max_bytes) {
  const NpyHeader header = parse_npy_header(file.bytes);
  const NpyElements elements = npy_elements(header.descr);
  require_npy_size(header, file.bytes.size() - header.size);
  const TensorType type{elements.dtype, header.shape};
  require_bytes(type, max_bytes);
  const auto bytes = file.bytes.subspan(header.size);
  const bool transpose = header.fortran_order && type.rank() > 1;
  LoadedTensor loaded;
  if (elements.string) {
    const Tensor strings = strings_of_units(*elements.string, type.shape, elements.big_endian, bytes);
    loaded.value = transpose ? transposed_strings(strings) : strings;
    return loaded;
  }
  if (elements.open) loaded.open_descr = header.descr;
  if (!transpose && !elements.big_endian) {
    loaded.value = tensor_from_bytes(type, bytes, file.owner);
  } else {
    Tensor tensor = converted(type, bytes, transpose, elements.big_endian);
    loaded.value = type.dtype == DType::boolean ? retyped_bytes(tensor, type.dtype) : std::move(tensor);
  }
  return loaded;
}

bool descr_can_be(std::string_view descr, DType dtype) {
  const int bits = info(dtype).bits;
  if (descr.ends_with("V2")) return dtype == DType::bfloat16;
  if (descr.ends_with("u2")) return dtype == DType::uint16 || dtype == DType::bfloat16;
  const bool has_own_descr = dtype == DType::uint8 || dtype == DType::int8 || dtype == DType::boolean;
  return descr.ends_with("V1") && bits > 0 && bits <= 8 && !has_own_descr;
}

namespace {

std::string header_of(std::string_view descr, const Dims& shape) {
  constexpr size_t kMostDigits = 21;  // numpy leaves room for the first axis to grow
  constexpr size_t kAlignment = 64;
  constexpr size_t kPrefix = 10;
  std::string dictionary =
      format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, python_tuple(shape));
  if (!shape.empty()) dictionary.append(kMostDigits - std::to_string(shape[0]).size(), ' ');
  dictionary.append(kAlignment - (kPrefix + dictionary.size() + 1) % kAlignment, ' ');
  dictionary += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace

std::string npy_header(const TensorType& type) { return header_of(info(type.dtype).npy, type.shape); }

NpyContent npy_content(const Tensor& tensor) {
  if (tensor.dtype() == DType::string) {
    const size_t width = width_of_strings(tensor);
    return {header_of(format("<U{}", width), tensor.shape()), units_of_strings(tensor, width)};
  }
  const bool is_packed = info(tensor.dtype()).bits < 8;
  return {npy_header(tensor.type()), is_packed ? unpacked(tensor) : tensor};
}

void write_npy(FileWriter& file, const Tensor& tensor) {
  const NpyContent content = npy_content(tensor);
  file.write(content.header);
  file.write(content.elements.bytes());
}

}  // namespace opref::io
