// SPDX-License-Identifier: Apache-2.0
#include "io/elements.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/utf8.h"
#include "exact/rounding.h"
#include "system/mapping.h"

namespace opref::io {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are read and written as they are in memory");

Tensor normalised_bools(const TensorType& type, std::span<const std::byte> bytes) {
  TensorBuilder builder(type);
  std::ranges::transform(bytes, builder.bytes().begin(), [](std::byte b) { return std::byte{b != std::byte{0}}; });
  return std::move(builder).finish();
}

/// Bits of the last byte that hold elements.
std::byte used_mask(const TensorType& type) {
  const int bits = static_cast<int>(element_count(type.shape) * info(type.dtype).bits % 8);
  return static_cast<std::byte>(bits == 0 ? 0xff : (1 << bits) - 1);
}

Tensor packed(const Tensor& tensor, DType dtype) {
  const int bits = info(dtype).bits;
  const unsigned mask = (1U << bits) - 1;
  const bool is_signed = info(dtype).kind == Kind::signed_integer;
  TensorBuilder builder({dtype, tensor.shape()});
  const auto packed_bytes = builder.values<std::uint8_t>();
  const auto bytes = tensor.values<std::uint8_t>();
  for (size_t i = 0; i < bytes.size(); ++i) {
    const unsigned element = bytes[i] & mask;
    const bool negative = is_signed && (element >> (bits - 1)) != 0;
    if (bytes[i] != element && !(negative && bytes[i] == (element | (~mask & 0xff))))
      fail(Fault::malformed, "element {} is the byte {}, which is no {}", i, bytes[i], dtype);
    const size_t first = i * static_cast<size_t>(bits);
    packed_bytes[first / 8] |= static_cast<std::uint8_t>(element << (first % 8));
    if (first % 8 + static_cast<size_t>(bits) > 8)
      packed_bytes[first / 8 + 1] |= static_cast<std::uint8_t>(element >> (8 - first % 8));
  }
  return std::move(builder).finish();
}

}  // namespace

Tensor tensor_from_bytes(const TensorType& type, std::span<const std::byte> bytes,
                         const std::shared_ptr<const std::byte>& owner) {
  if (static_cast<std::int64_t>(bytes.size()) != byte_size(type))
    fail(Fault::internal, "{} bytes for {}", bytes.size(), type);
  if (type.dtype == DType::boolean && std::ranges::any_of(bytes, [](std::byte b) { return b > std::byte{1}; }))
    return normalised_bools(type, bytes);
  const int bits = info(type.dtype).bits;
  if (bits < 8 && !bytes.empty() && (bytes.back() & ~used_mask(type)) != std::byte{0}) {
    TensorBuilder builder(type);
    std::ranges::copy(bytes, builder.bytes().begin());
    builder.bytes().back() &= used_mask(type);
    return std::move(builder).finish();
  }
  const auto alignment = static_cast<std::uintptr_t>(std::max(1, bits / 8));
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment != 0) {
    constexpr size_t kLarge = size_t{1} << 20;
    Tensor copy = Tensor::copy_of(type, bytes);
    if (bytes.size() >= kLarge) system::release_pages(bytes);
    return copy;
  }
  return {type, std::shared_ptr<const std::byte>(owner, bytes.data())};
}

Tensor unpacked(const Tensor& tensor) {
  TensorBuilder builder({DType::uint8, tensor.shape()}, Content::any);
  const auto bytes = builder.values<std::uint8_t>();
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(element_bits(tensor, static_cast<std::int64_t>(i)));
  return std::move(builder).finish();
}

Tensor retyped_bytes(const Tensor& tensor, DType dtype) {
  if (info(dtype).bits < 8) return packed(tensor, dtype);
  if (dtype == DType::boolean) return normalised_bools({dtype, tensor.shape()}, tensor.bytes());
  return tensor.reinterpreted(dtype);
}

Tensor tensor_of_strings(const Dims& shape, std::vector<std::string> strings, Fault fault) {
  for (size_t i = 0; i < strings.size(); ++i)
    if (!is_utf8(strings[i]))
      fail(fault, "element {} is '{}', but strings are UTF-8", coordinates(static_cast<std::int64_t>(i), shape),
           printable(strings[i]));
  return {shape, std::move(strings)};
}

}  // namespace opref::io
