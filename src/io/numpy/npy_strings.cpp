// SPDX-License-Identifier: Apache-2.0
#include "io/numpy/npy_strings.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/error.h"
#include "core/utf8.h"
#include "io/elements.h"
#include "system/file.h"

namespace opref::io {
namespace {

void require_memory(std::int64_t bytes) {
  if (bytes > physical_memory())
    fail(Fault::system, "the strings take {} bytes, more than this machine's memory ({})", bytes, physical_memory());
}

std::uint32_t unit_at(const std::byte* bytes, bool big_endian) {
  std::uint32_t unit = 0;
  std::memcpy(&unit, bytes, sizeof unit);
  return big_endian ? __builtin_bswap32(unit) : unit;
}

/// One element in UTF-8.
std::string text_of(std::span<const std::byte> element, bool big_endian, size_t index) {
  std::string text;
  size_t size = element.size() / 4;
  while (size > 0 && unit_at(element.data() + 4 * (size - 1), big_endian) == 0) --size;
  for (size_t i = 0; i < size; ++i) {
    const std::uint32_t code = unit_at(element.data() + 4 * i, big_endian);
    if (!append_utf8(text, code))
      fail(Fault::malformed, "element {} has the character {}, which is no code point of Unicode", index, code);
  }
  return text;
}

std::string bytes_of(std::span<const std::byte> element) {
  std::string text(reinterpret_cast<const char*>(element.data()), element.size());
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

}  // namespace

Tensor strings_of_units(const NpyString& element, const Dims& shape, bool big_endian,
                        std::span<const std::byte> bytes) {
  const TensorType type{DType::string, shape};
  require_memory(byte_size(type));
  std::vector<std::string> strings(static_cast<size_t>(element_count(shape)));
  for (size_t i = 0; i < strings.size(); ++i) {
    const auto units = bytes.subspan(i * element.bytes(), element.bytes());
    strings[i] = element.unit == NpyString::Unit::byte ? bytes_of(units) : text_of(units, big_endian, i);
  }
  return tensor_of_strings(shape, std::move(strings));
}

size_t width_of_strings(const Tensor& strings) {
  size_t width = 1;
  for (size_t i = 0; i < strings.strings().size(); ++i) {
    const std::string& text = strings.strings()[i];
    const auto units = code_points(text);
    if (!units || text.ends_with('\0'))
      fail(Fault::unsupported, ".npy cannot store element {} of {}, '{}', which {}; a TensorProto (.pb) can", i,
           strings.type(), printable(text), units ? "ends with NUL" : "is no UTF-8");
    width = std::max(width, units->size());
  }
  return width;
}

Tensor units_of_strings(const Tensor& strings, size_t width) {
  const TensorType type{DType::uint32, {strings.count(), static_cast<std::int64_t>(width)}};
  require_memory(byte_size(type));
  TensorBuilder builder(type);
  auto units = builder.values<std::uint32_t>();
  for (const std::string& text : strings.strings()) {
    const auto code = code_points(text);
    std::ranges::copy(*code, units.begin());
    units = units.subspan(width);
  }
  return std::move(builder).finish();
}

}  // namespace opref::io
