// SPDX-License-Identifier: Apache-2.0
#include "io/gzip.h"

#include <zlib.h>

#include "core/error.h"

namespace opref::io {

std::string unpacked_gzip(std::span<const std::uint8_t> packed, std::size_t size) {
  constexpr int kGzip = 15 + 16;  // a window of 2^15 bytes, with gzip's header and sum
  std::string text(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) fail(Fault::system, "zlib cannot begin");
  stream.next_in = const_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const bool good = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  if (!good) fail(Fault::malformed, "it is no gzip of {} bytes", size);
  return text;
}

UnpackedTexts::UnpackedTexts(std::span<const PackedText> texts, std::span<const std::uint8_t> packed) : texts_(texts) {
  std::size_t size = 0;
  for (const PackedText& text : texts) size += text.size;
  all_ = unpacked_gzip(packed, size);
}

}  // namespace opref::io
