// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "io/elements.h"
#include "io/json/fields.h"
#include "io/json/parse.h"
#include "io/named_tensors.h"

namespace opref::io {
namespace {

constexpr std::size_t kSizeBytes = 8;

/// Of the JSON header; it may be more than the file has.
std::uint64_t header_size(std::string_view content) {
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < kSizeBytes; ++i)
    size |= static_cast<std::uint64_t>(static_cast<unsigned char>(content[i])) << (8 * i);
  return size;
}

DType dtype_of(const JsonValue& stated) {
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"F64", DType::float64},         {"F32", DType::float32},
      {"F16", DType::float16},         {"BF16", DType::bfloat16},
      {"I64", DType::int64},           {"I32", DType::int32},
      {"I16", DType::int16},           {"I8", DType::int8},
      {"U64", DType::uint64},          {"U32", DType::uint32},
      {"U16", DType::uint16},          {"U8", DType::uint8},
      {"BOOL", DType::boolean},        {"F8_E4M3", DType::float8_e4m3fn},
      {"F8_E5M2", DType::float8_e5m2}, {"F8_E8M0", DType::float8_e8m0fnu},
      {"C64", DType::complex64}};
  const std::string name = string_of(stated);
  const auto* const found = std::ranges::find(kTypes, name, &std::pair<std::string_view, DType>::first);
  if (found == std::end(kTypes))
    fail(Fault::unsupported, "{} is '{}', which is not read", place(stated), printable(name));
  return found->second;
}

Dims shape_of(const JsonValue& stated) {
  require_kind(stated, JsonKind::list);
  if (stated.size() > Dims::kCapacity) must_be(stated, format("a list of at most {}", Dims::kCapacity));
  Dims shape;
  for (const JsonValue size : stated) shape.push_back(integer_of(size, 0));
  return shape;
}

/// Its elements within the bytes after the header.
std::span<const std::byte> bytes_of_tensor(const JsonValue& stated, const TensorType& type,
                                           std::span<const std::byte> data) {
  const JsonValue offsets = required(stated, "data_offsets");
  require_kind(offsets, JsonKind::list);
  if (offsets.size() != 2) must_be(offsets, "a list of a begin and an end");
  auto item = offsets.begin();
  const std::int64_t begin = integer_of(*item, 0), end = integer_of(*++item, begin);
  if (static_cast<std::uint64_t>(end) > data.size())
    fail(Fault::malformed, "{} ends at {}, but the file has {} after its header", place(offsets), end,
         counted(static_cast<long long>(data.size()), "byte"));
  if (const std::int64_t size = malformed_at(stated, [&] { return byte_size(type); }); end - begin != size)
    fail(Fault::malformed, "{} takes {}, but {} leaves {}", type, counted(size, "byte"), place(offsets), end - begin);
  return data.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

/// A JSON object.
Json header_of(std::string_view content) {
  if (!is_safetensors(content))
    fail(Fault::malformed, "the file is no .safetensors: it does not begin with the size of its header");
  const auto size = static_cast<std::size_t>(header_size(content));
  Json header = at_place([] { return std::string("in the header"); },
                         [&] { return parse_json(content.substr(kSizeBytes, size)); });
  require_kind(header.root(), JsonKind::object);
  return header;
}

std::vector<std::string> names_in(const Json& header) {
  std::vector<std::string> names;
  for (const JsonValue member : header.root())
    if (member.key() != "__metadata__") names.emplace_back(member.key());
  return names;
}

}  // namespace

std::vector<std::string> names_of_safetensors(const FileBytes& file) { return names_in(header_of(file.text())); }

bool is_safetensors(std::string_view content) {
  return content.size() > kSizeBytes && content[kSizeBytes] == '{' &&
         header_size(content) <= content.size() - kSizeBytes;
}

Tensor read_safetensors(const FileBytes& file, std::string_view key, std::int64_t max_bytes) {
  const Json header = header_of(file.text());
  const auto size = static_cast<std::size_t>(header_size(file.text()));
  const std::vector<std::string> names = names_in(header);
  const JsonValue stated = required(header.root(), names[named_tensor(names, key, ".safetensors")]);
  require_kind(stated, JsonKind::object);
  const TensorType type{dtype_of(required(stated, "dtype")), shape_of(required(stated, "shape"))};
  const auto bytes = bytes_of_tensor(stated, type, file.bytes.subspan(kSizeBytes + size));
  require_bytes(type, max_bytes);
  return tensor_from_bytes(type, bytes, file.owner);
}

}  // namespace opref::io
