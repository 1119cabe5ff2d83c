// SPDX-License-Identifier: Apache-2.0
#include "compare/element_scan.h"

namespace opref::compare {
namespace {

std::string hex(std::uint64_t bits, int width) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = (width + 3) / 4 * 4 - 4; shift >= 0; shift -= 4) text += digits[bits >> shift & 15];
  return text;
}

}  // namespace

Tensor parts_of(const Tensor& tensor) {
  if (info(tensor.dtype()).kind != Kind::complex) return tensor;
  const DType part = tensor.dtype() == DType::complex64 ? DType::float32 : DType::float64;
  const std::shared_ptr<const std::byte> unowned(std::shared_ptr<const std::byte>(), tensor.bytes().data());
  return {{part, Dims{checked_multiply(2, tensor.count())}}, unowned};
}

std::string ElementScan::bits_text(const Tensor& parts, std::int64_t element) const {
  const int width = info(parts.dtype()).bits;
  const auto part = [&](std::int64_t i) { return hex(element_bits(parts, element * parts_ + i), width); };
  return parts_ == 1 ? part(0) : format("{} {}", part(0), part(1));
}

}  // namespace opref::compare
